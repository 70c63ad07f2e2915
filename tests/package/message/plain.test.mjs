// A message of any format in windrow's own form, with the data that its provider needs to get it back.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { countTokens, loadEncoding } from "windrow";
import { randomConversation } from "../support/conversations.mjs";
import { forEachSeed } from "../support/property.mjs";
import { sources } from "../support/sources.mjs";

const encoding = "o200k_base";
const { parse } = await sources("message/read.ts", "formats/index.ts");
const read = (message, shape) => parse(message, "message", "transcript_error", { shape });
const plainOf = (message, shape) => read(message, shape).message;
const contentOf = (message) => plainOf(message).content;
const placedOf = (part) => read({ role: "assistant", content: [part] }).parts[0];

before(() => loadEncoding(encoding));

describe("the parts that are read, each in one form", () => {
  const cases = {
    "a text": ["hi", { type: "text", text: "hi" }],
    "a text part": [
      { type: "text", text: "hi", cache_control: {} },
      { type: "text", text: "hi" },
    ],
    "a text of the Responses": [
      { type: "input_text", text: "hi" },
      { type: "text", text: "hi" },
    ],
    "a refusal": [
      { type: "refusal", refusal: "No." },
      { type: "text", text: "No." },
    ],
    "a text with Gemini's proof": [
      { type: "text", text: "hi", providerOptions: { google: { thoughtSignature: "s" } } },
      { type: "text", text: "hi", provider: "google", signature: "s" },
    ],
    reasoning: [
      { type: "reasoning", text: "hm" },
      { type: "reasoning", text: "hm" },
    ],
    "reasoning with a proof": [
      { type: "reasoning", text: "hm", provider: "google", signature: "s" },
      { type: "reasoning", text: "hm", provider: "google", signature: "s" },
    ],
    "the AI SDK's reasoning of OpenAI": [
      {
        type: "reasoning",
        text: "hm",
        providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
      },
      { type: "reasoning", text: "hm", provider: "openai", id: "rs_1", data: "e" },
    ],
    "the AI SDK's redacted reasoning": [
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "d" } } },
      { type: "redacted_thinking", data: "d", provider: "anthropic" },
    ],
    thinking: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "reasoning", text: "hm", provider: "anthropic", signature: "s" },
    ],
    "redacted thinking": [
      { type: "redacted_thinking", data: "d" },
      { type: "redacted_thinking", data: "d", provider: "anthropic" },
    ],
    "an image by its address": [
      { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } },
      { type: "image", url: "https://example.org/a.png", detail: "low" },
    ],
    "an image in a data URL": [
      { type: "image", url: "data:image/png;base64,AAAA", mediaType: "image/jpeg" },
      { type: "image", data: "AAAA", mediaType: "image/png" },
    ],
    "an image of the AI SDK": [
      { type: "image", image: new URL("https://example.org/a.png"), mediaType: "image/png" },
      { type: "image", url: "https://example.org/a.png", mediaType: "image/png" },
    ],
    "an image of Anthropic's": [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", data: "AAAA", mediaType: "image/png" },
    ],
    "an image that a provider has": [
      { type: "image", source: { type: "file", file_id: "file_1" } },
      { type: "image", id: "file_1" },
    ],
    "audio of OpenAI's": [
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { type: "audio", data: "AAAA", mediaType: "audio/mpeg" },
    ],
    "a file of OpenAI's": [
      { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
      { type: "file", data: "AAAA", mediaType: "application/pdf", filename: "a.pdf" },
    ],
    "a file with facts": [
      { type: "file", data: "AAAA", mediaType: "application/pdf", pages: 3, bytes: 9 },
      { type: "file", data: "AAAA", mediaType: "application/pdf", pages: 3, bytes: 9 },
    ],
    "a document that is a text": [
      { type: "document", source: { type: "text", media_type: "text/plain", data: "hi" }, title: "Note" },
      {
        type: "file",
        source: { type: "text", media_type: "text/plain", data: "hi" },
        mediaType: "text/plain",
        filename: "Note",
      },
    ],
    "a call": [
      { type: "tool-call", toolCallId: "a", toolName: "f", input: { q: 1 }, providerExecuted: true },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: { q: 1 }, providerExecuted: true },
    ],
    "a call of version 4": [
      { type: "tool-call", toolCallId: "a", toolName: "f", args: { q: 1 } },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: { q: 1 } },
    ],
    "a call of Anthropic's": [
      { type: "tool_use", id: "a", name: "f", input: {} },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
    ],
    "a call of a tool that Anthropic runs": [
      { type: "server_tool_use", id: "a", name: "web_search", input: { query: "x" } },
      { type: "tool-call", toolCallId: "a", toolName: "web_search", input: { query: "x" }, providerExecuted: true },
    ],
    "a result": [
      { type: "tool-result", toolCallId: "a", toolName: "f", output: { type: "text", value: "x" } },
      { type: "tool-result", toolCallId: "a", toolName: "f", output: "x" },
    ],
    "a result that is JSON": [
      { type: "tool-result", toolCallId: "a", output: { type: "json", value: { type: "text", value: 1 } } },
      { type: "tool-result", toolCallId: "a", output: { type: "json", value: { type: "text", value: 1 } } },
    ],
    "a failure": [
      { type: "tool-result", toolCallId: "a", output: { type: "error-json", value: { code: 5 } } },
      { type: "tool-result", toolCallId: "a", output: { code: 5 }, isError: true },
    ],
    "a result with an image": [
      {
        type: "tool-result",
        toolCallId: "a",
        output: { type: "content", value: [{ type: "image-data", data: "AAAA", mediaType: "image/png" }] },
      },
      {
        type: "tool-result",
        toolCallId: "a",
        output: { type: "content", value: [{ type: "image", data: "AAAA", mediaType: "image/png" }] },
      },
    ],
    "a result of Anthropic's": [
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }], is_error: true },
      {
        type: "tool-result",
        toolCallId: "a",
        output: { type: "content", value: [{ type: "text", text: "x" }] },
        isError: true,
      },
    ],
    "a result without content": [
      { type: "tool_result", tool_use_id: "a", content: null },
      { type: "tool-result", toolCallId: "a", output: "" },
    ],
  };
  for (const [name, [given, plain]] of Object.entries(cases)) {
    test(name, () => {
      const { part, place } = placedOf(given);
      assert.deepEqual(part, plain);
      assert.equal(place, ".content[0]");
    });
  }

  test("a part refers to the caller's own", () => {
    const part = { type: "tool_use", id: "a", name: "f", input: {} };
    assert.equal(placedOf(part).given, part);
  });
});

