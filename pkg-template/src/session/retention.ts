// What sessions may hold: bounded logs, from which the oldest goes first.

import { ContextError } from "../base/errors.js";
import { publicPromise } from "../base/public-call.js";
import type { ReadMessage } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import { beginsExchange } from "../message/roles.js";
import type {
  Entry,
  LogName,
  ReadRange,
  ReadResult,
  SessionInfo,
  SkippedEntry,
  TranscriptStore,
} from "../stores/contract.js";
import { checkStore } from "../stores/log.js";
import { messageOf } from "./log.js";
import { forgetBlocks, forgetIndex } from "./tail.js";

/** How much a session may hold. A limit that is not given bounds nothing. */
export interface RetentionLimits {
  /** How many messages, 1 or more: the newest stay. So many failure records may be beside them. */
  readonly maxMessages?: number | undefined;
  /** How old messages and builds may be, in days; fractions are allowed. An entry without a time has the age of its neighbours. */
  readonly maxAgeDays?: number | undefined;
  /** How many builds (snapshots and recordings), 0 or more. */
  readonly maxBuilds?: number | undefined;
}

/** How much all sessions of a store may hold together. A limit that is not given bounds nothing. */
export interface OverallLimits {
  /** How many messages, 1 or more: the newest of all sessions stay. */
  readonly maxMessages?: number | undefined;
  /** How many sessions, 1 or more; those that were not appended to for longest go whole, but for those with something pinned. */
  readonly maxSessions?: number | undefined;
  /** How old messages and builds may be, in days. */
  readonly maxAgeDays?: number | undefined;
}

/** How many entries are read at a time: first, and at most. */
interface PageLengths {
  readonly first: number;
  readonly most: number;
}

/** Where it is not known how far the reading goes. */
const GROWING: PageLengths = { first: 8, most: 512 };

/** Where all is read. */
const FULL: PageLengths = { first: 512, most: 512 };

/** Builds may be large. */
const OF_BUILDS: PageLengths = { first: 8, most: 32 };

/** How many messages further than it must be a cut is made, so that it is at the beginning of an exchange. */
const FURTHER = 64;

const DAY_MS = 86_400_000;

/**
 * Removes the oldest entries of a session, as far as they are beyond its limits.
 *
 * - Of the messages the newest `maxMessages` stay; that they are pinned or replied to does not matter there. The cut is made at
 *   the next user message, where there is one among the 64 messages after it and in the older half of what stays, so that no answer
 *   is left without its question: fewer may stay than the limit says. By age nothing goes that is younger than the limit.
 * - Of what is older these survive, beyond the limit: what is pinned; summaries; what is replied to by a message that stays by
 *   these rules, but not what that replies to in turn, or a chain of replies would keep all; the session's header.
 * - A tool call and its results stay or go together: where one of them stays, all do.
 * - Failure records go with the messages around them, and are bounded by `maxMessages` as well. Other rows, which are kept
 *   only to be exported, go with the messages around them.
 * - A time more than a day in the future is ignored: a wrong clock does not keep everything after it.
 *
 * What is replied to is known from the messages that stay, so that these are all read, in pages, where there is something to
 * remove; where there is nothing, only the oldest are. What is appended meanwhile stays, though a reply that is appended meanwhile may
 * find its parent gone. Must not be called while the session is held: a trim waits until it is not.
 */
export async function retainSession(
  store: TranscriptStore,
  sessionKey: string,
  limits: RetentionLimits,
  nowMs: number,
): Promise<{ readonly removedCount: number }> {
  checkRetention(limits);
  const [info] = await store.sessions({ keys: [sessionKey] });
  if (info === undefined) {
    return { removedCount: 0 };
  }
  const messageCount = await retainMessages(store, info, limits, nowMs);
  const buildCount = await retainBuilds(store, info, limits, nowMs);
  return { removedCount: messageCount + buildCount };
}

