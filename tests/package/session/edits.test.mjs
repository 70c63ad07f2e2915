// Edits: appending a message again under its id replaces the old version in its place, and a session can abandon a
// branch. The log keeps both. Only the replay of an earlier build reads them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession } from "windrow";
import { forEachSeedAsync } from "../support/property.mjs";

const message = (id, role, content, more) => ({ id, role, content, ...more });
const chat = () => [
  message("1", "user", "Which hall?"),
  message("2", "assistant", "The boat house."),
  message("3", "user", "And when?"),
  message("4", "assistant", "In June."),
];
/** @returns {Promise<any[][]>} */
const said = async (session) => (await session.messages()).map(({ id, content }) => [id, content]);
const built = async (session, config = {}) => {
  const context = await session.build({ request: null, encoding: "estimate", ...config });
  return context.kept.map(({ id, content }) => [id, content]);
};

async function sessionOf(messages, store = memoryStore()) {
  const session = await openSession("s", { store });
  await session.append(messages);
  return { session, store, other: await openSession("s", { store }) };
}

describe("a message that is appended again under its id", () => {
  test("replaces the old version, in this session and another, before and after builds", async () => {
    const { session, other } = await sessionOf(chat());
    await built(session);
    await built(other);
    const edited = await session.append(message("2", "assistant", "The barn."));
    assert.deepEqual([edited.firstSeq, edited.lastSeq, edited.isRepeated], [2, 2, false]);
    const expected = [
      ["1", "Which hall?"],
      ["2", "The barn."],
      ["3", "And when?"],
      ["4", "In June."],
    ];
    for (const reader of [session, other]) {
      assert.deepEqual(await said(reader), expected);
      assert.deepEqual(await built(reader), expected);
    }
    const info = await session.info();
    assert.deepEqual(info?.logs.transcript.counts, { message: 4, left: 1 });
  });

  test("keeps its time, changes nothing if it is the same, and may come with new ones", async () => {
    const { session } = await sessionOf(chat());
    const [, before] = await session.messages();
    const same = await session.append(chat());
    assert.equal(same.isRepeated, true);
    const { messages } = await session.append([
      message("2", "assistant", "The barn."),
      message("5", "user", "Book it."),
    ]);
    assert.equal(messages[0]?.createdAt, before?.createdAt);
    assert.deepEqual(
      (await said(session)).map(([id]) => id),
      ["1", "2", "3", "4", "5"],
    );
    await session.replaceLast(message("5", "user", "Book it, please."));
    assert.deepEqual((await said(session)).at(-1), ["5", "Book it, please."]);
    const info = await session.info();
    assert.deepEqual(info?.logs.transcript.counts, { message: 5, left: 1 });
  });

  test("the newest one can be extended, by replaceLast too", async () => {
    const { session } = await sessionOf(chat());
    await session.append(message("4", "assistant", "In July."));
    await session.replaceLast(message("4", "assistant", "In July, on the 4th."));
    assert.deepEqual((await said(session)).at(-1), ["4", "In July, on the 4th."]);
    assert.equal((await said(session)).length, 4);
  });

  test("may coincide with an append of another tab: both are stored, each once", async () => {
    const { session, other } = await sessionOf(chat());
    await Promise.all([
      session.append(message("2", "assistant", "The barn.")),
      other.append(message("3", "user", "How much?")),
      session.append(message("5", "user", "Five")),
      other.append(message("6", "user", "Six")),
    ]);
    const found = await said(session);
    assert.deepEqual(found.slice(0, 4), [
      ["1", "Which hall?"],
      ["2", "The barn."],
      ["3", "How much?"],
      ["4", "In June."],
    ]);
    assert.deepEqual(
      found
        .slice(4)
        .map(([id]) => id)
        .sort(),
      ["5", "6"],
    );
  });

  test("an operation runs once, even if another edit followed it", async () => {
    const { session } = await sessionOf(chat());
    const edit = () => session.append(message("2", "assistant", "The barn."), { operationId: "edit" });
    await edit();
    await session.append(message("2", "assistant", "The tent."));
    await edit();
    assert.deepEqual((await said(session))[1], ["2", "The tent."]);
    await assert.rejects(session.append(message("2", "assistant", "x"), { expectedSeq: 1 }), {
      code: "STORE_CONFLICT",
    });
  });
});

