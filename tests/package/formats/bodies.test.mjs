// Each provider's body: the place of every part, the changes to make it fit, and the parts left out.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, EARLIER_MESSAGES, problemsOf, providers, requestOf } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";
import { sources } from "../support/sources.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQK";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const encoding = "estimate";
const NAMES = providers.map(({ name }) => name);

const user = (content, more) => ({ role: "user", content, ...more });
const assistant = (content, more) => ({ role: "assistant", content, ...more });
const call = (id, name = "look", args = {}) => ({ role: "assistant", toolCalls: [{ id, name, arguments: args }] });
const result = (toolCallId, /** @type {any} */ content = "found") => ({ role: "tool", toolCallId, content });
/** @type {(messages: any[]) => Record<string, any>} */
const bodies = (messages) => Object.fromEntries(NAMES.map((name) => [name, requestOf(name, messages)]));

/** A canonical message as writers receive it. Its parts may be marked as the provider's own. */
const parsedOf = (message) => ({
  message,
  given: message,
  parts: message.content.map((part) => part.noted ?? { part, given: undefined, place: ".content" }),
});

describe("a conversation in the provider's own form", () => {
  test("OpenAI's chat: the body is the same, with the caller's own parts", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      user([
        { type: "text", text: "Which?", prompt_cache_breakpoint: { mode: "explicit" } },
        { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } },
        { type: "file", file: { file_id: "file_1" } },
      ]),
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "look", arguments: '{ "q": 1 }' } },
          { id: "b", type: "custom", custom: { name: "shell", input: "ls" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "found" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "a.txt" }] },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      user("And now?", { name: "Mara" }),
    ];
    /** @type {any} */
    const body = requestOf("openai", messages);
    assert.deepEqual(body, { messages });
    assert.equal(body.messages[1].content[0], messages[1].content[0]);
    assert.equal(body.messages[2].tool_calls[1], messages[2].tool_calls[1]);
    assert.equal(body.messages[5].content[0], messages[5].content[0]);
  });

  test("Anthropic: the body is the same, with the caller's own blocks", () => {
    const messages = [
      user([
        { type: "text", text: "Which?", cache_control: { type: "ephemeral" } },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "Plan" }] }, title: "Plan" },
      ]),
      assistant([
        { type: "thinking", thinking: "", signature: "c2ln" },
        { type: "redacted_thinking", data: "ZA" },
        { type: "text", text: "I search." },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      ]),
      user([
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [
            { type: "text", text: "found" },
            { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "x" }] },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          ],
          is_error: true,
        },
        { type: "text", text: "And now?" },
      ]),
    ];
    /** @type {any} */
    const body = requestOf("anthropic", messages);
    assert.deepEqual(body, { messages });
    for (const [at, { content }] of body.messages.entries()) {
      for (const [index, block] of content.entries()) {
        assert.equal(block, messages[at].content[index]);
      }
    }
  });

  test("the AI SDK: the body is the same, with the caller's own parts", () => {
    const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const messages = [
      user([
        { type: "text", text: "Which?", providerOptions },
        { type: "image", image: new URL("https://example.org/a.png") },
        { type: "file", data: Uint8Array.of(1), mediaType: "application/pdf", filename: "a.pdf" },
      ]),
      assistant([
        { type: "reasoning", text: "hm", providerOptions: { google: { thoughtSignature: "s" } } },
        { type: "tool-call", toolCallId: "h", toolName: "web_search", input: { q: 1 }, providerExecuted: true },
        { type: "tool-result", toolCallId: "h", toolName: "web_search", output: { type: "json", value: [] } },
        { type: "tool-call", toolCallId: "a|b", toolName: "mcp.look", input: {}, providerOptions },
      ]),
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a|b", toolName: "mcp.look", output: { type: "text", value: "" } },
        ],
      },
      assistant("It."),
      user("And now?", { providerOptions }),
    ];
    const body = requestOf("ai-sdk", messages);
    assert.deepEqual(body, { messages });
    assert.equal(body.messages[0].content[1], messages[0].content[1]);
    assert.equal(body.messages[1].content[2], messages[1].content[2]);
    assert.equal(body.messages[2].content[0], messages[2].content[0]);
  });

  test("OpenAI's Responses: item fields that it returns but refuses are left out", () => {
    const summary = [{ type: "summary_text", text: "hm" }];
    const reasoning = { type: "reasoning", id: "rs_1", summary, encrypted_content: "Z0FB" };
    const image = { type: "image_generation_call", id: "ig_1", status: "completed", result: PIXEL };
    const given = [
      user("Draw it."),
      { ...reasoning, summary: [{ ...summary[0], index: 0 }], status: "completed" },
      { ...image, action: "generate", background: "opaque", quality: "high", size: "1x1" },
      user("And now?"),
    ];
    const before = structuredClone(given);
    const { input } = requestOf("openai-responses", given);
    assert.deepEqual(input, [given[0], reasoning, image, given[3]]);
    assert.deepEqual(given, before);
  });

  test("Gemini: a call and its response get an id if either has one, and otherwise stay the caller's own parts", () => {
    const calls = (...ids) =>
      ids.map((id) => ({ functionCall: { ...id, name: "look", args: {} }, thoughtSignature: "c2ln" }));
    const responses = (...ids) =>
      ids.map((id, at) => ({ functionResponse: { ...id, name: "look", response: { at } } }));
    const contents = (called, gave) => [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: called },
      { role: "user", parts: gave },
    ];
    const own = contents(calls({}, {}), responses({}, {}));
    const later = [...own, ...contents(calls({}), responses({}))];
    for (const given of [own, later, contents(calls({ id: "a" }, {}), responses({ id: "a" }, {}))]) {
      const body = requestOf("gemini", given);
      assert.deepEqual(body.contents, given);
      for (const [at, { parts }] of body.contents.entries()) {
        assert.ok(parts.every((part, index) => part === given[at].parts[index]));
      }
    }
    const mixed = requestOf("gemini", contents(calls({ id: "a" }), responses({})));
    assert.deepEqual(mixed.contents, contents(calls({ id: "a" }), responses({ id: "a" })));
    // Messages of another format have ids, and so does the request.
    const { contents: of } = requestOf("gemini", [user("go"), call("a"), result("a")]);
    assert.deepEqual([of[1].parts[0].functionCall.id, of[2].parts[0].functionResponse.id], ["a", "a"]);
  });

  test("Gemini: a response that isn't an object is wrapped in one, in a copy", () => {
    const given = (response) => [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response, scheduling: "SILENT" } }] },
    ];
    const cases = [
      ["sunny", { output: "sunny" }],
      [[1, 2], { output: "[1,2]" }],
      [5, { output: "5" }],
    ];
    for (const [response, written] of cases) {
      assert.deepEqual(requestOf("gemini", given(response)).contents, given(written));
    }
  });

  test("unknown fields are removed in a copy", () => {
    const part = { type: "text", text: "hi", index: 0 };
    const given = { id: "m", role: "user", content: [part], createdAt: 5, metadata: {}, tags: ["note"] };
    for (const [name, body] of Object.entries(bodies([given]))) {
      assert.ok(!/index|createdAt|metadata|tags|"id"/.test(JSON.stringify(body)), name);
    }
    assert.deepEqual(part, { type: "text", text: "hi", index: 0 });
  });
});

