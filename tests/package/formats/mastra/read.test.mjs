// Mastra's `MastraDBMessage`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens } from "windrow";
import { inSteps, STEP } from "../../support/in-steps.mjs";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const encoding = "estimate";

let second = 0;
/** A message in the form that Mastra's memory returns. */
function stored(id, role, content, more = {}) {
  second += 1;
  const createdAt = new Date(1746435780000 + second * 1000);
  return { id, role, createdAt, threadId: "t", resourceId: "mara", content: { format: 2, ...content }, ...more };
}

const call = (toolCallId, more) => ({
  type: "tool-invocation",
  toolInvocation: { toolCallId, toolName: "look", args: { q: 1 }, step: 0, ...more },
});

const sample = () => {
  second = 0;
  return [
    stored("a", "user", {
      content: "Which boat house?",
      parts: [
        { type: "text", text: "Which boat house?" },
        { type: "file", mimeType: "image/png", data: PIXEL.slice(22) },
        { type: "file", mediaType: "application/pdf", url: "https://example.org/a.pdf" },
      ],
      experimental_attachments: [{ contentType: "text/plain", url: "https://example.org/lake.txt" }],
      metadata: { from: "web" },
    }),
    stored("b", "assistant", {
      content: LONG,
      reasoning: "Let me look.",
      toolInvocations: [call("t1", { state: "result", result: { people: 40 } }).toolInvocation],
      annotations: [{ seen: true }],
      providerMetadata: { mastra: { createdAt: 1 } },
      parts: [
        { type: "step-start", model: "m", createdAt: 5 },
        { type: "reasoning", reasoning: "", details: [{ type: "text", text: "Let me look.", signature: "s" }] },
        { type: "reasoning", reasoning: "Once more.", details: [] },
        { type: "reasoning", reasoning: "", details: [{ type: "redacted", data: "c2VhbGVk" }] },
        { type: "reasoning", reasoning: "", details: [], providerMetadata: { anthropic: { redactedData: "c2U=" } } },
        { type: "reasoning", reasoning: "", details: [], providerMetadata: { openai: { itemId: "rs_1" } } },
        call("t1", { state: "result", result: { people: 40 } }),
        {
          ...call("t2", { state: "result", result: "nobody" }),
          visibility: "llm",
          providerExecuted: true,
          title: "Ask",
        },
        call("t3", { state: "output-error", errorText: "no boat" }),
        call("t4", { state: "output-denied", approval: { id: "p", approved: false } }),
        call("t5", { state: "approval-responded", approval: { id: "p", approved: false, reason: "too dear" } }),
        // Open calls are hidden from the model.
        call("t6", { state: "partial-call" }),
        call("t7", { state: "call" }),
        call("t8", { state: "approval-requested", approval: { id: "q" } }),
        { type: "source", source: { sourceType: "url", id: "s", url: "https://example.org/boats" } },
        { type: "source-document", sourceId: "s2", mediaType: "application/pdf", title: "Boats" },
        { type: "data-tool-call-suspended", data: { toolCallId: "t8", args: { q: 1 } } },
        { type: "error", error: { name: "APICallError", message: "overloaded" } },
        { type: "text", text: LONG },
      ],
    }),
    stored("c", "user", { parts: [{ type: "text", text: "And the kitchen?" }] }),
    // A message of the first versions: its content is next to the parts.
    stored("d", "assistant", {
      parts: [],
      content: "It has one.",
      toolInvocations: [{ toolCallId: "t9", toolName: "look", args: {}, state: "result", result: "a stove" }],
    }),
    stored(
      "e",
      "signal",
      {
        parts: [{ type: "text", text: "Answer <briefly>." }],
        metadata: {
          signal: { id: "e", type: "reactive", tagName: "system-reminder", attributes: { n: 1, off: null } },
        },
      },
      { type: "system-reminder" },
    ),
    stored("f", "signal", {
      parts: [{ type: "text", text: "And the price?" }],
      metadata: { signal: { id: "f", type: "user", tagName: "user" } },
    }),
    stored("g", "user", { parts: [{ type: "text", text: "" }] }),
  ];
};

const own = (toolCallId, output) => [
  { type: "tool-call", toolCallId, toolName: "look", input: { q: 1 } },
  { type: "tool-result", toolCallId, output },
];

