// The contract of stores: the memory store keeps it, and the suite detects stores that don't.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, memoryStore } from "windrow";
import { storeConformance } from "windrow/stores/conformance";

/** The suite for stores in memory: each name has one store, which no longer exists after it is closed. */
function casesFor(open) {
  const stores = new Map();
  return storeConformance({
    isPersistent: false,
    open(name) {
      const store = stores.get(name) ?? open();
      stores.set(name, store);
      return Promise.resolve(store);
    },
  });
}

/**
 * The suite for stores that can be reopened: each handle opens a memory store that persists. Each open calls `reopened`
 * with the store, if there is one.
 */
function casesForHandles({ reopened = (store) => store ?? memoryStore(), close = () => Promise.resolve() } = {}) {
  const stores = new Map();
  return storeConformance({
    async open(name) {
      stores.set(name, await reopened(stores.get(name)));
      return handleOf(stores.get(name), close);
    },
  });
}

function handleOf(store, close) {
  const running = new Set();
  let isClosed = false;
  const guarded =
    (call) =>
    async (...given) => {
      if (isClosed && given[0] !== "") {
        const nextAction = "Open another.";
        throw new ContextError({ kind: "store_error", code: "STORE_CLOSED", message: "it was closed", nextAction });
      }
      const result = call(...given);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    };
  const { subscribe: _, ...bound } = boundTo(store);
  const calls = Object.entries(bound).map(([name, call]) => [name, guarded(call)]);
  const { read, write } = store.derived;
  return {
    ...Object.fromEntries(calls),
    derived: { read: guarded(read), write: guarded(write) },
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await close(store);
    },
  };
}

/** A store's methods, bound so that they can be called alone. */
function boundTo(store) {
  const names = ["append", "read", "get", "sessions", "trim", "remove", "holding", "subscribe", "close"];
  return Object.fromEntries(names.map((name) => [name, store[name].bind(store)]));
}

describe("the memory store keeps the contract", () => {
  for (const { name, run } of casesFor(memoryStore)) {
    test(name, run);
  }

  test("two stores share nothing", async () => {
    const [first, second] = [memoryStore(), memoryStore()];
    await first.append("a", [{ type: "message", data: "a" }]);
    assert.deepEqual(await second.sessions(), []);
    await first.close();
    assert.deepEqual(await second.append("a", [{ type: "message", data: "b" }]), {
      firstSeq: 1,
      lastSeq: 1,
      isRepeated: false,
    });
  });
});

const isOfType = (types) => (entry) => types?.includes(entry.type) ?? true;

/** A store that behaves like another, except for some calls. */
function changed(store, calls) {
  return { ...boundTo(store), derived: store.derived, ...calls };
}

/** @typedef {(...given: any[]) => any} Call */
/** @typedef {Exclude<keyof import("windrow").TranscriptStore, "derived">} Method */
/**
 * @typedef {Partial<Record<Method, Call>> & { derived?: Record<string, Call> }} Calls Methods that replace a store's
 * own.
 */

/** A store that changes entries after reading them. */
const reading = (change) => (store) => ({
  async read(key, range = {}) {
    const result = await store.read(key, range);
    return { ...result, ...(await change(result, range, key, store)) };
  },
});

/** A store that confuses some keys. */
const keyedBy = (keyOf) => (store) => ({
  append: (key, ...more) => store.append(keyOf(key), ...more),
  read: (key, ...more) => store.read(keyOf(key), ...more),
  get: (key, ...more) => store.get(keyOf(key), ...more),
  trim: (key, ...more) => store.trim(keyOf(key), ...more),
  remove: (key, ...more) => store.remove(keyOf(key), ...more),
  holding: (key, ...more) => store.holding(keyOf(key), ...more),
});

/** Leaves empty and invalid keys alone. */
const onTexts = (fold) => (key) => (typeof key === "string" && key !== "" ? fold(key) || key : key);

/** A store that changes appended entries, or how they are appended. */
const appending = (change) => (store) => ({
  append: (key, entries, options = {}) => change(store, key, entries, options),
});

const RANDOM = [1, 2, 3, 4, 5, 6].map((seed) => `any sequence of calls does what a plain list would do (seed ${seed})`);

/**
 * Stores that are wrong in one way each, and the cases that must find it.
 *
 * @type {{ name: string, calls: (store: any) => Calls, finds: string[] }[]}
 */