describe("instructions", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "developer", content: [{ type: "text", text: "Be kind." }] },
    user("hi"),
    { role: "system", content: "Answer in French." },
    user("now"),
  ];

  test("are in the provider's place for them", () => {
    const { openai, "openai-responses": responses, anthropic, gemini, "ai-sdk": sdk } = bodies(messages);
    assert.deepEqual(
      openai.messages.map(({ role }) => role),
      ["system", "developer", "user", "system", "user"],
    );
    assert.equal(responses.instructions, "Be brief.\n\nBe kind.");
    assert.deepEqual(responses.input, [
      { role: "user", content: "hi" },
      { role: "system", content: "Answer in French." },
      { role: "user", content: "now" },
    ]);
    const texts = ["Be brief.", "Be kind.", "Answer in French."];
    assert.deepEqual(
      anthropic.system,
      texts.map((text) => ({ type: "text", text })),
    );
    assert.deepEqual(gemini.systemInstruction.parts, [
      { text: "Be brief." },
      { text: "Be kind." },
      { text: "Answer in French." },
    ]);
    assert.equal(sdk.system, texts.join("\n\n"));
    assert.deepEqual(sdk.messages, [user("hi"), user("now")]);
  });

  test("with a cache breakpoint for Anthropic they stay blocks", () => {
    const marked = { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } };
    const { system } = requestOf("anthropic", [
      { role: "system", content: [marked] },
      { role: "system", content: "Be kind." },
      user("hi"),
    ]);
    assert.deepEqual(system, [marked, { type: "text", text: "Be kind." }]);
  });

  test("without any, the field is absent", () => {
    for (const body of Object.values(bodies([user("hi")]))) {
      assert.deepEqual(
        Object.keys(body).filter((key) => /system|instruct/i.test(key)),
        [],
      );
    }
  });
});

