// Search: everything in the log can be found, and nothing from another session.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession, searchSessions } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { Random } from "../support/random.mjs";
import { chatWith, runSearchCases } from "../support/search-cases.mjs";

const DAY_MS = 24 * 60 * 60 * 1000;

async function opened(messages, { store = memoryStore(), key = "web:main" } = {}) {
  const session = await openSession(key, { store });
  if (messages.length > 0) {
    await session.append(messages);
  }
  return session;
}

/** The fields of hits, without the message objects. */
const facts = (hits) => hits.map(({ seq, message, score, reason }) => ({ seq, id: message.id, score, reason }));

describe("a search in a session", () => {
  test("finds messages that no prompt has room for, and says why", async () => {
    await forEachSeedAsync(async (random) => {
      const length = random.integer(1, 400);
      const place = random.integer(0, length - 1);
      const session = await opened(chatWith("zorblax", { random, length, place }));
      const hits = await session.search("What is it that is called Zorblax?", { limit: 4 });
      assert.equal(hits[0].message.id, `m${place}`);
      assert.equal(hits[0].seq, place + 1);
      assert.equal(hits[0].sessionKey, "web:main");
      assert.equal(session.seqOf(hits[0].message), place + 1);
      assert.match(hits[0].reason, /^found: it has “called” and “Zorblax”/);
      assert.ok(hits.length <= 4);
      for (const [at, { score }] of hits.entries()) {
        assert.ok(score > 0 && (at === 0 || score <= hits[at - 1].score));
      }
      await session.close();
    });
  });

  test("finds the same however the log was written: at once, in pieces, reopened, with builds in between", async () => {
    await forEachSeedAsync(async (random) => {
      const length = random.integer(100, 3000);
      const messages = chatWith("zorblax", { random, length, place: random.integer(0, length - 1) });
      const query = random.pick(["zorblax", "the garden by the river", "invoice for the plumber", "was it yesterday?"]);
      const whole = await opened(messages);
      const expected = facts(await whole.search(query, { limit: 20 }));

      const store = memoryStore();
      let session = await opened([], { store });
      for (let at = 0; at < length; ) {
        const end = at + random.integer(1, 900);
        await session.append(messages.slice(at, end));
        at = end;
        if (random.chance(0.4)) {
          await session.build({ request: "the garden?", budget: { maxTokens: 200 } });
        }
        if (random.chance(0.4)) {
          await session.search(random.pick(["candle", "window"]));
        }
        if (random.chance(0.4)) {
          await session.close();
          session = await openSession("web:main", { store });
        }
      }
      assert.deepEqual(facts(await session.search(query, { limit: 20 })), expected);
      assert.deepEqual(facts(await searchSessions(store, query, { limit: 20 })), expected);
      await session.close();
      await whole.close();
    });
  });

  test("reads the messages it found, and not the log", async () => {
    const kept = memoryStore();
    const first = await opened(chatWith("zorblax", { random: new Random(1), length: 5000, place: 77 }), {
      store: kept,
    });
    await first.search("zorblax");
    await first.close();
    let count = 0;
    const store = new Proxy(kept, {
      get(_, name) {
        const value = kept[name];
        if (name !== "read") {
          return typeof value === "function" ? value.bind(kept) : value;
        }
        return async (/** @type {Parameters<typeof kept.read>} */ ...given) => {
          const result = await kept.read(...given);
          count += result.entries.length;
          return result;
        };
      },
    });
    const session = await openSession("web:main", { store });
    const [hit] = await session.search("zorblax", { limit: 5 });
    assert.equal(hit.message.id, "m77");
    assert.ok(count < 400, `${count} entries were read`);
    await session.close();
  });

  test("doesn't find removed messages, and searches further instead", async () => {
    const gone = [{ status: "deleted" }, { ttlSeconds: 60 }];
    const messages = Array.from({ length: 60 }, (_, position) => ({
      id: `m${position}`,
      role: "user",
      content: `zorblax ${"and more ".repeat(position)}`,
      createdAt: new Date(Date.UTC(2026, 0, 5) + position * 1000).toISOString(),
      ...(position < 50 ? gone[position % 2] : {}),
    }));
    const session = await opened(messages);
    const hits = await session.search("zorblax", { limit: 7 });
    assert.equal(hits.length, 7);
    assert.deepEqual([...new Set(hits.map(({ message }) => Number(String(message.id).slice(1)) >= 50))], [true]);
    assert.equal((await session.search("zorblax", { limit: 100 })).length, 10);
    await session.replaceLast({ role: "user", content: "nothing" });
    const [last] = (await session.search("zorblax", { limit: 100 })).filter(({ message }) => message.id === "m59");
    assert.match(last.reason, /^found: it is next to messages with “zorblax”$/);
  });

  test("knows the user's yesterday", async () => {
    const now = Date.now();
    const hours = (count) => new Date(now - count * 3_600_000).toISOString();
    const session = await opened(
      Array.from({ length: 96 }, (_, position) => ({
        id: `m${95 - position}`,
        role: "user",
        content: "the plumber came",
        createdAt: hours(95 - position + 0.01),
      })),
    );
    for (const timeZone of [undefined, "Pacific/Auckland", "America/Los_Angeles"]) {
      const day = (time) => new Date(time).toLocaleDateString("en-CA", { timeZone: timeZone ?? "UTC" });
      const hits = await session.search("what did the plumber do yesterday?", { limit: 20, timeZone });
      const days = hits.map(({ message }) => day(message.createdAt));
      assert.deepEqual([...new Set(days)], [day(now - DAY_MS)], String(timeZone));
    }
  });

  test("is empty if there is nothing to find", async () => {
    const session = await opened([]);
    assert.deepEqual(await session.search("anything"), []);
    await session.append({ role: "user", content: "the plumber came" });
    for (const query of ["", " ", "?!", "zorblax"]) {
      assert.deepEqual(await session.search(query), [], query);
    }
    assert.deepEqual(await searchSessions(memoryStore(), "anything"), []);
    await session.clear();
    assert.deepEqual(await session.search("plumber"), []);
  });

  test("names a wrong option", async () => {
    const session = await opened([{ role: "user", content: "a" }]);
    const store = memoryStore();
    for (const [path, run] of /** @type {[path: string, run: any][]} */ ([
      ["query", () => session.search(wrong(5))],
      ["query", () => searchSessions(store, undefined)],
      ["options", () => session.search("a", wrong(5))],
      ["limit", () => session.search("a", { limit: 0 })],
      ["limit", () => searchSessions(store, "a", { limit: 1.5 })],
      ["limits", () => session.search("a", wrong({ limits: 5 }))],
      ["keys", () => session.search("a", wrong({ keys: [] }))],
      ["keys", () => searchSessions(store, "a", { keys: wrong("web:main") })],
      ["timeZone", () => session.search("a", { timeZone: wrong(5) })],
      ["timeZone", () => searchSessions(store, "a", { timeZone: "Mars/Base" })],
    ])) {
      checkContextError(await errorOf(run), { kind: "session_error", code: "INVALID_CONFIG", path });
    }
    await session.close();
    checkContextError(await errorOf(() => session.search("a")), { kind: "session_error", code: "STORE_CLOSED" });
  });
});

