// Files with several dialogues: they are separated and named, and one of them is the file's conversation.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, memoryStore, openSession, parseTranscript } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { checkFile } from "../support/file-cases.mjs";
import { processorMs } from "../support/processor-time.mjs";
import { forEachSeed } from "../support/property.mjs";
import { randomTranscript } from "../support/random.mjs";

const user = (content, more) => ({ role: "user", content, ...more });
const assistant = (content) => ({ role: "assistant", content });
const lines = (...values) => values.map((value) => JSON.stringify(value)).join("\n");
const textsOf = ({ messages }) => messages.map(({ content }) => content);

checkFile({
  name: "of dialogues",
  newest: 2,
  sample: () => [
    { messages: [user("a"), { role: "bot" }, assistant("b")] },
    { id: 7, title: "Seven", created_at: "2026-01-01", messages: [user("c", { conversationId: "own" })] },
    { id: "x", name: "X", model: "m", messages: [user("d", { createdAt: "2026-01-02T00:00:00Z" })] },
    { messages: [] },
    { conversation_id: "y", messages: [user("e", { createdAt: 5 })] },
  ],
  conversations: [
    { id: "#1", messages: [user("a", { conversationId: "#1" }), { ...assistant("b"), conversationId: "#1" }] },
    {
      id: "7",
      title: "Seven",
      startedAt: "2026-01-01T00:00:00.000Z",
      messages: [user("c", { conversationId: "own" })],
    },
    {
      id: "x",
      title: "X",
      startedAt: "2026-01-02T00:00:00.000Z",
      messages: [user("d", { createdAt: "2026-01-02T00:00:00Z", conversationId: "x" })],
    },
    {
      id: "y",
      startedAt: "1970-01-01T00:00:00.005Z",
      messages: [user("e", { createdAt: 5, conversationId: "y" })],
    },
  ],
  skipped: [[1, /^message 2: role: unknown role "bot"/]],
});

describe("dialogues", () => {
  test("are the same in a list, in lines, and in an object", () => {
    forEachSeed((random) => {
      const dialogues = Array.from({ length: random.integer(2, 5) }, () => ({
        messages: JSON.parse(JSON.stringify([user("first"), ...randomTranscript(random, { mostMessages: 6 })])),
      }));
      const expected = dialogues.map(({ messages }, at) =>
        messages.map((message) => ({ ...message, conversationId: `#${at + 1}` })),
      );
      for (const text of [
        JSON.stringify(dialogues),
        JSON.stringify(dialogues, null, 1),
        lines(...dialogues),
        JSON.stringify({ conversations: dialogues }),
      ]) {
        const { conversations, messages, skipped } = parseTranscript(text);
        assert.deepEqual(
          conversations.map((one) => one.messages),
          expected,
        );
        assert.deepEqual(skipped, []);
        assert.ok(conversations.some((one) => one.messages === messages));
      }
    });
  });

  test("can be merged on purpose, and are still distinguished", () => {
    const { conversations } = parseTranscript(lines({ messages: [user("a")] }, { messages: [user("b")] }));
    /** @type {import("windrow").BuiltContext<any>} */
    const { messages } = buildContextSync(
      conversations.flatMap(({ messages }) => messages),
      { encoding: "estimate", request: null },
    );
    assert.deepEqual(
      messages.map(({ conversationId }) => conversationId),
      ["#1", "#2"],
    );
  });

  test("are one conversation without an invented name if only one has messages", () => {
    const { conversations } = parseTranscript(JSON.stringify([{ messages: [] }, { messages: [user("a")] }]));
    assert.deepEqual(conversations, [{ messages: [user("a")] }]);
    assert.deepEqual(parseTranscript(JSON.stringify({ id: "x", messages: [user("a")] })).conversations, [
      { id: "x", messages: [user("a", { conversationId: "x" })] },
    ]);
  });

  test("with equal names or none are named by their number", () => {
    const named = (...ids) =>
      parseTranscript(JSON.stringify(ids.map((id) => ({ id, messages: [user("a")] })))).conversations.map(
        ({ id }) => id,
      );
    assert.deepEqual(named("a", "a", "a"), ["a", "#2", "#3"]);
    assert.deepEqual(named("#2", undefined, "#2"), ["#2", "##2", "#3"]);
    assert.deepEqual(named("", " ", {}, null), ["#1", "#2", "#3", "#4"]);
  });

  test("next to separate messages are separate conversations", () => {
    const { conversations } = parseTranscript(JSON.stringify([user("a"), { messages: [user("b")] }, assistant("c")]));
    assert.deepEqual(conversations.map(textsOf), [["a", "c"], ["b"]]);
    assert.deepEqual(
      conversations.map(({ id }) => id),
      ["#1", "#2"],
    );
  });

  test("the newest has the latest message, or is the last without times", () => {
    const newest = (...times) => {
      const dialogues = times.map((createdAt, at) => ({ messages: [user(String(at), { createdAt }), user("later")] }));
      return parseTranscript(lines(...dialogues)).messages[0].content;
    };
    assert.equal(newest(undefined, undefined), "1");
    assert.equal(newest("2026-01-02", "2026-01-01"), "0");
    assert.equal(newest("2026-01-02T10:00:00+02:00", "2026-01-02T09:00:00Z"), "1");
    assert.equal(newest(5, undefined), "0");
    assert.equal(newest(5, "soon", 5), "2");
  });

  test("in another format have its times", () => {
    const message = (text, createdAt) => ({
      id: text,
      role: "user",
      parts: [{ type: "text", text }],
      metadata: { createdAt },
    });
    const { conversations, messages } = parseTranscript(
      lines(
        { messages: [message("new", "2026-01-02T00:00:00Z")] },
        { messages: [message("old", "2026-01-01T00:00:00Z")] },
      ),
    );
    assert.equal(messages[0].id, "new");
    assert.equal(conversations[1].startedAt, "2026-01-01T00:00:00.000Z");
    assert.equal(messages[0].conversationId, "#1");
    buildContextSync(messages, { encoding: "estimate" });
  });

  test("in a field next to windrow's own messages are ignored", () => {
    const file = { request: "And?", messages: [user("a")], conversations: [{ id: "c", summary: "s" }], contents: [] };
    assert.deepEqual(parseTranscript(JSON.stringify(file)).messages, [user("a")]);
  });

  test("of 100,000 lines are read in seconds", () => {
    const text = Array.from({ length: 100_000 }, (_, at) => `{"messages":[{"role":"user","content":"${at}"}]}`).join(
      "\n",
    );
    const started = processorMs();
    const { conversations, messages } = parseTranscript(text);
    assert.deepEqual([conversations.length, messages[0].content], [100_000, "99999"]);
    assert.ok(processorMs() - started < 10_000);
  });
});

