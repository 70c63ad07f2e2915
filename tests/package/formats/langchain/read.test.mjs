// LangChain messages: instances, the output of `toJSON()` and `toDict()`, and plain objects. These classes mimic
// `@langchain/core`'s as far as windrow can tell.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding, plainMessage } from "windrow";
import { checkContextError } from "../../support/errors.mjs";
import { forEachSeed } from "../../support/property.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

await loadEncoding("o200k_base");
const encoding = "o200k_base";
const cost = (...messages) => countTokens(messages, { encoding }).tokens;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);

const MARK = Symbol.for("langchain.message");

class BaseMessage {
  lc_namespace = ["langchain_core", "messages"];
  lc_serializable = true;
  [MARK] = true;

  constructor(given) {
    const fields = typeof given === "string" || Array.isArray(given) ? { content: given } : given;
    this.lc_kwargs = { additional_kwargs: {}, response_metadata: {}, ...fields };
    const { contentBlocks, ...own } = this.lc_kwargs;
    Object.assign(this, own);
    this.content = fields.content ?? contentBlocks ?? [];
  }

  _getType() {
    return /** @type {any} */ (this).type;
  }

  get contentBlocks() {
    return typeof this.content === "string" ? [{ type: "text", text: this.content }] : this.content;
  }

  get text() {
    return this.contentBlocks.map((block) => block.text ?? "").join("");
  }

  toJSON() {
    /** @type {(entry: [string, unknown]) => [string, unknown]} */
    const named = ([key]) => [key === "contentBlocks" ? "content_blocks" : key, this[key]];
    const kwargs = Object.fromEntries(Object.entries(this.lc_kwargs).map(named));
    return { lc: 1, type: "constructor", id: [...this.lc_namespace, this.constructor.name], kwargs };
  }

  toDict() {
    return { type: this._getType(), data: this.toJSON().kwargs };
  }
}

const classOf = (name, type) => {
  const Message = class extends BaseMessage {
    type = type;
  };
  Object.defineProperty(Message, "name", { value: name });
  return Message;
};
const HumanMessage = classOf("HumanMessage", "human");
const SystemMessage = classOf("SystemMessage", "system");
const ToolMessage = classOf("ToolMessage", "tool");
const FunctionMessage = classOf("FunctionMessage", "function");
const ChatMessage = classOf("ChatMessage", "generic");
const RemoveMessage = classOf("RemoveMessage", "remove");
class AIMessage extends BaseMessage {
  type = "ai";
  constructor(given) {
    super(given);
    /** @type {any} */ (this).tool_calls ??= [];
    /** @type {any} */ (this).invalid_tool_calls ??= [];
  }
}
/** A getter assembles its calls from pieces, and a setter writes to the message itself. */
class AIMessageChunk extends AIMessage {
  constructor(given) {
    super(given);
    for (const target of [this, this.lc_kwargs]) {
      Object.defineProperty(target, "tool_calls", {
        get: () => given.tool_call_chunks.map(({ id, name, args }) => ({ id, name, args: JSON.parse(args) })),
        set: (value) => Object.defineProperty(target, "tool_calls", { value, enumerable: true, writable: true }),
        enumerable: true,
        configurable: true,
      });
    }
  }
}