describe("turns", () => {
  test("neighbors of one role are merged if roles must alternate", () => {
    const { anthropic, gemini, openai } = bodies([user("a"), user("b"), assistant("c"), assistant("d"), user("e")]);
    assert.deepEqual(
      anthropic.messages.map(({ role, content }) => [role, content.length]),
      [
        ["user", 2],
        ["assistant", 2],
        ["user", 1],
      ],
    );
    assert.deepEqual(
      gemini.contents.map(({ role, parts }) => [role, parts.length]),
      [
        ["user", 2],
        ["model", 2],
        ["user", 1],
      ],
    );
    assert.equal(openai.messages.length, 5);
  });

  test("a context that begins with the assistant gets a user message before it, for Anthropic and Gemini", () => {
    const { anthropic, gemini, openai } = bodies([assistant("Hello!"), user("hi")]);
    assert.deepEqual(anthropic.messages[0], user(EARLIER_MESSAGES));
    assert.deepEqual(gemini.contents[0], { role: "user", parts: [{ text: EARLIER_MESSAGES }] });
    assert.equal(openai.messages[0].role, "assistant");
    assert.equal(EARLIER_MESSAGES, "[Earlier messages are not shown.]");
  });

  test("results directly follow their calls, whatever was said in between", () => {
    const {
      openai,
      anthropic,
      gemini,
      "openai-responses": responses,
    } = bodies([
      user("go"),
      call("a"),
      call("b"),
      user("meanwhile"),
      { role: "system", content: "Hurry." },
      result("b", "B"),
      result("a", "A"),
    ]);
    assert.deepEqual(
      openai.messages.map((message) => message.tool_call_id ?? message.tool_calls?.length ?? message.content),
      ["go", 2, "a", "b", "meanwhile", "Hurry."],
    );
    assert.deepEqual(
      anthropic.messages[2].content.map(({ type }) => type),
      ["tool_result", "tool_result", "text"],
    );
    assert.deepEqual(
      gemini.contents.map(({ role, parts }) => [role, ...parts.map((part) => Object.keys(part)[0])]),
      [
        ["user", "text"],
        ["model", "functionCall", "functionCall"],
        ["user", "functionResponse", "functionResponse"],
        ["user", "text"],
      ],
    );
    assert.deepEqual(
      responses.input.map(({ type, role }) => type ?? role),
      ["user", "function_call", "function_call", "function_call_output", "function_call_output", "user", "system"],
    );
  });

  test("the assistant's words between results stay between them", () => {
    const message = assistant([
      { type: "text", text: "First." },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
      { type: "tool-result", toolCallId: "a", output: "A" },
      { type: "text", text: "Second." },
      { type: "tool-call", toolCallId: "b", toolName: "f", input: {} },
      { type: "tool-result", toolCallId: "b", output: "B" },
      { type: "text", text: "Third." },
    ]);
    const { anthropic, "ai-sdk": sdk } = bodies([user("go"), message, user("thanks")]);
    assert.deepEqual(
      anthropic.messages.map(({ role }) => role),
      ["user", "assistant", "user", "assistant", "user", "assistant", "user"],
    );
    assert.deepEqual(
      sdk.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"],
    );
  });

  test("a text after a call comes before it, if calls must be last", () => {
    const message = assistant([
      { type: "tool_use", id: "a", name: "f", input: {} },
      { type: "text", text: "I look." },
    ]);
    const { messages } = /** @type {any} */ (requestOf("anthropic", [user("go"), message, result("a")]));
    assert.deepEqual(
      messages[1].content.map(({ type }) => type),
      ["text", "tool_use"],
    );
  });

  test("several results of one call are merged", () => {
    const { anthropic, openai } = bodies([user("go"), call("a"), result("a", "one"), result("a", "two")]);
    assert.equal(anthropic.messages[2].content[0].content, "one\ntwo");
    assert.equal(openai.messages[2].content, "one\ntwo");
  });

  test("a result answers the latest call with its id", () => {
    const messages = [user("go"), call("a"), result("a", "one"), call("a"), result("a", "two")];
    /** @type {{ messages: any[] }} */
    const { messages: sent } = requestOf("openai", messages);
    assert.deepEqual(
      sent.slice(1).map(({ tool_calls: calls, tool_call_id: id, content }) => [calls?.[0].id ?? id, content]),
      [
        ["a", null],
        ["a", "one"],
        ["a_2", null],
        ["a_2", "two"],
      ],
    );
  });

  test("tool output without a call belongs to nobody: it is refused, and a context leaves it out", () => {
    const messages = [user("go"), { role: "tool", content: "It rains." }];
    assert.throws(() => bodies(messages), { code: "NOT_SENDABLE" });
    const context = buildContextSync(messages, { encoding: "estimate" });
    assert.equal(context.explain(1).reason, "result_without_call");
    assert.equal(JSON.stringify(context.request("openai")).includes("It rains."), false);
  });

  test("blank texts and messages are left out, an empty result stays", () => {
    const messages = [
      user("go"),
      assistant(" "),
      user(["", { type: "text", text: "\n" }]),
      assistant(null, { toolCalls: [{ id: "a", name: "f" }] }),
      result("a", ""),
      user("now"),
    ];
    const { openai, anthropic, gemini, "ai-sdk": sdk } = bodies(messages);
    assert.equal(openai.messages.length, 4);
    assert.deepEqual(anthropic.messages[2].content[0], { type: "tool_result", tool_use_id: "a" });
    assert.deepEqual(gemini.contents[2].parts[0].functionResponse.response, { output: "" });
    assert.deepEqual(sdk.messages[2].content[0].output, { type: "text", value: "" });
  });

  test("lone surrogates are replaced", () => {
    for (const body of Object.values(bodies([user("half \ud83e")]))) {
      assert.match(JSON.stringify(body), /half \ufffd/);
    }
  });
});

