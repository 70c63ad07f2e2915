// The logic that all stores share: it admits an append and computes its rows and the session's new head. It is pure, so
// a store may call it inside any transaction.

import { ContextError, type StoreErrorCode } from "../base/errors.js";
import { newId } from "../base/ids.js";
import type {
  AppendOptions,
  Entry,
  EntryType,
  LogHead,
  LogName,
  NewEntry,
  Rewrites,
  RewrittenEntry,
  SessionInfo,
  StoreChange,
  TranscriptStore,
} from "./contract.js";
import { TYPES } from "./ranges.js";

const LONGEST_KEY = 65_536;

/** Creates a store's error. */
export function storeError(code: StoreErrorCode, message: string, nextAction: string, cause?: unknown): ContextError {
  return new ContextError({ kind: "store_error", code, message, nextAction, cause });
}

/** Checks a key. Any text of 1 to 65,536 UTF-16 code units is valid. */
export function checkKey(sessionKey: unknown): asserts sessionKey is string {
  if (typeof sessionKey !== "string" || sessionKey === "" || sessionKey.length > LONGEST_KEY) {
    throw storeError(
      "INVALID_SESSION",
      typeof sessionKey === "string"
        ? `a session's key has 1 to ${LONGEST_KEY} characters, but this one has ${sessionKey.length}`
        : `a session's key must be a string; got ${typeof sessionKey}`,
      'Pass a string as the key of the session, for example "web:main".',
    );
  }
}

/** Fails if a value isn't a store. `path` is its place in the input. */
export function checkStore(store: unknown, path: string): asserts store is TranscriptStore {
  const { append, read, sessions } = (store ?? {}) as Partial<TranscriptStore>;
  if (![append, read, sessions].every((method) => typeof method === "function")) {
    throw new ContextError({
      kind: "session_error",
      code: "INVALID_SESSION",
      path,
      message: `${path}: expected a store, got a value without the methods append, read and sessions`,
      nextAction: 'Pass indexedDbStore() of "windrow/stores/indexeddb", or memoryStore() if nothing has to be kept.',
    });
  }
}

/** Fails if a listener isn't a function. */
export function checkListener(listener: unknown): void {
  if (typeof listener !== "function") {
    throw storeError(
      "INVALID_SESSION",
      `the listener must be a function; got ${listener === null ? "null" : typeof listener}`,
      "Pass a function.",
    );
  }
}

/** Returns an append's options with copies of the entries. */
export function withCopies(options: AppendOptions, copy: (entry: RewrittenEntry) => RewrittenEntry): AppendOptions {
  const { rewrites } = options;
  return rewrites === undefined
    ? { ...options }
    : { ...options, rewrites: { ...rewrites, entries: rewrites.entries.map(copy) } };
}

/**
 * Returns the change that an append reports. Rewritten entries count as a trim, because readers must read them again.
 */
export function changeOf({ rewrites }: AppendOptions, log: LogName, lastSeq: number): StoreChange {
  return rewrites === undefined ? { kind: "append", log, lastSeq } : { kind: "trim", log, lastSeq: 0 };
}

/** The effects of an append. */
export interface AdmittedAppend {
  readonly info: SessionInfo;
  readonly rows: readonly Entry[];
  /** The new versions of the entries in `rewrites`. */
  readonly rewritten: readonly Entry[];
}

/**
 * Returns the sequence numbers of the entries that a store reads for `rewrites`: the rewritten ones, and the newest
 * message afterwards.
 */
export function seqsToRewrite({ rewrites }: Pick<AppendOptions, "rewrites">): readonly number[] {
  return rewrites === undefined
    ? []
    : [...new Set([...rewrites.entries.map(({ seq }) => seq), rewrites.lastMessageSeq])];
}

/** The state that decides an append. The store reads it in the same transaction. */
export interface Standing {
  /** The session, if it exists. */
  readonly info: SessionInfo | undefined;
  /** The entry `replacesSeq`, if it exists. */
  readonly replaced?: Entry | undefined;
  /** The entries of `seqsToRewrite` that exist. */
  readonly rewritten?: readonly Entry[];
}

/** The session that a caller expects. */
export interface ExpectedSession {
  readonly log?: LogName | undefined;
  readonly expectedId?: string | undefined;
  readonly expectedSeq?: number | undefined;
}

/** Fails with `STORE_CONFLICT` if a session isn't the one that the caller of an append, a trim or a removal expects. */
export function checkExpected(
  info: SessionInfo | undefined,
  { expectedId, expectedSeq, log = "transcript" }: ExpectedSession,
): void {
  if (expectedId !== undefined && expectedId !== info?.id) {
    throw storeError(
      "STORE_CONFLICT",
      `the expected session is gone; there is ${info === undefined ? "none" : "another"} under its key`,
      "Read the session, and call again if it is still needed.",
    );
  }
  const { lastSeq } = info?.logs[log] ?? EMPTY;
  if (expectedSeq !== undefined && expectedSeq !== lastSeq) {
    throw storeError(
      "STORE_CONFLICT",
      `the log ends with ${lastSeq}, and ${expectedSeq} was expected`,
      "Read the new entries, and call again if it is still needed.",
    );
  }
}

