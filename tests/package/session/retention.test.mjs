// Bounded logs: the oldest messages go first, every survivor has a reason, and nothing is removed while it is being
// read.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, memoryStore, openSession, retain } from "windrow";
import { errorOf } from "../support/errors.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";

const KEY = "web:main";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const isMessage = ({ type }) => type === "message";
const isSpoken = ({ type }) => type === "message" || type === "summary";

const user = (content, more) => ({ type: "message", data: { role: "user", content }, ...more });
const assistant = (content, more) => ({ type: "message", data: { role: "assistant", content }, ...more });

/** A store with a session of these entries. */
async function storeWith(entries, key = KEY, store = memoryStore()) {
  for (let first = 0; first < entries.length; first += 100) {
    await store.append(key, entries.slice(first, first + 100));
  }
  return store;
}

/** A non-message row at the end of the log. Limits are applied after it is appended. */
const MARK = '{"type":"session","session_key":"mark"}';

const entriesOf = async (store, range) => (await store.read(KEY, range)).entries.filter(({ data }) => data !== MARK);
const contentsOf = async (store) => (await entriesOf(store)).map(({ data }) => data.content ?? data);

/** Applies limits to the session, like an opened one does. */
async function apply(store, retention) {
  const session = await openSession(KEY, { store, retention });
  await session.import(MARK);
  await session.close();
}

/** A store that reports each call. */
function watched(store, tell) {
  return new Proxy(store, {
    get(target, name) {
      const value = target[name];
      return typeof value !== "function" ? value : (...given) => tell(name, () => value.apply(target, given), given);
    },
  });
}

// ---- Random sessions ----

/** Entries with every field that decides which survive. Call ids are reused, as models do. */
function randomEntries(random, { mostEntries = 120, nowMs = Date.now() } = {}) {
  const length = random.integer(0, mostEntries);
  const timed = random.pick([0, 0.5, 1]);
  const replied = random.pick([0, 0.1, 0.9]);
  const lasting = random.pick([0, 0.04, 0.3]);
  const failed = random.pick([1, 1, 8]);
  // Never within a millisecond of a limit, because the clock keeps running.
  let timeMs = nowMs - random.integer(1, 10) * DAY_MS + HOUR_MS / 2;
  const entries = [];
  while (entries.length < length) {
    const seq = entries.length + 1;
    timeMs += random.integer(0, 6) * HOUR_MS;
    const data = { content: `text ${seq}` };
    const type = random.pick([
      ...Array(12).fill("message"),
      ...Array(failed).fill("failure"),
      "other",
      ...(seq === 1 ? ["session"] : []),
    ]);
    const entry = { type, data };
    if (type === "message") {
      data.role = random.pick(["user", "assistant", "assistant", "system"]);
      if (random.chance(0.2)) {
        data.role = "assistant";
        const ids = random.pick([["call_0"], ["call_1"], ["call_0", "call_1"]]);
        data.toolCalls = ids.map((id) => ({ id, name: "f", arguments: "{}" }));
      } else if (random.chance(0.25)) {
        data.role = "tool";
        data.toolCallId = random.pick(["call_0", "call_1"]);
      }
      if (random.chance(0.7)) {
        data.id = random.chance(0.9) ? `m${seq}` : "same";
        entry.id = data.id;
      }
      if (random.chance(replied)) {
        const target = Math.max(1, seq - random.integer(1, random.pick([2, 40])));
        data.replyTo = entries[target - 1]?.id ?? `#${target}`;
      }
      if (random.chance(lasting)) {
        data.summaryOf = "c1";
        entry.type = "summary";
      }
      if (random.chance(lasting)) {
        data.pinned = true;
        entry.pinned = true;
      }
      if (random.chance(timed)) {
        // Some clock was years off.
        entry.timeMs = random.chance(0.03) ? timeMs + 900 * DAY_MS : timeMs;
        data.createdAt = entry.timeMs;
      }
    } else if (random.chance(0.1)) {
      entry.type = "message"; // damaged: it contains no message
    }
    entries.push(entry);
  }
  return entries;
}

