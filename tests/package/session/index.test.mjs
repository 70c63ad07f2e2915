// The index of a session's log: the stored part lets a reopened session rank all messages while reading few, and is
// never wrong.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, memoryStore, openSession, retain } from "windrow";
import { forEachSeedAsync } from "../support/property.mjs";

const KEY = "web:main";
const START = Date.UTC(2026, 0, 5, 8);
const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");

/** A chat with a few distinct words in each message. */
function chat(random, count, first = 0) {
  return Array.from({ length: count }, (_, index) => {
    const position = first + index;
    const words = Array.from({ length: random.integer(2, 9) }, () => random.pick(WORDS)).join(" ");
    return {
      id: `m${position}`,
      role: position % 2 === 0 ? "user" : "assistant",
      content: random.chance(0.1) ? `the number of ${words} is RX-${position}` : `we said ${words} again`,
      createdAt: new Date(START + position * 400_000).toISOString(),
    };
  });
}

/** A store that counts the entries read from it. */
function counting(store) {
  const counts = { entries: 0, largest: 0 };
  const own = {
    async read(...given) {
      const result = await store.read(...given);
      counts.entries += result.entries.length;
      counts.largest = Math.max(counts.largest, result.entries.length);
      return result;
    },
  };
  const target = new Proxy(store, {
    get(_, name) {
      const value = own[name] ?? store[name];
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
  return { store: target, counts };
}

async function checkSame(session, config) {
  const found = await session.build(config);
  const expected = await buildContext(await session.messages(), { sessionId: KEY, ...config });
  assert.deepEqual(found.messages, expected.messages);
  assert.equal(found.snapshot.contextHash, expected.snapshot.contextHash);
  for (const { id } of found.kept) {
    assert.equal(found.explain(id).words, expected.explain(id).words);
  }
  return found;
}

const question = (random) => ({
  request: `What about the ${random.pick(WORDS)} and the ${random.pick(WORDS)}?`,
  budget: { maxTokens: random.pick([120, 300, 900]) },
  recall: random.pick([{}, { ranking: "bm25" }, { meaning: "static" }]),
  window: random.pick([{}, {}, { lookbackCount: 40 }]),
});

describe("the index of a log", () => {
  test("a reopened session ranks all messages, and reads few", async () => {
    await forEachSeedAsync(async (random) => {
      const kept = memoryStore();
      const length = 6000;
      const first = await openSession(KEY, { store: kept });
      await first.append(chat(random, length));
      await first.build({ request: "so?", budget: { maxTokens: 300 } });
      await first.close();

      const { store, counts } = counting(kept);
      const session = await openSession(KEY, { store });
      const config = { request: "What is the number RX-40?", budget: { maxTokens: 300 } };
      const context = await session.build(config);
      assert.ok(counts.entries < 600, `${counts.entries} entries`);
      assert.ok(context.trace.unreadCount > length - 600);
      assert.ok(context.trace.recalled.length > 0);
      assert.ok((await session.replay(context.recording)).same);
      await checkSame(session, config);

      // The session keeps ranking as it grows, and reads only new messages and those that it finds.
      await session.append(chat(random, 3, length));
      counts.entries = 0;
      await session.build({ ...question(random), window: {} });
      assert.ok(counts.entries < 400, `${counts.entries} entries`);
      await session.close();
    });
  });

  test("a stored part isn't written again, and the last one only after enough appends", async () => {
    await forEachSeedAsync(async (random) => {
      const kept = memoryStore();
      const first = await openSession(KEY, { store: kept });
      await first.append(chat(random, 5000));
      await first.build({ request: "so?", budget: { maxTokens: 300 } });
      await first.close();

      const written = [];
      const derived = {
        ...kept.derived,
        async write(key, values) {
          written.push(...[...values.keys()].filter((name) => name.startsWith("index/")));
          await kept.derived.write(key, values);
        },
      };
      const store = new Proxy(kept, {
        get(_, name) {
          const value = name === "derived" ? derived : kept[name];
          return typeof value === "function" ? value.bind(kept) : value;
        },
      });
      let length = 5000;
      for (const [appended, expected] of /** @type {[appended: number, expected: string[]][]} */ ([
        [0, []],
        [3, []],
        [100, ["index/4"]], // 5,103 messages
        [100, ["index/4", "index/5"]], // one more part is full: 5 of 1,024, and 83
        [1024, ["index/5", "index/6"]],
        [20, []],
      ])) {
        const session = await openSession(KEY, { store });
        await session.append(chat(random, appended, length));
        length += appended;
        await session.build({ ...question(random), recall: {} });
        await session.close();
        assert.deepEqual(written.splice(0).sort(), expected, `after ${appended}`);
      }
    });
  });

  test("directions of meaning are stored with the index: the first build by meaning reads everything, later ones little", async () => {
    await forEachSeedAsync(async (random) => {
      const { store, counts } = counting(memoryStore());
      const length = random.pick([2100, 3000]);
      /** @type {import("windrow").ContextConfig} */
      const config = { request: "Who fixes the pipes?", budget: { maxTokens: 300 }, recall: { meaning: "static" } };
      const first = await openSession(KEY, { store });
      await first.append(chat(random, length));
      await first.build({ ...config, recall: {} });
      await first.close();
      for (const [mostRead, appended] of [
        [Number.POSITIVE_INFINITY, 0],
        [600, 0],
        [600, 70],
      ]) {
        counts.entries = 0;
        const session = await openSession(KEY, { store });
        await session.append(chat(random, appended, length));
        const context = await session.build(config);
        assert.ok(counts.entries < mostRead, `${counts.entries} entries`);
        assert.ok((await session.replay(context.recording)).same);
        await checkSame(session, config);
        await session.close();
      }
    });
  });

  test("if the end of the log is unreadable, the part before it is read", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const count = 40;
      const session = await openSession(KEY, { store });
      await session.append(chat(random, count));
      await session.close();
      // Entries as a future version might write them.
      /** @type {import("windrow").NewEntry[]} */
      const unreadable = Array.from({ length: 140 }, (_, index) => ({
        type: "message",
        id: `n${index}`,
        timeMs: START + (count + index) * 400_000,
        data: { role: "narrator", content: `we said violin ${index}` },
      }));
      await store.append(KEY, unreadable);
      const again = await openSession(KEY, { store });
      const context = await again.build({ request: "so?", window: { lookbackCount: 5 }, encoding: "estimate" });
      const last = Array.from({ length: 5 }, (_, index) => `m${count - 5 + index}`);
      assert.deepEqual(
        context.kept.map(({ id }) => id),
        last,
      );
      await again.close();
    });
  });

  test("after any change of the log, a context equals the one over all messages", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      let position = 0;
      const next = (count) => {
        const messages = chat(random, count, position);
        position += count;
        return messages;
      };
      let sessions = [await openSession(KEY, { store })];
      await sessions[0].append(next(random.pick([30, 300, 1500])));
      const events = {
        append: () => random.pick(sessions).append(next(random.pick([1, 2, 70, 700]))),
        async replace() {
          const session = random.pick(sessions);
          await session.build(question(random));
          await session.replaceLast({ role: "assistant", content: `rather the ${random.pick(WORDS)}` });
        },
        async trim() {
          await retain(store, { maxMessages: random.pick([20, 200, 2000]) });
        },
        async open() {
          sessions.push(await openSession(KEY, { store }));
        },
        async reopen() {
          await Promise.all(sessions.map((session) => session.close()));
          sessions = [await openSession(KEY, { store })];
        },
        async damage() {
          await Promise.all(sessions.map((session) => session.settled()));
          const names = ["index/0", "index/1", "index/2"];
          for (const [name, bytes] of await store.derived.read(KEY, names)) {
            const damaged = Uint8Array.from(bytes);
            damaged[random.integer(0, damaged.length - 1)] ^= 1;
            await store.derived.write(KEY, new Map([[name, random.pick([damaged, undefined, new Uint8Array()])]]));
          }
        },
        async clear() {
          await sessions[0].clear();
          await sessions[0].append(next(100));
        },
      };
      for (let round = 0; round < 14; round++) {
        await events[random.pick(Object.keys(events))]().catch((failure) => {
          assert.equal(failure.code, "STORE_CONFLICT"); // another session has appended since
        });
        for (const session of sessions.slice(-3)) {
          const context = await checkSame(session, question(random));
          assert.ok((await session.replay(context.recording)).same);
        }
      }
      await Promise.all(sessions.map((session) => session.close()));
    });
  });
});