/** Admits a new append. Returns its rows and the session's state afterwards, or fails with `STORE_CONFLICT`. */
export function admit(
  sessionKey: string,
  { info, replaced, rewritten: before = [] }: Standing,
  entries: readonly NewEntry[],
  options: AppendOptions,
  nowMs: number,
): AdmittedAppend {
  const { log = "transcript", operationId, replacesSeq, rewrites } = options;
  checkExpected(info, options);
  if (rewrites !== undefined && (options.expectedSeq === undefined || replacesSeq !== undefined)) {
    throw storeError(
      "INVALID_SESSION",
      "rewrites need expectedSeq, and can't be combined with replacesSeq",
      "Pass only expectedSeq.",
    );
  }
  const head = info?.logs[log] ?? EMPTY;
  if (replacesSeq !== undefined && (replacesSeq !== head.lastMessageSeq || replaced?.seq !== replacesSeq)) {
    throw storeError(
      "STORE_CONFLICT",
      `entry ${replacesSeq} is not the newest message, which is ${head.lastMessageSeq || "none"}`,
      "Read the new entries, and append a new message.",
    );
  }
  if (entries.length === 0) {
    throw storeError("INVALID_SESSION", "nothing to append", "Pass at least one entry.");
  }
  // Otherwise the newest message would be one that no longer exists.
  if (replacesSeq !== undefined && !entries.some(({ type }) => type === "message")) {
    throw storeError("INVALID_SESSION", "a replacement needs a message", "Pass at least one message.");
  }
  if (head.lastSeq > Number.MAX_SAFE_INTEGER - entries.length) {
    throw storeError(
      "STORE_FAILED",
      `the log has no sequence numbers left: its header says that it ends with ${head.lastSeq}`,
      "The header is damaged. Export the session, which reads the entries, and import the file under another key.",
    );
  }
  let { latestTimeMs } = head;
  const rows = entries.map((entry, index): Entry => {
    const { type, id, timeMs, pinned, data } = entry;
    if (timeMs !== undefined && (latestTimeMs === undefined || timeMs > latestTimeMs)) {
      latestTimeMs = timeMs;
    }
    return {
      seq: head.lastSeq + 1 + index,
      type,
      data,
      ...(id === undefined ? {} : { id }),
      ...(timeMs === undefined ? {} : { timeMs }),
      ...(latestTimeMs === undefined ? {} : { latestTimeMs }),
      ...(pinned === undefined ? {} : { pinned }),
      ...(operationId === undefined ? {} : { operationId }),
      ...(replacesSeq === undefined || index > 0 ? {} : { replacesSeq: replaced?.replacesSeq ?? replacesSeq }),
    };
  });
  const rewritten = rewrites === undefined ? [] : rewrittenOf(rewrites, before);
  const flaw = [...rows, ...rewritten].map(flawOf).find((reason) => reason !== undefined);
  if (flaw !== undefined) {
    throw storeError("INVALID_SESSION", `an entry can't be appended: ${flaw}`, "Pass entries of the type `NewEntry`.");
  }
  const gone = replaced === undefined || replacesSeq === undefined ? head : without(head, [replaced]);
  const after = withRows(rewrites === undefined ? gone : rewrittenHead(gone, rewrites, before, rewritten), rows);
  const begun: SessionInfo = info ?? {
    key: sessionKey,
    id: newId(),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    logs: { transcript: EMPTY, builds: EMPTY },
  };
  const updatedAtMs = log === "transcript" ? nowMs : begun.updatedAtMs;
  return { info: { ...begun, updatedAtMs, logs: { ...begun.logs, [log]: after } }, rows, rewritten };
}

/** Returns the new versions of entries. Each keeps its place in time. The operation that wrote it no longer matters. */
function rewrittenOf({ entries, lastMessageSeq }: Rewrites, before: readonly Entry[]): readonly Entry[] {
  const known = new Map(before.map((row) => [row.seq, row]));
  const after = entries.map(({ seq, type, id, timeMs, pinned, data }): Entry | undefined => {
    const old = known.get(seq);
    return (
      old && {
        seq,
        type,
        data,
        ...(id === undefined ? {} : { id }),
        ...(timeMs === undefined ? {} : { timeMs }),
        ...(pinned === undefined ? {} : { pinned }),
        ...(old.latestTimeMs === undefined ? {} : { latestTimeMs: old.latestTimeMs }),
        ...(old.replacesSeq === undefined ? {} : { replacesSeq: old.replacesSeq }),
      }
    );
  });
  const isLast = ({ seq, type }: Entry): boolean => seq === lastMessageSeq && type === "message";
  const rows = after.filter((row) => row !== undefined);
  const others = before.filter(({ seq }) => !entries.some((entry) => entry.seq === seq));
  if (rows.length < after.length || (lastMessageSeq !== 0 && ![...rows, ...others].some(isLast))) {
    throw storeError(
      "STORE_CONFLICT",
      "an entry to rewrite is gone",
      "Read the session, and call again if it is still needed.",
    );
  }
  return rows;
}