const sample = () => [
  new SystemMessage("You know every lake."),
  new HumanMessage({
    id: "h1",
    name: "Ana",
    content: [
      { type: "text", text: "Which boat house?", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "https://example.org/lake.png", detail: "low" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "file", file: { file_id: "f1", filename: "lake.pdf" } },
    ],
    additional_kwargs: { lc_source: "form", lc_data: { text: "not said" } },
  }),
  new AIMessage({
    id: "a1",
    content: [
      { type: "thinking", thinking: "Let me look.", signature: "s" },
      { type: "redacted_thinking", data: "c2VjcmV0" },
      { type: "text", text: LONG },
      { type: "tool_use", id: "t1", name: "look", input: '{"lake":"Bled"}' },
      { type: "input_json_delta", index: 3, input: '{"lake":"Bled"}' },
      { type: "tool_use", id: "t2", name: "look", input: { lake: "Como" } },
    ],
    tool_calls: [
      { id: "t1", name: "look", args: { lake: "Bled" }, type: "tool_call" },
      { id: "t2", name: "look", args: { lake: "Como" }, type: "tool_call" },
    ],
    usage_metadata: { input_tokens: 5, output_tokens: 6, total_tokens: 11 },
    response_metadata: { model_provider: "anthropic", stop_reason: "tool_use" },
  }),
  new ToolMessage({
    content: "Forty people.",
    tool_call_id: "t1",
    name: "look",
    status: "success",
    artifact: { type: "text", text: "never seen by the model" },
  }),
  new ToolMessage({
    content: [
      { type: "text", text: "No such lake." },
      { type: "image", source_type: "base64", mime_type: "image/png", data: PIXEL },
    ],
    tool_call_id: "t2",
    status: "error",
  }),
  new AIMessageChunk({
    content: "Then I book.",
    tool_call_chunks: [{ type: "tool_call_chunk", id: "t3", name: "book", args: '{"day":12}', index: 0 }],
  }),
  // In the forms of `toJSON()`, `toDict()` and plain objects.
  {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "ToolMessage"],
    kwargs: { content: "Booked.", tool_call_id: "t3", additional_kwargs: {}, response_metadata: {} },
  },
  { type: "human", data: { content: "How large is the kitchen?", additional_kwargs: {}, example: false } },
  {
    type: "ai",
    data: {
      content: null,
      tool_calls: [],
      additional_kwargs: {
        reasoning_content: "I need the plan.",
        tool_calls: [{ id: "t4", type: "function", function: { name: "plan", arguments: '{"of":"kitchen"}' } }],
      },
    },
  },
  { type: "tool", content: "Twenty square metres.", tool_call_id: "t4" },
  {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: {
      content_blocks: [
        { type: "reasoning", reasoning: "The plan says so." },
        { type: "text", text: LONG, annotations: [{ type: "citation", citedText: "Twenty" }] },
        { type: "server_tool_call", id: "s1", name: "web_search", args: { query: "stove" } },
        { type: "server_tool_call_result", toolCallId: "s1", status: "success", output: { urls: ["a"] } },
      ],
      response_metadata: { output_version: "v1" },
    },
  },
  new ChatMessage({ content: "And its stove?", role: "user" }),
  new AIMessage({
    content: "",
    additional_kwargs: { function_call: { name: "measure", arguments: '{"of":"stove"}' } },
  }),
  new FunctionMessage({ name: "measure", content: "One metre." }),
  { type: "ai", content: [], id: "last", tool_calls: [], invalid_tool_calls: [{ id: "t9", name: "look", args: "{" }] },
  { type: "developer", content: "Be brief." },
  { type: "system", content: "Be kind.", additional_kwargs: { __openai_role__: "developer" } },
];

const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });
const result = (toolCallId, output) => ({ type: "tool-result", toolCallId, output });

const plain = [
  { role: "system", content: "You know every lake." },
  {
    role: "user",
    name: "Ana",
    content: [
      "Which boat house?",
      { type: "image", url: "https://example.org/lake.png", detail: "low" },
      { type: "audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "file", file: { file_id: "f1" } },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "redacted_thinking", data: "c2VjcmV0" },
      LONG,
      call("t1", "look", { lake: "Bled" }),
      call("t2", "look", { lake: "Como" }),
    ],
  },
  { role: "tool", toolCallId: "t1", content: "Forty people." },
  {
    role: "tool",
    toolCallId: "t2",
    content: ["No such lake.", { type: "image", data: PIXEL, mediaType: "image/png" }],
  },
  { role: "assistant", content: ["Then I book.", call("t3", "book", { day: 12 })] },
  { role: "tool", toolCallId: "t3", content: "Booked." },
  { role: "user", content: "How large is the kitchen?" },
  {
    role: "assistant",
    content: [{ type: "reasoning", text: "I need the plan." }, call("t4", "plan", { of: "kitchen" })],
  },
  { role: "tool", toolCallId: "t4", content: "Twenty square metres." },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "The plan says so." },
      LONG,
      call("s1", "web_search", { query: "stove" }),
      result("s1", { urls: ["a"] }),
    ],
  },
  { role: "user", content: "And its stove?" },
  { role: "assistant", content: ["", call("measure", "measure", { of: "stove" })] },
  { role: "tool", toolCallId: "measure", content: "One metre." },
  { role: "assistant", content: [call("t9", "look", "{"), result("t9", "")] },
  { role: "developer", content: "Be brief." },
  { role: "developer", content: "Be kind." },
];