/**
 * Takes from all sessions of a store what is beyond limits, oldest first; `nowMs` is the clock's time where it is not given.
 *
 * - `maxSessions`: the sessions that were not appended to for longest are removed whole. One in which something is pinned is
 *   never removed, so that more may be left where many have pins.
 * - `maxAgeDays`: in every session, as `retainSession` does it.
 * - `maxMessages`: the newest of all sessions stay. A message is as old as the latest time in its session up to it, or its session where
 *   no message has one. Of what is older the same survives as within a session, and the cuts are made as there.
 *
 * `removedCount` is how many entries are gone, those of removed sessions included. Must not be called while a session is held.
 */
export function retain(
  store: TranscriptStore,
  limits: OverallLimits & { readonly nowMs?: number | undefined },
): Promise<{ readonly removedCount: number; readonly removedSessions: readonly string[] }> {
  return publicPromise("session_error", "retain", () => retainAll(store, limits));
}

async function retainAll(
  store: TranscriptStore,
  limits: OverallLimits & { readonly nowMs?: number | undefined },
): Promise<{ readonly removedCount: number; readonly removedSessions: readonly string[] }> {
  checkStore(store, "store");
  check(limits, OVERALL, "");
  await shapes.load();
  const { maxSessions, maxAgeDays, maxMessages, nowMs = Date.now() } = limits;
  const removed = maxSessions === undefined ? [] : await removeSessions(store, maxSessions);
  let removedCount = removed.reduce((count, info) => count + entryCount(info), 0);
  if (maxAgeDays !== undefined) {
    for (const { key } of await store.sessions()) {
      removedCount += (await retainSession(store, key, { maxAgeDays }, nowMs)).removedCount;
    }
  }
  if (maxMessages !== undefined) {
    for (const [info, beforeSeq] of await oldestOfAll(store, maxMessages)) {
      removedCount += await trimMessages(store, info, { beforeSeq });
    }
  }
  return { removedCount, removedSessions: removed.map(({ key }) => key) };
}

// ---- Limits ----

interface RetentionRule {
  readonly isValid: (value: number) => boolean;
  readonly expected: string;
}

const COUNT: RetentionRule = {
  isValid: (value) => Number.isSafeInteger(value) && value >= 1,
  expected: "a whole number from 1",
};
const COUNT_OR_NONE: RetentionRule = {
  isValid: (value) => Number.isSafeInteger(value) && value >= 0,
  expected: "a whole number from 0",
};
const DAYS: RetentionRule = {
  isValid: (value) => value > 0 && value < Number.POSITIVE_INFINITY,
  expected: "a number over 0",
};

const TIME: RetentionRule = { isValid: Number.isFinite, expected: "a time in milliseconds since 1970" };

const OF_SESSION: Readonly<Record<keyof RetentionLimits, RetentionRule>> = {
  maxMessages: COUNT,
  maxAgeDays: DAYS,
  maxBuilds: COUNT_OR_NONE,
};
const OVERALL: Readonly<Record<keyof OverallLimits | "nowMs", RetentionRule>> = {
  maxMessages: COUNT,
  maxSessions: COUNT,
  maxAgeDays: DAYS,
  nowMs: TIME,
};

/** Fails with `INVALID_CONFIG` where limits of a session are not what they must be; `path` is where they are. */
export function checkRetention(limits: unknown, path = ""): asserts limits is RetentionLimits {
  check(limits, OF_SESSION, path);
}

function check(limits: unknown, rules: Readonly<Record<string, RetentionRule>>, path: string): void {
  const names = Object.keys(rules).join(", ");
  if (typeof limits !== "object" || limits === null || Array.isArray(limits)) {
    throw wrong(path || "limits", "expected an object", `Pass an object with some of ${names}.`);
  }
  for (const [name, value] of Object.entries(limits)) {
    const place = path === "" ? name : `${path}.${name}`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      throw wrong(place, "unknown option", `The options are ${names}.`);
    }
    if (value !== undefined && !(typeof value === "number" && rule.isValid(value))) {
      throw wrong(place, `expected ${rule.expected}`, `Pass ${rule.expected}, or leave it out.`);
    }
  }
}