function rewrittenHead(
  head: LogHead,
  { entries, lastMessageSeq }: Rewrites,
  before: readonly Entry[],
  after: readonly Entry[],
): LogHead {
  const seqs = new Set(entries.map(({ seq }) => seq));
  const left = without(
    head,
    before.filter(({ seq }) => seqs.has(seq)),
  );
  return { ...counted(left, after, 1), lastMessageSeq, removals: nextRemoval(head) };
}

const nextRemoval = ({ removals }: LogHead): number => (removals + 1) % Number.MAX_SAFE_INTEGER;

/** Returns a session after entries of a log were trimmed. `lastMessageSeq` is the newest remaining message, or 0. */
export function trimmed(
  info: SessionInfo,
  log: LogName,
  removed: readonly Entry[],
  lastMessageSeq: number,
): SessionInfo {
  const head = info.logs[log];
  const after = { ...without(head, removed), lastMessageSeq, removals: nextRemoval(head) };
  return { ...info, logs: { ...info.logs, [log]: after } };
}

/** Rebuilds the head of a session from its entries, for a missing or damaged header. */
export function recovered(
  sessionKey: string,
  logs: Readonly<Record<LogName, readonly Entry[]>>,
  nowMs: number,
): SessionInfo {
  // Entries may have been trimmed before the recount, so earlier readers must start over.
  const headOf = (rows: readonly Entry[]): LogHead => ({ ...withRows(EMPTY, rows), removals: 1 });
  return {
    key: sessionKey,
    id: newId(),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    logs: { transcript: headOf(logs.transcript), builds: headOf(logs.builds) },
  };
}

const EMPTY: LogHead = {
  lastSeq: 0,
  lastMessageSeq: 0,
  counts: {},
  pinnedCount: 0,
  untimedCount: 0,
  removals: 0,
};

function withRows(head: LogHead, rows: readonly Entry[]): LogHead {
  const messages = rows.filter(({ type }) => type === "message");
  const latestTimeMs = rows.at(-1)?.latestTimeMs ?? head.latestTimeMs;
  return {
    ...counted(head, rows, 1),
    lastSeq: rows.at(-1)?.seq ?? head.lastSeq,
    lastMessageSeq: messages.at(-1)?.seq ?? head.lastMessageSeq,
    ...(latestTimeMs === undefined ? {} : { latestTimeMs }),
  };
}

function without(head: LogHead, rows: readonly Entry[]): LogHead {
  return counted(head, rows, -1);
}

function counted(head: LogHead, rows: readonly Entry[], step: 1 | -1): LogHead {
  const counts: Partial<Record<EntryType, number>> = { ...head.counts };
  let { pinnedCount, untimedCount } = head;
  for (const { type, pinned, timeMs } of rows) {
    counts[type] = (counts[type] ?? 0) + step;
    pinnedCount += pinned ? step : 0;
    untimedCount += timeMs === undefined && (type === "message" || type === "summary") ? step : 0;
  }
  return { ...head, counts, pinnedCount, untimedCount };
}

/** Describes why a row isn't an entry. Undefined if it is one. */
export function flawOf(row: unknown): string | undefined {
  if (typeof row !== "object" || row === null) {
    return "it isn't an object";
  }
  const { seq, type, id, timeMs, latestTimeMs, data } = row as Readonly<Record<keyof Entry, unknown>>;
  const isNumber = (value: unknown): boolean => value === undefined || Number.isFinite(value);
  if (!Number.isSafeInteger(seq) || (seq as number) < 1) {
    return "it has no sequence number";
  }
  if (!TYPES.includes(type as EntryType)) {
    return "its type is unknown";
  }
  if (!(id === undefined || typeof id === "string") || !isNumber(timeMs) || !isNumber(latestTimeMs)) {
    return "its id isn't a string, or its time isn't a number";
  }
  return data === undefined ? "it has no data" : undefined;
}

/** True if a session's header is valid. */
export function isInfo(info: unknown): info is SessionInfo {
  const { key, id, logs } = (info ?? {}) as Partial<SessionInfo>;
  const isHead = (head: LogHead | undefined): boolean =>
    [head?.lastSeq, head?.lastMessageSeq, head?.pinnedCount, head?.untimedCount, head?.removals].every(
      (count) => Number.isSafeInteger(count) && (count as number) >= 0,
    ) && typeof head?.counts === "object";
  return typeof key === "string" && typeof id === "string" && isHead(logs?.transcript) && isHead(logs?.builds);
}