checkShape({
  name: "langchain",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling look({"lake":"Bled"})]', "Booked.", "[image]", "One metre."],
  together: [
    [2, 3, 4],
    [5, 6],
    [8, 9],
    [12, 13],
  ],
  unknown: () => [
    [new HumanMessage([{ type: "hologram", data: "x" }]), ".content[0].type"],
    [new HumanMessage([{ hologram: "x" }]), ".content[0].type"],
    [new HumanMessage([{ type: "text" }]), ".content[0].text"],
    [new HumanMessage(["hi", 3]), ".content[1]"],
    [new HumanMessage([{ type: "functionCall" }]), ".content[0].functionCall"],
    [new HumanMessage([{ type: "image", url: "a", detail: 3 }]), ".content[0].detail"],
    [new HumanMessage([{ type: "image", mimeType: "image/png" }]), ".content[0]"],
    [{ type: "ai", data: { content: [{ type: "hologram" }] } }, ".data.content[0].type"],
    [new HumanMessage([{ type: "hologram" }]).toJSON(), ".kwargs.content[0].type"],
    [{ type: "ai", content: [{ type: "non_standard", value: { type: "hologram" } }] }, ".content[0].value.type"],
    [{ type: "ai", content: "", tool_calls: [{ id: "t", args: {} }] }, ".tool_calls[0].name"],
    [{ type: "tool", content: "40" }, ".tool_call_id"],
    [{ type: "function", content: "40" }, ".name"],
    [{ type: "generic", content: "Arr.", role: "pirate" }, ".role"],
    [{ lc: 1, type: "constructor", id: ["langchain", "Prompt"], kwargs: { content: "hi" } }, ".id"],
    [
      { type: "human", content: "hi", additional_kwargs: { attachments: [{ type: "file", data: "x" }] } },
      ".additional_kwargs.attachments",
    ],
    [{ type: "human", data: { content: "", said: { text: "Hello there." } } }, ".data.said"],
    [new RemoveMessage({ id: "h1", content: [] }), ".type"],
    [new RemoveMessage({ id: "h1", content: [] }).toJSON(), ".id"],
    [{ type: "remove", id: "h1" }, ".type"],
  ],
});

test("a RemoveMessage is refused with an alternative", () => {
  const failure = (() => {
    try {
      return buildContextSync([new HumanMessage("hi"), new RemoveMessage({ id: "h1", content: [] })], { encoding });
    } catch (thrown) {
      return thrown;
    }
  })();
  checkContextError(failure, { code: "INVALID_TRANSCRIPT", path: "messages[1].type" });
  assert.match(failure.nextAction, /^Remove the message that it names/);
});

describe("forms", () => {
  const messages = () => sample().filter((message) => message instanceof BaseMessage);
  const talked = () => [
    new HumanMessage(LONG),
    new AIMessage({
      content: [
        { type: "text", text: LONG },
        { type: "tool_use", id: "t", name: "look", input: {} },
      ],
      tool_calls: [{ id: "t", name: "look", args: {} }],
    }),
    new ToolMessage({ content: LONG, tool_call_id: "t", artifact: "an artifact" }),
  ];
  const forms = {
    "toJSON()": (message) => JSON.parse(JSON.stringify(message)),
    "toDict()": (message) => JSON.parse(JSON.stringify(message.toDict())),
    "a spread": (message) => ({ ...message }),
    "a plain object": (message) => {
      const { lc_kwargs, lc_namespace, lc_serializable, ...fields } = message;
      return JSON.parse(JSON.stringify(fields));
    },
    "an instance before version 1": (message) => {
      const copy = Object.assign(Object.create({ _getType: () => message.type }), message);
      delete copy.type;
      return copy;
    },
    "an instance that was made from content blocks": (message) => {
      const { content, ...fields } = message.lc_kwargs;
      return new message.constructor({
        ...fields,
        contentBlocks: typeof content === "string" ? [{ type: "text", text: content }] : content,
      });
    },
  };
  for (const [name, formOf] of Object.entries(forms)) {
    test(`${name} costs the same as the instance, and its copy has its form`, () => {
      assert.deepEqual(
        messages().map((message) => cost(formOf(message))),
        messages().map((message) => cost(message)),
      );
      const talk = () => talked().map((message) => Object.assign(formOf(message), { pinned: true }));
      const whole = cost(...talk());
      let count = 0;
      for (const share of [0.3, 0.5, 0.8]) {
        const pinned = talk();
        /** @satisfies {import("windrow").BudgetConfig} */
        const budget = { maxTokens: Math.ceil(whole * share), onRequiredOverflow: "shorten" };
        const context = buildContextSync(pinned, { encoding, request: null, budget });
        assert.equal(context.messages.length, pinned.length);
        assert.equal(cost(...context.messages), context.tokens.total);
        for (const [at, copy] of context.messages.entries()) {
          if (copy.shortened) {
            count += 1;
            assert.equal(Object.getPrototypeOf(copy), Object.getPrototypeOf(pinned[at]));
            assert.deepEqual(Object.keys(copy).sort(), [...Object.keys(pinned[at]), "shortened"].sort());
            assert.ok(!JSON.stringify(copy).includes(LONG));
            assert.ok(JSON.stringify(pinned[at]).includes(LONG));
            assert.equal(
              JSON.stringify(copy).includes("an artifact"),
              JSON.stringify(pinned[at]).includes("an artifact"),
            );
          }
        }
      }
      assert.ok(count > 2);
    });
  }

  test("names of classes and types from other versions are known", () => {
    for (const type of ["ai", "AIMessageChunk", "assistant"]) {
      assert.equal(cost({ type, content: "Forty people." }), cost({ role: "assistant", content: "Forty people." }));
    }
    for (const [name, role] of [
      ["HumanMessageChunk", "user"],
      ["AIMessageChunk", "assistant"],
      ["MyOwnSystemMessage", "system"],
    ]) {
      const message = { lc: 1, type: "constructor", id: ["mine", name], kwargs: { content: "Forty people." } };
      assert.equal(cost(message), cost({ role, content: "Forty people." }));
    }
  });

  test("windrow's own messages and lines of logs aren't LangChain's", () => {
    const own = { role: "user", type: "message", content: "hi" };
    const context = buildContextSync([own], { encoding });
    assert.equal(context.messages[0], own);
    for (const [row, path] of /** @type {[row: any, path: string][]} */ ([
      [{ type: "system", uuid: "u", content: "Conversation compacted" }, "messages[0].role"],
      [{ type: "user", message: { role: "user", content: "hi" } }, "messages[0]"],
      [{ type: "tool", data: { title: "x" } }, "messages[0].role"],
    ])) {
      assert.throws(() => buildContextSync([row], { encoding }), { code: "INVALID_TRANSCRIPT", path });
    }
  });
});