function wrong(path: string, problem: string, nextAction: string): ContextError {
  return new ContextError({
    kind: "session_error",
    code: "INVALID_CONFIG",
    message: `${path}: ${problem}`,
    path,
    nextAction,
  });
}

// ---- The messages of a session ----

async function retainMessages(
  store: TranscriptStore,
  info: SessionInfo,
  { maxMessages, maxAgeDays }: RetentionLimits,
  nowMs: number,
): Promise<number> {
  const { key, logs } = info;
  const { transcript } = logs;
  const { message: messageCount = 0, failure: failureCount = 0 } = transcript.counts;
  const excess = maxMessages === undefined ? 0 : Math.max(0, messageCount - maxMessages);
  // Where nothing has a time, nothing is too old.
  const isAged = transcript.latestTimeMs === undefined ? undefined : ageOf(maxAgeDays, nowMs);
  const { agedBefore, isRemovable } = await lookAtOldest(store, key, excess, isAged);
  const failuresBefore =
    maxMessages !== undefined && failureCount > maxMessages
      ? await beforeNewest(store, key, "failure", maxMessages)
      : 0;
  if (!isRemovable && failuresBefore === 0) {
    return 0;
  }
  const newest = excess > 0 ? maxMessages : undefined;
  return trimMessages(store, info, { newest, agedBefore, failuresBefore });
}

/** Whether a time is over the limit; undefined where that is not known. */
type IsAged = (timeMs: number | undefined) => boolean | undefined;

function ageOf(maxAgeDays: number | undefined, nowMs: number): IsAged | undefined {
  if (maxAgeDays === undefined) {
    return undefined;
  }
  const sinceMs = nowMs - maxAgeDays * DAY_MS;
  return (timeMs) => (timeMs === undefined || timeMs > nowMs + DAY_MS ? undefined : timeMs < sinceMs);
}

/** Reads from the old end, until the first entry that is young enough; finds out whether anything must go. */
async function lookAtOldest(
  store: TranscriptStore,
  sessionKey: string,
  excess: number,
  isAged: IsAged | undefined,
): Promise<{ readonly agedBefore: number; readonly isRemovable: boolean }> {
  let agedBefore = 0;
  let isRemovable = false;
  if (excess === 0 && isAged === undefined) {
    return { agedBefore, isRemovable };
  }
  let mayBeAged = isAged !== undefined;
  let messageCount = 0;
  /** Whether one that is not pinned was seen, of which it is not known yet whether it is too old. */
  let isUnpinnedOpen = false;
  for await (const { entries } of pagesOf(store, sessionKey, { types: ["message", "summary"] }, GROWING)) {
    for (const { seq, type, timeMs, pinned } of entries) {
      messageCount += type === "message" ? 1 : 0;
      const isUnpinned = type === "message" && !pinned;
      isRemovable ||= isUnpinned && messageCount <= excess;
      const aged = mayBeAged ? isAged?.(timeMs) : false;
      isUnpinnedOpen ||= isUnpinned;
      if (aged) {
        agedBefore = seq + 1;
        isRemovable ||= isUnpinnedOpen;
      }
      mayBeAged &&= aged !== false;
      if (!mayBeAged && (isRemovable || messageCount >= excess)) {
        return { agedBefore, isRemovable };
      }
    }
  }
  return { agedBefore, isRemovable };
}

/** What a trim removes: all that is before one of these, but for what survives. */
interface Cuts {
  /** How many messages stay, counted from the newest; the cut may be made further. */
  readonly newest?: number | undefined;
  /** The sequence number from which on messages stay; the cut may be made further. */
  readonly beforeSeq?: number | undefined;
  /** The sequence number before which messages are too old. */
  readonly agedBefore?: number;
  /** The sequence number before which failure records go. */
  readonly failuresBefore?: number;
}