describe("a search over sessions", () => {
  test("ranks words by their rarity across sessions", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const count = random.integer(2, 8);
      const chosen = random.integer(0, count - 1);
      let place = 0;
      for (let at = 0; at < count; at++) {
        const length = random.integer(1, 200);
        const own = at === chosen ? random.integer(0, length - 1) : -1;
        place = at === chosen ? own : place;
        const session = await opened(chatWith("zorblax", { random, length, place: own }), { store, key: `chat ${at}` });
        await session.close();
      }
      const [hit] = await searchSessions(store, "what did we say again of zorblax?");
      assert.deepEqual([hit.sessionKey, hit.message.id], [`chat ${chosen}`, `m${place}`]);
      const [best] = await searchSessions(store, "the garden by the river, or zorblax?");
      assert.equal(best.sessionKey, `chat ${chosen}`);
    });
  });

  test("finds nothing in a session that wasn't named", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const users = ["ada", "bob", "cem", "dan"];
      for (const user of users) {
        const messages = chatWith(`secret${user}`, { random, length: 40, place: random.integer(0, 39) });
        await (await opened(messages, { store, key: user })).close();
      }
      const keys = users.filter(() => random.chance(0.5));
      const query = users.map((user) => `secret${user}`).join(" ");
      const hits = await searchSessions(store, query, { keys, limit: 200 });
      assert.ok(hits.every(({ sessionKey }) => keys.includes(sessionKey)));
      for (const key of keys) {
        assert.ok(hits.some(({ message }) => message.content.includes(`secret${key}`)));
      }
      assert.deepEqual(await searchSessions(store, query, { keys: [...keys, "nobody"], limit: 200 }), hits);
    });
  });

  test("returns the same as a session's own search if there is one session", async () => {
    const store = memoryStore();
    const found = await runSearchCases(store);
    assert.deepEqual([found.own[0].id, found.all[0].id.slice(0, 3), found.some[0].sessionKey], ["bob41", "cem", "ada"]);
    assert.ok(
      found.others.every(({ sessionKey, reason }) => sessionKey === "bob" && !reason.includes("has “zorblax2”")),
    );
    const session = await openSession("cem", { store });
    assert.deepEqual(
      facts(await session.search("zorblax2")),
      facts(await searchSessions(store, "zorblax2", { keys: ["cem"] })),
    );
  });
});
