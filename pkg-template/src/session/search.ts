// Searches one session, or all sessions of a store, with recall's index.

import { rarityOf } from "#core";
import { ContextError } from "../base/errors.js";
import { faultIn, faultOf, type OptionRule, type OptionRules } from "../base/options.js";
import { publicPromise } from "../base/public-call.js";
import { zoneOf } from "../config/zones.js";
import { Transcript } from "../context/transcript.js";
import { call } from "../engine/engine.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageInput } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import type { TranscriptStore } from "../stores/contract.js";
import { checkKey, checkStore } from "../stores/log.js";
import { messageOf } from "./log.js";
import { type FoundInLog, type LogQuestion, MESSAGE_TYPES, Tail } from "./tail.js";

const KIND = "session_error";
/** The default number of hits. */
const DEFAULT_LIMIT = 10;
const LARGEST_LIMIT = 1000;

export interface SearchOptions {
  /** Maximum number of hits, from 1 to 1,000. Default: 10. */
  readonly limit?: number;
  /** The user's time zone, for words such as "yesterday". Default: UTC. */
  readonly timeZone?: string | null;
}

export interface StoreSearchOptions extends SearchOptions {
  /**
   * The keys of the sessions to search. If the store has sessions of several users, pass those of one. Default: all.
   */
  readonly keys?: readonly string[];
}

/** A message that the search found. */
export interface SearchHit<M> {
  /** The key of its session. */
  readonly sessionKey: string;
  /** The sequence number in that session. */
  readonly seq: number;
  readonly message: M;
  /** The relevance, above 0. Higher is better. Scores are comparable only within one search. */
  readonly score: number;
  /** The reason for the hit, in words. */
  readonly reason: string;
}

/** A log to search. */
export interface SearchedLog<M> {
  readonly sessionKey: string;
  /** Finds the best messages, up to a limit. */
  find(question: LogQuestion): Promise<FoundInLog>;
  /** Reads messages by their sequence numbers. */
  read(seqs: readonly number[]): Promise<ReadonlyMap<number, M>>;
}

interface MergedHit {
  readonly log: number;
  readonly hit: number;
  readonly score: number;
}

/**
 * Finds messages in all sessions of a store, best first, with the indexes that builds use for ranking. A session
 * without an index is read once. Skips messages that their author removed (`status: "deleted"`) or that have expired
 * (`ttlSeconds`). Fails with `INVALID_CONFIG`, and as the store does.
 */
export function searchSessions<M extends AnyMessage = MessageInput>(
  store: TranscriptStore,
  query: string,
  options: StoreSearchOptions = {},
): Promise<readonly SearchHit<M>[]> {
  return publicPromise(KIND, "searchSessions", async () => {
    checkStore(store, "store");
    checkSearch(query, options, STORE_SEARCH);
    const { keys, ...rest } = options;
    for (const key of keys ?? []) {
      checkKey(key);
    }
    await shapes.load();
    const sessions = await store.sessions(keys === undefined ? {} : { keys });
    const logs = sessions.map(({ key }) => searchedOf<M>(store, key));
    return await searchLogs<M>(logs, query, rest);
  });
}

type Hit = FoundInLog["hits"][number];

/** Finds messages in logs, best first. The query and the options are already checked. */
export async function searchLogs<M extends AnyMessage>(
  logs: readonly SearchedLog<M>[],
  text: string,
  { limit = DEFAULT_LIMIT, timeZone }: SearchOptions,
): Promise<readonly SearchHit<M>[]> {
  const nowMs = Date.now();
  // Some hits may have been removed since. Then it looks for more.
  for (let count = limit; ; count *= 2) {
    const found: FoundInLog[] = [];
    for (const log of logs) {
      found.push(await log.find({ text, nowMs, timeZone: timeZone ?? undefined, count }));
    }
    const merged = merge(found).slice(0, count);
    const messages: ReadonlyMap<number, M>[] = [];
    for (const [place, log] of logs.entries()) {
      const seqs = merged.filter((it) => it.log === place).map(({ hit }) => found[place]?.hits[hit]?.seq ?? 0);
      messages.push(seqs.length === 0 ? new Map() : stillThere(await log.read(seqs), nowMs));
    }
    const hits = merged.flatMap(({ log, hit, score }): SearchHit<M>[] => {
      const { seq, reason } = found[log]?.hits[hit] ?? { seq: 0, reason: "" };
      const message = messages[log]?.get(seq);
      return message === undefined ? [] : [{ sessionKey: logs[log]?.sessionKey ?? "", seq, message, score, reason }];
    });
    if (hits.length >= limit || merged.length < count) {
      return hits.slice(0, limit);
    }
  }
}