async function trimMessages(
  store: TranscriptStore,
  { key: sessionKey, id }: SessionInfo,
  { newest, beforeSeq, agedBefore = 0, failuresBefore = 0 }: Cuts,
): Promise<number> {
  /** The messages of the log, damaged ones included. */
  const seqs: number[] = [];
  const scan = new Scan(newest ?? Number.POSITIVE_INFINITY, beforeSeq ?? 0);
  if (newest !== undefined || beforeSeq !== undefined || agedBefore > 0) {
    const range: ReadRange = { types: ["message", "summary"], order: "descending" };
    for await (const page of pagesOf(store, sessionKey, range, FULL)) {
      for (const entry of page.entries) {
        scan.take(entry);
      }
      for (const seq of seqsOf(page)) {
        seqs.push(seq);
      }
    }
  }
  const cut = Math.max(scan.cut(), agedBefore);
  const keepSeqs = scan.survivors(cut);
  if (cut > 0) {
    const range: ReadRange = { types: ["session"], before: cut };
    for await (const { entries } of pagesOf(store, sessionKey, range, GROWING)) {
      for (const { seq } of entries) {
        keepSeqs.push(seq);
      }
    }
  }
  if (failuresBefore > cut) {
    // A trim removes all: what lies among the failures is named, damaged rows too.
    const range: ReadRange = {
      types: ["session", "message", "summary", "other"],
      after: Math.max(0, cut - 1),
      before: failuresBefore,
    };
    for await (const page of pagesOf(store, sessionKey, range, FULL)) {
      for (const seq of seqsOf(page)) {
        keepSeqs.push(seq);
      }
    }
  }
  const before = Math.max(cut, failuresBefore);
  if (before === 0) {
    return 0;
  }
  const kept = new Set(keepSeqs);
  const removed = seqs.filter((seq) => seq < before && !kept.has(seq));
  // Before the trim, as nobody would look for it where that is the last that happens; and behind it, as a build may have kept it again.
  await forgetBlocks(store, sessionKey, removed);
  // What was read is nothing to a session that began meanwhile: its sequence numbers are others.
  const trim = store.trim(sessionKey, before, { keepSeqs, expectedId: id });
  const { removedCount } = await unlessChanged(trim, { removedCount: 0 });
  if (removedCount > 0) {
    await forgetIndex(store, sessionKey);
    await forgetBlocks(store, sessionKey, removed);
  }
  return removedCount;
}

/** What has to be known of a message to decide what survives. */
interface Fact {
  readonly seq: number;
  readonly id: string;
  /** Whether it survives for its own sake. */
  readonly isLasting: boolean;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

const NO_REPLY = { newestSeq: 0, lastingSeq: 0 };

/** Goes through a transcript from its end: first what stays, then what may go. */
class Scan {
  readonly #newest: number;
  readonly #beforeSeq: number;
  /** What may survive, or decide about others, newest first. All else is read and forgotten. */
  readonly #facts: Fact[] = [];
  /** The newest reply to an id, and the newest that survives for its own sake; 0 for none. */
  readonly #replies = new Map<string, { readonly newestSeq: number; lastingSeq: number }>();
  /** The oldest of the messages that stay, newest first: it is there that a cut may be made. */
  readonly #border: { readonly seq: number; readonly begins: boolean }[] = [];
  #stayingCount = 0;
  /** How many entries were seen that are older than the oldest message that stays. */
  #beyondCount = 0;
  #isPast = false;

  constructor(newest: number, beforeSeq: number) {
    this.#newest = newest;
    this.#beforeSeq = beforeSeq;
  }