/** For each entry, the entries of its tool call, including itself. */
function groupsOf(entries) {
  const group = new Map(entries.map((entry) => [entry, new Set([entry])]));
  const calls = new Map();
  for (const entry of entries.filter(isSpoken)) {
    for (const { id } of entry.data.toolCalls ?? []) {
      calls.set(id, entry);
    }
    const call = calls.get(entry.data.toolCallId);
    if (call !== undefined) {
      const joined = new Set([...group.get(call), ...group.get(entry)]);
      for (const member of joined) {
        group.set(member, joined);
      }
    }
  }
  return group;
}

/** Entries that survive a cut, by the documentation. */
function survivorsOf(entries, cut) {
  const isLasting = ({ pinned, type }) => pinned === true || type === "summary";
  const spoken = entries.filter(isSpoken);
  const staying = spoken.filter((entry) => entry.seq >= cut || isLasting(entry));
  const kept = new Set(staying);
  for (const { seq, data } of staying) {
    for (const target of spoken) {
      if (data.replyTo !== undefined && (target.id ?? `#${target.seq}`) === data.replyTo && target.seq < seq) {
        kept.add(target);
      }
    }
  }
  const groups = groupsOf(entries);
  for (const entry of [...kept]) {
    for (const member of groups.get(entry)) {
      kept.add(member);
    }
  }
  return kept;
}

/** The first sequence number that isn't too old. */
function agedBefore(entries, maxAgeDays, nowMs) {
  let before = 0;
  for (const { seq, timeMs } of entries.filter(isSpoken)) {
    const isKnown = timeMs !== undefined && timeMs <= nowMs + DAY_MS;
    if (isKnown && timeMs >= nowMs - maxAgeDays * DAY_MS) {
      break;
    }
    before = isKnown ? seq + 1 : before;
  }
  return before;
}

const isUser = ({ data }) => data.role === "user" && typeof data.content === "string";

/** The position of a cut for a message: at a nearby user message, if there is one. */
function atExchange(messages, first) {
  const staying = messages.slice(first);
  const near = staying.slice(0, 1 + Math.min(64, Math.floor(staying.length / 2)));
  return (near.find(isUser) ?? staying[0])?.seq;
}

