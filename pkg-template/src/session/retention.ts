// Retention: limits for sessions, which remove the oldest entries first.

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

/** The limits of a session. A missing limit means no limit. */
export interface RetentionLimits {
  /**
   * Maximum number of messages, 1 or more. The newest stay. Up to the same number of failure records stays in addition.
   */
  readonly maxMessages?: number | undefined;
  /**
   * The maximum age of messages and builds, in days. May be a fraction. An entry without a time has the age of its
   * neighbors.
   */
  readonly maxAgeDays?: number | undefined;
  /** Maximum number of builds (snapshots and recordings), 0 or more. */
  readonly maxBuilds?: number | undefined;
}

/** The limits of all sessions of a store together. A missing limit means no limit. */
export interface OverallLimits {
  /** The maximum number of messages, at least 1. The newest of all sessions stay. */
  readonly maxMessages?: number | undefined;
  /**
   * Maximum number of sessions, 1 or more. Those with the oldest last append are removed completely, unless they have a
   * pinned entry.
   */
  readonly maxSessions?: number | undefined;
  /** The maximum age of messages and builds, in days. */
  readonly maxAgeDays?: number | undefined;
}

/** The number of entries read at a time: at first, and at most. */
interface PageLengths {
  readonly first: number;
  readonly most: number;
}

/** For reads that may end early. */
const GROWING: PageLengths = { first: 8, most: 512 };

/** For reads of everything. */
const FULL: PageLengths = { first: 512, most: 512 };

/** Smaller, because builds may be large. */
const OF_BUILDS: PageLengths = { first: 8, most: 32 };

/** Maximum number of messages that a cut moves further than necessary, to reach the start of an exchange. */
const FURTHER = 64;

const DAY_MS = 86_400_000;

/**
 * Removes the oldest entries of a session that exceed its limits.
 *
 * - Of the messages, the newest `maxMessages` stay. Pins and replies don't count here. The cut moves to the next user
 *   message, if there is one within 64 messages and in the older half of the rest, so that no answer loses its
 *   question. Fewer messages than the limit may then stay. By age, nothing younger than the limit is removed.
 * - These older entries survive beyond the limit: pinned ones, summaries, the session's header, and messages that a
 *   remaining message replies to. Replies aren't followed further, because a chain of them would keep everything.
 * - A tool call and its results stay together: if one of them stays, all do.
 * - Failure records are removed with the messages around them, and `maxMessages` limits them as well. Other rows, which
 *   are only kept for exports, are also removed with the messages around them.
 * - A time more than a day in the future is ignored, so a wrong clock doesn't keep everything after it.
 *
 * If something must be removed, all remaining messages are read in pages to find the replies. Otherwise only the oldest
 * are read. Entries appended meanwhile stay, but the message they reply to may be gone. Don't call it while the session
 * is held, because a trim waits for the hold to end.
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
 * Removes from all sessions of a store what exceeds the limits, oldest first. `nowMs` defaults to the clock's time.
 *
 * - `maxSessions`: the sessions with the oldest last append are removed whole. A session with a pinned entry is never
 *   removed, so more may remain if many have pins.
 * - `maxAgeDays`: applied in every session, as `retainSession` does.
 * - `maxMessages`: the newest of all sessions stay. A message's age comes from the latest time in its session up to it,
 *   or from its session if no message has a time. The same older entries survive as within a session, and cuts move in
 *   the same way.
 *
 * `removedCount` is the number of removed entries, including those of removed sessions. Don't call it while a session
 * is held.
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
  expected: "an integer from 1",
};
const COUNT_OR_NONE: RetentionRule = {
  isValid: (value) => Number.isSafeInteger(value) && value >= 0,
  expected: "an integer from 0",
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

/** Fails with `INVALID_CONFIG` for wrong limits of a session. `path` is their place. */
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
  // If no entry has a time, none is too old.
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

/** Returns whether a time exceeds the limit. Undefined if that isn't known. */
type IsAged = (timeMs: number | undefined) => boolean | undefined;

function ageOf(maxAgeDays: number | undefined, nowMs: number): IsAged | undefined {
  if (maxAgeDays === undefined) {
    return undefined;
  }
  const sinceMs = nowMs - maxAgeDays * DAY_MS;
  return (timeMs) => (timeMs === undefined || timeMs > nowMs + DAY_MS ? undefined : timeMs < sinceMs);
}

/** Reads from the oldest entry up to the first that is young enough, and finds out whether anything must be removed. */
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
  /** True if an unpinned entry was seen whose age isn't known yet. */
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

/** The cuts of a trim: everything before one of them is removed, except the survivors. */
interface Cuts {
  /** The number of newest messages to keep. The cut may move further. */
  readonly newest?: number | undefined;
  /** The first sequence number of kept messages. The cut may move further. */
  readonly beforeSeq?: number | undefined;
  /** Messages with a lower sequence number are too old. */
  readonly agedBefore?: number;
  /** Failure records with a lower sequence number are removed. */
  readonly failuresBefore?: number;
}

