// AG-UI messages with a role or a part that only AG-UI has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync, loadEncoding, plainMessage, requestOf } from "windrow";

await loadEncoding("o200k_base");

/** @returns {any[]} */
const chat = () => [
  {
    id: "1",
    role: "user",
    content: [
      { type: "text", text: "Which boat house?" },
      { type: "binary", mimeType: "image/png", data: "iVBORw0KGgo=", filename: "a.png" },
      { type: "binary", mimeType: "application/pdf", url: "https://example.org/map.pdf" },
    ],
  },
  { id: "2", role: "activity", activityType: "PLAN", content: { steps: ["look"] } },
  { id: "3", role: "reasoning", content: "Let me see.", encryptedValue: "c2VhbGVk" },
  {
    id: "4",
    role: "assistant",
    toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
  },
  { id: "5", role: "tool", content: "forty", toolCallId: "t" },
  { id: "6", role: "assistant", content: "It holds forty people." },
  { id: "7", role: "user", content: "And?" },
];

test("a conversation is read: media counts, an activity doesn't, and reasoning belongs to the reply", () => {
  const { tokens } = buildContextSync(chat(), { encoding: "o200k_base" });
  const without = buildContextSync(chat().toSpliced(1, 1), { encoding: "o200k_base" }).tokens;
  assert.ok(tokens.total - without.total <= 4, "an activity says nothing");
  const [asked, , thought] = chat().map((message) => plainMessage(message));
  assert.deepEqual(
    asked?.content.map(({ type }) => type),
    ["text", "image", "file"],
  );
  assert.deepEqual(
    [thought?.role, thought?.content, thought?.joinsNext],
    ["assistant", [{ type: "reasoning", text: "Let me see." }], true],
  );
});

test("a request has the calls, their results and the words, but no activity", () => {
  const sent = JSON.stringify(requestOf("openai", chat().toSpliced(0, 1, { role: "user", content: "Which?" })));
  for (const said of ["Which?", "forty", "It holds forty people.", "look"]) {
    assert.ok(sent.includes(said), said);
  }
  assert.ok(!sent.includes("PLAN") && !sent.includes("steps"));
});

test("a part without data is refused with its place", () => {
  const empty = /** @type {any} */ ({ id: "1", role: "user", content: [{ type: "binary", mimeType: "image/png" }] });
  assert.throws(() => plainMessage(empty), { code: "INVALID_TRANSCRIPT", path: "message.content[0]" });
});

test("the error of a tool is part of its result, whatever the content says", () => {
  const call = { id: "t", type: "function", function: { name: "look", arguments: "{}" } };
  const asked = { id: "1", role: "user", content: "Which boat house?" };
  /** @type {[content: any, error: string | undefined, said: string[]][]} */
  const cases = [
    ["Two houses.", "timed out", ["Two houses.", "timed out"]],
    ["", "timed out", ["timed out"]],
    [undefined, "timed out", ["timed out"]],
    [[{ type: "text", text: "Two houses." }], "timed out", ["Two houses.", "timed out"]],
    ['look "timed out" here', '"timed out"', ['look "timed out" here']],
    ["Two houses.", "", ["Two houses."]],
    ["Two houses.", undefined, ["Two houses."]],
  ];
  for (const [content, error, said] of cases) {
    const tool = { id: "3", role: "tool", toolCallId: "t", content, error };
    const messages = /** @type {any[]} */ ([asked, { id: "2", role: "assistant", toolCalls: [call] }, tool]);
    const [result] = /** @type {any[]} */ (plainMessage(tool).content);
    assert.equal(result.isError === true, error !== undefined && error !== "");
    for (const provider of /** @type {const} */ (["openai", "anthropic", "gemini", "ai-sdk"])) {
      const body = JSON.stringify(requestOf(provider, messages));
      for (const text of said) {
        assert.equal(body.split(JSON.stringify(text).slice(1, -1)).length, 2, `${provider} has ${text} once`);
      }
    }
    const short = buildContextSync(messages, { encoding: "o200k_base" });
    assert.equal(short.tokens.total > 0, true);
  }
  const long = { id: "3", role: "tool", toolCallId: "t", content: "A boat house. ".repeat(900), error: "timed out" };
  const messages = /** @type {any[]} */ ([asked, { id: "2", role: "assistant", toolCalls: [call] }, long]);
  const { kept } = buildContextSync(messages, { encoding: "o200k_base", budget: { maxTokens: 300 } });
  const [cut] = /** @type {any[]} */ (plainMessage(/** @type {any} */ (kept.at(-1))).content);
  assert.equal(cut.isError, true);
  assert.match(JSON.stringify(cut.output), /timed out/, "a cut keeps the end");
});

test("media of AG-UI 1.0 are read by their source: data, an address, or a file at a provider", () => {
  const source = (type, value) => ({ type, value, mimeType: "application/pdf" });
  const sources = [source("data", "JVBERi0="), source("url", "https://example.org/map.pdf"), source("file", "file_1")];
  const content = sources.map((given) => ({ type: "document", source: given }));
  const read = plainMessage(/** @type {any} */ ({ id: "1", role: "user", content })).content;
  assert.deepEqual(read, [
    { type: "file", mediaType: "application/pdf", data: "JVBERi0=" },
    { type: "file", mediaType: "application/pdf", url: "https://example.org/map.pdf" },
    { type: "file", mediaType: "application/pdf", id: "file_1" },
  ]);
});
