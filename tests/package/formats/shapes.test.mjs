// Messages of every format: known ones are read through every entry point and never mistaken for another format's, and
// unknown ones are never read as an empty message. Each format also has its own test file.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  countTokens,
  createTranscript,
  loadEncoding,
  memoryStore,
  messageShapes,
  openSession,
  parseTranscript,
  replay,
} from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";

await loadEncoding("o200k_base");
const encoding = "o200k_base";
const SAID = "The boat house holds forty people.";
const ASKED = "Which boat house?";
const text = (messages) => buildContextSync(messages, { encoding, render: { format: "text" } }).text;

class HumanMessage {
  constructor(content) {
    this.lc_namespace = ["langchain_core", "messages"];
    this.lc_kwargs = { content };
    this.content = content;
  }
  _getType() {
    return "human";
  }
  toJSON() {
    return { lc: 1, type: "constructor", id: [...this.lc_namespace, "HumanMessage"], kwargs: this.lc_kwargs };
  }
}

/**
 * For every format, by name, a list of messages that say `ASKED` and `SAID` and call a tool.
 *
 * @type {Record<string, any[]>}
 */
const SAMPLES = {
  "assistant-ui": [
    {
      id: "a",
      role: "user",
      createdAt: new Date(0),
      content: [{ type: "text", text: ASKED }],
      attachments: [],
      metadata: { custom: {} },
    },
    {
      id: "b",
      role: "assistant",
      createdAt: new Date(1),
      content: [
        { type: "tool-call", toolCallId: "t", toolName: "look", args: { q: 1 }, argsText: '{"q":1}', result: 40 },
        { type: "text", text: SAID },
      ],
      status: { type: "complete", reason: "stop" },
      metadata: { custom: {} },
    },
  ],
  opencode: [
    { info: { id: "a", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: ASKED }] },
    {
      info: { id: "b", role: "assistant" },
      parts: [
        { type: "tool", callID: "t", tool: "look", state: { status: "completed", input: { q: 1 }, output: "forty" } },
        { type: "text", text: SAID },
      ],
    },
  ],
  mastra: [
    { id: "a", role: "user", createdAt: new Date(0), content: { format: 2, parts: [{ type: "text", text: ASKED }] } },
    {
      id: "b",
      role: "assistant",
      content: {
        format: 2,
        parts: [
          {
            type: "tool-invocation",
            toolInvocation: { state: "result", toolCallId: "t", toolName: "look", args: {}, result: 40 },
          },
          { type: "text", text: SAID },
        ],
      },
    },
  ],
  gemini: [
    { role: "user", parts: [{ text: ASKED }] },
    { role: "model", parts: [{ functionCall: { name: "look", args: { q: 1 } } }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response: { people: 40 } } }] },
    { role: "model", parts: [{ text: SAID }] },
  ],
  "pydantic-ai": [
    { kind: "request", parts: [{ part_kind: "user-prompt", content: ASKED, timestamp: "2026-01-05T09:00:00Z" }] },
    { kind: "response", parts: [{ part_kind: "tool-call", tool_name: "look", args: '{"q":1}', tool_call_id: "t" }] },
    { kind: "request", parts: [{ part_kind: "tool-return", tool_name: "look", content: "forty", tool_call_id: "t" }] },
    { kind: "response", parts: [{ part_kind: "text", content: SAID }], model_name: "gpt-5" },
  ],
  "semantic-kernel": [
    { Role: { Label: "user" }, Items: [{ $type: "TextContent", Text: ASKED }] },
    {
      Role: { Label: "Assistant" },
      Items: [{ $type: "FunctionCallContent", Id: "t", FunctionName: "look", Arguments: { q: 1 } }],
    },
    { role: "tool", items: [{ content_type: "function_result", id: "t", name: "look", result: "forty" }] },
    { role: "assistant", contents: [{ type: "text", text: SAID }] },
  ],
  smolagents: [
    { role: "user", content: [{ type: "text", text: ASKED }] },
    { role: "tool-call", content: [{ type: "text", text: "Calling tools:\n[{'name': 'look'}]" }] },
    { role: "tool-response", content: [{ type: "text", text: "Observation:\nforty" }] },
    { role: "assistant", content: [{ type: "text", text: SAID }] },
  ],
  "ag-ui": [
    {
      id: "a",
      role: "user",
      content: [
        { type: "text", text: ASKED },
        { type: "binary", mimeType: "image/png", url: "https://example.org/a.png" },
      ],
    },
    { id: "r", role: "reasoning", content: "Let me see." },
    {
      id: "b",
      role: "assistant",
      toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { id: "c", role: "tool", content: "forty", toolCallId: "t" },
    { id: "d", role: "assistant", content: SAID },
  ],
  mcp: [
    { role: "user", content: { type: "text", text: ASKED } },
    {
      role: "assistant",
      content: [
        { type: "resource_link", uri: "file:///halls.md", name: "halls" },
        { type: "tool_use", id: "t", name: "look", input: { q: 1 } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", toolUseId: "t", content: [{ type: "text", text: "forty" }] }],
    },
    { role: "assistant", content: { type: "text", text: SAID } },
  ],
  tanstack: [
    { id: "a", role: "user", parts: [{ type: "text", content: ASKED }] },
    {
      id: "b",
      role: "assistant",
      parts: [
        { type: "tool-call", id: "t", name: "look", arguments: '{"q":1}', state: "complete" },
        { type: "tool-result", toolCallId: "t", content: "forty", state: "complete" },
        { type: "text", content: SAID },
      ],
    },
  ],
  otel: [
    { role: "user", parts: [{ type: "text", content: ASKED }], finish_reason: "" },
    { role: "assistant", parts: [{ type: "tool_call", id: "t", name: "look", arguments: { q: 1 } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "t", response: "forty" }] },
    { role: "assistant", parts: [{ type: "text", content: SAID }], finish_reason: "stop" },
  ],
  bedrock: [
    { role: "user", content: [{ text: ASKED }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "look", input: { q: 1 } } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "t", content: [{ json: { people: 40 } }] } }] },
    { role: "assistant", content: [{ text: SAID }] },
  ],
  langchain: [
    new HumanMessage(ASKED),
    { type: "ai", data: { content: SAID, tool_calls: [{ id: "t", name: "look", args: { q: 1 } }] } },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "ToolMessage"],
      kwargs: { content: "40", tool_call_id: "t" },
    },
  ],
  pi: [
    { role: "user", content: ASKED, timestamp: 1 },
    {
      role: "assistant",
      content: [
        { type: "text", text: SAID },
        { type: "toolCall", id: "t", name: "look", arguments: { q: 1 } },
      ],
      timestamp: 2,
    },
    { role: "toolResult", toolCallId: "t", toolName: "look", content: [{ type: "text", text: "40" }], timestamp: 3 },
  ],
  "openai-agents": [
    { role: "user", content: ASKED },
    { type: "function_call", callId: "t", name: "look", arguments: "{}", status: "completed" },
    { type: "function_call_result", callId: "t", name: "look", output: { type: "text", text: "forty" } },
    { role: "assistant", content: [{ type: "output_text", text: SAID }] },
  ],
  "openai-responses": [
    {
      role: "user",
      content: [
        { type: "input_text", text: ASKED },
        { type: "input_image", image_url: "https://example.com/1.png" },
      ],
    },
    { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Let me see." }] },
    { type: "function_call", call_id: "t", name: "look", arguments: '{"q":1}' },
    { type: "function_call_output", call_id: "t", output: "forty" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: SAID }] },
  ],
  "ai-sdk-ui-4": [
    {
      id: "a",
      role: "user",
      content: ASKED,
      experimental_attachments: [{ url: "data:image/png;base64,AAAA", contentType: "image/png" }],
    },
    {
      id: "b",
      role: "assistant",
      content: SAID,
      toolInvocations: [{ state: "result", toolCallId: "t", toolName: "look", args: { q: 1 }, result: { people: 40 } }],
    },
  ],
  "ai-sdk-ui": [
    { id: "a", role: "user", parts: [{ type: "text", text: ASKED }] },
    {
      id: "b",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-look", toolCallId: "t", state: "output-available", input: { q: 1 }, output: { people: 40 } },
        { type: "text", text: SAID, state: "done" },
      ],
    },
  ],
};

