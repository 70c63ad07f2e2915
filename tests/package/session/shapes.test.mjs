// Sessions of messages in other formats: each has its id, time and session if its format has them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadEncoding, memoryStore, openSession } from "windrow";

const encoding = "o200k_base";
await loadEncoding(encoding);
const START = Date.UTC(2025, 4, 5, 9);

const lc = (name, kwargs) => ({ lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs });
const opencode = (info, text) => ({ info: { role: "user", ...info }, parts: [{ type: "text", text }] });
const mastra = (more) => ({
  id: "m1",
  role: "user",
  createdAt: new Date(START),
  content: { format: 2, parts: [{ type: "text", text: "Is it free?" }] },
  ...more,
});

/** A session with these messages, and its store's record of them. */
async function sessionOf(messages, key = "s") {
  const store = memoryStore();
  const session = await openSession(key, { store });
  /** @type {{ messages: readonly any[] }} */
  const { messages: kept } = await session.append(messages);
  const { entries } = await store.read(key);
  /** @type {any[][]} */
  const facts = entries.map(({ id, timeMs }) => [id, timeMs]);
  return { session, store, kept, facts };
}

describe("a store's record of a message", () => {
  for (const [name, message, ...facts] of /** @type {any[][]} */ ([
    ["LangChain's toJSON()", lc("HumanMessage", { id: "h1", content: "Hi." }), "h1"],
    ["LangChain's toDict()", { type: "human", data: { id: "h1", content: "Hi." } }, "h1"],
    ["opencode", opencode({ id: "o1", time: { created: START } }, "Hi."), "o1", START],
    ["Mastra", mastra(), "m1", START],
    ["pi", { role: "user", content: "Hi.", timestamp: START }, undefined, START],
    ["UIMessage", { id: "u1", role: "user", parts: [{ type: "text", text: "Hi." }] }, "u1"],
    ["UIMessage with a time", { id: "u1", role: "user", parts: [], metadata: { createdAt: START } }, "u1", START],
    ["item", { type: "message", id: "msg_1", role: "user", content: [{ type: "input_text", text: "Hi." }] }, "msg_1"],
    ["Gemini", { role: "model", parts: [{ text: "Hi." }] }],
  ])) {
    test(`${name}: its id and its time, from its format's fields`, async () => {
      const [id, timeMs] = facts;
      const { facts: known, kept } = await sessionOf([message]);
      assert.match(known[0][0], id === undefined ? /^msg_[0-9a-f]{16}$/ : new RegExp(`^${id}$`));
      assert.ok(timeMs === undefined ? Math.abs(known[0][1] - Date.now()) < 60_000 : known[0][1] === timeMs);
      // The message is unchanged, except for the fields that the session added.
      const { id: _, createdAt: __, ...was } = JSON.parse(JSON.stringify(message));
      const { id: ___, createdAt: ____, ...is } = kept[0];
      assert.deepEqual(is, was);
    });
  }

  test("a message without an id or a time gets them in its format's fields", async () => {
    const messages = [
      lc("HumanMessage", { content: "Hi." }),
      { type: "human", data: { content: "Hi." } },
      opencode({}, "Hi."),
      { role: "assistant", content: [{ type: "text", text: "Hi." }], api: "a", stopReason: "stop" },
    ];
    const { session, kept, facts } = await sessionOf(messages);
    const [json, dict, ofOpencode, ofPi] = kept;
    assert.deepEqual([json.id, json.kwargs.id], [messages[0].id, facts[0][0]]);
    assert.deepEqual([dict.id, dict.data.id], [undefined, facts[1][0]]);
    assert.deepEqual([ofOpencode.id, ofOpencode.info.id], [undefined, facts[2][0]]);
    assert.equal(Date.parse(ofOpencode.info.time.created), facts[2][1]);
    assert.deepEqual([ofPi.id, ofPi.timestamp], facts[3]);
    assert.equal(new Set(facts.map(([id]) => id)).size, 4);
    const context = await session.build({ encoding, request: null });
    for (const [at, [id]] of facts.entries()) {
      assert.equal(context.explain(id).position, at);
    }
  });

  test("an OpenAI item keeps its id, and only a message gets one", async () => {
    const items = [
      { role: "user", content: "Where are we?" },
      { type: "local_shell_call", id: "sh_1", call_id: "c1", action: { type: "exec", command: ["pwd"] } },
      { type: "local_shell_call_output", id: "c1", output: "/home" },
      { type: "function_call", call_id: "c2", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c2", output: "forty" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "At home." }] },
    ];
    const { session, kept } = await sessionOf(items);
    assert.deepEqual(
      kept.map(({ id }) => id?.replace(/^msg_[0-9a-f]{16}$/, "given")),
      ["given", "sh_1", "c1", undefined, undefined, "given"],
    );
    const context = await session.build({ encoding, request: null });
    assert.equal(context.kept.length, items.length, "calls and results are paired");
    assert.equal(context.explain(3).id, undefined);
  });

  test("a summary gets no time: it stays in place", async () => {
    const summary = { role: "compactionSummary", summary: "We looked for a boat.", tokensBefore: 9, timestamp: START };
    const { kept, facts } = await sessionOf([summary, { role: "user", content: "And?", timestamp: START - 5 }]);
    assert.deepEqual([kept[0].timestamp, facts[0][1]], [START, undefined]);
    const compaction = { info: { id: "o", role: "user", time: { created: START } }, parts: [{ type: "compaction" }] };
    const ofOpencode = await sessionOf([compaction]);
    assert.deepEqual([ofOpencode.kept[0].info.time, ofOpencode.facts], [{ created: START }, [["o", undefined]]]);
  });

  test("fields of an instance that its toJSON leaves out are kept", async () => {
    class HumanMessage {
      lc_kwargs = { content: "Hi." };
      type = "human";
      content = "Hi.";
      createdAt = START;
      pinned = true;
      replyTo = "a";
      toJSON() {
        return lc("HumanMessage", this.lc_kwargs);
      }
    }
    const { session, kept, facts } = await sessionOf([new HumanMessage()]);
    assert.equal(facts[0][1], START);
    assert.deepEqual([kept[0].pinned, kept[0].replyTo, kept[0].createdAt], [true, "a", START]);
    assert.equal((await session.info()).logs.transcript.pinnedCount, 1);
  });
});

test("a streaming reply keeps its id and its time, in every format", async () => {
  for (const [message, next, named] of /** @type {any[][]} */ ([
    [lc("AIMessage", { content: "At" }), lc("AIMessage", { content: "At Rosa's" }), ({ kwargs }) => kwargs],
    [
      { role: "model", parts: [{ text: "At" }] },
      { role: "model", parts: [{ text: "At Rosa's" }] },
    ],
    [opencode({ role: "assistant" }, "At"), opencode({ role: "assistant" }, "At Rosa's"), ({ info }) => info],
  ])) {
    const { session, store, facts } = await sessionOf([message]);
    /** @type {{ messages: readonly any[] }} */
    const { messages } = await session.replaceLast(next);
    const { entries } = await store.read("s");
    assert.deepEqual(
      entries.map(({ id, timeMs }) => [id, timeMs]),
      facts,
    );
    assert.equal((named ?? ((it) => it))(messages[0]).id, facts[0][0]);
  }
});

test("a fork is a separate session for messages that name theirs", async () => {
  for (const [message, sessionIdOf] of [
    [mastra({ threadId: "s" }), ({ threadId }) => threadId],
    [opencode({ id: "o1", sessionID: "s", time: { created: START } }, "Is it free?"), ({ info }) => info.sessionID],
    [{ role: "model", parts: [{ text: "Is it free?" }], sessionId: "s" }, ({ sessionId }) => sessionId],
  ]) {
    const { session } = await sessionOf([message]);
    assert.equal((await session.build({ encoding })).messages.length, 1);
    const fork = await session.fork(1, "fork");
    assert.deepEqual((await fork.messages()).map(sessionIdOf), ["fork"]);
    assert.equal((await fork.build({ encoding })).messages.length, 1);
    assert.equal((await session.build({ encoding, sessionId: "another" })).messages.length, 0);
  }
});

test("an answer to a tool doesn't begin an exchange in any format", async () => {
  /** @type {any} */
  const call = { type: "tool_use", id: "t", name: "look", input: {} };
  /** @type {any[]} */
  const forms = [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "forty" }] },
    { role: "user", parts: [{ functionResponse: { id: "t", name: "look", response: { output: "forty" } } }] },
    { role: "tool", toolCallId: "t", content: "forty" },
  ];
  const left = [];
  for (const result of forms) {
    const store = memoryStore();
    const session = await openSession("s", { store, retention: { maxMessages: 4 } });
    await session.append([
      ...["1", "2", "3"].map((id) => ({ id, role: "user", content: "Hello." })),
      { id: "4", role: "assistant", content: [call] },
      { id: "5", ...result },
      { id: "6", role: "assistant", content: "Forty." },
      { id: "7", role: "user", content: "Thanks." },
      { id: "8", role: "assistant", content: "Not at all." },
    ]);
    await session.settled();
    left.push((await session.messages()).map(({ id }) => id));
  }
  assert.deepEqual(left, [left[2], left[2], left[2]]);
  assert.deepEqual(left[2], ["7", "8"]);
});