describe("the fields of a message", () => {
  test("calls, refusal and reasoning next to the content become parts, in their order", () => {
    const message = {
      role: "assistant",
      content: "I look.",
      refusal: "No.",
      reasoning_content: "hm",
      tool_calls: [
        {
          id: "a",
          type: "function",
          function: { name: "f", arguments: "{}" },
          extra_content: { google: { thought_signature: "s" } },
        },
        { id: "b", type: "custom", custom: { name: "g", input: "ls" } },
      ],
      toolCalls: [{ id: "c", name: "h", arguments: { q: 1 } }],
    };
    assert.deepEqual(contentOf(message), [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "I look." },
      { type: "text", text: "No." },
      { type: "tool-call", toolCallId: "c", toolName: "h", input: { q: 1 } },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}", provider: "google", signature: "s" },
      { type: "tool-call", toolCallId: "b", toolName: "g", input: "ls", isCustom: true },
    ]);
  });

  test("OpenRouter's reasoning keeps its proof", () => {
    const details = [
      { type: "reasoning.text", text: "hm", signature: "s", format: "anthropic-claude-v1" },
      { type: "reasoning.encrypted", data: "d", id: "rs_1", format: "openai-responses-v1" },
    ];
    const [proven, encrypted] = contentOf({ role: "assistant", content: "x", reasoning_details: details });
    assert.deepEqual(proven, { type: "reasoning", text: "hm", provider: "anthropic", signature: "s" });
    assert.deepEqual(encrypted, { type: "redacted_thinking", data: "d", provider: "openai", id: "rs_1" });
    const message = { role: "assistant", content: "x", reasoning: "hm", reasoning_details: details };
    assert.deepEqual(contentOf(message)[0], proven);
  });

  test("the assistant's audio keeps its id and its words", () => {
    const message = { role: "assistant", content: null, audio: { id: "audio_1", transcript: "Hello." } };
    assert.deepEqual(contentOf(message), [{ type: "audio", id: "audio_1", transcript: "Hello." }]);
  });

  test("a message that answers a call is its result", () => {
    const answer = (fields) => plainOf({ role: "tool", tool_call_id: "a", ...fields }).content;
    assert.deepEqual(answer({ content: "x", name: "f" }), [
      { type: "tool-result", toolCallId: "a", toolName: "f", output: "x" },
    ]);
    assert.deepEqual(answer({ content: [] }), [{ type: "tool-result", toolCallId: "a", output: "" }]);
    const parts = [
      { type: "text", text: "x" },
      { type: "text", text: "y" },
    ];
    assert.deepEqual(answer({ content: parts, isError: true }), [
      { type: "tool-result", toolCallId: "a", output: { type: "content", value: parts }, isError: true },
    ]);
    const own = { type: "tool-result", toolCallId: "a", output: "x" };
    assert.deepEqual(answer({ content: [own] }), [own]);
  });

  test("a user message with nothing but results belongs to the tools", () => {
    const result = { type: "tool_result", tool_use_id: "a", content: "x" };
    assert.equal(plainOf({ role: "user", content: [result] }).role, "tool");
    assert.equal(plainOf({ role: "user", content: [result, "and?"] }).role, "user");
  });

  test("results of a provider's own tool are marked, as the call is", () => {
    const [, result] = contentOf({
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "a", toolName: "f", input: {}, providerExecuted: true },
        { type: "tool-result", toolCallId: "a", toolName: "f", output: { type: "text", value: "x" } },
      ],
    });
    assert.equal(result.providerExecuted, true);
  });

  test("metadata stays, and nothing else", () => {
    const about = { id: "m", name: "Mara", createdAt: 5, tags: ["note"], pinned: true, sessionId: "s" };
    const { content, ...rest } = plainOf({ role: "user", content: "hi", ...about, metadata: {}, usage: 5 });
    assert.deepEqual(rest, { role: "user", ...about });
  });
});