/**
 * The same in windrow's own form, and in those that are read with it.
 *
 * @type {Record<string, any[]>}
 */
const OWN_SAMPLES = {
  windrow: [
    { role: "user", content: ASKED },
    { role: "assistant", content: SAID, toolCalls: [{ id: "t", name: "look", arguments: { q: 1 } }] },
    { role: "tool", toolCallId: "t", content: "forty" },
  ],
  "AI SDK ModelMessage": [
    { role: "user", content: [{ type: "text", text: ASKED }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: SAID },
        { type: "tool-call", toolCallId: "t", toolName: "look", input: { q: 1 } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "t", toolName: "look", output: { type: "text", value: "forty" } }],
    },
  ],
  "Anthropic message": [
    { role: "user", content: [{ type: "text", text: ASKED }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "s" },
        { type: "redacted_thinking", data: "abc" },
        { type: "text", text: SAID, citations: null },
        { type: "tool_use", id: "t", name: "look", input: { q: 1 } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "forty" }] }] },
  ],
  "Ollama message": [
    { role: "user", content: ASKED, images: ["iVBORw0KGgo="] },
    {
      role: "assistant",
      content: SAID,
      thinking: "Let me see.",
      tool_calls: [{ function: { name: "look", arguments: { q: 1 } } }],
    },
    { role: "tool", tool_name: "look", content: "forty" },
  ],
  "OpenAI's first functions": [
    { role: "user", content: ASKED },
    { role: "assistant", content: SAID, function_call: { name: "look", arguments: '{"q":1}' } },
    { role: "function", name: "look", content: "forty" },
  ],
  "Workers AI message": [
    { role: "user", content: ASKED },
    { role: "assistant", content: SAID, tool_calls: [{ name: "look", arguments: { q: 1 } }] },
    { role: "tool", name: "look", content: "forty" },
  ],
  "Cohere message": [
    { role: "user", content: ASKED },
    {
      role: "assistant",
      tool_plan: SAID,
      tool_calls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { role: "tool", tool_call_id: "t", content: "forty" },
  ],
  "Mistral message": [
    { role: "user", content: [{ type: "text", text: ASKED }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Let me see." }] },
        { type: "text", text: SAID },
      ],
      toolCalls: [{ id: "abcdef123", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { role: "tool", toolCallId: "abcdef123", name: "look", content: "forty" },
  ],
  "Chrome Prompt API message": [
    { role: "user", content: [{ type: "text", value: ASKED }] },
    {
      role: "assistant",
      content: [{ type: "text", value: SAID }],
      toolCalls: [{ id: "t", name: "look", arguments: { q: 1 } }],
    },
    { role: "tool", toolCallId: "t", content: "forty" },
  ],
  "TanStack AI ModelMessage": [
    { role: "user", content: [{ type: "text", content: ASKED }] },
    {
      role: "assistant",
      content: SAID,
      thinking: [{ content: "Let me see." }],
      toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { role: "tool", toolCallId: "t", name: "look", content: "forty" },
  ],
  "OpenAI chat message": [
    { role: "user", content: ASKED },
    {
      role: "assistant",
      content: SAID,
      tool_calls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { role: "tool", tool_call_id: "t", content: "forty" },
  ],
};

/**
 * Every entry point that takes messages.
 *
 * @type {Record<string, (messages: any[]) => unknown>}
 */
const WAYS = {
  buildContext: (messages) => buildContext(messages, { encoding }),
  buildContextSync: (messages) => buildContextSync(messages, { encoding }),
  countTokens: (messages) => countTokens(messages, { encoding }),
  createTranscript: (messages) => createTranscript(messages),
  append: (messages) => createTranscript().append(messages),
  request: (messages) => {
    for (const request of messages) {
      buildContextSync([], { encoding, request });
    }
  },
  "session.append": async (messages) => (await openSession("s", { store: memoryStore() })).append(messages),
  "session.replaceLast": async (messages) => {
    for (const message of messages) {
      const session = await openSession("s", { store: memoryStore() });
      await session.append({ role: "user", content: "hi" });
      await session.replaceLast(message);
    }
  },
};

/**
 * Every entry point that takes the name of a shape.
 *
 * @type {Record<string, (messages: any[], shape: string) => unknown>}
 */
const NAMED_WAYS = {
  buildContext: (messages, shape) => buildContext(messages, { encoding, shape }),
  buildContextSync: (messages, shape) => buildContextSync(messages, { encoding, shape }),
  countTokens: (messages, shape) => countTokens(messages, { encoding, shape }),
  createTranscript: (messages, shape) => createTranscript(messages, { shape }),
};

/** Checks that messages are read through every entry point, and that the first can be the request. */
async function isReadEverywhere(messages) {
  for (const [way, take] of Object.entries(WAYS)) {
    await assert.doesNotReject(async () => take(way === "request" ? messages.slice(0, 1) : messages), way);
  }
}

async function isRefusedEverywhere(messages, expected = {}, ways = WAYS) {
  for (const [way, take] of Object.entries(ways)) {
    const failure = await errorOf(() => take(messages));
    assert.ok(failure !== undefined, `${way}: ${JSON.stringify(messages)}`);
    checkContextError(failure, { code: "INVALID_TRANSCRIPT", kind: failure.kind, ...expected });
    assert.match(failure.path, /\[?\d*\]?|request|message/, way);
  }
}

/** The contents of messages, and the cost of each. */
function readingOf(messages, options) {
  const costs = messages.map((message) => countTokens([message], { encoding, ...options }).tokens);
  const { text: said } = buildContextSync(messages, { encoding, render: { format: "text" }, ...options });
  return { costs, said };
}

describe("known formats", () => {
  test("each has a sample, a name and a title", () => {
    assert.deepEqual(Object.keys(SAMPLES).sort(), messageShapes.map(({ name }) => name).sort());
    assert.equal(new Set(messageShapes.map(({ title }) => title)).size, messageShapes.length);
    assert.ok(Object.isFrozen(messageShapes) && messageShapes.every(Object.isFrozen));
  });

  for (const [name, messages] of Object.entries({ ...OWN_SAMPLES, ...SAMPLES })) {
    test(`${name}: is read through every entry point, and its contents are counted`, async () => {
      await isReadEverywhere(messages);
      const shown = text(messages);
      // smolagents writes calls in words.
      for (const said of [ASKED, SAID, name === "smolagents" ? "[{'name': 'look'}]" : "[Calling look("]) {
        assert.ok(shown.includes(said), `${said} in ${shown}`);
      }
      assert.match(shown.replaceAll(SAID, ""), /40|forty/);
      const { kept } = buildContextSync(messages, { encoding });
      assert.equal(kept.length, messages.length, "calls and results are paired");
      for (const [at, message] of kept.entries()) {
        assert.equal(message, messages[at], "the caller's own object");
      }
      const [longer] = messages.map((message) =>
        JSON.parse(JSON.stringify(message).replace(ASKED, "word ".repeat(100))),
      );
      const [cost, more] = [messages[0], longer].map((message) => countTokens([message], { encoding }).tokens);
      assert.ok(more > cost + 90, `${more} after ${cost}`);
    });
  }

  for (const [name, messages] of Object.entries(SAMPLES)) {
    test(`${name}: isn't mistaken for another format`, () => {
      assert.deepEqual(readingOf(messages), readingOf(messages, { shape: name }));
    });
  }

  test("one list may mix messages of all formats", async () => {
    const all = Object.values({ ...OWN_SAMPLES, ...SAMPLES });
    const count = (messages) => countTokens(messages, { encoding }).tokens;
    // The prompt's fixed cost is counted once.
    const beside = count([]);
    const sum = all.reduce((tokens, messages) => tokens + count(messages) - beside, beside);
    assert.equal(count(all.flat()), sum);
    forEachSeed((random) => {
      const mixed = Array.from({ length: 9 }, () => random.pick(all.flat()));
      assert.equal(
        count(mixed),
        mixed.reduce((tokens, message) => tokens + count([message]) - beside, beside),
      );
    });
    assert.equal(text(all.flat()).split(SAID).length - 1, all.length);
    await isReadEverywhere(all.flat());
  });

  test("a message in any format may be the request, and is in the recording", async () => {
    for (const [request] of Object.values({ ...OWN_SAMPLES, ...SAMPLES })) {
      const messages = [{ role: "user", content: "Hello." }];
      const context = buildContextSync(messages, { encoding, request });
      assert.equal(context.messages.at(-1), request);
      for (const recording of [context.recording, JSON.parse(JSON.stringify(context.recording))]) {
        const again = await replay(recording, messages);
        assert.deepEqual([again.same, again.differences], [true, []], JSON.stringify(request));
      }
    }
  });

  test("a budget can choose among 200 messages of a chat page", async () => {
    const messages = Array.from({ length: 200 }, (_, index) => ({
      id: `${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: SAID.repeat(100) }],
    }));
    const context = await buildContext(messages, { encoding, budget: { maxTokens: 4000 } });
    assert.ok(context.kept.length > 0 && context.kept.length < 200);
    assert.ok(context.tokens.total > 2000 && context.tokens.total <= 4000);
    assert.equal(context.explain("199").position, 199);
  });
});

describe("the option shape", () => {
  /**
   * For each shape, a message that is read as that shape only with the option.
   *
   * @type {Record<string, [message: object, expected: RegExp]>}
   */
  const TOLD = {
    pi: [{ role: "toolCall", content: "Hi." }, /messages\[0\]\.role: unknown role "toolCall"/],
    gemini: [{ role: "user", content: "Hi." }, /messages\[0\]\.content: the text of the message is in `content`/],
    langchain: [{ role: "user", content: "Hi." }, /messages\[0\]\.type: unknown type/],
    mastra: [{ role: "user", content: "Hi." }, /messages\[0\]\.content: expected content with parts/],
  };

  for (const [name, [message, expected]] of Object.entries(TOLD)) {
    test(`${name}: decides how messages are read if it is named`, async () => {
      for (const [way, take] of Object.entries(NAMED_WAYS)) {
        const failure = await errorOf(() => take([message], name));
        checkContextError(failure, { kind: failure.kind, code: "INVALID_TRANSCRIPT", message: expected });
        assert.match(failure.message, expected, way);
      }
    });
  }

  test("a wrong name loses nothing: contents that the format doesn't know are refused", () => {
    for (const { name } of messageShapes) {
      for (const message of Object.values({ ...OWN_SAMPLES, ...SAMPLES }).flat()) {
        const shown = (shape) => {
          try {
            return buildContextSync([message], { encoding, shape, request: null, render: { format: "text" } });
          } catch (failure) {
            checkContextError(failure, { code: "INVALID_TRANSCRIPT" });
            return undefined;
          }
        };
        const [right, wrong] = [shown(undefined), shown(name)];
        // A call in a field that a format doesn't have is lost next to a text, unless a result reveals it.
        const { notes } = buildContextSync([message], { encoding, request: null }).trace;
        const isOpen = notes.some(({ kind }) => kind === "open-calls");
        if (wrong !== undefined && !isOpen) {
          assert.ok(wrong.tokens.total >= right.tokens.total, `${name}: ${JSON.stringify(message)}: ${wrong.text}`);
        }
      }
    }
  });

  test("an ambiguous message is read by the named format", () => {
    // A pi user message from 1970. By itself it is windrow's own form with a meaningless field.
    const message = { role: "user", content: ASKED, timestamp: 1000 };
    const shown = (options) =>
      buildContextSync([message], { encoding, render: { format: "text", times: true }, ...options });
    assert.doesNotMatch(shown({}).text, /1970/);
    assert.match(shown({ shape: "pi" }).text, /1970/);
    assert.match(
      buildContextSync(createTranscript([message], { shape: "pi" }), {
        encoding,
        render: { format: "text", times: true },
      }).text,
      /1970/,
    );
    for (const none of [undefined, null]) {
      assert.equal(shown({ shape: none }).text, shown({}).text);
    }
  });

  test("the same array is read again under another name", () => {
    const messages = [{ role: "user", content: ASKED, timestamp: 1000 }];
    const build = (shape) =>
      buildContextSync(messages, { encoding, shape, render: { format: "text", times: true } }).text;
    const texts = [undefined, "pi", undefined, "pi"].map(build);
    assert.deepEqual([texts[2], texts[3]], [texts[0], texts[1]]);
    assert.notEqual(texts[0], texts[1]);
  });

  test("a misspelled one is an error that names the right one", async () => {
    for (const [misspelled, near] of [
      ["gemni", "gemini"],
      ["lang-chain", "langchain"],
      ["ai-sdk-ui4", "ai-sdk-ui-4"],
      ["openai-response", "openai-responses"],
    ]) {
      for (const take of Object.values(NAMED_WAYS)) {
        const failure = await errorOf(() => take([{ role: "user", content: "Hi." }], misspelled));
        checkContextError(failure, { kind: failure.kind, code: "INVALID_CONFIG", path: "shape" });
        assert.ok(failure.message.endsWith(`did you mean ${near}?`), failure.message);
        for (const { name } of messageShapes) {
          assert.ok(failure.nextAction.includes(name), failure.nextAction);
        }
      }
    }
    for (const none of /** @type {any[]} */ (["", 5, {}, ["pi"], "toString"])) {
      checkContextError(await errorOf(() => buildContext([], { shape: none })), {
        code: "INVALID_CONFIG",
        path: "shape",
      });
    }
  });
});

describe("a row of a file is refused as a message, and the error says how to read the file", () => {
  const FILES = {
    "an export of ChatGPT": {
      title: "Boats",
      mapping: {
        root: { id: "root", message: null },
        a: { message: { id: "a", author: { role: "user" }, content: { content_type: "text", parts: [ASKED] } } },
      },
    },
    "an export of Claude": { uuid: "c", chat_messages: [{ uuid: "a", sender: "human", text: ASKED }] },
    "a log of Claude Code": { type: "user", uuid: "a", message: { role: "user", content: ASKED } },
  };
  for (const [name, row] of Object.entries(FILES)) {
    test(name, async () => {
      // The request doesn't need a role.
      const { request, ...ways } = WAYS;
      await isRefusedEverywhere([row], { message: new RegExp(`expected a message, got .*${name}`) }, ways);
      await isRefusedEverywhere([row], {}, { request });
      const failure = await errorOf(() => buildContext([{ role: "user", content: "hi" }, wrong(row)]));
      checkContextError(failure, { code: "INVALID_TRANSCRIPT", path: "messages[1]" });
      assert.match(failure.nextAction, /parseTranscript/);
    });
  }

  test("a message with one of these fields is still read", () => {
    const message = { role: "user", content: "hi", mapping: { a: 1 }, chat_messages: [], message: { id: "a" } };
    assert.equal(buildContextSync([message], { encoding }).messages[0], message);
  });
});

describe("text in an unread place is refused with the place", () => {
  const call = (more) => ({ role: "assistant", content: null, toolCalls: [{ id: "c", name: "find", ...more }] });
  const part = (more) => ({ role: "user", content: ["Look:", more] });
  const cases = {
    "no content": [{ role: "user" }, "content"],
    "another name for content": [{ role: "user", say: "Hello there." }, "say"],
    "a list of another name": [{ role: "user", segments: [{ type: "text", text: "hello" }] }, "segments"],
    "an object": [{ role: "user", message: { text: "hello" } }, "message"],
    "an empty content next to a text": [{ role: "user", content: "", text: "hello" }, "text"],
    "null next to a body": [{ role: "user", content: null, body: "hello" }, "body"],
    "an empty list next to pieces": [
      { role: "user", content: [], pieces: [{ type: "text", text: "hello" }] },
      "pieces",
    ],
    "an empty content next to words": [{ role: "user", content: "", whatever: "It is said here." }, "whatever"],
    "content next to more pieces": [
      {
        role: "assistant",
        content: "One.",
        pieces: [
          { type: "text", text: "One." },
          { type: "text", text: "Two." },
        ],
      },
      "pieces",
    ],
    "a list as the content next to parts": [
      { role: "user", content: [{ type: "text", text: "hello" }], parts: [{ type: "step-start" }] },
      "content",
    ],
    "content next to parts that say something else": [
      { role: "assistant", content: "One.", parts: [{ type: "text", text: "Two." }] },
      "content",
    ],
    "content next to tools": [
      { role: "assistant", content: "One.", toolUses: [{ type: "tool_use", id: "x", name: "find", input: {} }] },
      "toolUses",
    ],
    "a tool's call of an unknown state": [
      { role: "assistant", content: "One.", toolInvocations: [{ toolCallId: "x", toolName: "find", args: {} }] },
      "toolInvocations[0].state",
    ],
    "content next to calls of another name": [
      {
        role: "assistant",
        content: "",
        additional_kwargs: { tool_calls: [{ id: "x", function: { name: "f", arguments: "{}" } }] },
      },
      "additional_kwargs",
    ],
    "content next to videos": [{ role: "user", content: "Look.", videos: ["aGVsbG8="] }, "videos"],
    "a text part with words": [part({ type: "text", words: "hello" }), "content[1].words"],
    "an empty text part with a value": [part({ type: "text", text: "", value: "hello" }), "content[1].value"],
    "a part of no type": [part({ text: "hello" }), "content[1].type"],
    "a part of an unknown type": [part({ type: "paragraph", text: "hello" }), "content[1].type"],
    "an image of nothing": [part({ type: "image" }), "content[1]"],
    "an image with no address": [part({ type: "image_url", image_url: { url: "" } }), "content[1]"],
    "an image without data": [
      part({ type: "image", source: { type: "base64", media_type: "image/png", data: "" } }),
      "content[1]",
    ],
    "an image of another name": [part({ type: "image", b64_json: "aGVsbG8=" }), "content[1].b64_json"],
    "a file of nothing": [part({ type: "file", file: { filename: "a.pdf" } }), "content[1]"],
    "an invalid text of a search result": [
      part({ type: "search_result", title: "Boats", source: "a", content: [{ type: "image" }] }),
      "content[1].content[0].text",
    ],
    "a call with args": [call({ args: { q: 1 } }), "toolCalls[0].args"],
    "a call with parameters": [call({ parameters: { city: "Rome" } }), "toolCalls[0].parameters"],
    "a call with arguments of nothing and params": [
      call({ arguments: {}, params: { city: "Rome" } }),
      "toolCalls[0].params",
    ],
    "a call with kwargs of numbers": [call({ kwargs: { n: 5 } }), "toolCalls[0].kwargs"],
    "a function with parameters": [
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "find", parameters: { q: "x" } } }] },
      "tool_calls[0].parameters",
    ],
    "a call with its result": [call({ arguments: { q: 1 }, result: "found" }), "toolCalls[0].result"],
    "a tool call part with arguments": [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", arguments: { q: 1 } }] },
      "content[0].arguments",
    ],
    "a result with content": [
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", content: "found" }] },
      "content[0].content",
    ],
    "a result with output": [{ role: "tool", toolCallId: "c", output: "found" }, "output"],
    "a block's result with output": [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", output: "found" }] },
      "content[0].output",
    ],
    "a role of no shape": [{ role: "robot", parts: [{ text: "hello" }] }, "role"],
    "a part of no shape": [{ role: "user", parts: [{ say: "hello" }] }, "parts"],
    "calls next to the parts of another shape": [
      { role: "model", parts: [{ text: "hello" }], toolUses: [{ type: "tool_use", id: "x", name: "find", input: {} }] },
      "toolUses",
    ],
    "a file next to an item": [
      { type: "function_call_output", call_id: "c", output: "hi", attachments: [{ url: "https://example.org/1.png" }] },
      "attachments",
    ],
  };
  for (const [name, [message, path]] of Object.entries(cases)) {
    test(name, async () => {
      /** @type {any[]} */
      const messages = [{ role: "user", content: "hi" }, message];
      const failure = await errorOf(() => buildContext(messages));
      checkContextError(failure, { code: "INVALID_TRANSCRIPT", path: `messages[1].${path}` });
      await isRefusedEverywhere([message]);
    });
  }

  test("in any field of any format, in random shapes", () => {
    forEachSeed((random) => {
      const word = () =>
        Array.from({ length: random.integer(3, 8) }, () => random.pick([..."abcdefghklmnoprstuw"])).join("");
      const wrap = (value, depth) =>
        depth === 0
          ? value
          : random.pick([
              () => [wrap(value, depth - 1)],
              () => ({ [`x${word()}`]: wrap(value, depth - 1) }),
              () => ({ type: "text", text: wrap(value, depth - 1) }),
            ])();
      const said = `It is said that ${word()} ${word()} is there.`;
      const field = `x${word()}`;
      const message = { role: random.pick(["user", "assistant", "system"]), [field]: wrap(said, random.integer(0, 3)) };
      if (random.chance(0.5)) {
        message.content = random.pick(["", null, [], " "]);
      }
      assert.throws(
        () => countTokens([message], { encoding }),
        { code: "INVALID_TRANSCRIPT", path: `messages[0].${field}` },
        JSON.stringify(message),
      );
    });
  });
});

describe("empty data passes unchanged", () => {
  const metadata = {
    model: "gpt-4o",
    usage: { input_tokens: 5, output_tokens: 7 },
    metadata: { anything: "It may be said here.", parts: [{ type: "text", text: "even this" }] },
    providerOptions: { openai: { cacheControl: { type: "ephemeral" } } },
    provider_metadata: { a: "b c" },
    created_at: "2025-05-05 08:00",
    updatedAt: new Date(0),
    finish_reason: "stop",
    annotations: [{ type: "url_citation", url_citation: { url: "https://example.com", title: "A title" } }],
    logprobs: null,
    status: "completed",
    parent_id: "m1",
    conversation_id: "c1",
    isStreaming: true,
    rating: 5,
    onClick() {},
    toString: 5,
  };
  /** @type {any[]} */
  const good = [
    { role: "user", content: "hello" },
    { role: "assistant", content: "" },
    { role: "assistant", content: null },
    { role: "assistant", content: [] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", index: 0, function: { name: "f", arguments: "" } }],
    },
    { role: "assistant", content: [{ type: "text", text: "", state: "streaming", providerMetadata: { a: "b c" } }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "f", providerOptions: { a: { b: "c d" } } }],
    },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "f", input: {}, cache_control: { type: "ephemeral" } }],
    },
  ];

  test("every field of metadata, on every message", () => {
    for (const message of good) {
      const before = countTokens([message], { encoding }).tokens;
      for (const names of [...Object.keys(metadata).map((name) => [name]), Object.keys(metadata)]) {
        const more = { ...message, ...Object.fromEntries(names.map((name) => [name, metadata[name]])) };
        assert.equal(countTokens([more], { encoding }).tokens, before, `${names} on ${JSON.stringify(message)}`);
        const copy = { ...more };
        assert.equal(
          buildContextSync([more, { role: "user", content: "and?" }], { encoding }).messages.length >= 1,
          true,
        );
        assert.deepEqual(more, copy);
      }
    }
  });

  test("random fields next to the content stay untouched", () => {
    forEachSeed((random) => {
      const value = (depth) =>
        random.pick([
          () => random.text(3),
          () => random.integer(0, 9),
          () => null,
          ...(depth > 2 ? [] : [() => [value(depth + 1)], () => ({ note: value(depth + 1), word: random.text(2) })]),
        ])();
      const message = {
        role: "user",
        content: "What is there?",
        [`my${random.integer(0, 99)}`]: value(0),
        mood: value(0),
      };
      const context = buildContextSync([message], { encoding });
      assert.equal(context.messages[0], message);
    });
  });

  test("parts that repeat the content aren't missing", () => {
    const message = {
      id: "1",
      role: "assistant",
      content: "One. Two.",
      parts: [
        { type: "text", text: "One." },
        { type: "text", text: " Two." },
      ],
    };
    assert.equal(buildContextSync([message], { encoding }).messages[0], message);
  });

  test("reasoning is read next to the content", () => {
    const said = { role: "assistant", content: "Yes." };
    const { tokens } = countTokens([said], { encoding });
    for (const field of ["reasoning_content", "reasoning", "thinking"]) {
      assert.ok(
        countTokens([{ ...said, [field]: "one two three four five" }], { encoding }).tokens >= tokens + 5,
        field,
      );
    }
  });

  test("a field that throws when it is read is ignored", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const message = { role: "user", content: "", odd: proxy };
    Object.defineProperty(message, "thrown", { enumerable: true, get: () => assert.fail("it throws") });
    assert.equal(buildContextSync([message], { encoding }).messages[0], message);
    const cyclic = { role: "user", content: "", self: [] };
    cyclic.self.push(cyclic.self, cyclic);
    buildContextSync([cyclic], { encoding });
  });
});

describe("files", () => {
  for (const [name, messages] of Object.entries({ ...OWN_SAMPLES, ...SAMPLES })) {
    test(`${name}: is read from a list, from lines and from an object with messages`, async () => {
      const rows = JSON.parse(JSON.stringify(messages));
      for (const file of [
        JSON.stringify(rows, null, 1),
        rows.map((row) => JSON.stringify(row)).join("\n"),
        JSON.stringify({ messages: rows }, null, 1),
      ]) {
        const parsed = parseTranscript(file);
        assert.deepEqual(parsed.skipped, []);
        assert.equal(text(parsed.messages), text(rows));
        const session = await openSession("s", { store: memoryStore() });
        const { messageCount, skipped } = await session.import(file);
        assert.deepEqual([messageCount, skipped], [rows.length, []]);
        assert.equal(text(await session.messages()), text(rows));
      }
    });
  }

  test("unreadable parts are skipped, each with its place, and the rest is kept", () => {
    const { messages, skipped } = parseTranscript(
      JSON.stringify([...SAMPLES.gemini, { role: "model", parts: [{ hologram: "hello" }, { text: "hi" }] }]),
    );
    assert.deepEqual(messages.slice(SAMPLES.gemini.length), [{ role: "model", parts: [{ text: "hi" }] }]);
    assert.match(skipped[0].reason, /^parts\[0\]\.hologram: unknown field "hologram" of a part/);
  });

  test("an empty conversation is in no format", async () => {
    assert.deepEqual(parseTranscript("[]").messages, []);
    const session = await openSession("s", { store: memoryStore() });
    const again = await openSession("t", { store: memoryStore() });
    assert.equal((await again.import(await session.export())).messageCount, 0);
  });
});

describe("Anthropic's blocks", () => {
  /** @returns {any} */
  const result = (content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] });
  /** @type {any} */
  const use = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: { q: 1 } }] };

  test("a message of results belongs to the tools, and stays with its call", () => {
    const messages = [
      { role: "user", content: "Look." },
      use,
      result("forty people"),
      { role: "user", content: "And?" },
    ];
    assert.match(text(messages), /Tool: forty people/);
    const context = buildContextSync(messages, { encoding, window: { lookbackCount: 2 } });
    assert.equal(context.explain(2).fate, context.explain(1).fate);
    assert.equal(
      buildContextSync([use, { role: "user", content: "no result" }], { encoding }).explain(0).reason,
      "call_without_result",
    );
  });

  test("cost the same as in windrow's form", () => {
    const own = [
      { role: "assistant", content: "", toolCalls: [{ id: "t", name: "look", arguments: { q: 1 } }] },
      { role: "tool", toolCallId: "t", content: "forty people" },
    ];
    const count = (messages) => countTokens(messages, { encoding }).tokens;
    assert.equal(count([use, result("forty people")]), count(own));
    assert.equal(count([use, result([{ type: "text", text: "forty people" }])]), count(own));
  });

  test("calls, findings and results of the provider's own tools are read, and go with the tools", () => {
    const blocks = [
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "boats" } },
      { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result", title: "Boats" }] },
      { type: "text", text: "It is free." },
    ];
    /** @type {any} */
    const given = {
      role: "user",
      content: [
        {
          type: "search_result",
          title: "Boats",
          source: "https://example.org",
          content: [{ type: "text", text: "All." }],
        },
        { type: "container_upload", file_id: "file_1" },
      ],
    };
    /** @type {any[]} */
    const messages = [given, { role: "assistant", content: blocks }];
    assert.match(text(messages), /web_search[\s\S]*Boats[\s\S]*It is free\./);
    const count = (messages) => countTokens(messages, { encoding }).tokens;
    const data = "Boats\nhttps://example.org\nAll.";
    const plain = [
      { type: "document", source: { type: "text", media_type: "text/plain", data } },
      { type: "container_upload", file_id: "file_1" },
    ];
    assert.equal(count([given]), count([{ role: "user", content: plain }]));
    const context = buildContextSync(messages, { encoding, filter: { excludeToolCalls: true } });
    assert.deepEqual(context.messages[1].content, [blocks[2]]);
    assert.equal(count(context.messages), context.tokens.total);
  });

  test("keep their form when they are shortened", () => {
    const long = "forty people and more, ".repeat(400);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } };
    for (const [content, check] of /** @type {any[][]} */ ([
      [long, (it) => typeof it === "string"],
      [[{ type: "text", text: long }], (it) => it.length === 1 && it[0].type === "text"],
      [[{ type: "text", text: "a" }, image, { type: "text", text: long }], (it) => it.length === 2 && it[1] === image],
    ])) {
      /** @type {any[]} */
      const messages = [use, { ...result(content), pinned: true }, { role: "user", content: "And?" }];
      /** @type {import("windrow").SyncContextConfig & { render?: undefined }} */
      const config = { encoding, budget: { maxTokens: 2000, onRequiredOverflow: "shorten" } };
      const context = buildContextSync(messages, config);
      const cut = context.messages.find(({ shortened }) => shortened);
      const [block] = cut.content;
      assert.equal(cut.role, "user");
      assert.deepEqual([block.type, block.tool_use_id], ["tool_result", "t"]);
      assert.ok(check(block.content), JSON.stringify(block.content));
      assert.equal(countTokens(context.messages, { encoding }).tokens, context.tokens.total);
    }
  });

  test("the AI SDK's outputs keep their form too", () => {
    const long = "forty people and more, ".repeat(400);
    const call = { role: "assistant", content: [{ type: "tool-call", toolCallId: "t", toolName: "look", input: {} }] };
    for (const [output, type] of [
      [{ type: "text", value: long }, "text"],
      [{ type: "error-text", value: long }, "error-text"],
      [{ type: "json", value: { long } }, "text"],
      [{ type: "content", value: [{ type: "text", text: long }] }, "content"],
    ]) {
      const content = [{ type: "tool-result", toolCallId: "t", toolName: "look", output }];
      /** @type {any[]} */
      const messages = [call, { role: "tool", content, pinned: true }, { role: "user", content: "And?" }];
      const context = buildContextSync(messages, {
        encoding,
        budget: { maxTokens: 300, onRequiredOverflow: "shorten" },
      });
      const cut = context.messages.find(({ shortened }) => shortened).content[0];
      assert.deepEqual([cut.type, cut.output.type], ["tool-result", type]);
      assert.equal(countTokens(context.messages, { encoding }).tokens, context.tokens.total);
    }
  });
});