async function trimMessages(
  store: TranscriptStore,
  { key: sessionKey, id }: SessionInfo,
  { newest, beforeSeq, agedBefore = 0, failuresBefore = 0 }: Cuts,
): Promise<number> {
  /** All messages of the log, including damaged ones. */
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
    // A trim removes everything, so the entries between the failure records are listed, including damaged rows.
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
  // Done before the trim, because nothing would look for these values if the process ended right after it. Done again
  // afterwards, because a build may have stored them again.
  await forgetBlocks(store, sessionKey, removed);
  // The findings don't apply to a session that began meanwhile, whose sequence numbers are different.
  const trim = store.trim(sessionKey, before, { keepSeqs, expectedId: id });
  const { removedCount } = await unlessChanged(trim, { removedCount: 0 });
  if (removedCount > 0) {
    await forgetIndex(store, sessionKey);
    await forgetBlocks(store, sessionKey, removed);
  }
  return removedCount;
}

/** The facts about a message that decide what survives. */
interface Fact {
  readonly seq: number;
  readonly id: string;
  /** True if it is kept regardless of other entries. */
  readonly isLasting: boolean;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

const NO_REPLY = { newestSeq: 0, lastingSeq: 0 };

/** Scans a transcript from its end: first the messages that stay, then those that may be removed. */
class Scan {
  readonly #newest: number;
  readonly #beforeSeq: number;
  /** Messages that may survive or affect others, newest first. Everything else is forgotten after reading. */
  readonly #facts: Fact[] = [];
  /** The newest reply to each id, and the newest that survives by itself. 0 for none. */
  readonly #replies = new Map<string, { readonly newestSeq: number; lastingSeq: number }>();
  /** The oldest of the messages that stay, newest first. The cut may be made among them. */
  readonly #border: { readonly seq: number; readonly begins: boolean }[] = [];
  #stayingCount = 0;
  /** The number of entries seen that are older than the oldest message that stays. */
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

  /** Returns the sequence number at which the limit of messages cuts, or 0 if nothing must be removed for it. */
  cut(): number {
    const oldest = this.#border.at(-1)?.seq ?? this.#beforeSeq;
    if (!this.#isPast || this.survivors(oldest).length === this.#beyondCount) {
      return 0;
    }
    const further = Math.min(FURTHER, Math.floor(this.#stayingCount / 2));
    return this.#border.slice(-1 - further).findLast(({ begins }) => begins)?.seq ?? oldest;
  }

  /** Returns the sequence numbers of entries that survive before a cut. */
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

  /**
   * Groups tool calls with their results. A result belongs to the latest call before it with the same id, as in the
   * engine.
   */
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

/** Returns the ids of messages and tool calls that a message refers to. */
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

/** Returns the sequence number at which the newest `count` entries of a type begin. */
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
    // The session may have been used since. Then it stays.
    const { key, id, logs } = info;
    const removal = store.remove(key, { expectedId: id, expectedSeq: logs.transcript.lastSeq }).then(() => [info]);
    removed.push(...(await unlessChanged(removal, [])));
  }
  return removed;
}

/** Returns the result of a call, or `otherwise` if the session has changed since it was examined. */
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

/** A session that is read lazily from its oldest entry. */
interface Cursor {
  readonly info: SessionInfo;
  readonly rows: AsyncGenerator<DatedEntry>;
  next: DatedEntry | undefined;
  /** All messages with a lower sequence number are among the oldest. */
  beforeSeq: number;
  /** True if one of these isn't pinned. */
  isRemovable: boolean;
}

interface DatedEntry {
  readonly seq: number;
  readonly timeMs: number;
  readonly isRemovable: boolean;
}

/** Finds the oldest messages of all sessions that exceed a limit. Returns for each session the entry after them. */
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

/** Yields the messages of a session, oldest first. Damaged rows are included, because they count toward the total. */
async function* datedRows(
  store: TranscriptStore,
  { key, createdAtMs, updatedAtMs, logs: { transcript } }: SessionInfo,
): AsyncGenerator<DatedEntry> {
  // Messages before the first time are older than it, by an unknown amount.
  let timeMs = transcript.latestTimeMs === undefined ? createdAtMs : Number.NEGATIVE_INFINITY;
  for await (const page of pagesOf(store, key, { types: ["message"] }, GROWING)) {
    const entries = new Map(page.entries.map((entry) => [entry.seq, entry]));
    for (const seq of seqsOf(page)) {
      const entry = entries.get(seq);
      // No entry is newer than the session's last append, whatever a clock said.
      timeMs = Math.min(entry?.latestTimeMs ?? timeMs, updatedAtMs);
      yield { seq, timeMs, isRemovable: entry !== undefined && !entry.pinned };
    }
  }
}

function isBefore(left: Cursor, right: Cursor | undefined): boolean {
  return left.next !== undefined && (right?.next === undefined || left.next.timeMs < right.next.timeMs);
}

/** For equal times, the first session counts as older, so the order stays the same when others are removed. */
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

/** Yields the rows of a log in pages. */
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
    // Damaged rows after the last entry come again with the next page.
    const isOfPage = ({ seq }: SkippedEntry): boolean =>
      isEnd || (seq !== undefined && (isAscending ? seq < last.seq : seq > last.seq));
    yield { entries: page.entries, skipped: page.skipped.filter(isOfPage) };
    if (isEnd) {
      return;
    }
    [after, before] = isAscending ? [last.seq, before] : [after, last.seq];
  }
}

/** Returns the sequence numbers of a page's rows, including damaged ones, in ascending order. */
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