describe("a session", () => {
  test("keeps messages within its limits and protected ones, and nothing else: for random sessions", async () => {
    const seen = { cut: 0, further: 0, survived: 0, aged: 0, failures: 0, nothing: 0 };
    const cases = await forEachSeedAsync(async (random) => {
      const store = await storeWith(randomEntries(random));
      const before = await entriesOf(store);
      if (!before.some(isMessage)) {
        return;
      }
      const maxMessages = random.pick([undefined, 1, 2, 10, 30, 70]);
      const maxAgeDays = random.pick([undefined, undefined, 2, 4.5]);
      await apply(store, { maxMessages, maxAgeDays });
      const after = await entriesOf(store);

      const messages = before.filter(isMessage);
      const aged = maxAgeDays === undefined ? 0 : agedBefore(before, maxAgeDays, Date.now());
      let cut = 0;
      const excess = messages.length - (maxMessages ?? messages.length);
      if (excess > 0) {
        const base = messages[excess].seq;
        const kept = survivorsOf(before, base);
        const isNeeded = before.some((entry) => isSpoken(entry) && entry.seq < base && !kept.has(entry));
        cut = isNeeded ? atExchange(messages, excess) : 0;
        seen.further += Number(cut > base);
      }
      cut = Math.max(cut, aged);
      const kept = survivorsOf(before, cut);
      const isRemovable = before.some((entry) => isSpoken(entry) && entry.seq < cut && !kept.has(entry));
      const failures = before.filter(({ type }) => type === "failure");
      const failuresBefore = failures.at(-(maxMessages ?? failures.length))?.seq ?? 0;
      for (const entry of before) {
        const stays = after.some(({ seq }) => seq === entry.seq);
        if (isSpoken(entry)) {
          assert.equal(stays, entry.seq >= cut || kept.has(entry), `${entry.type} ${entry.seq}, cut at ${cut}`);
          seen.survived += Number(stays && entry.seq < cut);
        } else if (entry.type === "session") {
          assert.ok(stays);
        } else if (entry.type === "failure") {
          seen.failures += Number(!stays && entry.seq >= cut);
          assert.ok(!stays || entry.seq >= failuresBefore);
          assert.ok(stays || entry.seq < failuresBefore || entry.seq < cut);
        } else {
          assert.ok(stays || entry.seq < cut);
        }
      }
      seen.cut += Number(isRemovable);
      seen.aged += Number(isRemovable && cut === aged);
      seen.nothing += Number(after.length === before.length);
      // The remaining entries are unchanged and in order.
      const bySeq = new Map(before.map((entry) => [entry.seq, entry]));
      assert.deepEqual(
        after,
        after.map(({ seq }) => bySeq.get(seq)),
      );
      assert.deepEqual(
        after.map(({ seq }) => seq),
        after.map(({ seq }) => seq).sort((left, right) => left - right),
      );

      await apply(store, { maxMessages, maxAgeDays });
      assert.deepEqual(await entriesOf(store), after, "a second time changes nothing");
    });
    for (const [what, count] of Object.entries(seen)) {
      assertShare(count, cases, 90, what);
    }
  });

  test("keeps groups whole: for random sessions, no tool call is split", async () => {
    await forEachSeedAsync(async (random) => {
      const store = await storeWith(randomEntries(random));
      const before = await entriesOf(store);
      if (!before.some(isMessage)) {
        return;
      }
      await apply(store, { maxMessages: random.integer(1, 40) });
      const left = new Set((await entriesOf(store)).map(({ seq }) => seq));
      for (const group of new Set(groupsOf(before).values())) {
        const stays = [...group].map(({ seq }) => left.has(seq));
        assert.equal(new Set(stays).size, 1, [...group].map(({ seq }) => seq).join());
      }
    });
  });

  test("without limits keeps everything but its oldest builds", async () => {
    const store = await storeWith([user("one"), assistant("two")]);
    await apply(store, {});
    const session = await openSession(KEY, { store, retention: { maxBuilds: 2 } });
    for (let count = 0; count < 5; count++) {
      await session.build({ encoding: "estimate", turnId: `turn ${count}` });
      await session.settled();
    }
    assert.deepEqual(
      (await session.snapshots()).map(({ snapshot }) => snapshot.turnId),
      ["turn 3", "turn 4"],
    );
    assert.equal((await session.messages()).length, 2);
    await apply(store, { maxBuilds: 0 });
    assert.deepEqual(await session.snapshots(), []);
    await session.close();
  });

  test("keeps builds no longer than messages", async () => {
    const store = await storeWith([user("one")]);
    /** @returns {import("windrow").NewEntry} */
    const build = (timeMs) => ({ type: "build", data: {}, ...(timeMs === undefined ? {} : { timeMs }) });
    const now = Date.now();
    const times = [
      undefined,
      now - 5 * DAY_MS,
      now + 9 * DAY_MS,
      now - 4 * DAY_MS,
      undefined,
      now - DAY_MS,
      now - 9 * DAY_MS,
    ];
    await store.append(KEY, times.map(build), { log: "builds" });
    await apply(store, { maxAgeDays: 3 });
    const { entries } = await store.read(KEY, { log: "builds" });
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [5, 6, 7],
    );
  });

  test("is cut at the beginning of a nearby exchange, and exactly at the limit otherwise", async () => {
    const store = await storeWith([
      user("1"),
      assistant("2"),
      assistant("3"),
      user("4"),
      assistant("5"),
      assistant("6"),
    ]);
    await apply(store, { maxMessages: 5 });
    assert.deepEqual(await contentsOf(store), ["4", "5", "6"]);
    // The cut isn't moved past half of the remaining messages.
    await apply(store, { maxMessages: 2 });
    assert.deepEqual(await contentsOf(store), ["5", "6"]);

    const long = (gap) => [...Array.from({ length: gap + 10 }, (_, index) => assistant(`${index}`)), user("near")];
    const tail = Array.from({ length: 200 }, () => assistant("reply"));
    for (const [gap, left] of [
      [64, 201],
      [65, 266],
    ]) {
      const other = await storeWith([...long(gap), ...tail]);
      await apply(other, { maxMessages: gap + 201 });
      assert.equal((await entriesOf(other)).length, left);
    }
  });

  test("keeps a parent, but not the whole chain of replies", async () => {
    const chain = Array.from({ length: 20 }, (_, index) =>
      user(`${index}`, { id: `m${index}`, data: { role: "user", content: `${index}`, replyTo: `m${index - 1}` } }),
    );
    const store = await storeWith(chain);
    await apply(store, { maxMessages: 3 });
    assert.deepEqual(await contentsOf(store), ["16", "17", "18", "19"]);
  });

  test("without times isn't too old, and messages before one that is too old are removed", async () => {
    const untimed = await storeWith([user("1"), assistant("2")]);
    await apply(untimed, { maxAgeDays: 0.001 });
    assert.equal((await entriesOf(untimed)).length, 2);

    const old = Date.now() - 3 * DAY_MS;
    const store = await storeWith([
      user("untimed"),
      user("old", { timeMs: old }),
      user("from the future", { timeMs: Date.now() + 400 * DAY_MS }),
      user("old as well", { timeMs: old }),
      user("untimed again"),
      user("young", { timeMs: Date.now() }),
      user("old, and came later", { timeMs: old }),
    ]);
    await apply(store, { maxAgeDays: 2 });
    assert.deepEqual(await contentsOf(store), ["untimed again", "young", "old, and came later"]);
    await apply(store, { maxAgeDays: 2 });
    assert.equal((await entriesOf(store)).length, 3);
  });

  test("with only failures is bounded too", async () => {
    const failure = (index) => ({ type: "failure", data: { type: "failure", index } });
    const failures = Array.from({ length: 50 }, (_, index) => failure(index));
    const store = await storeWith([
      { type: "session", data: "{}" },
      user("1"),
      ...failures,
      assistant("2"),
      failure(50),
    ]);
    await apply(store, { maxMessages: 10 });
    const left = await entriesOf(store);
    assert.deepEqual(
      left.filter(({ type }) => type === "failure").map(({ data }) => data.index),
      [41, 42, 43, 44, 45, 46, 47, 48, 49, 50],
    );
    assert.deepEqual(
      left.filter(({ type }) => type !== "failure").map(({ seq }) => seq),
      [1, 2, 53],
    );
  });

  test("reads nothing if nothing must go, and otherwise each remaining or removed row once", async () => {
    const count = 3000;
    const entries = Array.from({ length: count }, (_, index) => user(`${index}`, index < 20 ? { pinned: true } : {}));
    const store = await storeWith(entries);
    let rows = 0;
    const counting = watched(store, async (name, call, [, range]) => {
      const result = await call();
      if (name === "read") {
        assert.ok(range.limit <= 512);
        rows += result.entries.length;
      }
      return result;
    });
    const rowsRead = async (retention) => {
      rows = 0;
      await retain(counting, retention);
      return rows;
    };
    assert.equal(await rowsRead({ maxMessages: count }), 0);
    assert.equal(await rowsRead({ maxSessions: 1 }), 0);
    // Entries without times are never too old.
    assert.equal(await rowsRead({ maxAgeDays: 1 }), 0);
    // Reads the oldest 100, in pages that grow, and everything from the end.
    const some = await rowsRead({ maxMessages: count - 100 });
    assert.ok(some >= count && some < count + 600, `${some}`);
    // The messages beyond the limit are pinned, which is visible at the old end.
    assert.equal((await entriesOf(store, { before: 101 })).length, 20);
    assert.ok((await rowsRead({ maxMessages: count - 100 })) < 100);
    rows = 0;
    await apply(counting, { maxMessages: count - 100 });
    assert.ok(rows < 100, `${rows}`);
    assert.equal((await entriesOf(store, { before: 101 })).length, 20);
  });

  test("is counted over all pages", async () => {
    for (const [count, maxMessages] of [
      [1500, 1200],
      [1500, 1],
      [1024, 512],
      [1025, 513],
    ]) {
      const store = await storeWith(Array.from({ length: count }, (_, index) => user(`${index}`)));
      await apply(store, { maxMessages });
      const left = await contentsOf(store);
      assert.deepEqual([left.length, left[0]], [maxMessages, `${count - maxMessages}`]);
    }
  });

  test("with damaged rows loses no more messages because of them", async () => {
    const damaged = (store, seqs) =>
      watched(store, async (name, call) => {
        const result = await call();
        const isDamaged = ({ seq }) => seqs.includes(seq);
        return name !== "read"
          ? result
          : {
              ...result,
              entries: result.entries.filter((entry) => !isDamaged(entry)),
              skipped: seqs.map((seq) => ({ seq, reason: "damaged" })),
            };
      });
    const six = ["1", "2", "3", "4", "5", "6"].map((content) => user(content));
    const session = await storeWith(six);
    await apply(damaged(session, [5, 6]), { maxMessages: 4 });
    assert.equal((await entriesOf(session)).length, 6, "of the four that can be read none is too many");

    const all = await storeWith(six);
    await retain(damaged(all, [1, 2]), { maxMessages: 3 });
    assert.deepEqual((await contentsOf(all)).slice(-3), ["4", "5", "6"]);

    const failure = { type: "failure", data: {} };
    const failing = await storeWith([user("1"), failure, user("2"), failure, failure]);
    await apply(damaged(failing, [3]), { maxMessages: 2 });
    assert.deepEqual(
      (await entriesOf(failing)).map(({ seq }) => seq),
      [1, 3, 4, 5],
    );
  });

  test("can be appended to meanwhile: for random sessions, everything appended is there", async () => {
    await forEachSeedAsync(async (random) => {
      const store = await storeWith(randomEntries(random, { mostEntries: 60 }));
      const maxMessages = random.integer(1, 20);
      let appended = 0;
      const disturbed = watched(store, async (name, call, [key]) => {
        if ((name === "read" || name === "trim") && random.chance(0.6) && appended < 30) {
          appended += 1;
          await store.append(key, [user(`new ${appended}`)]);
        }
        return await call();
      });
      await retain(disturbed, { maxMessages });
      const contents = await contentsOf(store);
      const news = contents.filter((content) => `${content}`.startsWith("new "));
      assert.deepEqual(
        news,
        Array.from({ length: appended }, (_, index) => `new ${index + 1}`),
      );
    });
  });

  test("loses nothing while it is held", async () => {
    const store = await storeWith(Array.from({ length: 10 }, (_, index) => user(`${index}`)));
    let ask;
    const isAsked = new Promise((resolve) => {
      ask = resolve;
    });
    const asked = watched(store, (name, call) => {
      const result = call();
      if (name === "trim") {
        ask();
      }
      return result;
    });
    let limited;
    await store.holding(KEY, async () => {
      limited = retain(asked, { maxMessages: 2 });
      await isAsked;
      assert.equal((await entriesOf(store)).length, 10);
    });
    assert.deepEqual(await limited, { removedCount: 8, removedSessions: [] });
    assert.deepEqual(await contentsOf(store), ["8", "9"]);
  });
});