  take(entry: Entry): void {
    const { seq, type, pinned } = entry;
    const message = messageOf(entry).parsed?.message;
    const named = message === undefined ? NOBODY : namesIn(message);
    if (type === "message" && !this.#isPast) {
      this.#isPast = this.#stayingCount === this.#newest || seq < this.#beforeSeq;
      if (!this.#isPast) {
        this.#stayingCount += 1;
        this.#beyondCount = 0;
        this.#border.push({ seq, begins: beginsExchange(message?.role) });
        if (this.#border.length > FURTHER + 1) {
          this.#border.shift();
        }
      }
    }
    if (this.#border.at(-1)?.seq !== seq) {
      this.#beyondCount += 1;
    }
    const { calls, results } = named;
    const fact: Fact = {
      seq,
      id: entry.id ?? `#${seq}`,
      isLasting: pinned === true || type === "summary",
      calls,
      results,
    };
    if (fact.isLasting || calls.length + results.length > 0 || this.#replies.has(fact.id)) {
      this.#facts.push(fact);
    }
    for (const id of named.replyTo) {
      const known = this.#replies.get(id);
      const lastingSeq = fact.isLasting ? seq : 0;
      if (known === undefined) {
        this.#replies.set(id, { newestSeq: seq, lastingSeq });
      } else {
        known.lastingSeq ||= lastingSeq;
      }
    }
  }