describe("names", () => {
  test("a valid one is OpenAI's field, and any other precedes the text", () => {
    const messages = [
      user("a", { name: "Mara" }),
      user("b", { name: "Dr. Q:\nPhD" }),
      assistant("c", { name: "Bot 1" }),
      user("d"),
    ];
    const { openai, anthropic, gemini } = bodies(messages);
    assert.deepEqual(openai.messages.slice(0, 3), [
      user("a", { name: "Mara" }),
      user("Dr. Q\\:\\u{a}PhD: b"),
      assistant("c"),
    ]);
    assert.deepEqual(
      anthropic.messages[0].content.map(({ text }) => text),
      ["Mara: a", "Dr. Q\\:\\u{a}PhD: b"],
    );
    assert.deepEqual(gemini.contents[0].parts, [{ text: "Mara: a" }, { text: "Dr. Q\\:\\u{a}PhD: b" }]);
    assert.equal(anthropic.messages[1].content, "c", "nobody can imitate the name before a text");
  });

  test("before an image, the name is a separate text", () => {
    const image = { type: "image", url: "https://example.org/a.png" };
    const { contents } = requestOf("gemini", [user([image], { name: "Mara" })]);
    assert.deepEqual(contents[0].parts[0], { text: "Mara:" });
  });

  test("of a tool is made valid, in call and result alike", () => {
    const { openai, anthropic, gemini } = bodies([user("go"), call("a", "1st tool/näme"), result("a")]);
    assert.equal(openai.messages[1].tool_calls[0].function.name, "1st_tool_n_me");
    assert.equal(anthropic.messages[1].content[0].name, "1st_tool_n_me");
    assert.equal(gemini.contents[1].parts[0].functionCall.name, "_1st_tool_n_me");
    assert.equal(gemini.contents[2].parts[0].functionResponse.name, "_1st_tool_n_me");
    /** @type {any} */
    const long = requestOf("openai", [user("go"), call("a", "t".repeat(140)), result("a")]);
    assert.match(long.messages[1].tool_calls[0].function.name, /^t{50,}_\w+$/);
  });
});

describe("calls", () => {
  const argumentsIn = (given) => {
    const {
      openai,
      anthropic,
      gemini,
      "openai-responses": responses,
    } = bodies([user("go"), call("a", "f", given), result("a")]);
    const { function: made } = openai.messages[1].tool_calls[0];
    assert.equal(responses.input[1].arguments, made.arguments);
    assert.deepEqual(gemini.contents[1].parts[0].functionCall.args, anthropic.messages[1].content[0].input);
    return [made.arguments, anthropic.messages[1].content[0].input];
  };

  test("their arguments are JSON text or an object, and other values become the field input", () => {
    assert.deepEqual(argumentsIn({ q: 1 }), ['{"q":1}', { q: 1 }]);
    assert.deepEqual(argumentsIn('{ "q": 1 }'), ['{ "q": 1 }', { q: 1 }]);
    assert.deepEqual(argumentsIn("ls -l"), ['{"input":"ls -l"}', { input: "ls -l" }]);
    assert.deepEqual(argumentsIn("[1]"), ['{"input":"[1]"}', { input: "[1]" }]);
    assert.deepEqual(argumentsIn([1]), ['{"input":[1]}', { input: [1] }]);
    assert.deepEqual(argumentsIn(undefined), ["{}", {}]);
    assert.deepEqual(argumentsIn(""), ["{}", {}]);
  });

  test("ids are made valid and distinct", () => {
    const ids = ["a|b", "a.b", "a_b", "x".repeat(70), `${"x".repeat(69)}y`];
    const messages = [user("go"), ...ids.flatMap((id) => [call(id), result(id)])];
    for (const [name, longest] of /** @type {[name: any, longest: number][]} */ ([
      ["openai", 40],
      ["anthropic", 64],
      ["openai-responses", 64],
    ])) {
      const text = JSON.stringify(requestOf(name, messages));
      const made = Array.from(text.matchAll(/"(?:id|call_id)":"([^"]*)"/g), ([, id]) => id);
      assert.equal(new Set(made).size, ids.length, name);
      assert.ok(
        made.every((id) => /^[\w-]+$/.test(id) && id.length <= longest),
        `${made}`,
      );
      assert.equal(made[name === "openai-responses" ? 4 : 2], "a_b", "an id that fits stays");
    }
  });

  test("OpenAI's Responses has tools that take text too", () => {
    const custom = { id: "a", type: "custom", custom: { name: "shell", input: "ls" } };
    const { input } = requestOf("openai-responses", [
      user("go"),
      assistant(null, { tool_calls: [custom] }),
      result("a"),
    ]);
    assert.deepEqual(input.slice(1), [
      { type: "custom_tool_call", call_id: "a", name: "shell", input: "ls" },
      { type: "custom_tool_call_output", call_id: "a", output: "found" },
    ]);
  });

  test("of another provider's own tool are calls with results", () => {
    const message = assistant([
      { type: "server_tool_use", id: "a", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "a", content: [{ type: "web_search_result", title: "T" }] },
      { type: "text", text: "It says T." },
    ]);
    const { openai, gemini } = bodies([user("go"), message, user("thanks")]);
    assert.deepEqual(
      openai.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    assert.match(openai.messages[2].content, /web_search_result/);
    assert.equal(gemini.contents.length, 5);
  });

  test("a failure is marked if the provider has a mark for it", () => {
    const failed = {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", output: { type: "error-text", value: "no" } }],
    };
    const { openai, anthropic, gemini, "ai-sdk": sdk } = bodies([user("go"), call("a"), failed]);
    assert.equal(openai.messages[2].content, "no");
    assert.deepEqual(anthropic.messages[2].content[0], {
      type: "tool_result",
      tool_use_id: "a",
      content: "no",
      is_error: true,
    });
    assert.deepEqual(gemini.contents[2].parts[0].functionResponse.response, { error: "no" });
    assert.deepEqual(sdk.messages[2].content[0].output, { type: "error-text", value: "no" });
  });

  test("an object returned by a tool is Gemini's response itself", () => {
    const given = { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: { found: 2 } }] };
    const { openai, gemini, "ai-sdk": sdk } = bodies([user("go"), call("a"), given]);
    assert.equal(openai.messages[2].content, '{"found":2}');
    assert.deepEqual(gemini.contents[2].parts[0].functionResponse.response, { found: 2 });
    assert.deepEqual(sdk.messages[2].content[0].output, { type: "json", value: { found: 2 } });
  });
});

