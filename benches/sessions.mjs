// Measures sessions wherever their store runs: Chromium, Node, workerd.

import { buildContext, countTokens, openSession } from "windrow";
import { Conversation } from "./conversation.mjs";

const START = Date.parse("2025-01-06T09:00:00Z");

/** The number of messages at the end of every session that are the same in all. */
const COMMON = 256;

/** The number of messages per append when a session is filled. */
const BATCH = 1000;

/**
 * Returns the config of every build: the default window, no recall.
 *
 * @returns {import("windrow").ContextConfig}
 */
export const config = (request) => ({ request, budget: { maxTokens: 4000 }, recall: { ranking: "recency" } });

/** Fills a session with `count` messages, an even number. Its last 256 are the same for every length. */
export async function fill(store, key, count) {
  const conversation = new Conversation(1, START);
  const beginning = conversation.beginning();
  const middle = conversation.messages(count - COMMON - beginning.length);
  const end = new Conversation(2, Date.parse(middle.at(-1)?.createdAt ?? beginning.at(-1).createdAt)).messages(COMMON);
  const messages = [...beginning, ...middle, ...end];
  const session = await openSession(key, { store });
  for (let first = 0; first < messages.length; first += BATCH) {
    await session.append(messages.slice(first, first + BATCH));
  }
  await session.close();
}

/** Returns the average tokens of a message in such a session. */
export async function meanTokens() {
  await warmUp();
  const messages = new Conversation(1, START).messages(2000);
  return countTokens(messages).tokens / messages.length;
}

/** Warms up, because a page's first build starts the engine and loads the vocabulary. */
export async function warmUp() {
  const messages = new Conversation(3, START).messages(200);
  for (let count = 0; count < 5; count += 1) {
    await buildContext(messages, config(`And then? ${count}`));
  }
}

const clock = () => performance.now();

/** Returns a conversation that continues a session. */
async function following(session, seed) {
  const info = await session.info();
  return new Conversation(seed, info?.logs.transcript.latestTimeMs ?? START);
}

/**
 * Builds in open sessions alternately, each time after one exchange was appended. Background work of a build ends
 * before the next one starts. Each session is identified by its store and key. Returns the times of all rounds for
 * each, in milliseconds.
 */
export async function measureBuilds(places, rounds) {
  const sessions = [];
  for (const [store, key] of places) {
    const session = await openSession(key, { store });
    await session.build(config("What was that?"));
    await session.settled();
    const conversation = await following(session, 4);
    sessions.push({ session, conversation, times: { append: [], build: [], after: [] } });
  }
  for (let round = 0; round < rounds; round += 1) {
    // The sessions take turns in being first.
    for (const { session, conversation, times } of round % 2 === 0 ? sessions : sessions.toReversed()) {
      const exchange = conversation.exchange({ withTool: false });
      const started = clock();
      await session.append(exchange);
      const appended = clock();
      await session.settled();
      const begun = clock();
      await session.build(config(`And then? ${round}`));
      const built = clock();
      await session.settled();
      times.append.push(appended - started);
      times.build.push(built - begun);
      times.after.push(clock() - built);
    }
  }
  for (const { session } of sessions) {
    await session.close();
  }
  return sessions.map(({ times }) => times);
}

/** Appends a question and its answer. */
export async function appendExchange(session) {
  await session.append((await following(session, 4)).exchange({ withTool: false }));
}

/** Opens a session and builds in it. Returns the time in milliseconds. */
export async function measureOpening(store, key) {
  const started = clock();
  const session = await openSession(key, { store });
  await session.build(config("What was that?"));
  const took = clock() - started;
  await session.close();
  return took;
}

/** Appends exchanges that are the same for all sessions. */
export async function appendCommon(store, key, seed, count) {
  const session = await openSession(key, { store });
  const conversation = await following(session, seed);
  await session.append(conversation.messages(count));
  await session.close();
}

/** Counts the reads and writes of opening a session, and of a build after one exchange was appended. */
export async function countCalls(store, key) {
  const counts = newCounts();
  const session = await openSession(key, { store: counting(store, counts) });
  await session.build(config("What was that?"));
  await session.settled();
  const opening = { ...counts };
  Object.assign(counts, newCounts());
  await appendExchange(session);
  await session.settled();
  Object.assign(counts, newCounts());
  await session.build(config("And then?"));
  await session.settled();
  const next = { ...counts };
  await session.close();
  return { opening, next };
}

/** Removes the derived data that opening a session reads, and returns the number of values. */
export async function forgetDerived(store, key) {
  const counts = newCounts();
  const session = await openSession(key, { store: counting(store, counts) });
  await session.build(config("What was that?"));
  await session.close();
  const names = [...counts.derivedNames];
  const there = await store.derived.read(key, names);
  await store.derived.write(key, new Map(names.map((name) => [name, undefined])));
  return there.size;
}

export function newCounts() {
  return { rowsRead: 0, derivedNames: new Set(), derivedRead: 0, derivedBytes: 0, derivedWritten: 0, calls: 0 };
}

/** Returns a store that counts the calls and rows passing through it. */
export function counting(store, counts) {
  return {
    append(sessionKey, entries, options) {
      counts.calls += 1;
      return store.append(sessionKey, entries, options);
    },
    async read(sessionKey, range) {
      counts.calls += 1;
      const result = await store.read(sessionKey, range);
      counts.rowsRead += result.entries.length + result.skipped.length;
      return result;
    },
    async get(sessionKey, ids) {
      counts.calls += 1;
      const entries = await store.get(sessionKey, ids);
      counts.rowsRead += entries.length;
      return entries;
    },
    derived: {
      async read(sessionKey, names) {
        counts.calls += 1;
        for (const name of names) {
          counts.derivedNames.add(name);
        }
        const values = await store.derived.read(sessionKey, names);
        counts.derivedRead += values.size;
        for (const bytes of values.values()) {
          counts.derivedBytes += bytes.length;
        }
        return values;
      },
      write(sessionKey, values) {
        counts.calls += 1;
        counts.derivedWritten += values.size;
        return store.derived.write(sessionKey, values);
      },
    },
    sessions(filter) {
      counts.calls += 1;
      return store.sessions(filter);
    },
    trim: (...given) => store.trim(...given),
    remove: (sessionKey) => store.remove(sessionKey),
    holding: (sessionKey, run) => store.holding(sessionKey, run),
    subscribe: (sessionKey, listener) => store.subscribe(sessionKey, listener),
    close: () => store.close(),
  };
}

/** Times appends of one message, alternating between stores. Returns a list of times for each, in milliseconds. */
export async function measureAppends(stores, key, rounds) {
  const measured = [];
  for (const store of stores) {
    const session = await openSession(key, { store });
    measured.push({ session, conversation: await following(session, 6), times: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { session, conversation, times } of measured) {
      for (const message of conversation.exchange({ withTool: false })) {
        const started = clock();
        await session.append(message);
        times.push(clock() - started);
      }
    }
  }
  for (const { session } of measured) {
    await session.close();
  }
  return measured.map(({ times }) => times);
}

/** Times exporting a session and importing the result, in milliseconds. */
export async function measureExport(store, key) {
  const session = await openSession(key, { store });
  const started = clock();
  const text = await session.export();
  const exported = clock();
  await session.close();
  const copy = await openSession(`${key} again`, { store });
  const begun = clock();
  const { messageCount, skipped } = await copy.import(text);
  const imported = clock();
  await copy.close();
  await store.remove(copy.key);
  return {
    messageCount,
    skippedCount: skipped.length,
    charCount: text.length,
    exportMs: exported - started,
    importMs: imported - begun,
  };
}