describe("content blocks", () => {
  const media = (type, facts) => ({ type, ...facts });
  const text = (said) => ({ type: "text", text: said });
  const reasoning = (said) => ({ type: "reasoning", text: said });
  const document = (data) => media("file", { source: { type: "text", data } });
  const BYTES = new Uint8Array([37, 80, 68, 70]);
  const CASES = [
    // LangChain's own parts.
    ["A text.", [text("A text.")]],
    [text("Words."), [text("Words.")]],
    [{ text: "Words without a type." }, [text("Words without a type.")]],
    [{ type: "text", source_type: "text", text: "Words." }, [text("Words.")]],
    [{ type: "refusal", refusal: "I will not." }, [text("I will not.")]],
    [{ type: "reasoning", reasoning: "So it is." }, [reasoning("So it is.")]],
    [
      { type: "reasoning", reasoning: "", encrypted_content: "c2VjcmV0" },
      [reasoning(""), { type: "redacted_thinking", data: "c2VjcmV0" }],
    ],
    [
      {
        type: "reasoning",
        id: "r",
        summary: [
          { type: "summary_text", text: "So." },
          { type: "summary_text", text: "Or so." },
        ],
      },
      [reasoning("So."), reasoning("Or so.")],
    ],
    [
      { type: "image", url: "https://example.org/1.png", mimeType: "image/png" },
      [media("image", { url: "https://example.org/1.png", mediaType: "image/png" })],
    ],
    [{ type: "image", data: PIXEL, mimeType: "image/png" }, [media("image", { data: PIXEL })]],
    [{ type: "image", fileId: "file-1" }, [media("image", { file_id: "file-1" })]],
    [{ type: "image", source_type: "id", id: "file-1" }, [media("image", { file_id: "file-1" })]],
    [{ type: "image", source_type: "url", url: "https://example.org/1.png" }, [media("image", { url: "x://1.png" })]],
    [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }, [media("audio", { data: "UklGRg==" })]],
    [
      { type: "video", url: "https://example.org/1.mp4" },
      [media("file", { url: "x://1.mp4", mediaType: "video/mp4" })],
    ],
    [
      { type: "file", data: BYTES, mimeType: "application/pdf" },
      [media("file", { data: BYTES, mediaType: "application/pdf" })],
    ],
    [{ type: "file", source_type: "text", text: "A note." }, [document("A note.")]],
    [{ type: "text-plain", title: "Note", text: "It is so.", mimeType: "text/plain" }, [document("Note\nIt is so.")]],
    [{ type: "text-plain", fileId: "file-2" }, [media("file", { file_id: "file-2", mediaType: "text/plain" })]],
    [
      { type: "server_tool_call", name: "code", args: { code: "1" } },
      [call("server_tool_call", "code", { code: "1" }), result("server_tool_call", "")],
    ],
    [
      { type: "invalid_tool_call", args: "{" },
      [call("invalid_tool_call", "invalid_tool_call", "{"), result("invalid_tool_call", "")],
    ],
    [{ type: "tool_call_chunk", args: '{"a"', index: 0 }, []],
    [{ type: "server_tool_call_chunk", args: '{"a"' }, []],
    [
      { type: "non_standard", value: { type: "redacted_thinking", data: "c2Vj" } },
      [{ type: "redacted_thinking", data: "c2Vj" }],
    ],
    [{ type: "text-plain", text: "" }, []],
    // Anthropic's parts.
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      [media("image", { data: PIXEL })],
    ],
    [
      { type: "document", source: { type: "text", media_type: "text/plain", data: "A note." }, title: "Note" },
      [document("A note.")],
    ],
    [
      { type: "search_result", source: "a.html", title: "A", content: [text("It is so.")] },
      [document("A\na.html\nIt is so.")],
    ],
    [{ type: "container_upload", file_id: "file-3" }, [{ type: "container_upload", file_id: "file-3" }]],
    [{ type: "compaction", content: "Earlier they met." }, [reasoning("Earlier they met.")]],
    [
      { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result", url: "a" }] },
      [result("s", '{"type":"web_search_result","url":"a"}')],
    ],
    [
      {
        type: "tool_result",
        tool_use_id: "s",
        content: [text("Forty."), { type: "image", source: { type: "url", url: "a" } }],
      },
      [result("s", { type: "content", value: [text("Forty."), media("image", { url: "a" })] })],
    ],
    // OpenAI's parts.
    [{ type: "image_url", image_url: "https://example.org/1.png" }, [media("image", { url: "x://1.png" })]],
    [
      { type: "input_image", image_url: "https://example.org/1.png", detail: "low" },
      [media("image", { url: "x://1.png", detail: "low" })],
    ],
    [{ type: "computer_screenshot", file_id: "file-4" }, [media("image", { file_id: "file-4" })]],
    [{ type: "input_file", file_url: "https://example.org/1.pdf" }, [media("file", { url: "x://1.pdf" })]],
    [{ type: "image_generation_call", id: "g", status: "completed", result: PIXEL }, [media("image", { data: PIXEL })]],
    [
      { type: "web_search_call", id: "w", status: "completed", action: { query: "boats" } },
      [call("w", "web_search_call", { action: { query: "boats" } }), result("w", "")],
    ],
    [
      { type: "function_call", id: "i", call_id: "f", name: "look", arguments: '{"q":1}' },
      [call("f", "look", { q: 1 })],
    ],
    [{ type: "mcp_approval_response", approval_request_id: "m", approve: false, reason: "No." }, [result("m", "No.")]],
    // Google's parts.
    [{ type: "media", mimeType: "audio/mp3", fileUri: "gs://a.mp3" }, [media("audio", { url: "gs://a.mp3" })]],
    [
      { type: "inlineData", inlineData: { mimeType: "image/png", data: PIXEL }, index: 0 },
      [media("image", { data: PIXEL })],
    ],
    [{ type: "functionCall", functionCall: { name: "look", args: { q: 1 } } }, [call("look", "look", { q: 1 })]],
    [{ type: "text", text: "So it is.", thought: true }, [reasoning("So it is.")]],
    [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "20" } }, [result("code_execution", "20")]],
    // Bedrock's parts.
    [{ type: "reasoning_content", reasoningText: { text: "So it is.", signature: "s" } }, [reasoning("So it is.")]],
    [{ type: "reasoning_content", redactedContent: "c2Vj" }, [{ type: "redacted_thinking", data: "c2Vj" }]],
    [{ type: "image", image: { format: "png", source: { bytes: BYTES } } }, [media("image", { data: BYTES })]],
    [
      { type: "video", video: { format: "webm", source: { s3Location: { uri: "s3://a" } } } },
      [media("file", { url: "s3://a", mediaType: "video/webm" })],
    ],
    [{ type: "document", document: { name: "a", format: "txt", source: { text: "A note." } } }, [document("A note.")]],
    [
      {
        type: "citations_content",
        citationsContent: { content: [{ text: "It " }, { text: "is so." }], citations: [] },
      },
      [text("It is so.")],
    ],
    [{ type: "guard_content", guardContent: { text: { text: "Is it?" } } }, [text("Is it?")]],
    [{ type: "cache_point", cachePoint: { type: "default" } }, []],
    [{ cachePoint: { type: "default" } }, []],
  ];
  for (const [block, parts] of /** @type {any[][]} */ (CASES)) {
    const name = typeof block === "string" ? "a text" : (block.type ?? Object.keys(block)[0]);
    test(`${name} is read: ${JSON.stringify(block).slice(0, 100)}`, () => {
      const same = { role: "assistant", content: parts };
      assert.equal(cost({ type: "ai", content: [block] }), cost(same));
      // Counts and cuts agree: the copy costs exactly its count.
      const messages = [
        {
          type: "ai",
          content: [...uncalled(parts), block, { type: "text", text: LONG }, ...unanswered(parts)],
          pinned: true,
        },
      ];
      const whole = cost(...messages);
      /** @satisfies {import("windrow").BudgetConfig} */
      const budget = { maxTokens: whole - 40, onRequiredOverflow: "shorten" };
      const context = buildContextSync(messages, { encoding, request: null, budget });
      assert.equal(context.messages.length, 1);
      assert.ok(/** @type {any} */ (context.messages[0]).shortened);
      assert.equal(cost(...context.messages), context.tokens.total);
    });
  }

  /** Adds results to calls that have none. */
  function unanswered(parts) {
    const answered = parts.filter(({ type }) => type === "tool-result").map(({ toolCallId }) => toolCallId);
    const calls = parts.filter(({ type, toolCallId }) => type === "tool-call" && !answered.includes(toolCallId));
    return calls.map(({ toolCallId }) => ({ type: "tool_result", tool_use_id: toolCallId, content: "" }));
  }

  /** Calls for results that have none. */
  function uncalled(parts) {
    const called = parts.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId);
    const results = parts.filter(({ type, toolCallId }) => type === "tool-result" && !called.includes(toolCallId));
    return results.map(({ toolCallId }) => ({ type: "tool_use", id: toolCallId, name: "look", input: {} }));
  }
});

