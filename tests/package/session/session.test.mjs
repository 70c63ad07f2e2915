// Lasting conversations: the contents of a session, and that a context built from the end of its log equals one built
// from all of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContext,
  ContextError,
  countTokens,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  presets,
} from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { randomConfig, randomTranscript } from "../support/random.mjs";

const START = Date.UTC(2026, 0, 5, 8);
const KEY = "web:main";

/** @type {(content: any, more?: object) => any} */
const user = (content, more = {}) => ({ role: "user", content, ...more });
/** @type {(content: any, more?: object) => any} */
const assistant = (content, more = {}) => ({ role: "assistant", content, ...more });

/** A plain conversation: user and assistant alternate, a minute apart. */
function conversation(length, first = 0) {
  return Array.from({ length }, (_, index) => {
    const position = first + index;
    const make = position % 2 === 0 ? user : assistant;
    return make(`message ${position} says something about the venue and its price`, {
      id: `m${position}`,
      createdAt: new Date(START + position * 60_000).toISOString(),
    });
  });
}

/**
 * A store that counts requests to it.
 *
 * @param {any} store
 */
function counting(store) {
  const counts = { reads: 0, rows: 0, derivedReads: 0, derivedWrites: 0 };
  /** @type {any} */
  const proxy = {
    ...Object.fromEntries(
      ["append", "get", "sessions", "trim", "remove", "holding", "subscribe", "close"].map((name) => [
        name,
        (...given) => store[name](...given),
      ]),
    ),
    async read(...given) {
      const result = await store.read(...given);
      counts.reads += 1;
      counts.rows += result.entries.length;
      return result;
    },
    derived: {
      read(...given) {
        counts.derivedReads += 1;
        return store.derived.read(...given);
      },
      write(...given) {
        counts.derivedWrites += 1;
        return store.derived.write(...given);
      },
    },
  };
  const taken = () => {
    const now = { ...counts };
    for (const name of Object.keys(counts)) {
      counts[name] = 0;
    }
    return now;
  };
  return { store: proxy, taken };
}

/** @returns {Promise<import("windrow").Session<any>>} */
async function sessionOf(messages, { key = KEY, store = memoryStore() } = {}) {
  const session = await openSession(key, { store });
  if (messages.length > 0) {
    await session.append(messages);
  }
  return session;
}