checkShape({
  name: "mastra",
  sample,
  plain: [
    {
      role: "user",
      content: [
        "Which boat house?",
        { type: "image", url: PIXEL },
        { type: "file", url: "https://example.org/a.pdf", mediaType: "application/pdf" },
        { type: "file", url: "https://example.org/lake.txt", mediaType: "text/plain" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        { type: "reasoning", text: "Once more." },
        { type: "redacted_thinking", data: "c2VhbGVk" },
        { type: "redacted_thinking", data: "c2U=" },
        ...inSteps([
          ...own("t1", { people: 40 }),
          ...own("t2", "nobody"),
          ...own("t3", "no boat"),
          ...own("t4", "Tool execution denied."),
          ...own("t5", "too dear"),
        ]),
        { type: "text", text: LONG },
      ],
    },
    { role: "user", content: "And the kitchen?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "It has one." },
        { type: "tool-call", toolCallId: "t9", toolName: "look", input: {} },
        { type: "tool-result", toolCallId: "t9", output: "a stove" },
      ],
    },
    { role: "user", content: '<system-reminder n="1">Answer &lt;briefly&gt;.</system-reminder>' },
    { role: "user", content: "And the price?" },
    { role: "user", content: "" },
  ],
  texts: ["Which boat house?", "forty people", "[Calling look(", '"people":40', "nobody", "too dear", "a stove"],
  unknown: () => [
    [stored("x", "user", { parts: [{ type: "hologram" }] }), ".content.parts[0].type"],
    [stored("x", "user", { parts: [{ type: "text" }] }), ".content.parts[0].text"],
    [stored("x", "user", { parts: [{ type: "file", mimeType: "image/png" }] }), ".content.parts[0].data"],
    [stored("x", "assistant", { parts: [call("t", { state: "odd" })] }), ".content.parts[0].toolInvocation.state"],
    [stored("x", "assistant", { parts: [], toolInvocations: [{ state: "odd" }] }), ".content.toolInvocations[0].state"],
    [stored("x", "user", { format: 3, parts: [] }), ".content.format"],
    [stored("x", "ghost", { parts: [] }), ".role"],
    [stored("x", "user", { parts: {} }), ".content.parts"],
    [stored("x", "user", { parts: [], text: "Hello there." }), ".content.text"],
    [stored("x", "user", { parts: [], pictures: [{ type: "image", url: PIXEL }] }), ".content.pictures"],
  ],
});

const costOf = (...messages) => countTokens(messages, { encoding }).tokens;

describe("Mastra's MastraDBMessage", () => {
  test("belongs to its thread, and has its time", () => {
    /** @type {any[]} */
    const messages = sample().slice(0, 4);
    messages[3].threadId = "another";
    messages[3].createdAt = messages[3].createdAt.toISOString();
    const context = buildContextSync(messages, { encoding, sessionId: "t" });
    assert.deepEqual(context.messages, messages.slice(0, 3));
    assert.equal(context.explain(3).reason, "other_session");
    const { text } = buildContextSync(messages, { encoding, render: { format: "text", times: true } });
    assert.match(text, /09:03/);
  });

  test("a tool's result counts in the form shown to the model, and keeps its image when it is shortened", () => {
    const value = [
      { type: "text", text: LONG },
      { type: "media", mediaType: "image/png", data: PIXEL.slice(22) },
    ];
    const modelOutput = { type: "content", value };
    const part = {
      ...call("t1", { state: "result", result: { raw: "x".repeat(10_000), said: LONG } }),
      providerMetadata: { mastra: { modelOutput }, openai: { itemId: "i" } },
    };
    const message = stored("a", "assistant", { parts: [part] }, { pinned: true });
    assert.equal(costOf(message), costOf({ role: "assistant", content: own("t1", modelOutput) }));
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: costOf(message) - 40, onRequiredOverflow: "shorten" };
    const { messages, tokens } = buildContextSync([message], { encoding, request: null, budget });
    const [{ providerMetadata, toolInvocation }] = messages[0].content.parts;
    assert.equal(providerMetadata.mastra.modelOutput.value.at(-1), value[1]);
    assert.deepEqual(providerMetadata.openai, { itemId: "i" });
    assert.ok(toolInvocation.result.length < LONG.length);
    assert.equal(costOf(messages[0]), tokens.total);
  });

  test("a signal is shown as Mastra shows it", () => {
    const signal = (parts, meant, more) => stored("s", "signal", { parts, metadata: { signal: meant } }, more);
    const text = (said) => ({ type: "text", text: said });
    const image = { type: "file", mimeType: "image/png", data: PIXEL };
    const shown = [
      [signal([text("a"), text("b")], { type: "state", tagName: "todo" }), ["<todo>a\nb</todo>"]],
      [signal([text("")], { type: "notification" }), ["<notification />"]],
      [
        signal([text("a"), image, text("b")], { type: "reactive" }),
        ["<system-reminder>a</system-reminder>", image, "b"],
      ],
      [signal([image], { type: "user", attributes: { from: '"<&' } }), ['<user from="&quot;&lt;&amp;" />', image]],
      [signal([text("<b>")], undefined, { type: "user-message" }), ["<b>"]],
      [signal([text("<b>")], undefined), ["<b>"]],
    ];
    for (const [message, content] of /** @type {any[][]} */ (shown)) {
      const plain = content.map((part) => (part === image ? { type: "image", url: PIXEL } : part));
      assert.equal(costOf(message), costOf({ role: "user", content: plain }), JSON.stringify(content));
    }
  });

  test("a shortened signal shows the rest", () => {
    const meant = { type: "state", tagName: "todo", attributes: { n: 1 } };
    const message = stored("s", "signal", {
      parts: [{ type: "text", text: LONG }],
      metadata: { signal: meant, kept: 1 },
    });
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 60, onRequiredOverflow: "shorten" };
    /** @satisfies {import("windrow").ContextConfig} */
    const options = { encoding, request: null, budget };
    const { messages, tokens } = buildContextSync([{ ...message, pinned: true }], options);
    const [copy] = messages;
    assert.deepEqual(copy.content.metadata, { signal: { type: "user", tagName: "todo" }, kept: 1 });
    assert.match(copy.content.parts[0].text, /^<todo n="1">The boat/);
    assert.equal(costOf(copy), tokens.total);
  });
});