describe("calls", () => {
  const args = { q: 1 };
  const one = { role: "assistant", content: [call("t", "look", args)] };
  test("a call in the content, in tool_calls and in additional_kwargs counts once", () => {
    const original = [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }];
    const tool_calls = [{ id: "t", name: "look", args }];
    for (const message of [
      { content: [], tool_calls },
      { content: [{ type: "tool_use", id: "t", name: "look", input: args }], tool_calls: [] },
      { content: [{ type: "tool_use", id: "t", name: "look", input: "" }], tool_calls },
      { content: [{ type: "tool_call", id: "t", name: "look", args }], tool_calls },
      { content: [{ type: "functionCall", functionCall: { name: "look", args } }], tool_calls },
      { content: [], tool_calls, additional_kwargs: { tool_calls: original } },
      { content: [], tool_calls: [], additional_kwargs: { tool_calls: original } },
      {
        content: [{ type: "tool_use", id: "t", name: "look", input: args }],
        tool_calls,
        additional_kwargs: { tool_calls: original },
      },
      { content: [{ type: "tool_call", id: "t", name: "look", args }], tool_calls: [{ name: "look", args }] },
      { content: [], tool_calls, tool_call_chunks: [{ id: "t", name: "look", args: '{"q":1}' }] },
    ]) {
      assert.equal(cost({ type: "ai", ...message }), cost(one), JSON.stringify(message));
    }
  });

  test("parallel calls with one name and no ids in the content are all counted", () => {
    const blocks = [1, 2].map((q) => ({ type: "functionCall", functionCall: { name: "look", args: { q } } }));
    const tool_calls = [1, 2].map((q) => ({ id: `t${q}`, name: "look", args: { q } }));
    const same = { role: "assistant", content: [call("t1", "look", { q: 1 }), call("t2", "look", { q: 2 })] };
    assert.equal(cost({ type: "ai", content: blocks, tool_calls }), cost(same));
    const results = ["t1", "t2"].map((id) => ({ type: "tool", content: "40", tool_call_id: id }));
    const context = buildContextSync([{ type: "ai", content: blocks, tool_calls }, ...results], {
      encoding,
      request: null,
    });
    assert.equal(context.messages.length, 3);
  });

  test("an unreadable one needs an answer only if it is sent", () => {
    const invalid_tool_calls = [{ id: "b", name: "look", args: "{", error: "Malformed args." }];
    const valid = { id: "t", name: "look", args };
    const answer = { type: "tool", content: "40", tool_call_id: "t" };
    const original = [
      { id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } },
      { id: "b", type: "function", function: { name: "look", arguments: "{" } },
    ];
    const kept = (...messages) => buildContextSync(messages, { encoding, request: null }).messages.length;
    const additional_kwargs = { tool_calls: original };
    const said = { type: "ai", content: "I look.", tool_calls: [valid], invalid_tool_calls, additional_kwargs };
    assert.equal(kept(said, answer), 2);
    assert.equal(kept(said, answer, { type: "tool", content: "Write JSON.", tool_call_id: "b" }), 3);
    // If nothing could be read, the original is sent.
    const broken = { ...said, tool_calls: [], additional_kwargs: { tool_calls: original.slice(1) } };
    assert.equal(kept(broken), 1, "its words stay");
    assert.equal(kept(broken, { type: "tool", content: "Write JSON.", tool_call_id: "b" }), 2);
    assert.equal(kept({ ...broken, content: [{ type: "tool_use", id: "b", name: "look", input: "{" }] }), 0);
  });

  test("a provider's own calls need no answer", () => {
    const tool_outputs = [
      { type: "code_interpreter_call", id: "c", code: "1 + 1", status: "completed" },
      { type: "computer_call", id: "i", call_id: "t", action: { type: "click" } },
    ];
    const message = { type: "ai", content: "Two.", additional_kwargs: { tool_outputs } };
    const answer = { type: "tool", content: "40", tool_call_id: "t" };
    assert.equal(buildContextSync([message, answer], { encoding, request: null }).messages.length, 2);
    const own = { ...message, additional_kwargs: { tool_outputs: tool_outputs.slice(0, 1) } };
    assert.equal(buildContextSync([own], { encoding, request: null }).messages.length, 1);
    assert.equal(
      cost(own),
      cost({
        role: "assistant",
        content: ["Two.", call("c", "code_interpreter_call", { code: "1 + 1" }), result("c", "")],
      }),
    );
  });
});