const broken = [
  {
    name: "sequence numbers begin with 0",
    calls: reading(({ entries }) => ({ entries: entries.map((entry) => ({ ...entry, seq: entry.seq - 1 })) })),
    finds: [
      "append: a session begins with its first entry, and sequence numbers ascend from 1",
      "replacesSeq: a reply that is replaced many times keeps its last state",
      "two stores: simultaneous appends leave no gap and no duplicate, and both see the same order",
      "two stores: an operation that both append simultaneously is appended once",
      "subscribe: a reported change can be read",
      ...RANDOM,
    ],
  },
  {
    name: "the session's id changes",
    calls: reading(({ info }) => ({ info: info && { ...info, id: crypto.randomUUID() } })),
    finds: ["append: a session's head matches its entries"],
  },
  {
    name: "latestTimeMs is the time of the entry",
    calls: reading(({ entries }) => ({
      entries: entries.map(({ latestTimeMs, timeMs = latestTimeMs, ...entry }) => ({
        ...entry,
        timeMs,
        latestTimeMs: timeMs,
      })),
    })),
    finds: ["append: all fields are returned, and latestTimeMs is the latest time so far"],
  },
  {
    name: "what was not given is null",
    calls: reading(({ entries }) => ({ entries: entries.map((entry) => ({ id: null, pinned: null, ...entry })) })),
    finds: [
      "append: missing fields stay absent",
      "read: ranges of all kinds return their entries, in both logs, even with gaps",
    ],
  },
  {
    name: "the logs are one",
    calls: (store) => ({
      append: (key, entries, options) => store.append(key, entries, { ...options, log: "transcript" }),
      read: (key, range) => store.read(key, { ...range, log: "transcript" }),
    }),
    finds: [
      "append: each log has its own sequence and head",
      "operationId: it applies to one session and one log",
      "trim: trims the log of builds if it is named",
    ],
  },
  {
    name: "an empty append is made",
    calls: appending(async (store, key, entries, options) =>
      entries.length === 0 ? { firstSeq: 1, lastSeq: 0, isRepeated: false } : store.append(key, entries, options),
    ),
    finds: ["append: an empty list is refused, and begins no session"],
  },
  {
    name: "entries are appended one after the other",
    calls: appending(async (store, key, entries, options) => {
      let first;
      for (const [index, entry] of entries.entries()) {
        const own = index === 0 ? options : { log: options.log };
        const result = await store.append(key, [entry], own);
        first ??= result;
        if (result.isRepeated) {
          return result;
        }
        Object.assign(first, { lastSeq: result.lastSeq });
      }
      return first ?? store.append(key, entries, options);
    }),
    finds: [
      "append: if one entry can't be stored, none is",
      "append: an invalid entry is refused, together with the whole append",
      "operationId: a repeated operation isn't appended again, and returns its first result",
    ],
  },
  {
    name: "any type is an entry's",
    calls: appending((store, key, entries, options) =>
      store.append(
        key,
        entries.map((entry) => (entry.type === "reply" ? { ...entry, type: "other" } : entry)),
        options,
      ),
    ),
    finds: ["append: an invalid entry is refused, together with the whole append"],
  },
  {
    name: "operationId is ignored",
    calls: appending((store, key, entries, { operationId: _, ...options }) => store.append(key, entries, options)),
    finds: [
      "operationId: a repeated operation isn't appended again, and returns its first result",
      "operationId: any two texts are distinguished",
      "operationId: it is remembered as long as one of its entries exists",
      "two stores: an operation that both append simultaneously is appended once",
      "two stores: each sees the other's changes",
      ...RANDOM,
    ],
  },
  {
    name: "an operation is remembered only by the entries that are left",
    calls: appending(async (store, key, entries, options) => {
      const result = await store.append(key, entries, options);
      const rows = (await store.read(key, { log: options.log ?? "transcript" })).entries;
      const own = rows.filter(({ operationId }) => result.isRepeated && operationId === options.operationId);
      return result.isRepeated ? { ...result, firstSeq: own[0].seq, lastSeq: own.at(-1).seq } : result;
    }),
    finds: ["operationId: it is remembered as long as one of its entries exists"],
  },
  {
    name: "expectedSeq is ignored",
    calls: appending((store, key, entries, { expectedSeq: _, ...options }) => store.append(key, entries, options)),
    finds: [
      "expectedSeq: an append fails if another came first, and leaves nothing",
      "expectedSeq: only one of several with the same expectation succeeds",
      "subscribe: reports every change of a session, in order, and nothing else",
    ],
  },
  {
    name: "expectedSeq is compared before the append, not with it",
    calls: appending(async (store, key, entries, { expectedSeq, ...options }) => {
      const { info } = await store.read(key);
      const lastSeq = info?.logs[options.log ?? "transcript"].lastSeq ?? 0;
      return store.append(key, entries, expectedSeq === lastSeq ? options : { ...options, expectedSeq });
    }),
    finds: ["expectedSeq: only one of several with the same expectation succeeds"],
  },
  {
    name: "expectedId is ignored",
    calls: (store) => {
      /** @param {{ expectedId?: string }} [options] */
      const without = ({ expectedId: _, ...options } = {}) => options;
      return {
        append: (key, entries, options) => store.append(key, entries, without(options)),
        trim: (key, seq, options) => store.trim(key, seq, without(options)),
        remove: (key, options) => store.remove(key, without(options)),
      };
    },
    finds: ["expectedId: a call meant for another session does nothing"],
  },
  {
    name: "what is expected of a removal is compared before it waits",
    calls: (store) => ({
      async remove(key, { expectedSeq = 0 } = {}) {
        const { info } = await store.read(key);
        const isExpected = (info?.logs.transcript.lastSeq ?? 0) === expectedSeq;
        return store.remove(key, isExpected ? {} : { expectedSeq });
      },
    }),
    finds: ["remove: a session with newer appends than expected isn't removed"],
  },
  {
    name: "what is rewritten stays as it was",
    calls: appending((store, key, entries, { rewrites: _, ...options }) => store.append(key, entries, options)),
    finds: ["rewrites: entries are replaced in place together with the append, or nothing changes"],
  },
  {
    name: "what is replaced stays",
    calls: appending((store, key, entries, { replacesSeq: _, ...options }) => store.append(key, entries, options)),
    finds: [
      "replacesSeq: the newest message is removed, and its replacement appended",
      "replacesSeq: only the newest message can be replaced, and a failed append leaves nothing",
      "replacesSeq: a reply that is replaced many times keeps its last state",
      "get: returns the transcript's entries with these ids, by sequence number",
    ],
  },
  {
    name: "a session that does not exist is an empty one",
    calls: reading(({ info }, _, key) => ({ info: info ?? { key, id: "none" } })),
    finds: ["read: a missing session has no entries"],
  },
  {
    name: "the limit is ignored",
    calls: (store) => ({ read: (key, { limit: _, ...range } = {}) => store.read(key, range) }),
    finds: [
      "read: limits count from the start of the order",
      "read: ranges of all kinds return their entries, in both logs, even with gaps",
      "append: accepts 5,000 entries in one call",
    ],
  },
  {
    name: "the limit counts from the end of the log whatever the order",
    calls: (store) => ({
      async read(key, range = {}) {
        const { order = "ascending" } = range;
        const { entries, ...result } = await store.read(key, { ...range, order: "descending" });
        return { ...result, entries: order === "ascending" ? [...entries].reverse() : entries };
      },
    }),
    finds: ["read: limits count from the start of the order"],
  },
  {
    name: "the limit counts what is not asked for",
    calls: (store) => ({
      async read(key, { types, pinned, ...range } = {}) {
        const { entries, ...result } = await store.read(key, range);
        const asked = entries.filter(isOfType(types)).filter((entry) => !pinned || entry.pinned);
        return { ...result, entries: asked };
      },
    }),
    finds: ["read: ranges of all kinds return their entries, in both logs, even with gaps"],
  },
  {
    name: "a range has its own ends in it",
    calls: (store) => ({
      read: (key, { after = 0, ...range } = {}) => store.read(key, { ...range, after: after - 1 }),
    }),
    finds: [
      "read: limits count from the start of the order",
      "read: ranges of all kinds return their entries, in both logs, even with gaps",
    ],
  },
  {
    name: "what is no range is a range that has nothing",
    calls: (store) => ({
      read: (key, range) => store.read(key, range).catch(() => store.read(key, { limit: 0 })),
    }),
    finds: ["read, append, trim, sessions: invalid arguments are refused, and nothing is done"],
  },
  {
    name: "misspelled options are refused",
    calls: appending((store, key, entries, { log, operationId, expectedSeq, replacesSeq }) =>
      store.append(key, entries, { log, operationId, expectedSeq, replacesSeq }),
    ),
    finds: ["read, append, trim, sessions: invalid arguments are refused, and nothing is done"],
  },
  {
    name: "no types are all types",
    calls: (store) => ({
      read: (key, { types, ...range } = {}) => store.read(key, types?.length > 0 ? { ...range, types } : range),
    }),
    finds: ["read: ranges of all kinds return their entries, in both logs, even with gaps"],
  },
  {
    name: "the session is read after its entries",
    calls: reading(async (_, __, key, store) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { info: (await store.read(key)).info };
    }),
    finds: ["read: entries and session are from the same moment"],
  },
  {
    name: "an id finds only its newest entry",
    calls: (store) => ({
      async get(key, ids) {
        const newest = new Map((await store.get(key, ids)).map((entry) => [entry.id, entry]));
        return [...newest.values()];
      },
    }),
    finds: ["get: returns the transcript's entries with these ids, by sequence number", ...RANDOM.slice(0, 1)],
  },
  {
    name: "ids are found whatever their case",
    calls: (store) => ({
      async get(key, ids) {
        const { entries } = await store.read(key);
        const folded = ids.map((id) => id.toLowerCase());
        return entries.filter(({ id }) => id !== undefined && folded.includes(id.toLowerCase()));
      },
    }),
    finds: ["get: any text can be an id, any two are distinguished, and there may be many"],
  },
  {
    name: "at most a hundred ids are found",
    calls: (store) => ({ get: (key, ids) => store.get(key, ids.slice(0, 100)) }),
    finds: ["get: any text can be an id, any two are distinguished, and there may be many"],
  },
  {
    name: "empty values are none",
    calls: (store) => ({
      derived: {
        write: store.derived.write,
        async read(key, names) {
          return new Map([...(await store.derived.read(key, names))].filter(([, { length }]) => length > 0));
        },
      },
    }),
    finds: ["derived: returns the written values of the requested names"],
  },
  {
    name: "values outlive their session, and are copied by nobody",
    calls: () => {
      const values = new Map();
      const named = (key, name) => `${key}|${name}`;
      return {
        derived: {
          read: (key, names) =>
            Promise.resolve(
              new Map(names.map((name) => [name, values.get(named(key, name))]).filter(([, value]) => value)),
            ),
          write(key, written) {
            for (const [name, value] of written) {
              assert.ok(value === undefined || value instanceof Uint8Array);
              values.set(named(key, name), value);
            }
            return Promise.resolve();
          },
        },
      };
    },
    finds: [
      "derived: nothing is written for a session that doesn't exist, and values are removed with their session",
      "derived: values belong to a session and a name, whatever the texts are",
      "derived: changing written or read bytes doesn't change the store",
    ],
  },
  {
    name: "values are written one after the other",
    calls: (store) => ({
      derived: {
        read: store.derived.read,
        async write(key, values) {
          for (const value of values) {
            await store.derived.write(key, new Map([value]));
          }
        },
      },
    }),
    finds: ["derived: values may be large and many, and all are written or none"],
  },
  {
    name: "sessions are in the order of their bytes",
    calls: (store) => ({
      async sessions(filter) {
        const infos = await store.sessions(filter);
        return infos.sort((left, right) => Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)));
      },
    }),
    finds: [
      "sessions: returns them by key in the order of code units, or only the requested ones",
      "keys: every call distinguishes any two texts",
    ],
  },
  {
    name: "at most a hundred sessions are listed",
    calls: (store) => ({ sessions: async (filter) => (await store.sessions(filter)).slice(0, 100) }),
    finds: ["sessions: supports many sessions"],
  },
  {
    name: "a trim keeps nothing",
    calls: (store) => ({ trim: (key, seq, options) => store.trim(key, seq, { ...options, keepSeqs: [] }) }),
    finds: [
      "trim: removes earlier entries except those to keep, and the sequence continues",
      "trim: the head names the newest message that is left",
      "trim: nothing changes if there is nothing to trim",
      "trim: many entries may be trimmed, and many kept",
    ],
  },
  {
    name: "a trim keeps what is pinned",
    calls: (store) => ({
      async trim(key, seq, options) {
        const { entries } = await store.read(key, { pinned: true });
        const keepSeqs = [...(options?.keepSeqs ?? []), ...entries.map((entry) => entry.seq)];
        return store.trim(key, seq, { ...options, keepSeqs });
      },
    }),
    finds: ["trim: removes earlier entries except those to keep, and the sequence continues"],
  },
  {
    name: "a trim of all begins the sequence anew",
    calls: (store) => ({
      async trim(key, seq, options) {
        const result = await store.trim(key, seq, options);
        if (!((await store.read(key)).entries.length > 0)) {
          await store.remove(key);
        }
        return result;
      },
    }),
    finds: [
      "trim: removes earlier entries except those to keep, and the sequence continues",
      "expectedSeq: an append fails if another came first, and leaves nothing",
      "derived: nothing is written for a session that doesn't exist, and values are removed with their session",
    ],
  },
  {
    name: "a trim of nothing is counted",
    calls: (store) => {
      let removals = 0;
      return {
        trim(...given) {
          removals += 1;
          return store.trim(...given);
        },
        async read(key, range) {
          const { info, ...result } = await store.read(key, range);
          const transcript = { ...info?.logs.transcript, removals };
          return { ...result, info: info && { ...info, logs: { ...info.logs, transcript } } };
        },
      };
    },
    finds: ["trim: nothing changes if there is nothing to trim"],
  },
  {
    name: "a removed session keeps its name, its builds and its place in the list",
    calls: (store) => ({ remove: async (key) => void (await store.trim(key, Infinity)) }),
    finds: ["remove: a whole session is removed, and a later append begins a new one"],
  },
  {
    name: "holding holds nothing",
    calls: () => ({ holding: async (_, run) => run() }),
    finds: [
      "holding: trim and remove wait, but append doesn't",
      "holding: several may overlap and be nested, even while a trim waits",
      "close: waits for holders of a session, and for calls that wait for them",
      "two stores: neither trims or removes a session that the other holds",
      "two stores: a hold may be nested while the other's trim waits",
      "keys: every call refuses an invalid key",
    ],
  },
  {
    name: "one hold waits for another",
    calls: (store) => {
      let last = Promise.resolve();
      return {
        holding(key, run) {
          const own = last.then(() => store.holding(key, run));
          last = own.catch(() => undefined);
          return own;
        },
      };
    },
    finds: [
      "holding: several may overlap and be nested, even while a trim waits",
      "two stores: a hold may be nested while the other's trim waits",
    ],
  },
  {
    name: "a hold that fails is never released",
    calls: (store) => ({
      holding: (key, run) =>
        new Promise((resolve, reject) => {
          const never = new Promise(() => undefined);
          const held = store.holding(key, async () => {
            try {
              resolve(await run());
            } catch (failure) {
              reject(failure);
              await never;
            }
          });
          held.catch(reject);
        }),
    }),
    finds: ["holding: returns the callback's result or its error, and then releases"],
  },
  {
    name: "an append waits for holds",
    calls: (store) => {
      let held = Promise.resolve();
      return {
        holding(key, run) {
          const own = store.holding(key, run);
          held = own.catch(() => undefined);
          return own;
        },
        append: (...given) => held.then(() => store.append(...given)),
      };
    },
    finds: ["holding: trim and remove wait, but append doesn't"],
  },
  {
    name: "a trim that has begun is not waited for",
    calls: (store) => ({
      holding: async (_, run) => run(),
      async trim(...given) {
        await store.read("any");
        await store.read("any");
        await store.read("any");
        return store.trim(...given);
      },
    }),
    finds: ["holding: a trim in progress ends before a hold begins"],
  },
  {
    name: "one hold holds all sessions",
    calls: (store) => ({
      holding: (_, run) => store.holding("all", run),
      trim: (key, ...more) => store.holding(key, () => store.trim(key, ...more)),
    }),
    finds: ["holding: only the named session is held"],
  },
  {
    name: "listeners are called before it is done",
    calls: (store) => {
      const listeners = [];
      const tell = async (key, change) => {
        for (const { heard, listener } of listeners) {
          if (heard === key) {
            listener(change);
          }
        }
        await store.read(key);
      };
      return {
        subscribe(heard, listener) {
          listeners.push({ heard, listener });
          return () => undefined;
        },
        async append(key, entries, options) {
          const { info } = await store.read(key);
          const log = options?.log ?? "transcript";
          await tell(key, { kind: "append", log, lastSeq: (info?.logs[log].lastSeq ?? 0) + entries.length });
          return store.append(key, entries, options);
        },
        async trim(key, seq, options) {
          await tell(key, { kind: "trim", log: options?.log ?? "transcript", lastSeq: 0 });
          return store.trim(key, seq, options);
        },
      };
    },
    finds: [
      "subscribe: a reported change can be read",
      "subscribe: reports every change of a session, in order, and nothing else",
      "subscribe: each listener is called until it unsubscribes, and one that throws affects no other",
    ],
  },
  {
    name: "nothing is told of",
    calls: () => ({ subscribe: () => () => undefined }),
    finds: [
      "subscribe: reports every change of a session, in order, and nothing else",
      "subscribe: a reported change can be read",
      "two stores: each reports the other's changes",
    ],
  },
  {
    name: "a listener cannot be ended",
    calls: (store) => ({
      subscribe(...given) {
        store.subscribe(...given);
        return () => undefined;
      },
    }),
    finds: ["subscribe: each listener is called until it unsubscribes, and one that throws affects no other"],
  },
  {
    name: "all sessions' changes are told of",
    calls: (store) => ({
      subscribe(_, listener) {
        const ends = ["web:main", "other"].map((key) => store.subscribe(key, listener));
        return () => ends.map((end) => end());
      },
    }),
    finds: [
      "subscribe: reports every change of a session, in order, and nothing else",
      "two stores: each reports the other's changes",
    ],
  },
  {
    name: "a closed store goes on",
    calls: () => ({ close: () => Promise.resolve() }),
    finds: [
      "close: waits for calls in progress, makes later ones fail, and may be called again",
      "close: waits for holders of a session, and for calls that wait for them",
    ],
  },
  {
    name: "a store that was closed twice fails",
    calls: (store) => {
      let isClosed = false;
      return {
        close() {
          if (isClosed) {
            return Promise.reject(new Error("It was expected to be closed once."));
          }
          isClosed = true;
          return store.close();
        },
      };
    },
    finds: ["close: waits for calls in progress, makes later ones fail, and may be called again"],
  },
  {
    name: "calls in progress fail when it is closed",
    calls: (store) => {
      let isClosed = false;
      return {
        async append(...given) {
          const result = await store.append(...given);
          if (isClosed) {
            const nextAction = "Make another store.";
            throw new ContextError({ kind: "store_error", code: "STORE_CLOSED", message: "closed", nextAction });
          }
          return result;
        },
        close() {
          isClosed = true;
          return store.close();
        },
      };
    },
    finds: ["close: waits for calls in progress, makes later ones fail, and may be called again"],
  },
  {
    name: "errors are plain ones",
    calls: appending((store, key, entries, options) =>
      store.append(key, entries, options).catch(({ message }) => {
        throw new Error(message);
      }),
    ),
    finds: [
      "append: an empty list is refused, and begins no session",
      "append: if one entry can't be stored, none is",
      "keys: every call refuses an invalid key",
    ],
  },
  {
    name: "an empty key is a key",
    calls: keyedBy((key) => (key === "" ? "empty" : key)),
    finds: ["keys: every call refuses an invalid key"],
  },
  ...[
    ["lower case", (key) => key.toLowerCase()],
    ["trimmed", (key) => key.trim()],
    ["ended by NUL", (key) => key.split("\0")[0]],
    ["composed", (key) => key.normalize()],
    ["made of compatible letters", (key) => key.normalize("NFKC")],
    ["well-formed", (key) => key.toWellFormed()],
    ["cut where they are long", (key) => key.slice(0, 10_000)],
    ["without a byte order mark", (key) => key.replace(/^\ufeff/u, "")],
    ["numbers where they look like it", (key) => (Number.isNaN(Number(key)) ? key : `${Number(key)}`)],
  ].map(([folded, fold]) => ({
    name: `keys are ${folded}`,
    calls: keyedBy(onTexts(fold)),
    finds: ["keys: every call distinguishes any two texts"],
  })),
  {
    name: "data is copied by assigning each of its properties",
    calls: reading(({ entries }) => {
      const copy = (value) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          return value;
        }
        const copied = {};
        for (const name of Object.keys(value)) {
          copied[name] = copy(value[name]);
        }
        return copied;
      };
      return { entries: entries.map((entry) => ({ ...entry, data: copy(entry.data) })) };
    }),
    finds: ["data: entries read are deeply equal to those appended"],
  },
  {
    name: "data is bytes in between",
    calls: reading(({ entries }) => ({
      entries: entries.map((entry) =>
        typeof entry.data === "string" ? { ...entry, data: Buffer.from(entry.data).toString() } : entry,
      ),
    })),
    finds: ["data: entries read are deeply equal to those appended"],
  },
  {
    name: "who reads twice gets the same objects",
    calls: (store) => {
      const kept = new Map();
      return reading(({ entries }) => ({
        entries: entries.map((entry) => {
          kept.set(entry.seq, kept.get(entry.seq) ?? entry);
          return kept.get(entry.seq);
        }),
      }))(store);
    },
    finds: ["data: changing appended or read objects doesn't change the store"],
  },
  {
    name: "what is appended is copied later",
    calls: appending(async (store, ...given) => {
      await store.read("any");
      return store.append(...given);
    }),
    finds: ["data: changing appended or read objects doesn't change the store"],
  },
  {
    name: "texts end after 100,000 characters",
    calls: reading(({ entries }) => ({
      entries: entries.map((entry) =>
        entry.data?.content?.length > 100_000 ? { ...entry, data: { content: entry.data.content.slice(1) } } : entry,
      ),
    })),
    finds: ["append: accepts a text of one megabyte"],
  },
  {
    name: "appends at once take the same place",
    calls: (store) => {
      const results = new Map();
      return appending((_, key, entries, options) => {
        const result = results.get(key) ?? store.append(key, entries, options);
        results.set(key, result);
        setImmediate(() => results.delete(key));
        return result;
      })(store);
    },
    finds: [
      "two stores: simultaneous appends leave no gap and no duplicate, and both see the same order",
      "two stores: appends that aren't awaited keep their order",
    ],
  },
  {
    name: "what one store appends, another has not read yet",
    calls: (store) => {
      let count = 0;
      return reading(({ entries, info }) => {
        count += 1;
        return count % 2 === 0 ? { entries: entries.slice(0, -1), info } : { entries, info };
      })(store);
    },
    finds: ["two stores: each sees the other's changes"],
  },
];