describe("reasoning", () => {
  const thought = (part) => [user("go"), assistant([part, "It."]), user("thanks")];
  const of = (name, part) => {
    const body = requestOf(name, thought(part));
    return JSON.stringify(body).includes("hm") || JSON.stringify(body).includes("c2ln");
  };

  test("goes back only to its own provider, and to the AI SDK with its proof", () => {
    const proofs = {
      anthropic: { type: "thinking", thinking: "hm", signature: "c2ln" },
      gemini: { type: "reasoning", text: "hm", provider: "google", signature: "c2ln" },
      "openai-responses": { type: "reasoning", text: "hm", provider: "openai", id: "rs_1", data: "c2ln" },
    };
    for (const [whose, part] of Object.entries(proofs)) {
      for (const name of NAMES) {
        const isClaudes = whose === "anthropic" && name === "bedrock";
        assert.equal(of(name, part), name === whose || name === "ai-sdk" || isClaudes, `${whose}'s for ${name}`);
      }
    }
    for (const name of NAMES) {
      assert.equal(of(name, { type: "reasoning", text: "hm" }), name === "ai-sdk", name);
      assert.equal(of(name, { type: "thinking", thinking: "hm" }), name === "ai-sdk", name);
    }
  });

  test("begins Anthropic's message, and keeps its order", () => {
    const thinking = (text) => ({ type: "thinking", thinking: text, signature: text });
    /** @type {{ messages: any[] }} */
    const { messages } = requestOf("anthropic", [
      user("go"),
      assistant("Well."),
      assistant([thinking("a"), thinking("b"), "So.", thinking("c")], { toolCalls: [{ id: "t", name: "f" }] }),
      result("t"),
    ]);
    assert.deepEqual(
      messages[1].content.map((block) => block.thinking ?? block.text ?? block.type),
      ["a", "b", "Well.", "So.", "c", "tool_use"],
    );
  });

  test("is an item of the Responses before its calls or text, by encrypted content or by its id", () => {
    const part = { type: "reasoning", text: "hm", provider: "openai", id: "rs_1" };
    const item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
    /** @returns {any[]} */
    const sent = (content) =>
      requestOf("openai-responses", [user("go"), assistant(content), user("thanks")]).input.slice(1, -1);
    assert.deepEqual(sent([{ ...part, data: "e" }, "It."]), [
      { ...item, encrypted_content: "e" },
      { role: "assistant", content: "It." },
    ]);
    const said = { type: "text", text: "It.", provider: "openai", id: "msg_1" };
    assert.deepEqual(
      sent([part, said]).map(({ type, id }) => [type, id]),
      [
        ["reasoning", "rs_1"],
        ["message", "msg_1"],
      ],
    );
    assert.deepEqual(sent([part, "It."]), [{ role: "assistant", content: "It." }], "nothing after it has an id");
    assert.deepEqual(sent([{ ...part, data: "e" }]), [], "nothing is after it");
    assert.deepEqual(
      sent([{ type: "reasoning", text: "of another" }, said]),
      [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "It.", annotations: [] }],
        },
      ],
      "the provider would ask for reasoning that is not there",
    );
  });

  test("Gemini's signatures of texts and calls stay, and another model's call gets the bypass value", () => {
    const signed = { type: "text", text: "It.", provider: "google", signature: "c2ln" };
    const text = requestOf("gemini", [user("go"), assistant([signed]), user("thanks")]);
    assert.deepEqual(text.contents[1].parts, [{ text: "It.", thoughtSignature: "c2ln" }]);
    const silent = requestOf("gemini", [user("go"), assistant([{ ...signed, text: "" }]), user("thanks")]);
    assert.deepEqual(silent.contents[1].parts, [{ text: "", thoughtSignature: "c2ln" }]);
    const parallel = assistant(null, {
      toolCalls: [
        { id: "a", name: "f" },
        { id: "b", name: "f" },
      ],
    });
    const { contents } = requestOf("gemini", [user("go"), parallel, result("a"), result("b"), call("c"), result("c")]);
    const signatures = contents.map(({ parts }) => parts.map(({ thoughtSignature }) => thoughtSignature));
    const passes = "skip_thought_signature_validator";
    assert.deepEqual(signatures.slice(1), [[passes, undefined], [undefined, undefined], [passes], [undefined]]);
    const earlier = requestOf("gemini", [user("go"), call("c"), result("c"), user("thanks")]);
    assert.equal(earlier.contents[1].parts[0].thoughtSignature, undefined);
    const call1 = {
      type: "tool-call",
      toolCallId: "a",
      toolName: "f",
      input: {},
      providerOptions: { google: { thoughtSignature: "c2ln" } },
    };
    const own = requestOf("gemini", [user("go"), assistant([call1]), result("a")]);
    assert.equal(own.contents[1].parts[0].thoughtSignature, "c2ln");
  });

  test("encrypted reasoning of an unknown maker is refused by the AI SDK alone, which takes any", async () => {
    const { writeAiSdk, MalformedMessage } = await sources("formats/ai-sdk/write.ts", "message/malformed.ts");
    const message = { role: "assistant", content: [{ type: "redacted_thinking", data: "d" }] };
    assert.throws(
      () => writeAiSdk([parsedOf(message)]),
      (failure) => failure instanceof MalformedMessage,
    );
  });
});