describe("stored messages", () => {
  test("messages are returned unchanged, with an id and a time", async () => {
    const session = await sessionOf([]);
    const given = user("hello", { custom: { nested: [1, null, "x"] }, at: new Date(0) });
    const { messages, firstSeq, lastSeq, isRepeated } = await session.append(given);
    assert.deepEqual([firstSeq, lastSeq, isRepeated], [1, 1, false]);
    assert.match(messages[0].id, /^msg_[0-9a-f]{16}$/);
    assert.ok(Math.abs(Date.parse(messages[0].createdAt) - Date.now()) < 60_000);
    assert.deepEqual(Object.keys(given), ["role", "content", "custom", "at"], "the caller's own is left alone");
    const [kept] = await session.messages();
    assert.deepEqual(kept, {
      ...given,
      at: "1970-01-01T00:00:00.000Z",
      id: messages[0].id,
      createdAt: messages[0].createdAt,
    });
    assert.equal(session.seqOf(kept), 1);
    const [inContext] = (await session.build({ request: "x" })).kept;
    assert.equal(session.seqOf(inContext), 1);
  });

  test("a message without an id and a time gets both, with any other contents", async () => {
    class Said {
      constructor(content) {
        this.secret = () => content;
        this.role = "user";
        this.content = "other";
      }
      toJSON() {
        return { role: "user", content: this.secret() };
      }
    }
    const store = memoryStore();
    const session = await openSession("a", { store });
    /** @type {{ messages: readonly any[] }} */
    const { messages } = await session.append([
      new Said("one"),
      { role: "user", content: "two", id: null, createdAt: undefined },
      wrong({ role: "user", content: "three", $windrow: "mine" }),
      { role: "user", content: "four", id: 4, createdAt: 4 },
    ]);
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["one", "two", "three", "four"],
    );
    for (const { id, createdAt } of messages.slice(0, 3)) {
      assert.match(id, /^msg/);
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    }
    assert.equal(messages[2].$windrow, "mine");
    assert.deepEqual([messages[3].id, messages[3].createdAt], [4, 4]);
    const { entries } = await store.read("a");
    assert.deepEqual(
      entries.map(({ id, timeMs }) => [id, timeMs]),
      messages.map(({ id, createdAt }) => [String(id), new Date(createdAt).getTime()]),
    );
    const {
      messages: [replaced],
    } = await session.replaceLast({ role: "user", content: "five", id: undefined });
    assert.deepEqual([replaced.id, replaced.createdAt], [4, 4]);
  });
  test("a message that throws, or is a class instance, is refused as such", async () => {
    const session = await openSession("a", { store: memoryStore() });
    for (const message of [
      {
        role: "user",
        content: "a",
        get x() {
          throw new Error("no");
        },
      },
      new (class Said {
        role = "user";
        content = "a";
      })(),
      {
        role: "user",
        content: "a",
        toJSON() {
          return { role: "bot" };
        },
      },
      {
        role: "user",
        content: "a",
        toJSON() {
          return 5;
        },
      },
      { role: "user", content: "a", toJSON() {} },
    ]) {
      const error = await errorOf(() => session.append(message));
      assert.ok(error instanceof ContextError, String(error));
      assert.deepEqual([error.kind, error.code], ["session_error", "INVALID_TRANSCRIPT"]);
      assert.match(error.path, /^message/);
    }
  });

  test("bytes survive, and anything that would be lost is refused with its place", async () => {
    const session = await sessionOf([]);
    const data = new Uint8Array([0, 1, 254, 255]);
    await session.append(user([{ type: "image", data, mediaType: "image/png" }], { id: "a" }));
    const [kept] = await session.messages();
    assert.deepEqual(kept.content[0].data, data);
    const failure = await errorOf(() => session.append([user("fine"), user("x", { onClick: () => 1 })]));
    checkContextError(failure, { kind: "session_error", code: "INVALID_TRANSCRIPT", path: "messages[1].onClick" });
    assert.equal((await session.messages()).length, 1, "all or none");
  });

  test("local commands and diagnostics are stored only if they are marked", async () => {
    const session = await sessionOf([]);
    const result = await session.append([
      user("/help", { tags: ["command"] }),
      assistant("disk is full", { tags: ["diagnostic"] }),
      user("/remember this", { tags: ["command"], persist: true }),
      assistant("Inference unavailable.", { status: "fallback" }),
      user("a draft", { persist: false }),
    ]);
    assert.equal(result.messages.length, 2);
    assert.deepEqual(
      (await session.messages()).map(({ content }) => content),
      ["/remember this", "Inference unavailable."],
    );
    const none = await session.append(user("/quit", { tags: ["command"] }));
    assert.deepEqual(none, { firstSeq: undefined, lastSeq: undefined, messages: [], isRepeated: false });
  });

  test("an append runs once under one operation, and not at all if another came first", async () => {
    const session = await sessionOf(conversation(2));
    const first = await session.append(user("once"), { operationId: "op" });
    const again = await session.append(user("once"), { operationId: "op" });
    assert.equal(again.isRepeated, true);
    assert.deepEqual(again.messages, first.messages);
    const late = await errorOf(() => session.append(user("late"), { expectedSeq: 2 }));
    checkContextError(late, { kind: "store_error", code: "STORE_CONFLICT" });
    assert.equal((await session.messages()).length, 3);
    await session.append(user("in time"), { expectedSeq: 3 });
  });

  test("a streaming reply is replaced as it grows, under one id", async () => {
    const session = await sessionOf(conversation(3));
    const { messages } = await session.append(assistant("I"));
    for (const content of ["I think", "I think so"]) {
      await session.replaceLast(assistant(content));
    }
    const all = await session.messages();
    assert.equal(all.length, 4);
    assert.deepEqual(all.at(-1), { ...messages[0], content: "I think so" });
    const context = await session.build({ request: "and?" });
    assert.ok(context.messages.some(({ content }) => content === "I think so"));
    assert.ok(!context.messages.some(({ content }) => content === "I think"));
  });

  test("a reply is replaced even if a summary follows it, and in a reopened session", async () => {
    const store = memoryStore();
    const session = await sessionOf([user("so?"), assistant("I"), assistant("in short", { summaryOf: "c" })], {
      store,
    });
    await session.replaceLast(assistant("I think"));
    const again = await openSession(KEY, { store });
    await again.append(assistant("more in short", { summaryOf: "c" }));
    const reopened = await openSession(KEY, { store });
    await reopened.replaceLast(assistant("I think so"));
    assert.deepEqual(
      (await reopened.messages()).map(({ content }) => content),
      ["so?", "I think so"],
    );
  });

  test("a reply is replaced even after a failure of the store, and is copied when it is passed", async () => {
    const inner = memoryStore();
    let fails = false;
    const store = {
      ...counting(inner).store,
      async append(/** @type {any[]} */ ...given) {
        const result = await /** @type {any} */ (inner).append(...given);
        if (fails) {
          fails = false;
          throw new Error("after its work");
        }
        return result;
      },
    };
    const session = await sessionOf([user("so?"), assistant("I")], { store });
    fails = true;
    await errorOf(() => session.replaceLast(assistant("I think")));
    await session.replaceLast(assistant("I think so"));
    const message = assistant("I think so too");
    const replaced = session.replaceLast(message);
    message.content = 5;
    await replaced;
    assert.deepEqual(
      (await session.messages()).map(({ content }) => content),
      ["so?", "I think so too"],
    );
    fails = true;
    await errorOf(() => session.replaceLast(assistant("lost")));
    await (await openSession(KEY, { store })).append(user("of another tab"));
    checkContextError(await errorOf(() => session.replaceLast(assistant("late"))), {
      kind: "store_error",
      code: "STORE_CONFLICT",
    });
  });

  test("a message that was replaced twice since it was read isn't in a context", async () => {
    const session = await sessionOf([user("so?"), assistant("old")]);
    await session.build({ request: "x" });
    await session.replaceLast(assistant("new"));
    await session.replaceLast(assistant("newest"));
    const context = await session.build({ request: "x" });
    assert.deepEqual(
      context.kept.map(({ content }) => content),
      ["so?", "newest"],
    );
  });

  test("an error names the wrong option", async () => {
    const session = await sessionOf(conversation(3));
    for (const [call, path] of /** @type {[call: any, path: string][]} */ ([
      [() => session.append(user("x"), wrong({ opId: 1 })), "opId"],
      [() => session.append(user("x"), { expectedSeq: -1 }), "expectedSeq"],
      [() => session.import("{}", { operationId: "" }), "operationId"],
      [() => session.messages({ order: wrong("bogus") }), "order"],
      [() => session.messages({ limit: -1 }), "limit"],
      [() => session.snapshots({ before: wrong("x") }), "before"],
      [() => session.messages(wrong([])), "options"],
      [() => session.subscribe(wrong(undefined)), "listener"],
      [() => session.fork(wrong(undefined), wrong(undefined)), "atSeq"],
      [() => session.fork(0, KEY), "atSeq"],
    ])) {
      checkContextError(await errorOf(call), { kind: "session_error", code: "INVALID_CONFIG", path });
    }
    assert.equal((await session.messages()).length, 3);
  });

  test("a reply is replaced, whatever the clock of the session's first host said", async (context) => {
    const store = memoryStore();
    const now = Date.now();
    const clock = context.mock.method(Date, "now", () => now + 60_000);
    await sessionOf(conversation(1), { store });
    clock.mock.mockImplementation(() => now);
    const session = await openSession(KEY, { store });
    await session.append(assistant("I"));
    await session.replaceLast(assistant("I think"));
    assert.equal((await session.messages()).at(-1).content, "I think");
  });

  test("nobody replaces a message of a session that another tab restarted", async (context) => {
    // All times are equal.
    context.mock.method(Date, "now", () => 1_800_000_000_000);
    const store = memoryStore();
    const one = await sessionOf([assistant("I")], { store });
    const other = await openSession(KEY, { store });
    await other.clear();
    await other.append(user("another"));
    checkContextError(await errorOf(() => one.replaceLast(assistant("I think"))), {
      kind: "store_error",
      code: "STORE_CONFLICT",
    });
    assert.deepEqual(
      (await one.messages()).map(({ content }) => content),
      ["another"],
    );
  });

  test("nobody replaces another tab's message", async () => {
    const store = memoryStore();
    const one = await sessionOf([], { store });
    const other = await openSession(KEY, { store });
    await one.append(assistant("I"));
    await other.append(user("wait"));
    checkContextError(await errorOf(() => one.replaceLast(assistant("I think"))), {
      kind: "store_error",
      code: "STORE_CONFLICT",
    });
    const empty = await openSession("empty", { store });
    checkContextError(await errorOf(() => empty.replaceLast(assistant("I"))), {
      kind: "session_error",
      code: "INVALID_SESSION",
    });
    await other.replaceLast(user("wait a moment"));
    assert.deepEqual(
      (await one.messages()).map(({ content }) => content),
      ["I", "wait a moment"],
    );
  });

  test("ranges and summaries are returned, and rows that aren't messages are skipped", async () => {
    const store = memoryStore();
    const session = await sessionOf(conversation(10), { store });
    await session.append({ role: "assistant", content: "They spoke of the venue.", summaryOf: "c1" });
    await store.append(KEY, [{ type: "message", data: { role: "nobody" } }]);
    await store.append(KEY, [{ type: "message", data: "{not json" }]);
    const contents = async (range) => (await session.messages(range)).map(({ id }) => id);
    assert.deepEqual(await contents({ after: 2, before: 5 }), ["m2", "m3"]);
    assert.deepEqual(await contents({ limit: 2, order: "descending", before: 11 }), ["m9", "m8"]);
    assert.equal((await session.messages()).length, 10);
    assert.equal((await session.summaries())[0].summaryOf, "c1");
    assert.deepEqual(
      session.skipped.map(({ seq }) => seq),
      [12, 13],
    );
    const context = await session.build({ request: "x" });
    assert.equal(context.kept.length, 10);
    assert.match(context.trace.notes[0].words, /skipped: 2$/);
    assert.match(await session.export(), /not json/, "skipped rows aren't lost");
  });

  test("clear removes everything, and the session continues", async () => {
    const session = await sessionOf(conversation(5));
    await session.build({ request: "x" });
    await session.clear();
    assert.deepEqual(await session.messages(), []);
    assert.deepEqual(await session.snapshots(), []);
    const context = await session.build({ request: "x" });
    assert.equal(context.kept.length, 0);
    await session.append(user("again"));
    assert.equal((await session.build({ request: "x" })).kept.length, 1);
  });

  test("a build that fails after the session was cleared does not bring it back", async () => {
    for (const messages of [conversation(3), []]) {
      for (const goesOn of [false, true]) {
        const store = memoryStore();
        const session = await sessionOf(messages, { store });
        let begun;
        let fail;
        const isAsked = new Promise((resolve) => {
          begun = resolve;
        });
        const countTokens = () =>
          new Promise((_, reject) => {
            fail = reject;
            begun();
          });
        const build = errorOf(() => session.build({ request: "so?", countTokens }));
        await isAsked;
        await session.clear();
        if (goesOn) {
          await session.append(user("anew"));
        }
        fail(new Error("no counts"));
        await build;
        await session.settled();
        const found = (await store.sessions()).map(({ logs }) => [logs.transcript.counts, logs.builds.counts]);
        assert.deepEqual(found, goesOn ? [[{ message: 1 }, {}]] : []);
      }
    }
  });

  test("a build isn't stored in a session that began after it under its key", async () => {
    const store = memoryStore();
    let isReplaced = false;
    // Between the session's check and its append, another tab clears the session and continues.
    const disturbed = {
      ...counting(store).store,
      async append(key, entries, options) {
        if (options.log === "builds" && !isReplaced) {
          isReplaced = true;
          await store.remove(KEY);
          await store.append(KEY, [{ type: "message", data: user("anew") }]);
        }
        return store.append(key, entries, options);
      },
    };
    const session = await sessionOf(conversation(3), { store: disturbed });
    await session.build({ request: "so?" });
    assert.deepEqual(await session.snapshots(), []);
    await session.build({ request: "so?" });
    assert.equal((await session.snapshots()).length, 1);
  });

  test("after close every call fails, and the store continues", async () => {
    const store = memoryStore();
    const session = await sessionOf(conversation(1), { store });
    await session.close();
    await session.close();
    for (const call of [
      () => session.append(user("x")),
      () => session.build({}),
      () => session.messages(),
      () => session.export(),
      () => session.fork(1),
      () => session.subscribe(() => {}),
    ]) {
      checkContextError(await errorOf(call), { kind: "session_error", code: "STORE_CLOSED" });
    }
    assert.equal((await (await openSession(KEY, { store })).messages()).length, 1);
  });

  test("a session needs a key and a store", async () => {
    const store = memoryStore();
    checkContextError(await errorOf(() => openSession("", { store })), {
      kind: "store_error",
      code: "INVALID_SESSION",
    });
    checkContextError(await errorOf(() => openSession(KEY, wrong(undefined))), {
      kind: "session_error",
      code: "INVALID_SESSION",
      path: "store",
    });
    checkContextError(await errorOf(() => openSession(KEY, wrong({ store, retension: {} }))), {
      kind: "session_error",
      code: "INVALID_CONFIG",
      path: "retension",
    });
    checkContextError(await errorOf(() => openSession(KEY, { store, retention: { maxMessages: -1 } })), {
      kind: "session_error",
      code: "INVALID_CONFIG",
      path: "retention.maxMessages",
    });
  });
});