describe("fields next to the content", () => {
  const same = (additional_kwargs, parts, /** @type {any} */ content = "Forty.") =>
    assert.equal(cost({ type: "ai", content, additional_kwargs }), cost({ role: "assistant", content: parts }));

  test("reasoning occurs once", () => {
    const [thought, other] = ["It is a hall.", "Or a barn."].map((text) => ({ type: "reasoning", text }));
    same({ reasoning_content: thought.text }, [thought, "Forty."]);
    same({ reasoning: thought.text }, [thought, "Forty."]);
    same({ reasoning: { type: "reasoning", summary: [thought, other], encrypted_content: "c2Vj" } }, [
      thought,
      other,
      { type: "redacted_thinking", data: "c2Vj" },
      "Forty.",
    ]);
    same({ reasoning: { effort: "low" }, reasoning_content: "" }, ["Forty."]);
    const details = [
      { type: "reasoning.text", text: thought.text },
      { type: "reasoning.encrypted", data: "c2Vj" },
    ];
    const read = [thought, { type: "redacted_thinking", data: "c2Vj" }, "Forty."];
    same({ reasoning_content: thought.text, reasoning_details: details }, read);
    same({ reasoning_content: thought.text, reasoning_details: details.slice(1) }, read);
    const blocks = [
      { type: "reasoning", reasoning: thought.text },
      { type: "text", text: "Forty." },
    ];
    same({ reasoning_content: thought.text }, [thought, "Forty."], blocks);
  });

  test("a refusal, audio, and empty fields", () => {
    same({ refusal: "I will not." }, ["", "I will not."], "");
    same({ refusal: "I will not." }, ["I will not."], [{ type: "refusal", refusal: "I will not." }]);
    same({ audio: { id: "a", data: "UklGRg==", transcript: "Forty." } }, ["", { type: "audio", data: "UklGRg==" }], "");
    same({ parsed: { name: "hall", input: "x" }, lc_data: { text: "x", type: "text" }, note: "seen by nobody" }, [
      "Forty.",
    ]);
  });

  test("a copy with other words has none of the old ones", () => {
    const message = {
      type: "ai",
      content: [{ type: "text", text: LONG, annotations: [{ citedText: LONG }] }],
      content_blocks: [{ type: "text", text: LONG }],
      additional_kwargs: { refusal: LONG, originalTextContentBlock: { text: LONG }, signatures: ["s"] },
      response_metadata: { output: [{ type: "message", content: [{ type: "output_text", text: LONG }] }], model: "m" },
      pinned: true,
    };
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 60, onRequiredOverflow: "shorten" };
    /** @type {readonly any[]} */
    const [copy] = buildContextSync([message], { encoding, request: null, budget }).messages;
    assert.ok(!JSON.stringify(copy).includes(LONG));
    assert.deepEqual([copy.additional_kwargs, copy.response_metadata], [{ signatures: ["s"] }, { model: "m" }]);
    assert.deepEqual(copy.content_blocks, copy.content);
  });
});