describe("media", () => {
  const sent = (name, part) => {
    const body = requestOf(name, [user([part])]);
    const [message] = body.messages ?? body.input ?? body.contents;
    return (message.content ?? message.parts)[0];
  };
  const png = { type: "image", data: PIXEL };
  const address = "https://example.org/a.png";

  test("images", () => {
    const url = `data:image/png;base64,${PIXEL}`;
    assert.deepEqual(sent("openai", { ...png, detail: "low" }), {
      type: "image_url",
      image_url: { url, detail: "low" },
    });
    assert.deepEqual(sent("openai-responses", png), { type: "input_image", detail: "auto", image_url: url });
    const source = { type: "base64", media_type: "image/png", data: PIXEL };
    assert.deepEqual(sent("anthropic", png), { type: "image", source });
    assert.deepEqual(sent("gemini", png), { inlineData: { mimeType: "image/png", data: PIXEL } });
    assert.deepEqual(sent("ai-sdk", png), { type: "image", image: PIXEL, mediaType: "image/png" });
    const bytes = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
    assert.deepEqual(sent("anthropic", { type: "image", image: bytes }), { type: "image", source });
    const jpeg = { type: "file", data: "/9j/4AAQ", mediaType: "image/*" };
    assert.equal(sent("anthropic", jpeg).source.media_type, "image/jpeg");
    const webp = { type: "image", data: btoa("RIFF0000WEBPVP8 ") };
    assert.equal(sent("gemini", webp).inlineData.mimeType, "image/webp");
  });

  test("images by URL", () => {
    const part = { type: "image", url: address };
    assert.deepEqual(sent("openai", part), { type: "image_url", image_url: { url: address } });
    assert.deepEqual(sent("anthropic", part), { type: "image", source: { type: "url", url: address } });
    assert.deepEqual(sent("gemini", part), { fileData: { fileUri: address, mimeType: "image/png" } });
    assert.deepEqual(sent("ai-sdk", part), { type: "image", image: new URL(address), mediaType: "image/png" });
  });

  test("files", () => {
    const pdf = { type: "file", data: PDF, mediaType: "application/pdf", filename: "a.pdf" };
    const file_data = `data:application/pdf;base64,${PDF}`;
    assert.deepEqual(sent("openai", pdf), { type: "file", file: { filename: "a.pdf", file_data } });
    assert.deepEqual(sent("openai-responses", pdf), { type: "input_file", filename: "a.pdf", file_data });
    const source = { type: "base64", media_type: "application/pdf", data: PDF };
    assert.deepEqual(sent("anthropic", pdf), { type: "document", source, title: "a.pdf" });
    assert.deepEqual(sent("ai-sdk", pdf), { type: "file", data: PDF, mediaType: "application/pdf", filename: "a.pdf" });
    const link = { type: "file", url: "https://example.org/a.pdf" };
    assert.deepEqual(sent("openai-responses", link), { type: "input_file", file_url: link.url });
    assert.deepEqual(sent("anthropic", link), { type: "document", source: { type: "url", url: link.url } });
    const uploaded = {
      type: "file",
      url: "https://generativelanguage.googleapis.com/v1beta/files/x",
      mediaType: "video/mp4",
    };
    assert.deepEqual(sent("gemini", uploaded), { fileData: { fileUri: uploaded.url, mimeType: "video/mp4" } });
  });

  test("a text document", () => {
    const part = { type: "document", source: { type: "text", media_type: "text/plain", data: "Plan" } };
    assert.deepEqual(sent("openai", part), { type: "text", text: "Plan" });
    assert.deepEqual(sent("openai-responses", part), { type: "input_text", text: "Plan" });
    assert.deepEqual(sent("gemini", part), { text: "Plan" });
    assert.deepEqual(sent("anthropic", part), part);
    const held = { type: "file", data: "The plan, as it is.", mediaType: "text/plain", filename: "plan.txt" };
    const source = { type: "text", media_type: "text/plain", data: held.data };
    assert.deepEqual(sent("anthropic", held), { type: "document", source, title: "plan.txt" });
    const encoded = { ...held, data: btoa("The plan, encoded so") };
    assert.equal(sent("anthropic", encoded).source.data, "The plan, encoded so");
  });

  test("audio", () => {
    const part = { type: "audio", data: WAV };
    assert.deepEqual(sent("openai", part), { type: "input_audio", input_audio: { data: WAV, format: "wav" } });
    assert.deepEqual(sent("gemini", part), { inlineData: { mimeType: "audio/wav", data: WAV } });
    assert.deepEqual(sent("ai-sdk", part), { type: "file", data: WAV, mediaType: "audio/wav" });
  });

  test("the assistant's audio goes back by its id, and to others as words", () => {
    const spoken = assistant(null, { audio: { id: "audio_1", transcript: "Hello." } });
    const { openai, anthropic, gemini } = bodies([user("hi"), spoken, user("now")]);
    assert.deepEqual(openai.messages[1], { role: "assistant", content: null, audio: { id: "audio_1" } });
    assert.equal(anthropic.messages[1].content[0].text, "Hello.");
    assert.deepEqual(gemini.contents[1].parts, [{ text: "Hello." }]);
  });

  test("images from tools go to a place that the provider accepts", () => {
    const shown = result("a", [{ type: "text", text: "see" }, png]);
    const messages = [user("go"), call("a"), shown];
    /** @type {(name: import("windrow").ProviderName) => any} */
    const body = (name) => requestOf(name, messages);
    const block = body("anthropic").messages[2].content[0].content[1];
    assert.equal(block.source.media_type, "image/png");
    assert.equal(body("openai-responses").input[2].output[1].type, "input_image");
    const { functionResponse } = body("gemini").contents[2].parts[0];
    assert.deepEqual(functionResponse.response, { output: "see" });
    assert.equal(functionResponse.parts[0].inlineData.mimeType, "image/png");
    const [{ output }] = body("ai-sdk").messages[2].content;
    assert.deepEqual(output.value[1], { type: "image-data", data: PIXEL, mediaType: "image/png" });
  });

  test("media that a provider doesn't accept is an error with its place, and never lost", async () => {
    /** @type {[name: import("windrow").ProviderName, messages: any[], path: string][]} */
    const cases = [
      ["openai", [user(["see", { type: "audio", url: "https://example.org/a.mp3" }])], "messages[0].content[1]"],
      ["openai", [user([{ type: "image", file_id: "file_1" }])], "messages[0].content[0]"],
      ["openai", [user("go"), call("a"), result("a", [png])], "messages[2]"],
      ["openai", [user("go"), assistant([png]), user("now")], "messages[1].content[0]"],
      ["openai-responses", [user([{ type: "audio", data: WAV }])], "messages[0].content[0]"],
      ["anthropic", [user([{ type: "audio", data: WAV }])], "messages[0].content[0]"],
      ["anthropic", [user([{ type: "image", data: "Qk0=", mediaType: "image/bmp" }])], "messages[0].content[0]"],
      ["anthropic", [user("go"), assistant([png]), user("now")], "messages[1].content[0]"],
      ["gemini", [user([{ type: "file", data: "AAAA" }])], "messages[0].content[0]"],
      ["gemini", [user([{ type: "image", file_id: "file_1" }])], "messages[0].content[0]"],
      ["ai-sdk", [user([{ type: "file", data: "AAAA" }])], "messages[0].content[0]"],
      ["gemini", [{ role: "system", content: [png] }, user("hi")], "messages[0].content[0]"],
    ];
    for (const [name, messages, path] of cases) {
      checkContextError(await errorOf(() => requestOf(name, messages)), { code: "NOT_SENDABLE", path });
    }
  });
});