  /** The cut by number is before the entry of this sequence number; 0 where nothing is to go by it. */
  cut(): number {
    const oldest = this.#border.at(-1)?.seq ?? this.#beforeSeq;
    if (!this.#isPast || this.survivors(oldest).length === this.#beyondCount) {
      return 0;
    }
    const further = Math.min(FURTHER, Math.floor(this.#stayingCount / 2));
    return this.#border.slice(-1 - further).findLast(({ begins }) => begins)?.seq ?? oldest;
  }

  /** The sequence numbers of entries that survive before a cut. */
  survivors(cut: number): number[] {
    const kept = new Set<number>();
    for (const { seq, id, isLasting } of this.#facts) {
      const { newestSeq, lastingSeq } = this.#replies.get(id) ?? NO_REPLY;
      if (isLasting || newestSeq >= cut || lastingSeq > seq) {
        kept.add(seq);
      }
    }
    for (const group of this.#groups()) {
      if ([...group].some((seq) => seq >= cut || kept.has(seq))) {
        for (const seq of group) {
          kept.add(seq);
        }
      }
    }
    return [...kept].filter((seq) => seq < cut);
  }

  /** Tool calls and their results: a result is of the latest call of its id before it, as the engine has it. */
  #groups(): Set<Set<number>> {
    const ofCall = new Map<string, number>();
    const ofSeq = new Map<number, Set<number>>();
    for (const { seq, calls, results } of [...this.#facts].reverse()) {
      for (const id of calls) {
        ofCall.set(id, seq);
      }
      for (const id of results) {
        const call = ofCall.get(id);
        if (call !== undefined) {
          const [one, other] = [ofSeq.get(call) ?? new Set([call]), ofSeq.get(seq) ?? new Set([seq])];
          const [larger, smaller] = one.size < other.size ? [other, one] : [one, other];
          for (const member of smaller) {
            larger.add(member);
            ofSeq.set(member, larger);
          }
          ofSeq.set(call, larger);
          ofSeq.set(seq, larger);
        }
      }
    }
    return new Set(ofSeq.values());
  }
}

const NOBODY = { calls: [], results: [], replyTo: [] } as const;

/** Returns the messages and tool calls that a message names. */
function namesIn({
  content,
  replyTo,
}: ReadMessage): Readonly<Record<"calls" | "results" | "replyTo", readonly string[]>> {
  const calls: string[] = [];
  const results: string[] = [];
  for (const part of content) {
    if (part.type === "tool-call") {
      calls.push(part.toolCallId);
    } else if (part.type === "tool-result") {
      results.push(part.toolCallId);
    } else if (part.type === "tool-approval-request") {
      calls.push(part.approvalId);
    } else if (part.type === "tool-approval-response") {
      results.push(part.approvalId);
    }
  }
  return { calls, results, replyTo: replyTo == null ? [] : [replyTo as string] };
}

// ---- Builds, and failures ----

async function retainBuilds(
  store: TranscriptStore,
  { key, id, logs: { builds } }: SessionInfo,
  { maxBuilds, maxAgeDays }: RetentionLimits,
  nowMs: number,
): Promise<number> {
  const count = Object.values(builds.counts).reduce((sum, some) => sum + some, 0);
  const excess = maxBuilds === undefined ? 0 : Math.max(0, count - maxBuilds);
  const isAged = ageOf(maxAgeDays, nowMs) ?? (() => false);
  if (count === 0 || (excess === 0 && maxAgeDays === undefined)) {
    return 0;
  }
  let before = 0;
  let seen = 0;
  reading: for await (const page of pagesOf(store, key, { log: "builds" }, OF_BUILDS)) {
    const times = new Map(page.entries.map(({ seq, timeMs }) => [seq, timeMs]));
    for (const seq of seqsOf(page)) {
      seen += 1;
      const aged = isAged(times.get(seq));
      if (seen <= excess || aged) {
        before = seq + 1;
      } else if (aged === false) {
        break reading;
      }
    }
  }
  if (before === 0) {
    return 0;
  }
  const trim = store.trim(key, before, { log: "builds", expectedId: id });
  return (await unlessChanged(trim, { removedCount: 0 })).removedCount;
}

/** The sequence number from which on the newest entries of a type are so many. */
async function beforeNewest(
  store: TranscriptStore,
  sessionKey: string,
  type: "failure",
  count: number,
): Promise<number> {
  let left = count;
  for await (const { entries } of pagesOf(store, sessionKey, { types: [type], order: "descending" }, FULL)) {
    const last = entries[left - 1];
    if (last !== undefined) {
      return last.seq;
    }
    left -= entries.length;
  }
  return 0;
}

// ---- All sessions ----

async function removeSessions(store: TranscriptStore, maxSessions: number): Promise<readonly SessionInfo[]> {
  const sessions = await store.sessions();
  const removed: SessionInfo[] = [];
  const oldest = sessions.filter(isUnpinned).sort((left, right) => left.updatedAtMs - right.updatedAtMs);
  for (const info of oldest) {
    if (sessions.length - removed.length <= maxSessions) {
      break;
    }
    // It may have been used since: then it stays.
    const { key, id, logs } = info;
    const removal = store.remove(key, { expectedId: id, expectedSeq: logs.transcript.lastSeq }).then(() => [info]);
    removed.push(...(await unlessChanged(removal, [])));
  }
  return removed;
}

/** What a call gives, or something else where the session is no longer the one that was looked at. */
async function unlessChanged<T>(call: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await call;
  } catch (failure) {
    if (failure instanceof ContextError && failure.code === "STORE_CONFLICT") {
      return otherwise;
    }
    throw failure;
  }
}

function isUnpinned({ logs }: SessionInfo): boolean {
  return logs.transcript.pinnedCount === 0;
}

function entryCount({ logs }: SessionInfo): number {
  return Object.values(logs)
    .flatMap(({ counts }) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0);
}

/** A session, read from its old end as far as it is needed. */
interface Cursor {
  readonly info: SessionInfo;
  readonly rows: AsyncGenerator<DatedEntry>;
  next: DatedEntry | undefined;
  /** The sequence number before which all messages are among the oldest. */
  beforeSeq: number;
  /** Whether one of these is not pinned. */
  isRemovable: boolean;
}

interface DatedEntry {
  readonly seq: number;
  readonly timeMs: number;
  readonly isRemovable: boolean;
}

/** The oldest messages of all sessions, so many that the others are within a limit: for each session, before which entry. */
async function oldestOfAll(
  store: TranscriptStore,
  maxMessages: number,
): Promise<readonly (readonly [SessionInfo, number])[]> {
  const sessions = await store.sessions();
  let excess = sessions.reduce((sum, { logs }) => sum + (logs.transcript.counts.message ?? 0), 0) - maxMessages;
  const cursors: Cursor[] = [];
  for (const info of excess > 0 ? sessions : []) {
    const rows = datedRows(store, info);
    cursors.push({ info, rows, next: await nextOf(rows), beforeSeq: 0, isRemovable: false });
  }
  while (excess > 0) {
    const [oldest, second] = twoOldest(cursors);
    if (oldest?.next === undefined) {
      break;
    }
    do {
      oldest.beforeSeq = oldest.next.seq + 1;
      oldest.isRemovable ||= oldest.next.isRemovable;
      oldest.next = await nextOf(oldest.rows);
      excess -= 1;
    } while (excess > 0 && oldest.next !== undefined && isBefore(oldest, second));
  }
  return cursors.filter(({ isRemovable }) => isRemovable).map(({ info, beforeSeq }) => [info, beforeSeq] as const);
}

async function nextOf(rows: AsyncGenerator<DatedEntry>): Promise<DatedEntry | undefined> {
  const { value, done } = await rows.next();
  return done ? undefined : value;
}

/** The messages of a session from the old end; damaged rows count, as they count to how many there are. */
async function* datedRows(
  store: TranscriptStore,
  { key, createdAtMs, updatedAtMs, logs: { transcript } }: SessionInfo,
): AsyncGenerator<DatedEntry> {
  // What stands before the first time is older than that, and nobody knows by how much.
  let timeMs = transcript.latestTimeMs === undefined ? createdAtMs : Number.NEGATIVE_INFINITY;
  for await (const page of pagesOf(store, key, { types: ["message"] }, GROWING)) {
    const entries = new Map(page.entries.map((entry) => [entry.seq, entry]));
    for (const seq of seqsOf(page)) {
      const entry = entries.get(seq);
      // Nothing in it is newer than its last append, whatever a clock said.
      timeMs = Math.min(entry?.latestTimeMs ?? timeMs, updatedAtMs);
      yield { seq, timeMs, isRemovable: entry !== undefined && !entry.pinned };
    }
  }
}

function isBefore(left: Cursor, right: Cursor | undefined): boolean {
  return left.next !== undefined && (right?.next === undefined || left.next.timeMs < right.next.timeMs);
}

/** Of equal times the first is the older: what was older once stays older when others have gone. */
function twoOldest(cursors: readonly Cursor[]): readonly [Cursor | undefined, Cursor | undefined] {
  let oldest: Cursor | undefined;
  let second: Cursor | undefined;
  for (const cursor of cursors) {
    if (isBefore(cursor, oldest)) {
      [oldest, second] = [cursor, oldest];
    } else if (isBefore(cursor, second)) {
      second = cursor;
    }
  }
  return [oldest, second];
}

// ---- Reading ----

/** Reads in pages. */
async function* pagesOf(
  store: TranscriptStore,
  sessionKey: string,
  range: Omit<ReadRange, "limit"> & { readonly log?: LogName },
  { first, most }: PageLengths,
): AsyncGenerator<{ readonly entries: readonly Entry[]; readonly skipped: readonly SkippedEntry[] }> {
  let { after, before } = range;
  for (let limit = first; ; limit = Math.min(limit * 8, most)) {
    const page: ReadResult = await store.read(sessionKey, {
      ...range,
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      limit,
    });
    const last = page.entries.at(-1);
    const isEnd = last === undefined || page.entries.length < limit;
    const isAscending = range.order !== "descending";
    // What lies beyond the last entry comes again with the next page.
    const isOfPage = ({ seq }: SkippedEntry): boolean =>
      isEnd || (seq !== undefined && (isAscending ? seq < last.seq : seq > last.seq));
    yield { entries: page.entries, skipped: page.skipped.filter(isOfPage) };
    if (isEnd) {
      return;
    }
    [after, before] = isAscending ? [last.seq, before] : [after, last.seq];
  }
}

/** The sequence numbers of a page's rows, those of damaged ones included, in ascending order. */
function seqsOf({
  entries,
  skipped,
}: {
  readonly entries: readonly Entry[];
  readonly skipped: readonly SkippedEntry[];
}): number[] {
  const seqs = [...entries, ...skipped].flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  return [...new Set(seqs)].sort((left, right) => left - right);
}