describe("contexts", () => {
  /** The result of a build over all messages. */
  async function expected(session, config) {
    const messages = [...(await session.messages()), ...(await session.summaries())];
    messages.sort((left, right) => session.seqOf(left) - session.seqOf(right));
    return await buildContext(messages, { sessionId: session.key, ...config });
  }

  function checkSame(found, wanted) {
    assert.equal(found.snapshot.contextHash, wanted.snapshot.contextHash);
    assert.deepEqual(found.messages, wanted.messages);
    assert.equal(found.text, wanted.text);
    assert.deepEqual(found.tokens, wanted.tokens);
    assert.deepEqual(
      found.kept.map(({ id }) => id),
      wanted.kept.map(({ id }) => id),
    );
    assert.equal(found.trimmed, wanted.trimmed);
  }

  test("random logs and configs: reading the end returns the same as reading everything, after appends and after reopening", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const messages = randomTranscript(random, { mostMessages: 400 });
      const isTimed = random.chance(0.7);
      messages.forEach((message, position) => {
        message.createdAt = isTimed ? START + position * 600_000 : undefined;
        message.persist = true;
        if (message.sessionId !== undefined) {
          message.sessionId = random.pick([KEY, "web:other"]);
        }
      });
      const session = await openSession(KEY, { store });
      const cut = random.integer(0, messages.length);
      const lines = (list) => list.map((message) => JSON.stringify(message)).join("\n");
      await session.import(lines(messages.slice(0, cut)));
      for (const part of [messages.slice(cut), []]) {
        await session.import(lines(part));
        for (let round = 0; round < 2; round++) {
          const config = { ...randomConfig(random), now: START + 500 * 600_000 };
          let failure;
          const wanted = await expected(session, config).catch((error) => {
            failure = error;
          });
          const reopened = await openSession(KEY, { store });
          for (const it of [session, reopened]) {
            if (failure === undefined) {
              checkSame(await it.build(config), wanted);
            } else {
              assert.equal((await errorOf(() => it.build(config))).message, failure.message);
            }
          }
          await reopened.close();
        }
      }
      await session.close();
    });
  });

  for (const [name, preset] of Object.entries(presets)) {
    test(`preset ${name}, over a long log`, async () => {
      const session = await sessionOf([
        { role: "system", content: "Be kind.", createdAt: START },
        ...conversation(400),
      ]);
      // A message without a session belongs to this one.
      /** @satisfies {import("windrow").ContextConfig} */
      const config = { ...preset, collect: { ...preset.collect, sessionScope: "session" }, now: START + 400 * 60_000 };
      checkSame(
        await session.build({ ...config, request: "so?" }),
        await expected(session, { ...config, request: "so?" }),
      );
      const reply = { role: "user", content: "and that?", replyTo: "m13" };
      checkSame(
        await session.build({ ...config, request: reply }),
        await expected(session, { ...config, request: reply }),
      );
    });
  }

  test("reads as much as the window and the budget need, and then only new messages", async () => {
    const rows = {};
    // Costs are stored in blocks of 64 messages and read from the start of a block. The lengths differ by whole blocks,
    // so both read equally many.
    for (const length of [1000, 1000 + 64 * 300]) {
      const { store, taken } = counting(memoryStore());
      const session = await sessionOf(conversation(length), { store });
      /** @satisfies {import("windrow").ContextConfig} */
      const config = { request: "so?", recall: { ranking: "recency" }, budget: { maxTokens: 1000 } };
      taken();
      const context = await session.build(config);
      await session.settled();
      const opening = taken();
      assert.ok(context.trace.unreadCount > length - 300);
      await session.append([user("one more"), assistant("yes")]);
      taken();
      await session.build(config);
      const next = taken();
      assert.equal(next.rows, 2);
      assert.equal(next.reads, 1);
      rows[length] = opening;
      await session.close();
    }
    assert.deepEqual(rows[1000], rows[20_200]);
    assert.ok(rows[1000].rows < 150, `${rows[1000].rows} rows`);
  });

  test("counted messages aren't counted again when the session is reopened", async () => {
    const { store, taken } = counting(memoryStore());
    const session = await sessionOf(conversation(2000), { store });
    const config = { request: "so?", budget: { maxTokens: 3000 } };
    const first = await session.build(config);
    await session.settled();
    assert.equal(taken().derivedWrites, 1);
    await session.close();
    const again = await openSession(KEY, { store });
    const second = await again.build(config);
    await again.settled();
    const { derivedReads, derivedWrites } = taken();
    assert.ok(derivedReads > 0);
    assert.equal(derivedWrites, 0, "nothing was counted that was not known");
    checkSame(second, first);
    await again.append(user("new"));
    await again.build(config);
    await again.settled();
    assert.equal(taken().derivedWrites, 1);
  });

  test("damaged counts, and counts of other messages, change nothing", async () => {
    const store = memoryStore();
    const session = await sessionOf(conversation(300), { store });
    const config = { request: "so?", budget: { maxTokens: 800 } };
    const first = await session.build(config);
    await session.settled();
    const names = Array.from({ length: 8 }, (_, block) => `costs/${block}`);
    const values = await store.derived.read(KEY, names);
    assert.ok(values.size > 0);
    const other = await sessionOf(conversation(300, 1000), { store, key: "other" });
    await other.build(config);
    await other.settled();
    const foreign = await store.derived.read("other", names);
    for (const damage of [
      () => new Uint8Array(),
      (bytes) => bytes.slice(0, -1),
      (bytes) => bytes.map((byte, index) => (index < 8 ? byte ^ 1 : byte)),
      // A message with an apparent cost of 0.
      (bytes) => bytes.map((byte, index) => (index >= 16 && index % 24 >= 8 ? 0 : byte)),
      (bytes) => bytes.map((byte, index) => (index === bytes.length - 8 ? byte ^ 64 : byte)),
      (_, name) => foreign.get(name) ?? new Uint8Array([1]),
    ]) {
      await store.derived.write(KEY, new Map([...values].map(([name, bytes]) => [name, damage(bytes, name)])));
      const reopened = await openSession(KEY, { store });
      checkSame(await reopened.build(config), first);
      await reopened.close();
    }
  });

  test("a hook is asked once, even if the build has to read more", async () => {
    await loadEncoding("o200k_base");
    const messages = conversation(2000);
    const session = await sessionOf(messages);
    const asked = [];
    const counted = [];
    /** @satisfies {import("windrow").ContextConfig} */
    const config = {
      request: "so?",
      budget: { maxTokens: 6000 },
      sections: [
        { id: "history", kind: "history" },
        { id: "notes", kind: "recall" },
        { id: "request", kind: "request" },
      ],
      recall: {
        ranking: "recency",
        search: ({ query }) => {
          asked.push(query);
          return [{ text: "a note" }];
        },
      },
      countTokens: (texts) => {
        counted.push(...texts);
        return texts.map((text) => countTokens(text).tokens);
      },
    };
    const context = await session.build(config);
    assert.ok(context.trace.unreadCount > 0);
    assert.ok(context.kept.length > 128, "more than was read at first");
    assert.deepEqual(asked, ["so?"]);
    assert.equal(new Set(counted).size, counted.length, "no text is counted twice");
    const again = await session.replay(context.recording);
    assert.deepEqual([again.same, again.differences], [true, []]);
  });

  test("a reply to a message that was imported without an id finds it by its position", async () => {
    const session = await openSession(KEY, { store: memoryStore() });
    const lines = conversation(500).map(({ role, content }) =>
      JSON.stringify({ type: "message", role, text: content }),
    );
    await session.import(lines.join("\n"));
    /** @satisfies {import("windrow").RecallConfig} */
    const recall = { ranking: "recency" };
    const config = { request: user("and that?", { replyTo: "#7" }), recall, budget: { maxTokens: 200 } };
    const context = await session.build(config);
    assert.ok(context.trace.unreadCount > 0);
    assert.equal(context.explain("#7").reason, "reply_to");
    checkSame(context, await expected(session, config));
  });

  test("a preset that only accepts messages of the session accepts the session's own", async () => {
    const session = await sessionOf(conversation(20));
    assert.ok((await session.build({ ...presets.agent, request: "so?" })).kept.length > 0);
  });

  test("triage sees the whole window, and no more is read", async () => {
    const { store, taken } = counting(memoryStore());
    const session = await sessionOf(conversation(5000), { store });
    taken();
    const seen = [];
    await session.build({
      ...presets.triaged,
      request: "so?",
      triage: {
        ...presets.triaged.triage,
        select: ({ candidates }) => {
          seen.push(candidates.length);
          return [];
        },
      },
    });
    assert.equal(seen.length, 1);
    assert.ok(taken().rows < 300);
  });

  test("two sessions on one store see each other's appends, replacements, trims and removals", async () => {
    const store = memoryStore();
    const one = await sessionOf(conversation(300), { store });
    const other = await openSession(KEY, { store });
    const config = { request: "so?", budget: { maxTokens: 500 } };
    const check = async () => {
      checkSame(await one.build(config), await expected(one, config));
      checkSame(await other.build(config), await expected(other, config));
    };
    await check();
    await one.append(user("from one"));
    await check();
    await other.append(assistant("a reply"));
    await other.replaceLast(assistant("a longer reply"));
    await check();
    await other.append({ role: "assistant", content: "in short", summaryOf: "c1" });
    await other.replaceLast(assistant("another reply, with a summary behind the one before"));
    await check();
    await store.trim(KEY, 250);
    await check();
    await one.append(conversation(2500, 1000));
    await check();
    await store.remove(KEY);
    await check();
    await one.append(user("a new beginning"));
    await check();
  });

  test("a session can be built and appended to at once", async () => {
    const session = await sessionOf(conversation(500));
    const config = { request: "so?", budget: { maxTokens: 700 } };
    const builds = [];
    for (let round = 0; round < 20; round++) {
      builds.push(
        session.build({ ...config, budget: { maxTokens: 200 + round * 400 } }),
        session.append(user(`more ${round}`)),
      );
    }
    await Promise.all(builds);
    assert.equal((await session.messages()).length, 520);
    checkSame(await session.build(config), await expected(session, config));
  });

  test("simultaneous builds, during large appends and a close, are complete", async () => {
    const session = await sessionOf(conversation(200));
    const config = { request: "so?", budget: { maxTokens: 500 } };
    await session.build(config);
    await session.append(conversation(5000, 200));
    const contexts = await Promise.all([session.build(config), session.build(config), session.build(config)]);
    const wanted = await expected(session, config);
    for (const context of contexts) {
      checkSame(context, wanted);
    }
    const last = session.build(config);
    await session.close();
    checkSame(await last, wanted);
  });

  test("if a read fails the build fails, and the next one is complete", async () => {
    const config = { request: "so?", budget: { maxTokens: 6000 } };
    for (let failing = 1; failing <= 14; failing++) {
      for (const isBefore of [true, false]) {
        const inner = memoryStore();
        let calls = 0;
        const failOnce =
          (call) =>
          async (...given) => {
            calls += 1;
            if (calls === failing && isBefore) {
              throw new Error("before its work");
            }
            const result = await call(...given);
            if (calls === failing) {
              throw new Error("after its work");
            }
            return result;
          };
        const { store } = counting(inner);
        const session = await sessionOf([user("pinned", { pinned: true, id: "p" }), ...conversation(400)], { store });
        for (const name of ["read", "get", "sessions"]) {
          store[name] = failOnce(store[name]);
        }
        store.derived.read = failOnce(store.derived.read);
        await session.build(config).catch(() => {});
        await session.settled();
        calls = 1000;
        checkSame(await session.build(config), await expected(session, config));
      }
    }
  });

  test("old messages about the request are found, and then only new ones are read", async () => {
    const { store, taken } = counting(memoryStore());
    const messages = conversation(3000);
    const content = "The invoice of the plumber is number RX-2291, over 340 euros.";
    messages[40] = { ...messages[40], id: "invoice", content };
    const session = await sessionOf(messages, { store });
    const config = { request: "What was the number of the plumber's invoice?", budget: { maxTokens: 500 } };
    const context = await session.build(config);
    const { fate, reason, words } = context.explain("invoice");
    assert.deepEqual([fate, reason], ["kept", "recalled"]);
    assert.match(words, /“invoice”/);
    checkSame(context, await expected(session, config));
    await session.settled();
    await session.append([user("thanks")]);
    taken();
    await session.build(config);
    assert.equal(taken().rows, 1);
  });

  test("a long session releases messages that builds no longer need", async () => {
    const { store, taken } = counting(memoryStore());
    const session = await sessionOf(conversation(100), { store });
    /** @satisfies {import("windrow").ContextConfig} */
    const config = { request: "so?", recall: { ranking: "recency" }, budget: { maxTokens: 500 } };
    await session.build(config);
    await session.append(conversation(5000, 100));
    await session.build(config);
    taken();
    const context = await session.build(config);
    assert.ok(taken().rows < 300);
    assert.ok(context.recording.transcript.length < 300, "the engine's memory is small again");
    checkSame(context, await expected(session, config));
  });

  test("no context has another session's rows, with any keys", async () => {
    const store = memoryStore();
    const keys = [
      "a",
      "a\0",
      "A",
      "a:b",
      "a|b",
      "a/b",
      "á",
      "a\u0301",
      "__proto__",
      "constructor",
      "\ud800",
      "x".repeat(60_000),
    ];
    for (const [index, key] of keys.entries()) {
      const session = await openSession(key, { store });
      await session.append(user(`of session ${index}`));
    }
    for (const [index, key] of keys.entries()) {
      const session = await openSession(key, { store });
      const context = await session.build({});
      assert.deepEqual(
        context.messages.map(({ content }) => content),
        [`of session ${index}`],
      );
    }
  });

  test("explain names unread messages", async () => {
    const session = await sessionOf(conversation(1000));
    /** @satisfies {import("windrow").RecallConfig} */
    const recall = { ranking: "recency" };
    const context = await session.build({ request: "so?", recall, budget: { maxTokens: 300 } });
    const { fate, reason, words, position } = context.explain("m100");
    assert.deepEqual([fate, reason, position], ["left out", "not_read", -1]);
    assert.match(words, new RegExp(`${context.trace.unreadCount} older messages`));
    assert.equal(
      context.explain("m3").reason,
      "not_read",
      "messages that were read to look for instructions say so too",
    );
    assert.equal(context.explain("m999").fate, "kept");
  });
});