test("media in a page's memory is refused when it is read: no request could include it", async () => {
  for (const type of ["image", "audio", "file"]) {
    for (const part of [
      { type, data: new Blob(["x"]) },
      { type, url: "blob:https://example.org/1" },
    ]) {
      /** @type {any[]} */
      const messages = [user([part])];
      for (const run of [() => requestOf("gemini", messages), () => buildContextSync(messages, { encoding })]) {
        checkContextError(await errorOf(run), { code: "INVALID_TRANSCRIPT", path: "messages[0].content[0]" });
      }
    }
  }
});

test("calls and results of LlamaIndexTS are in options, and move with their messages", () => {
  /** @type {any[]} */
  const messages = [
    user("Which hall?"),
    { role: "assistant", content: "I look.", options: { toolCall: [{ id: "a", name: "look", input: { day: 12 } }] } },
    {
      role: "user",
      content: "The boat house.",
      options: { toolResult: { id: "a", result: "The boat house.", isError: false } },
    },
    user("And when?"),
  ];
  assert.deepEqual(requestOf("openai", messages).messages.slice(1, 3), [
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: '{"day":12}' } }],
    },
    { role: "tool", tool_call_id: "a", content: "The boat house." },
  ]);
  const context = buildContextSync(messages, { encoding, filter: { excludeToolCalls: true } });
  assert.ok(!JSON.stringify(context.request("anthropic")).includes("tool_use"));
});