test("a format's own reader goes through the same forms", () => {
  const message = {
    id: "m",
    role: "assistant",
    parts: [
      { type: "text", text: "It." },
      { type: "tool-look", toolCallId: "a", state: "output-available", input: { q: 1 }, output: { found: 2 } },
    ],
  };
  assert.deepEqual(plainOf(message).content, [
    { type: "text", text: "It." },
    { type: "tool-call", toolCallId: "a", toolName: "look", input: { q: 1 } },
    { type: "tool-result", toolCallId: "a", output: { found: 2 } },
  ]);
  assert.deepEqual(plainOf(message, "ai-sdk-ui").id, "m");
  assert.deepEqual(
    read(message).parts.map(({ given, place }) => ({ given, place })),
    [".parts[0]", ".parts[1]", ".parts[1]"].map((place) => ({ given: undefined, place })),
    "each is at the place of the part that it is from",
  );
});

test("unread contents are refused with their place", () => {
  const refused = (message) => {
    try {
      plainOf(message);
    } catch (failure) {
      return failure.path;
    }
    return undefined;
  };
  assert.equal(refused({ role: "user", content: [{ type: "hologram" }] }), "message.content[0].type");
  assert.equal(refused({ role: "user", content: [{ type: "text" }] }), "message.content[0].text");
  assert.equal(refused({ role: "user", content: ["x", { type: "image" }] }), "message.content[1]");
  assert.equal(refused({ role: "assistant", toolCalls: [{ id: "a" }] }), "message.toolCalls[0].name");
});

test("random conversations cost the same in this form as in their own", () => {
  forEachSeed((random) => {
    const others = random.pick([{ media: ["image", "file", "audio"] }, { mediaIn: ["user", "tool"] }]);
    const { messages } = randomConversation(random, others);
    for (const message of messages) {
      const plain = plainOf(message);
      const again = plainOf(plain);
      assert.deepEqual(again, plain, "a message in this form is read unchanged");
      assert.equal(costOf(plain), costOf(message), JSON.stringify(message));
    }
  });
});

const costOf = (message) => countTokens([message], { encoding }).tokens;