describe("truncateFrom", () => {
  test("removes everything from a message on, and the conversation continues from there", async () => {
    const { session, other } = await sessionOf(chat());
    await built(other);
    const changes = [];
    other.subscribe((change) => changes.push(change.kind));
    assert.deepEqual(await session.truncateFrom("3"), { leftCount: 2 });
    await session.append(message("5", "user", "Something else."));
    const expected = [
      ["1", "Which hall?"],
      ["2", "The boat house."],
      ["5", "Something else."],
    ];
    for (const reader of [session, other]) {
      assert.deepEqual(await said(reader), expected);
      assert.deepEqual(await built(reader), expected);
      assert.deepEqual(
        (await reader.search("When in June?")).map(({ message: { id } }) => id).filter((id) => id === "4"),
        [],
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(changes.includes("reset"), String(changes));
  });

  test("keeps the branch in the log, and an export is read as the current conversation", async () => {
    const { session, store } = await sessionOf(chat());
    await session.truncateFrom("2");
    const text = await session.export();
    assert.match(text, /In June/);
    const again = await openSession("again", { store });
    const { messageCount, skipped } = await again.import(text);
    assert.deepEqual([messageCount, skipped], [1, []]);
    assert.deepEqual(await said(again), [["1", "Which hall?"]]);
    const fork = await session.fork(100);
    assert.deepEqual(await said(fork), [["1", "Which hall?"]]);
  });

  test("an id can be reused after its branch was abandoned", async () => {
    const { session } = await sessionOf(chat());
    await session.truncateFrom("3");
    await session.append(message("3", "user", "And where?"));
    assert.deepEqual((await said(session)).at(-1), ["3", "And where?"]);
    assert.deepEqual(await session.truncateFrom("1"), { leftCount: 3 });
    assert.deepEqual(await said(session), []);
    await session.append(message("9", "user", "Anew."));
    await session.replaceLast(message("9", "user", "Anew!"));
    assert.deepEqual(await said(session), [["9", "Anew!"]]);
  });

  test("fails for a missing message, and changes nothing", async () => {
    const { session } = await sessionOf(chat());
    await assert.rejects(session.truncateFrom("x"), { code: "INVALID_SESSION" });
    assert.equal((await said(session)).length, 4);
  });
});

test("any edits have the same result as on a list, in every reader, and every build replays unchanged", async () => {
  await forEachSeedAsync(async (random) => {
    const store = memoryStore();
    const sessions = [await openSession("s", { store }), await openSession("s", { store })];
    let list = [];
    /** @type {string[]} */
    const ids = [];
    const recordings = [];
    for (let step = random.integer(3, 14); step > 0; step--) {
      if (random.chance(1 / 6)) {
        await sessions[0].close();
        sessions[0] = await openSession("s", { store });
      }
      const session = random.pick(sessions);
      const kind = random.integer(0, 9);
      const content = `Said at ${step}: ${random.text(4)}`;
      if (kind < 7 || list.length === 0) {
        // New messages, edits, ids of an abandoned branch, and ids that occur twice in one append.
        const own = Array.from({ length: random.integer(1, 4) }, (_, at) => {
          const id = ids.length > 0 && random.chance(1 / 2) ? random.pick(ids) : `m${step}-${random.integer(0, 2)}`;
          return message(id, "user", `${content} ${at}`);
        });
        await session.append(own);
        const places = new Map([...list, ...own.map(({ id, content: text }) => [id, text])]);
        ids.push(...own.map(({ id }) => id));
        list = [...places];
      } else if (kind < 8) {
        const [id] = random.pick(list);
        await session.truncateFrom(id);
        list = list.slice(
          0,
          list.findIndex((row) => row[0] === id),
        );
      } else {
        const context = await session.build({ request: null, encoding: "estimate", filter: { excludeBlank: false } });
        assert.deepEqual(
          context.kept.map(({ id, content: text }) => [id, text]),
          list,
        );
        recordings.push(context.recording);
      }
      for (const reader of sessions) {
        assert.deepEqual(await said(reader), list);
      }
    }
    for (const recording of recordings) {
      const { same, differences } = await random.pick(sessions).replay(recording);
      assert.ok(same, JSON.stringify(differences));
    }
  });
});