describe("records of builds", () => {
  test("snapshots and recordings are in a separate log, and each can be rebuilt", async () => {
    const session = await sessionOf(conversation(600));
    const config = { request: user("so?", { replyTo: "m5" }), budget: { maxTokens: 900 } };
    /** @type {any[]} */
    const contexts = [await session.build(config)];
    await session.append(conversation(100, 600));
    contexts.push(await session.build({ ...presets.turns, request: "and now?" }));
    const kept = await session.snapshots();
    assert.deepEqual(
      kept.map(({ snapshot }) => snapshot),
      contexts.map(({ snapshot }) => snapshot),
    );
    assert.equal((await session.messages()).length, 700, "they are in no transcript");
    for (const { recording, snapshot } of kept) {
      const { same, differences, context } = await session.replay(recording);
      assert.deepEqual([same, differences], [true, []]);
      assert.equal(context.snapshot.contextHash, snapshot.contextHash);
    }
    assert.equal(
      (await session.snapshots({ limit: 1, order: "descending" }))[0].snapshot.turnId,
      kept[1].snapshot.turnId,
    );
  });

  test("a failed build appends its record, and the next one works", async () => {
    const session = await sessionOf(conversation(10));
    const failure = await errorOf(() => session.build({ request: "so?", turnId: "t1", budget: { maxTokens: 2 } }));
    checkContextError(failure, { code: "BUDGET_TOO_SMALL" });
    const [record] = await session.failures();
    assert.equal(record.kind, "context_build_error");
    assert.equal(record.terminal, "failed");
    assert.equal(record.code, "BUDGET_TOO_SMALL");
    assert.equal(record.turnId, "t1");
    assert.equal(record.sessionId, KEY);
    assert.match(record.nextAction, /budget\.maxTokens/);
    await errorOf(() => session.build({ signal: AbortSignal.abort() }));
    assert.equal((await session.failures()).length, 1, "an aborted build didn't fail");
    assert.equal((await session.build({ request: "so?" })).kept.length, 10, "records aren't messages");
  });

  test("builds are bounded", async () => {
    const store = memoryStore();
    const session = await openSession(KEY, { store, retention: { maxBuilds: 5 } });
    await session.append(user("x"));
    for (let turn = 0; turn < 12; turn++) {
      await session.build({ turnId: `t${turn}` });
      await session.settled();
    }
    const kept = await session.snapshots();
    assert.equal(kept.length, 5);
    assert.equal(kept.at(-1).snapshot.turnId, "t11");
  });
});

