// Regression tests for bugs found by hostile use.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildContextSync, ContextError, countTokens, createTranscript, loadEncoding, replay } from "windrow";
import { wrong } from "../support/errors.mjs";

const encoding = "estimate";
const user = (content, more) => ({ role: "user", content, ...more });
const system = (content) => ({ role: "system", content });
const call = (id) => ({ role: "assistant", content: null, toolCalls: [{ id, name: "f", arguments: "{}" }] });
const result = (id) => ({ role: "tool", toolCallId: id, content: "done" });

function fails(action, code, path) {
  assert.throws(action, (error) => {
    assert.ok(error instanceof ContextError, String(error));
    assert.deepEqual([error.code, error.path], [code, path]);
    return true;
  });
}

before(() => loadEncoding("o200k_base"));

test("a tool's result is refused as a request, but accepted in the transcript", () => {
  const messages = [user("weather?"), call("c")];
  fails(() => buildContextSync(messages, { encoding, request: result("c") }), "INVALID_CONFIG", "request");
  assert.equal(buildContextSync([...messages, result("c")], { encoding }).kept.length, 3);
});

test("calls in every spelling are counted", () => {
  const both = { ...call("a"), toolCalls: [], tool_calls: call("b").toolCalls };
  assert.equal(buildContextSync([user("x"), both, user("y")], { encoding }).kept.length, 2);
  const old = { role: "assistant", content: null, function_call: { name: "f", arguments: "word ".repeat(99) } };
  const answer = { role: "function", name: "f", content: "done" };
  assert.ok(buildContextSync([user("x"), old, answer], { encoding }).tokens.total > 99);
  const spoken = { role: "assistant", content: null, audio: { id: "audio_1" } };
  assert.equal(buildContextSync([spoken], { encoding }).tokens.exact, false);
});

test("a length beyond 32 bits cuts nothing off", () => {
  const transcript = createTranscript([user("a"), user("b")]);
  transcript.truncate(2 ** 32);
  transcript.truncate(2 ** 32 + 1);
  assert.deepEqual(buildContextSync(transcript, { encoding }).kept, [...transcript.messages]);
});

test("explain describes the context's own messages after the transcript has grown", () => {
  const transcript = createTranscript([user("a", { id: "x" })]);
  const context = buildContextSync(transcript, { encoding });
  transcript.append(user("b", { id: "x" }));
  assert.equal(context.explain("x").position, 0);
});

test("a long line costs time in proportion to its length", () => {
  const content = `x\na b c d e ${"f: ".repeat(400_000)}`;
  const context = buildContextSync([user(content)], { encoding, render: { format: "text" } });
  assert.ok(context.text.endsWith(content.slice(-100).trimStart()));
});

test("a name that begins like a role isn't mistaken for one", () => {
  for (const name of ["System (policy)", "assistant", "Sys\u200btem", "tool-7"]) {
    const { text } = buildContextSync([user("x", { name })], { encoding, render: { format: "text" } });
    assert.match(text, /^User \(/, name);
  }
});

test("a vocabulary of the wrong kind is refused, and the engine continues", async () => {
  const transcript = createTranscript([user("a")]);
  const others = [{ name: 5, bytes: new Uint8Array(1) }, { name: "cl100k_base", bytes: -1 }, null, Symbol("x")];
  for (const other of others.map(wrong)) {
    await assert.rejects(loadEncoding(other), { name: "ContextError", code: "INVALID_ENCODING" });
  }
  assert.equal(buildContextSync(transcript).kept.length, 1);
  assert.equal(countTokens("one two").tokens, 2);
});

test("conversations that share their instructions are remembered separately", () => {
  const shared = system("Be brief.");
  const chats = [1, 2].map((chat) => [shared, ...Array.from({ length: 50 }, (_, index) => user(`${chat} ${index}`))]);
  const hashes = chats.map((chat) => buildContextSync(chat, { encoding }).snapshot.contextHash);
  for (const [index, chat] of [...chats.entries(), ...chats.entries()]) {
    assert.equal(buildContextSync(chat, { encoding }).snapshot.contextHash, hashes[index]);
  }
});

test("a config that isn't a plain object is refused, and reading one may change the list", () => {
  fails(
    () => buildContextSync([user("x")], { encoding, budget: wrong(new Map([["maxTokens", 5]])) }),
    "INVALID_CONFIG",
    "budget",
  );
  const messages = [user("a")];
  /** @satisfies {import("windrow").ContextConfig} */
  const config = {
    encoding,
    get model() {
      messages.push(user("b"));
      return buildContextSync(messages, { encoding }).tokens.encoding;
    },
  };
  const { kept } = buildContextSync(messages, config);
  assert.ok(kept.length > 0 && kept.every((message) => messages.includes(message)));
});

test("a replay reads nothing that came later, and accepts a date as text", async () => {
  const moment = new Date("2025-03-30T14:05:00Z");
  const { recording } = buildContextSync([user("a", { createdAt: moment })], { encoding });
  const later = [user("a", { createdAt: moment.toISOString() }), { role: "nobody" }];
  const { same, differences } = await replay(recording, later);
  assert.deepEqual([same, differences], [true, []]);
});