// ---- Limits for all sessions ----

describe("all sessions", () => {
  test("keep the newest messages of any session: for random sessions", async () => {
    let removals = 0;
    const cases = await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const keys = Array.from({ length: random.integer(1, 6) }, (_, index) => `s${index}`);
      for (const key of keys) {
        await storeWith(randomEntries(random, { mostEntries: 40 }), key, store);
      }
      const read = async () => {
        const sessions = await store.sessions();
        return await Promise.all(
          sessions.map(async (info) => ({ info, entries: (await store.read(info.key)).entries })),
        );
      };
      const before = await read();
      const total = before.reduce((sum, { entries }) => sum + entries.filter(isMessage).length, 0);
      const maxMessages = random.integer(1, Math.max(1, total + 5));
      const { removedCount, removedSessions } = await retain(store, { maxMessages });
      assert.deepEqual(removedSessions, []);
      const after = await read();
      const countOf = (sessions) => sessions.reduce((sum, { entries }) => sum + entries.length, 0);
      assert.equal(removedCount, countOf(before) - countOf(after));
      removals += Number(removedCount > 0);

      // Each message with its age, oldest first.
      const dated = before.flatMap(({ info, entries }) => {
        const isUntimed = info.logs.transcript.latestTimeMs === undefined;
        return entries.filter(isMessage).map((entry) => ({
          info,
          entry,
          timeMs: Math.min(
            entry.latestTimeMs ?? (isUntimed ? info.createdAtMs : Number.NEGATIVE_INFINITY),
            info.updatedAtMs,
          ),
        }));
      });
      const order = [...dated].sort(
        (left, right) =>
          (left.timeMs === right.timeMs ? 0 : left.timeMs - right.timeMs) ||
          (left.info.key < right.info.key ? -1 : left.info.key > right.info.key ? 1 : 0) ||
          left.entry.seq - right.entry.seq,
      );
      const oldest = new Set(order.slice(0, Math.max(0, total - maxMessages)).map(({ entry }) => entry));
      for (const [index, { entries }] of before.entries()) {
        const messages = entries.filter(isMessage);
        const first = messages.findLastIndex((entry) => oldest.has(entry)) + 1;
        const base = messages[first]?.seq ?? (messages.at(-1)?.seq ?? 0) + 1;
        const kept = survivorsOf(entries, base);
        const isNeeded = first > 0 && entries.some((entry) => isSpoken(entry) && entry.seq < base && !kept.has(entry));
        const cut = isNeeded ? (atExchange(messages, first) ?? base) : 0;
        const stays = survivorsOf(entries, cut);
        assert.deepEqual(
          after[index].entries.filter(isSpoken).map(({ seq }) => seq),
          entries.filter((entry) => stays.has(entry)).map(({ seq }) => seq),
        );
      }
      await retain(store, { maxMessages });
      assert.deepEqual(await read(), after, "a second time changes nothing");
    });
    assertShare(removals, cases, 2, "removed something");
  });

  test("without recent appends go completely, unless they have something pinned", async (context) => {
    const store = memoryStore();
    let nowMs = 0;
    context.mock.method(Date, "now", () => nowMs);
    for (const key of ["pinned", "oldest", "old", "builds", "new"]) {
      nowMs += 1000;
      await storeWith([user("1"), assistant("2", key === "pinned" ? { pinned: true } : {})], key, store);
    }
    nowMs += 1000;
    await store.append("oldest", [user("used again")]);
    await store.append("builds", [{ type: "build", data: {} }], { log: "builds" });
    const keys = async () => (await store.sessions()).map(({ key }) => key);
    assert.deepEqual(await retain(store, { maxSessions: 5 }), { removedCount: 0, removedSessions: [] });
    assert.deepEqual(await retain(store, { maxSessions: 3 }), { removedCount: 5, removedSessions: ["old", "builds"] });
    assert.deepEqual(await keys(), ["new", "oldest", "pinned"]);
    assert.deepEqual(await retain(store, { maxSessions: 1 }), {
      removedCount: 5,
      removedSessions: ["new", "oldest"],
    });
    assert.deepEqual(await keys(), ["pinned"]);
    await storeWith([user("pinned too", { pinned: true })], "other", store);
    assert.deepEqual(await retain(store, { maxSessions: 1 }), { removedCount: 0, removedSessions: [] });
  });

  test("that are used meanwhile are not removed", async (context) => {
    const store = memoryStore();
    await storeWith([user("1")], "a", store);
    await storeWith([user("1")], "b", store);
    await storeWith([user("1")], "c", store);
    await storeWith([user("1")], "d", store);
    let nowMs = Date.now();
    context.mock.method(Date, "now", () => nowMs);
    let isUsed = false;
    const disturbed = watched(store, async (name, call) => {
      const result = await call();
      if (name === "sessions" && !isUsed) {
        isUsed = true;
        await store.append("a", [user("2", { pinned: true })]);
        await store.remove("b");
        await store.append("b", [user("another session")]);
        nowMs += 1000;
        await store.append("c", [user("2")]);
      }
      return result;
    });
    assert.deepEqual((await retain(disturbed, { maxSessions: 2 })).removedSessions, ["d"]);
  });

  test("that are used while a removal waits for a reader are not removed", async () => {
    const store = memoryStore();
    await storeWith([user("1")], "old", store);
    await storeWith([user("1")], "new", store);
    let letGo;
    const hold = store.holding("old", () => new Promise((resolve) => (letGo = resolve)));
    const retained = retain(store, { maxSessions: 1 });
    await new Promise(setImmediate);
    await store.append("old", [user("2")]);
    letGo();
    await hold;
    // Another session, which was unused, is removed instead.
    assert.deepEqual(await retained, { removedCount: 1, removedSessions: ["new"] });
    assert.equal((await store.read("old")).entries.length, 2);
  });

  test("that restarted under their key lose nothing because of earlier reads", async () => {
    for (const limit of [{ maxMessages: 2 }, { maxAgeDays: 1 }]) {
      const store = memoryStore();
      const old = { timeMs: Date.now() - 3 * DAY_MS };
      await storeWith([user("1", old), assistant("2", old), user("3", old), assistant("4", old)], KEY, store);
      await store.append(KEY, [{ type: "build", data: {}, ...old }], { log: "builds" });
      const disturbed = watched(store, async (name, call) => {
        if (name === "trim") {
          await store.remove(KEY);
          await store.append(KEY, [user("another"), assistant("session")]);
        }
        return call();
      });
      assert.deepEqual(await retain(disturbed, limit), { removedCount: 0, removedSessions: [] });
      assert.deepEqual(await contentsOf(store), ["another", "session"]);
    }
  });

  describe("data derived from trimmed messages is removed with them", () => {
    const embed = (texts) => texts.map((text) => Float32Array.from([text.length, 1]));
    const build = (session, embedModel) =>
      session.build({ request: "so?", recall: { embed, embedModel }, budget: { maxTokens: 5000 } });

    /** A session of 700 messages with costs, and vectors of two models. `derived` lists its readable blocks. */
    async function embedded(write = (derived, key, values, _store) => derived.write(key, values)) {
      const inner = memoryStore();
      const names = new Set();
      const store = watched(inner, (_, call) => call());
      const derived = {
        read: inner.derived.read,
        write(key, values) {
          for (const name of values.keys()) {
            names.add(name);
          }
          return write(inner.derived, key, values, inner);
        },
      };
      const own = new Proxy(store, { get: (target, name) => (name === "derived" ? derived : target[name]) });
      const entries = Array.from({ length: 700 }, (_, at) =>
        (at % 2 ? assistant : user)(`number ${at}`, at === 200 ? { pinned: true } : {}),
      );
      await storeWith(entries, KEY, inner);
      const session = await openSession(KEY, { store: own });
      for (const model of ["one", "two/1"]) {
        await build(session, model);
        await session.settled();
      }
      /** @returns {Promise<[name: string, block: number][]>} */
      const blocks = async () => {
        const byBlock = [...names].filter((name) => /^(costs|vectors)\//.test(name));
        const found = [...(await inner.derived.read(KEY, byBlock)).keys()];
        return found.map((name) => /^(.*)\/(\d+)$/.exec(name).slice(1)).map(([of, block]) => [of, Number(block)]);
      };
      return { inner, own, session, blocks };
    }

    /** Blocks that have lost some of their entries. */
    async function trimmedBlocks(store) {
      const left = new Set((await store.read(KEY)).entries.map(({ seq }) => seq));
      const all = Array.from({ length: 700 }, (_, index) => index + 1);
      return new Set(all.filter((seq) => !left.has(seq)).map((seq) => Math.floor(seq / 64)));
    }

    /** A build after a trim reads the remaining entries and stores their data again, and nothing else remains. */
    async function checkLeft(store, blocks) {
      const left = (await store.read(KEY)).entries.map(({ seq }) => Math.floor(seq / 64));
      for (const [name, block] of await blocks()) {
        assert.ok(left.includes(block), `${name}/${block}`);
      }
    }

    test("for every model, and the rest is stored again", async () => {
      const { inner, own, session, blocks } = await embedded();
      const ofAll = await blocks();
      for (const of of ["costs", "vectors/one", "vectors/two/1"]) {
        assert.ok(ofAll.filter(([name]) => name === of).length >= 10, of);
      }
      await retain(own, { maxMessages: 100 });
      const trimmed = await trimmedBlocks(inner);
      assert.ok(trimmed.size >= 9);
      assert.deepEqual(
        (await blocks()).filter(([, block]) => trimmed.has(block)),
        [],
      );
      assert.ok((await blocks()).length > 0, "what nothing was taken from stays");
      await build(session, "one");
      await session.settled();
      const again = await blocks();
      assert.ok(again.some(([name, block]) => name === "vectors/one" && trimmed.has(block)));
      await retain(own, { maxMessages: 1 });
      await checkLeft(inner, blocks);
    });

    test("even if a session stores it during the trim", async () => {
      let retained;
      const { inner, blocks } = await embedded(async (derived, key, values, store) => {
        retained ??= retain(store, { maxMessages: 100 });
        for (let turn = 0; turn < 20; turn += 1) {
          await new Promise(setImmediate);
        }
        await derived.write(key, values);
      });
      await retained;
      const trimmed = await trimmedBlocks(inner);
      assert.ok(trimmed.size >= 9);
      await checkLeft(inner, blocks);
    });
  });

  test("lose messages that are too old, by the given clock", async () => {
    const store = memoryStore();
    const nowMs = Date.UTC(2030, 0, 10);
    for (const key of ["a", "b"]) {
      const days = [1, 3, 5, 8, 9.5];
      await storeWith(
        days.map((day) => user(`${day}`, { timeMs: Date.UTC(2030, 0, 1) + (day - 1) * DAY_MS })),
        key,
        store,
      );
    }
    await store.append("a", [{ type: "build", data: {}, timeMs: Date.UTC(2030, 0, 4) }], { log: "builds" });
    assert.deepEqual(await retain(store, { maxAgeDays: 3, nowMs }), { removedCount: 7, removedSessions: [] });
    for (const key of ["a", "b"]) {
      const { entries } = await store.read(key);
      assert.deepEqual(
        entries.map((/** @type {any} */ { data }) => data.content),
        ["8", "9.5"],
      );
    }
  });

  test("without limits keep everything", async () => {
    const store = await storeWith([user("1"), assistant("2")]);
    assert.deepEqual(await retain(store, {}), { removedCount: 0, removedSessions: [] });
    assert.deepEqual(await retain(store, { maxMessages: undefined }), { removedCount: 0, removedSessions: [] });
    assert.deepEqual(await retain(memoryStore(), { maxMessages: 1, maxSessions: 1, maxAgeDays: 1 }), {
      removedCount: 0,
      removedSessions: [],
    });
  });
});