/**
 * Merges the hits of several logs into one list. For equal scores, the log that comes first wins.
 *
 * A score within one log can't be compared with another log's, because the best hit of each has the same score. So each
 * log is weighted by the score that its best hit would have in a search over all of them: BM25 with word frequencies
 * over all logs.
 */
function merge(found: readonly FoundInLog[]): MergedHit[] {
  const all = found.reduce((sum, { messageCount }) => sum + messageCount, 0);
  const counts = new Map<string, number>();
  for (const { text, count } of found.flatMap(({ words }) => words)) {
    counts.set(text, (counts.get(text) ?? 0) + count);
  }
  const merged = found.flatMap(({ words, hits }, log) => {
    const rarities = words.map(({ text }) => call(KIND, () => rarityOf(all, counts.get(text) ?? 0)));
    const bm25 = ({ weights, similar }: Hit): number =>
      weights.reduce((sum, weight, word) => sum + weight * (rarities[word] ?? 0), similar);
    // A hit because of its time or speaker alone counts too.
    const strength = 1 + hits.reduce((most, hit) => Math.max(most, bm25(hit)), 0);
    return hits.map(({ share }, hit): MergedHit => ({ log, hit, score: share * strength }));
  });
  return merged.sort((left, right) => right.score - left.score);
}

/** Returns a session that is opened for one search. */
function searchedOf<M extends AnyMessage>(store: TranscriptStore, sessionKey: string): SearchedLog<M> {
  return {
    sessionKey,
    async find(question) {
      const tail = new Tail<M>(store, sessionKey, messageOf, () => {});
      try {
        const found = await tail.search(question);
        // If it can't be saved, it is computed again later.
        await tail.save().catch(() => undefined);
        return found;
      } finally {
        await tail.free();
      }
    },
    async read(seqs) {
      const { entries } = await store.read(sessionKey, { seqs, types: MESSAGE_TYPES });
      return new Map(
        entries.flatMap((entry) => {
          const { parsed } = messageOf(entry);
          return parsed === undefined ? [] : [[entry.seq, parsed.given as M]];
        }),
      );
    },
  };
}

/** Removes messages that have been deleted or have expired. */
function stillThere<M extends AnyMessage>(messages: ReadonlyMap<number, M>, nowMs: number): ReadonlyMap<number, M> {
  const transcript = new Transcript<M>();
  try {
    transcript.append([...messages.values()]);
    const { core } = transcript.source();
    return new Map([...messages].filter((_, row) => !call(KIND, () => core.isGone(row, nowMs))));
  } finally {
    transcript.free();
  }
}

const limit: OptionRule = [
  `an integer from 1 to ${LARGEST_LIMIT}`,
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST_LIMIT,
];
const timeZone: OptionRule = ["the name of a time zone", (value) => value === null || typeof value === "string"];
const SEARCH: OptionRules<keyof SearchOptions> = { limit, timeZone };
const STORE_SEARCH: OptionRules<keyof StoreSearchOptions> = {
  limit,
  timeZone,
  keys: ["a list of keys", (value) => Array.isArray(value)],
};

/** Fails with `INVALID_CONFIG` if an option of a search is misspelled or has a wrong value. */
export function checkSearch(query: unknown, options: SearchOptions, rules: OptionRules = SEARCH): void {
  const fault = faultOf("query", query, ["a text", (value) => typeof value === "string"]) ?? faultIn(options, rules);
  if (fault !== undefined) {
    throw new ContextError({ kind: KIND, code: "INVALID_CONFIG", ...fault });
  }
  if (options.timeZone != null) {
    zoneOf(options.timeZone, KIND);
  }
}