test("an instance whose tool calls are left out stays an instance, and the original keeps its calls", () => {
  /** @type {any} */
  const message = new AIMessageChunk({
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "t", name: "look", input: {} },
    ],
    tool_call_chunks: [{ id: "t", name: "look", args: "{}" }],
    additional_kwargs: { tool_calls: [{ id: "t", function: { name: "look", arguments: "{}" } }], lc_source: "s" },
    response_metadata: { output: [{ type: "function_call", call_id: "t" }] },
  });
  const messages = [new HumanMessage("Where?"), message, new ToolMessage({ content: "40", tool_call_id: "t" })];
  const context = buildContextSync(messages, { encoding, filter: { excludeToolCalls: true } });
  const [asked, copy, ...others] = /** @type {readonly any[]} */ (context.messages);
  assert.deepEqual([asked, others], [messages[0], []]);
  assert.deepEqual([copy instanceof AIMessage, copy.constructor, copy.shortened], [true, AIMessageChunk, true]);
  const content = [{ type: "text", text: "I look." }];
  assert.deepEqual([copy.content, copy.tool_calls, copy.tool_call_chunks], [content, [], []]);
  assert.deepEqual(copy.toJSON().kwargs, {
    content,
    tool_calls: [],
    tool_call_chunks: [],
    additional_kwargs: { lc_source: "s" },
    response_metadata: {},
  });
  assert.equal(message.tool_calls.length, 1);
  assert.equal(message.content.length, 2);
});