test("settings next to the messages are reported if they have words", () => {
  const messages = [{ role: "user", content: "a" }];
  const skipped = (more) => parseTranscript(JSON.stringify({ messages, ...more })).skipped;
  for (const name of ["text", "reasoning", "thinking", "metadata", "audio"]) {
    assert.deepEqual(skipped({ [name]: "Always answer in Latin." }), [
      { row: 1, reason: `${name}: it is next to the messages and isn't read` },
    ]);
    assert.deepEqual(skipped({ [name]: { effort: "high" } }), []);
    assert.deepEqual(skipped({ [name]: "high" }), []);
  }
});

describe("import of several conversations", () => {
  const several = [
    { id: "new", title: "New", messages: [user("b", { createdAt: "2026-02-01T00:00:00Z" })] },
    { id: "old", messages: [user("a", { createdAt: "2026-01-01T00:00:00Z" })] },
  ];
  const imported = async (value, options) => {
    const session = await openSession("s", { store: memoryStore() });
    return { session, result: await session.import(JSON.stringify(value), options) };
  };

  test("takes all, oldest first, and lists them", async () => {
    const { session, result } = await imported(several);
    assert.deepEqual(textsOf({ messages: await session.messages() }), ["a", "b"]);
    assert.deepEqual(result, {
      messageCount: 2,
      buildCount: 0,
      skipped: [],
      conversations: [
        { id: "old", startedAt: "2026-01-01T00:00:00.000Z", messageCount: 1 },
        { id: "new", title: "New", startedAt: "2026-02-01T00:00:00.000Z", messageCount: 1 },
      ],
    });
    const { messages } = await session.build({ request: null, encoding: "estimate" });
    assert.equal(messages.length, 2);
  });

  test("takes one, and then the next after it", async () => {
    const { session, result } = await imported(several, { conversation: "new" });
    assert.deepEqual(
      result.conversations.map(({ id }) => id),
      ["new"],
    );
    await session.import(JSON.stringify(several), { conversation: 2 });
    assert.deepEqual(
      (await session.messages()).map(({ conversationId }) => conversationId),
      ["new", "old"],
    );
  });

  test("next to a log keeps the log's lines first", async () => {
    const rows = [{ type: "session", session_key: "x" }, user("c", { createdAt: "2027-01-01T00:00:00Z" })];
    const { session, result } = await imported([...several, ...rows]);
    assert.deepEqual(textsOf({ messages: await session.messages() }), ["c", "a", "b"]);
    assert.deepEqual(
      result.conversations.map(({ id }) => id),
      [undefined, "old", "new"],
    );
    const one = await imported([...several, ...rows], { conversation: 3 });
    assert.deepEqual(textsOf({ messages: await one.session.messages() }), ["c"]);
  });

  test("refuses an unknown one, lists those that exist, and appends nothing", async () => {
    const session = await openSession("s", { store: memoryStore() });
    for (const conversation of ["gone", 3]) {
      const error = await errorOf(() => session.import(JSON.stringify(several), { conversation }));
      checkContextError(error, { kind: "session_error", code: "INVALID_CONFIG", path: "conversation" });
      assert.match(error.nextAction, /1: “New”, new, 2026-02-01; 2: old, 2026-01-01/);
    }
    for (const conversation of /** @type {any[]} */ (["", 0, 1.5, -1, {}, null])) {
      const error = await errorOf(() => session.import(JSON.stringify(several), { conversation }));
      checkContextError(error, { kind: "session_error", code: "INVALID_CONFIG", path: "conversation" });
    }
    assert.deepEqual(await session.messages(), []);
  });

  test("reports progress, and can be aborted", async () => {
    const text = JSON.stringify(Array.from({ length: 3000 }, (_, at) => ({ messages: [user(`m${at}`.repeat(200))] })));
    const session = await openSession("s", { store: memoryStore() });
    const told = [];
    await session.import(text, { onProgress: (progress) => told.push(progress) });
    assert.deepEqual(told.at(-1), { rowCount: 3000, rowTotal: 3000 });
    const signal = AbortSignal.abort();
    const error = await errorOf(() => session.import(text, { signal }));
    checkContextError(error, { kind: "session_error", code: "ABORTED" });
  });
});
