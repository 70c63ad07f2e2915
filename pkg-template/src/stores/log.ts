// What all stores do alike: an append is admitted, and its rows and the session's head follow from it. Pure, so that a store
// may call it inside of a transaction of any kind.

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

/** A store's failure. */
export function storeError(code: StoreErrorCode, message: string, nextAction: string, cause?: unknown): ContextError {
  return new ContextError({ kind: "store_error", code, message, nextAction, cause });
}

/** Checks a key: any text of 1 to 65,536 UTF-16 code units. */
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

/** Fails where something is no store at all; `path` is where it was given. */
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

/** Fails where what should be told of changes is no function. */
export function checkListener(listener: unknown): void {
  if (typeof listener !== "function") {
    throw storeError(
      "INVALID_SESSION",
      `the listener must be a function; got ${listener === null ? "null" : typeof listener}`,
      "Pass a function.",
    );
  }
}

/** Options of an append whose entries are copies. */
export function withCopies(options: AppendOptions, copy: (entry: RewrittenEntry) => RewrittenEntry): AppendOptions {
  const { rewrites } = options;
  return rewrites === undefined
    ? { ...options }
    : { ...options, rewrites: { ...rewrites, entries: rewrites.entries.map(copy) } };
}

/** Returns the change that an append makes. Readers of rewritten entries must read them again. */
export function changeOf({ rewrites }: AppendOptions, log: LogName, lastSeq: number): StoreChange {
  return rewrites === undefined ? { kind: "append", log, lastSeq } : { kind: "trim", log, lastSeq: 0 };
}

/** What an append brings about. */
export interface AdmittedAppend {
  readonly info: SessionInfo;
  readonly rows: readonly Entry[];
  /** The new versions of the entries in `rewrites`. */
  readonly rewritten: readonly Entry[];
}

/** The entries that a store reads for `rewrites`: those that become others, and the newest message after it. */
export function seqsToRewrite({ rewrites }: Pick<AppendOptions, "rewrites">): readonly number[] {
  return rewrites === undefined
    ? []
    : [...new Set([...rewrites.entries.map(({ seq }) => seq), rewrites.lastMessageSeq])];
}

/** What an append is decided by; the store reads it in the same transaction. */
export interface Standing {
  /** The session, where there is one. */
  readonly info: SessionInfo | undefined;
  /** The entry `replacesSeq`, where it is there. */
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

/** Fails with `STORE_CONFLICT` where a session is not what the caller of an append, a trim or a removal expects. */
export function checkExpected(
  info: SessionInfo | undefined,
  { expectedId, expectedSeq, log = "transcript" }: ExpectedSession,
): void {
  if (expectedId !== undefined && expectedId !== info?.id) {
    throw storeError(
      "STORE_CONFLICT",
      `the session that was expected is gone; there is ${info === undefined ? "none" : "another"} under its key`,
      "Read what is there, and call again where it is still wanted.",
    );
  }
  const { lastSeq } = info?.logs[log] ?? EMPTY;
  if (expectedSeq !== undefined && expectedSeq !== lastSeq) {
    throw storeError(
      "STORE_CONFLICT",
      `the log ends with ${lastSeq}, and ${expectedSeq} was expected`,
      "Read what is new, and call again where it is still wanted.",
    );
  }
}

/** Admits an append that was not made before: fails with `STORE_CONFLICT`, or gives the rows and the session as it is after it. */
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
      "rewrites go with expectedSeq, and without replacesSeq",
      "Give expectedSeq alone.",
    );
  }
  const head = info?.logs[log] ?? EMPTY;
  if (replacesSeq !== undefined && (replacesSeq !== head.lastMessageSeq || replaced?.seq !== replacesSeq)) {
    throw storeError(
      "STORE_CONFLICT",
      `entry ${replacesSeq} is not the newest message, which is ${head.lastMessageSeq || "none"}`,
      "Read what is new, and append a message of its own.",
    );
  }
  if (entries.length === 0) {
    throw storeError("INVALID_SESSION", "there is nothing to append", "Give at least one entry.");
  }
  // Otherwise the newest message would be one that is no longer there.
  if (replacesSeq !== undefined && !entries.some(({ type }) => type === "message")) {
    throw storeError("INVALID_SESSION", "a message is replaced by no message", "Give at least one message.");
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
    throw storeError("INVALID_SESSION", `an entry cannot be appended: ${flaw}`, "Give entries as `NewEntry` says.");
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

/** Returns what entries become: each keeps its place in time. What operation wrote them no longer matters. */
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
      "an entry that was to become another is no longer there",
      "Read what is there, and call again where it is still wanted.",
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

/** A session after some entries of a log were trimmed; `lastMessageSeq` is the newest message that is left, 0 for none. */
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

/** A session whose header is missing or damaged, as its entries say that it is. */
export function recovered(
  sessionKey: string,
  logs: Readonly<Record<LogName, readonly Entry[]>>,
  nowMs: number,
): SessionInfo {
  // What is counted anew may have been trimmed before: nobody who read it then goes on from there.
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

/** What is wrong with a row that should be an entry; undefined where nothing is. */
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
    return "it has no type that is known";
  }
  if (!(id === undefined || typeof id === "string") || !isNumber(timeMs) || !isNumber(latestTimeMs)) {
    return "its id isn't a string, or its time isn't a number";
  }
  return data === undefined ? "it has no data" : undefined;
}

/** Whether a session's header is what it must be. */
export function isInfo(info: unknown): info is SessionInfo {
  const { key, id, logs } = (info ?? {}) as Partial<SessionInfo>;
  const isHead = (head: LogHead | undefined): boolean =>
    [head?.lastSeq, head?.lastMessageSeq, head?.pinnedCount, head?.untimedCount, head?.removals].every(
      (count) => Number.isSafeInteger(count) && (count as number) >= 0,
    ) && typeof head?.counts === "object";
  return typeof key === "string" && typeof id === "string" && isHead(logs?.transcript) && isHead(logs?.builds);
}