test("random conversations cost the same in windrow's own form, and no call is separated from its result", () => {
  const forms = [(it) => it, (it) => it.toJSON(), (it) => it.toDict(), (it) => ({ ...it })];
  forEachSeed((random) => {
    const messages = [];
    const same = [];
    const groups = [];
    const add = (message, inOwnForm) => {
      messages.push(random.pick(forms)(message));
      same.push(inOwnForm);
    };
    for (let turn = random.integer(1, 5); turn > 0; turn--) {
      const text = random.text(12);
      add(new HumanMessage(text), { role: "user", content: text });
      const calls = Array.from({ length: random.integer(0, 3) }, (_, index) => ({
        id: `${turn}-${index}`,
        name: random.pick(["look", "book"]),
        args: { text: random.text(4) },
      }));
      const answer = random.text(30);
      if (calls.length > 0) {
        const first = messages.length;
        const blocks = calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
        const content = random.chance(0.5) ? answer : [{ type: "text", text: answer }, ...blocks];
        add(new AIMessage({ content, tool_calls: calls }), {
          role: "assistant",
          content: [answer, ...calls.map(({ id, name, args }) => call(id, name, args))],
        });
        for (const { id } of calls) {
          const found = random.text(10);
          add(new ToolMessage({ content: found, tool_call_id: id }), { role: "tool", toolCallId: id, content: found });
        }
        groups.push(messages.map((_, at) => at).filter((at) => at >= first));
      } else {
        add(new AIMessage(answer), { role: "assistant", content: answer });
      }
    }
    assert.deepEqual(
      messages.map((it) => cost(it)),
      same.map((it) => cost(it)),
    );
    const { total } = buildContextSync(messages, { encoding }).tokens;
    for (const share of [0.2, 0.4, 0.7, 1]) {
      const budget = { maxTokens: Math.ceil(total * share) + 20 };
      const { kept } = buildContextSync(messages, { encoding, budget, request: "And now?" });
      for (const group of groups) {
        const count = group.filter((at) => kept.includes(messages[at])).length;
        assert.ok(count === 0 || count === group.length, `${group}`);
      }
    }
  });
});

test("the result of a provider's own tool has other names in LangChain for Python", () => {
  const call = { type: "server_tool_call", id: "s", name: "web_search", args: { query: "stove" } };
  const result = { type: "server_tool_result", tool_call_id: "s", status: "success", output: { urls: ["a"] } };
  const { content } = plainMessage({ type: "ai", content: [call, result] });
  assert.deepEqual(
    content.map((part) => [part.type, part.type !== "text" && "toolCallId" in part && part.toolCallId]),
    [
      ["tool-call", "s"],
      ["tool-result", "s"],
    ],
  );
});