describe("invalid limits are refused by name", () => {
  const wrong = [
    ["maxMessages", 0],
    ["maxMessages", -1],
    ["maxMessages", 1.5],
    ["maxMessages", "5"],
    ["maxMessages", Number.NaN],
    ["maxMessages", Number.POSITIVE_INFINITY],
    ["maxMessages", null],
    ["maxAgeDays", 0],
    ["maxAgeDays", -1],
    ["maxAgeDays", Number.POSITIVE_INFINITY],
    ["maxmessages", 5],
    ["constructor", 5],
  ];
  async function refuses(run, path) {
    const error = await errorOf(run);
    assert.ok(error instanceof ContextError, String(error));
    assert.deepEqual([error.kind, error.code, error.path], ["session_error", "INVALID_CONFIG", path]);
    assert.ok(error.message.startsWith(`${path}: `));
    assert.match(error.nextAction, /^[A-Z].*\.$/);
  }

  test("of a session", async () => {
    const store = memoryStore();
    for (const [name, value] of [...wrong, ["maxBuilds", -1], ["maxSessions", 5]]) {
      await refuses(() => openSession(KEY, { store, retention: { [name]: value } }), `retention.${name}`);
    }
    for (const retention of /** @type {any[]} */ ([5, "all", [], () => 5])) {
      await refuses(() => openSession(KEY, { store, retention }), "retention");
    }
  });

  test("of all sessions", async () => {
    const store = await storeWith([user("1"), user("2")]);
    for (const [name, value] of [
      ...wrong,
      ["maxSessions", 0],
      ["maxBuilds", 5],
      ["nowMs", "now"],
      ["nowMs", Number.NaN],
    ]) {
      await refuses(() => retain(store, { maxMessages: 1, [name]: value }), name);
    }
    for (const limits of /** @type {any[]} */ ([undefined, null, 5, []])) {
      await refuses(() => retain(store, limits), "limits");
    }
    assert.equal((await entriesOf(store)).length, 2);
  });
});