checkRandomShape({
  name: "mastra",
  conversation: (random) =>
    Array.from({ length: random.integer(1, 8) }, (_, position) => {
      const id = `m${position}`;
      const role = random.pick(["user", "assistant", "assistant", "signal"]);
      const pairs = Array.from({ length: random.integer(0, 5) }, (_, at) => randomPart(random, role, `${id}-${at}`));
      const parts = pairs.map(([part]) => part);
      const own = inSteps(pairs.flatMap(([, of]) => of));
      const invocations = parts.flatMap(({ toolInvocation }) => toolInvocation ?? []);
      const createdAt = new Date(1746435780000 + position * 60_000);
      const content = { format: 2, parts, ...(random.chance(0.5) ? { toolInvocations: invocations } : {}) };
      return [
        { id, role, createdAt, threadId: "t", content },
        { id, role: role === "signal" ? "user" : role, createdAt, sessionId: "t", content: own },
      ];
    }),
});

/** A part, and its equivalent in windrow's own form. */
function randomPart(random, role, toolCallId) {
  const text = random.text(12);
  const words = () => [{ type: "text", text }, [{ type: "text", text }]];
  const unseen = () => {
    const type = random.pick(["step-start", "source-document", "data-x"]);
    return [{ type, data: text }, type === "step-start" ? [STEP] : []];
  };
  const image = () => [{ type: "file", mimeType: "image/png", data: PIXEL }, [{ type: "image", url: PIXEL }]];
  const reasoning = () => [
    random.pick([
      { type: "reasoning", reasoning: text, details: [] },
      { type: "reasoning", reasoning: "", details: [{ type: "text", text }] },
    ]),
    text === "" ? [] : [{ type: "reasoning", text }],
  ];
  const called = () => randomCall(random, toolCallId);
  return random.pick(role === "assistant" ? [words, reasoning, unseen, called, called] : [words, image, unseen])();
}

function randomCall(random, toolCallId) {
  const [toolName, args, text] = [random.pick(["look", "book"]), { q: random.text(3) }, random.text(8)];
  const result = random.pick([text, { found: [text] }]);
  const approval = { id: "a", approved: false, reason: text };
  const made = (more) => ({ type: "tool-invocation", toolInvocation: { toolCallId, toolName, args, ...more } });
  const gave = (output) => [
    { type: "tool-call", toolCallId, toolName, input: args },
    { type: "tool-result", toolCallId, output },
  ];
  return random.pick([
    [made({ state: random.pick(["partial-call", "call", "approval-requested"]) }), []],
    [made({ state: "result", result }), gave(result)],
    [made({ state: "output-error", errorText: text }), gave(text)],
    [made({ state: random.pick(["output-denied", "approval-responded"]), approval }), gave(text)],
  ]);
}