describe("files", () => {
  const items = [
    { role: "user", id: "u1", content: [{ type: "input_text", text: "Where are we?" }] },
    { type: "function_call", id: "fc_1", call_id: "c", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "At home." },
  ];
  const linesOf = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");

  test("rows with their own type are messages in their format", async () => {
    for (const file of [JSON.stringify(items), JSON.stringify(items, null, 1), linesOf(items)]) {
      const session = await openSession("s", { store: memoryStore() });
      const { messageCount, skipped } = await session.import(file);
      assert.deepEqual([messageCount, skipped], [3, []]);
      assert.equal((await session.build({ encoding, request: null })).kept.length, 3);
      // The export is a log with the same messages.
      const copy = await openSession("copy", { store: memoryStore() });
      assert.equal((await copy.import(await session.export())).messageCount, 3);
      assert.deepEqual(await copy.messages(), await session.messages());
    }
  });

  test("in a log they keep their meaning there: stored, but not messages", async () => {
    const session = await openSession("s", { store: memoryStore() });
    const rows = [
      { type: "session", session_key: "s" },
      { type: "message", role: "user", text: "Hi." },
      { type: "tool", content: "a note of somebody's" },
      ...items.slice(1),
    ];
    const { messageCount, skipped } = await session.import(linesOf(rows));
    assert.deepEqual([messageCount, skipped], [1, []]);
    assert.equal(await session.export(), `${linesOf(rows)}\n`);
  });
});