/** Storage that is wrong in one way each, visible when it is reopened. */
const brokenStorage = [
  {
    name: "all is lost when it is opened again",
    storage: { reopened: () => memoryStore() },
    finds: [
      "reopened: everything is unchanged",
      "reopened: no sequence number is reused, and removed data stays removed",
      "close: waits for calls in progress, makes later ones fail, and may be called again",
      "close: waits for holders of a session, and for calls that wait for them",
      "two stores: each sees the other's changes",
    ],
  },
  {
    name: "a session without entries is gone when it is opened again",
    storage: {
      async reopened(store = memoryStore()) {
        for (const { key, logs } of await store.sessions()) {
          if (Object.values(logs.transcript.counts).every((count) => count === 0)) {
            await store.remove(key);
          }
        }
        return store;
      },
    },
    finds: ["reopened: no sequence number is reused, and removed data stays removed"],
  },
  {
    name: "derived values are gone when it is opened again",
    storage: {
      async reopened(store = memoryStore()) {
        for (const { key } of await store.sessions()) {
          await store.derived.write(key, new Map([["a", undefined]]));
        }
        return store;
      },
    },
    finds: ["reopened: everything is unchanged"],
  },
  {
    name: "who closes one closes all",
    storage: { close: (store) => store.close() },
    finds: ["close: another store on the same storage keeps working"],
  },
];

describe("the suite detects stores that break the contract", () => {
  const open = (calls) => () => {
    const store = memoryStore();
    return changed(store, calls(store));
  };
  const all = [
    ...broken.map(({ name, calls, finds }) => ({ name, finds, cases: () => casesFor(open(calls)) })),
    ...brokenStorage.map(({ name, storage, finds }) => ({ name, finds, cases: () => casesForHandles(storage) })),
  ];

  for (const { name, finds, cases: casesOf } of all) {
    test(name, async () => {
      const cases = new Map(casesOf().map((one) => [one.name, one]));
      for (const found of finds) {
        const failure = await cases
          .get(found)
          .run()
          .catch((caught) => caught);
        assert.match(failure?.message ?? "It found nothing.", /expected/, `${found}: ${failure?.message}`);
      }
    });
  }

  test("each of its cases detects one of these", () => {
    const found = new Set(all.flatMap(({ finds }) => finds));
    const unproved = casesForHandles().filter(({ name }) => !found.has(name));
    assert.deepEqual(unproved, []);
  });

  test("stores that change nothing pass", async () => {
    for (const { run } of [...casesFor(open(() => ({}))), ...casesForHandles()]) {
      await run();
    }
  });
});