describe("files, forks and subscriptions", () => {
  const file = [
    '{"type": "session", "session_key": "terminal:main", "created_at": "2026-01-05T08:00:00+00:00", "extra": 1.0}',
    '{"type": "message", "role": "user", "text": "h\\u00e9llo", "created_at": "2026-01-05T08:00:01+00:00", "n": 12345678901234567890}',
    '{"type": "message", "role": "assistant", "text": "hi", "created_at": "2026-01-05T08:00:02+00:00", "meta": {"a": [1, 2]}}',
  ];

  test("a session log is read and exported unchanged", async () => {
    const session = await openSession("terminal:main", { store: memoryStore() });
    const { messageCount, skipped } = await session.import(`${file.join("\n")}\n`);
    assert.deepEqual([messageCount, skipped], [2, []]);
    assert.equal(await session.export(), `${file.join("\n")}\n`);
    const [first] = await session.messages();
    assert.equal(first.content, "héllo");
    const context = await session.build({ ...presets.turns, request: "so?" });
    assert.match(context.text, /héllo/);
    await session.append(assistant("more"));
    const rows = (await session.export()).trim().split("\n");
    assert.deepEqual(rows.slice(0, 3), file);
    assert.equal(JSON.parse(rows[3]).text, "more");
  });

  test("an import of an export has the same messages and contexts", async () => {
    const session = await sessionOf(conversation(200));
    await session.append([
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "f", arguments: {} }] },
      { role: "tool", toolCallId: "c", content: "done" },
      user([{ type: "image", data: new Uint8Array([1, 2, 3]) }], { type: "odd", pinned: true }),
    ]);
    const copy = await openSession(KEY, { store: memoryStore() });
    await copy.import(await session.export());
    assert.deepEqual(await copy.messages(), await session.messages());
    const config = { request: "so?", now: START, budget: { maxTokens: 2000 } };
    assert.equal((await copy.build(config)).snapshot.contextHash, (await session.build(config)).snapshot.contextHash);
  });

  test("a truncated or invalid file is accepted as far as it is valid", async () => {
    const session = await openSession(KEY, { store: memoryStore() });
    const whole = file.join("\n");
    const cut = await session.import(whole.slice(0, -20));
    assert.equal(cut.messageCount, 1);
    assert.deepEqual(
      cut.skipped.map(({ row }) => row),
      [3],
    );
    checkContextError(await errorOf(() => session.import("this is\nno log")), {
      kind: "session_error",
      code: "INVALID_TRANSCRIPT",
      message: /no messages found \(row 1: not JSON/,
    });
    assert.equal((await session.messages()).length, 1);
    checkContextError(await errorOf(() => session.import(undefined)), {
      kind: "session_error",
      code: "INVALID_TRANSCRIPT",
    });
  });

  test("an import runs once under one operation", async () => {
    const session = await openSession(KEY, { store: memoryStore() });
    await session.import(file.join("\n"), { operationId: "import" });
    await session.import(file.join("\n"), { operationId: "import" });
    assert.equal((await session.messages()).length, 2);
  });

  test("a fork has the conversation up to a message, and is independent", async () => {
    const store = memoryStore();
    const session = await sessionOf(conversation(10), { store });
    const at = session.seqOf((await session.messages())[3]);
    const fork = await session.fork(at, "web:fork");
    await fork.append(user("instead"));
    await session.append(user("as before"));
    assert.deepEqual((await fork.messages()).map(({ id }) => id).slice(0, 4), ["m0", "m1", "m2", "m3"]);
    assert.equal((await fork.messages()).length, 5);
    assert.equal((await session.messages()).length, 11);
    checkContextError(await errorOf(() => session.fork(at, "web:fork")), {
      kind: "store_error",
      code: "STORE_CONFLICT",
      message: /a session "web:fork" already exists/,
    });
    const other = await session.fork(at);
    assert.notEqual(other.key, session.key);
    assert.equal((await other.messages()).length, 4);
    const own = await sessionOf([user("mine", { sessionId: "own" })], { store, key: "own" });
    await own.import(
      '{"type":"session","session_key":"own"}\n{"type":"message","role":"user","text":"also mine","sessionId":"own"}',
    );
    const moved = await own.fork(3, "moved");
    assert.match(await moved.export(), /"session_key":"moved"/);
    assert.equal((await moved.build({})).kept.length, 2, "a message that names its session names the new one");
  });

  test("a fork's header names the fork, however the header was imported", async () => {
    const session = await openSession("old", { store: memoryStore() });
    const rows = [
      { type: "session", session_key: "old", title: "Venues" },
      { type: "message", role: "user", text: "so?" },
    ];
    await session.import(JSON.stringify(rows));
    const fork = await session.fork(2, "new");
    const [header] = (await fork.export()).split("\n");
    assert.deepEqual(JSON.parse(header), { ...rows[0], session_key: "new" });
  });

  test("a fork that fails leaves no session open", async (context) => {
    const inner = memoryStore();
    const { store } = counting(inner);
    const session = await sessionOf(conversation(3), { store });
    await store.trim(KEY, 3);
    const free = context.mock.method(Object.getPrototypeOf(createTranscript([])), "free");
    checkContextError(await errorOf(() => session.fork(1)), {
      kind: "session_error",
      code: "INVALID_CONFIG",
      message: /no entries up to 1/,
    });
    assert.equal(free.mock.callCount(), 1);
    store.holding = () => Promise.reject(new Error("no reader today"));
    await errorOf(() => session.fork(3));
    assert.equal(free.mock.callCount(), 2);
  });

  test("a listener can follow a growing reply, however many states it sees", async () => {
    const session = await sessionOf([user("so?"), assistant("v0")]);
    const shown = new Map((await session.messages()).map((message) => [session.seqOf(message), message.content]));
    let wake = () => {};
    session.subscribe((/** @type {any} */ { messages, replacesSeq }) => {
      shown.delete(replacesSeq);
      for (const message of messages) {
        shown.set(session.seqOf(message), message.content);
      }
      wake();
    });
    await session.info();
    for (let version = 1; version < 20; version += 3) {
      await Promise.all([0, 1, 2].map((more) => session.replaceLast(assistant(`v${version + more}`))));
    }
    while (![...shown.values()].includes("v21")) {
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
      });
    }
    assert.deepEqual([...shown.values()], ["so?", "v21"]);
  });

  test("a reset that the store failed to report is reported with the next change", async () => {
    for (const change of [(store) => store.remove(KEY), (store) => store.trim(KEY, 3)]) {
      const inner = memoryStore();
      const { store } = counting(inner);
      let fails = false;
      const { sessions } = store;
      store.sessions = async (...given) => {
        if (fails) {
          fails = false;
          throw new Error("for a moment");
        }
        return await sessions(...given);
      };
      const session = await sessionOf(conversation(3), { store });
      const told = [];
      session.subscribe(({ kind }) => told.push(kind));
      await session.info();
      fails = true;
      await change(inner);
      await new Promise(setImmediate);
      assert.deepEqual([fails, told], [false, []]);
      await inner.append(KEY, [{ type: "message", data: user("anew") }]);
      await new Promise(setImmediate);
      assert.deepEqual(told, ["reset"]);
      await inner.append(KEY, [{ type: "message", data: user("more") }]);
      await new Promise(setImmediate);
      assert.deepEqual(told, ["reset", "append"]);
    }
  });

  test("every change is reported, in order and once, even another tab's", async () => {
    const store = memoryStore();
    const one = await sessionOf(conversation(3), { store });
    const other = await openSession(KEY, { store });
    const told = [];
    let wake = () => {};
    const unsubscribe = one.subscribe((change) => {
      told.push(change);
      wake();
    });
    const until = async (count) => {
      while (told.length < count) {
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
        });
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 ? one : other).append(user(`x${n}`))));
    await until(10);
    assert.deepEqual(
      told.map(({ lastSeq }) => lastSeq),
      [4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    await other.replaceLast(user("instead")).catch(() => one.replaceLast(user("instead")));
    await until(11);
    assert.equal(told[10].replacesSeq, 13);
    assert.equal(told[10].messages[0].content, "instead");
    await other.clear();
    await until(12);
    assert.deepEqual(told[11], { kind: "reset" });
    await other.append(user("anew"));
    await until(13);
    assert.equal(told[12].messages[0].content, "anew");
    unsubscribe();
    await other.append(user("unheard"));
    await other.append(user("unheard"));
    assert.equal(told.length, 13);
  });
});