describe("ids and reasoning of OpenAI's Responses", () => {
  const said = { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [] };
  const answer = { ...said, content: [{ type: "output_text", text: "It.", annotations: [] }] };
  const asked = { role: "user", content: "And?" };
  const turns = (...items) => /** @type {any[]} */ ([{ role: "user", content: "Which?" }, ...items, asked]);
  const thought = (more) => ({ type: "reasoning", id: "rs_1", summary: [], ...more });

  test("an id that the provider would refuse isn't sent, however long it is", () => {
    forEachSeed((random) => {
      const id = `rs_${"a".repeat(random.integer(0, 500))}`;
      const isFit = id.length > 3 && id.length <= 64;
      const { input } = requestOf("openai-responses", turns(thought({ id, encrypted_content: "e" }), answer));
      const item = /** @type {any} */ (input.find((it) => "type" in it && it.type === "reasoning"));
      assert.equal(item?.id, isFit ? id : undefined);
      const own = { input: turns(thought({ id, encrypted_content: "e" }), answer) };
      assert.equal(problemsOf("openai-responses", own).length, isFit ? 0 : 1);
      // Without its id and its content, the API has nothing to find it by.
      const bare = requestOf("openai-responses", turns(thought({ id }), answer)).input;
      assert.equal(bare.length, isFit ? 4 : 3);
    });
  });

  test("a request that isn't stored has no reasoning without its content, and no item ids", () => {
    const call = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}" };
    const given = { type: "function_call_output", call_id: "a", output: "x" };
    const items = turns(thought({}), call, given, thought({ id: "rs_2", encrypted_content: "e" }), answer);
    const stored = requestOf("openai-responses", items).input;
    assert.deepEqual(stored, items);
    const context = buildContextSync(items, { encoding });
    for (const { input } of [
      requestOf("openai-responses", items, { store: false }),
      context.request("openai-responses", { store: false }),
    ]) {
      const { id: _, ...ownCall } = call;
      const { id: __, ...ownAnswer } = answer;
      const sealed = thought({ id: "rs_2", encrypted_content: "e" });
      assert.deepEqual(input, [items[0], ownCall, given, sealed, ownAnswer, asked]);
      assert.deepEqual(problemsOf("openai-responses", { input, store: false }), []);
    }
    const problems = problemsOf("openai-responses", { input: stored, store: false });
    assert.deepEqual(
      problems.map(({ rule, place }) => [rule, place]),
      [["reasoning-is-followed", "input[1]"]],
    );
  });
});

test("messages of another format are sent like any", async () => {
  const messages = [
    { id: "a", role: "user", parts: [{ type: "text", text: "Which?" }] },
    {
      id: "b",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-look", toolCallId: "t", state: "output-available", input: { q: 1 }, output: { people: 40 } },
        { type: "text", text: "Forty." },
      ],
    },
    { id: "c", role: "user", parts: [{ type: "text", text: "Thanks." }] },
  ];
  assert.deepEqual(requestOf("anthropic", messages), {
    messages: [
      user("Which?"),
      assistant([{ type: "tool_use", id: "t", name: "look", input: { q: 1 } }]),
      user([{ type: "tool_result", tool_use_id: "t", content: '{"people":40}' }]),
      assistant("Forty."),
      user("Thanks."),
    ],
  });
  const video = {
    id: "d",
    role: "user",
    parts: [{ type: "file", mediaType: "video/mp4", url: "https://example.org/a" }],
  };
  const failure = await errorOf(() => requestOf("anthropic", [video]));
  checkContextError(failure, { code: "NOT_SENDABLE", path: "messages[0].parts[0]" });
});

describe("parts marked as the provider's own", async () => {
  const { writeGemini, writeResponses } = await sources("formats/gemini/write.ts", "formats/openai-responses/write.ts");
  const noted = (part, given) => ({ noted: { part, given, place: ".parts[0]" } });
  const hi = { role: "user", content: [{ type: "text", text: "hi" }] };

  test("Gemini's are unchanged", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" } };
    const called = { functionCall: { name: "f", args: {} }, thoughtSignature: "s" };
    const video = { fileData: { fileUri: "gs://a/b", mimeType: "video/mp4" }, videoMetadata: { fps: 1 } };
    const { contents } = writeGemini(
      [
        { role: "user", content: [noted({ type: "file", url: "gs://a/b" }, video)] },
        {
          role: "assistant",
          content: [
            noted({ type: "text", text: "1" }, code),
            noted({ type: "tool-call", toolCallId: "f", toolName: "f", input: {} }, called),
          ],
        },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "f", output: "x" }] },
      ].map(parsedOf),
    );
    assert.equal(contents[0].parts[0], video);
    assert.equal(contents[1].parts[0], code);
    assert.deepEqual(contents[1].parts[1], { functionCall: { name: "f", args: {}, id: "f" }, thoughtSignature: "s" });
  });

  test("the Responses items are unchanged", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" };
    const searched = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } };
    const message = {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      content: [{ type: "output_text", text: "It.", annotations: [] }],
    };
    const called = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}", status: "completed" };
    const given = { type: "function_call_output", call_id: "a", output: "x" };
    const { input } = writeResponses(
      [
        hi,
        {
          role: "assistant",
          content: [
            noted({ type: "redacted_thinking", data: "e", provider: "openai", id: "rs_1" }, reasoning),
            noted({ type: "tool-call", toolCallId: "ws_1", toolName: "web_search" }, searched),
            noted({ type: "tool-result", toolCallId: "ws_1", output: "" }, searched),
            noted({ type: "text", text: "It." }, message),
            noted({ type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" }, called),
          ],
        },
        { role: "tool", content: [noted({ type: "tool-result", toolCallId: "a", output: "x" }, given)] },
        hi,
      ].map(parsedOf),
    );
    assert.deepEqual(input.slice(1, -1), [reasoning, searched, message, called, given]);
    for (const [at, item] of [reasoning, searched, message, called, given].entries()) {
      assert.equal(input[at + 1], item);
    }
  });
});
