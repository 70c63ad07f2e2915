// The contract of stores. A store keeps append-only logs per session, each with its own sequence, and derived data that
// can be recomputed.

import type { JsonValue } from "../base/json.js";

export type { JsonValue };

/**
 * The logs of a session: its transcript, and the contexts built from it. Each has its own sequence, so reading the end
 * of the transcript reads only messages.
 */
export type LogName = "transcript" | "builds";

/**
 * The type of an entry. Only the log of builds has `build`; only the transcript has the others. A `left` entry keeps a
 * message that the conversation no longer has: the old text of an edited message, or a message of an abandoned branch.
 * A `forgotten` entry has a sentence that the user wants forgotten.
 */
export type EntryType = "session" | "message" | "summary" | "failure" | "build" | "left" | "forgotten" | "other";

/** An entry before it is appended. */
export interface NewEntry {
  readonly type: EntryType;
  /** The id for `get`. Several entries may share one id. */
  readonly id?: string;
  /** The time of writing, in milliseconds since 1970. */
  readonly timeMs?: number;
  /** Set if retention keeps it at any age. */
  readonly pinned?: true;
  /** The entry's data. For the store, any plain data. */
  readonly data: JsonValue;
}

/**
 * An entry of a log. Entries never change, except through an append with `rewrites`, which keeps the old version as a
 * `left` entry.
 */
export interface Entry extends NewEntry {
  /** The sequence number: an integer from 1, ascending, never reused. */
  readonly seq: number;
  /** The latest time among this entry and all entries appended before it. Missing if none has a time. */
  readonly latestTimeMs?: number;
  /** The sequence number of the entry that it replaces. After several replacements, that of the first. */
  readonly replacesSeq?: number;
  /** The operation that appended it. */
  readonly operationId?: string;
}

/** The state of a log. */
export interface LogHead {
  /** The sequence number of the last entry ever appended, or 0 for a log that never had one. */
  readonly lastSeq: number;
  /** The sequence number of the newest message, or 0 before the first. */
  readonly lastMessageSeq: number;
  /** The number of entries, by type. */
  readonly counts: Readonly<Partial<Record<EntryType, number>>>;
  /** The number of pinned entries. */
  readonly pinnedCount: number;
  /** The number of messages and summaries without a time. */
  readonly untimedCount: number;
  /** The latest time among all entries ever appended. */
  readonly latestTimeMs?: number;
  /**
   * The number of times that entries were trimmed or rewritten. When it changes, entries read earlier may be gone or
   * different.
   */
  readonly removals: number;
}

/** Facts about a session, available without reading its logs. */
export interface SessionInfo {
  readonly key: string;
  /** The session's id. A session that was removed and started again has a new one. */
  readonly id: string;
  /** The time it began, in milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The time of the last append to its transcript. */
  readonly updatedAtMs: number;
  readonly logs: Readonly<Record<LogName, LogHead>>;
}

/** Identifies the session that a call is meant for. */
export interface ExpectedSession {
  /**
   * The `id` that the caller knows. If the session is another or doesn't exist, the call does nothing and fails with
   * `STORE_CONFLICT`.
   */
  readonly expectedId?: string;
}

export interface AppendOptions extends ExpectedSession {
  /** Default: `transcript`. */
  readonly log?: LogName;
  /** Names the append. An append whose name was used before isn't repeated; it returns the earlier result. */
  readonly operationId?: string;
  /**
   * The `lastSeq` that the caller knows (0 for an empty log). If another append came first, this one fails with
   * `STORE_CONFLICT`.
   */
  readonly expectedSeq?: number;
  /**
   * The sequence number of the entry to replace. The same transaction removes it. It must be the newest message;
   * otherwise the append fails with `STORE_CONFLICT`. At least one of the new entries must be a message.
   */
  readonly replacesSeq?: number;
  /**
   * New versions of entries, written in the same transaction under their old sequence numbers. Requires `expectedSeq`
   * and excludes `replacesSeq`. If one of the entries no longer exists, the append fails with `STORE_CONFLICT`.
   */
  readonly rewrites?: Rewrites;
  /** True if the caller never changes the entries afterwards, so the store needn't copy them. Default: false. */
  readonly givesUpEntries?: boolean;
}

/** New versions of entries. */
export interface Rewrites {
  readonly entries: readonly RewrittenEntry[];
  /**
   * The sequence number of the newest message afterwards, or 0 if no message remains. If that message no longer exists,
   * the append fails with `STORE_CONFLICT`.
   */
  readonly lastMessageSeq: number;
}

/** The new version of an entry. */
export interface RewrittenEntry extends NewEntry {
  readonly seq: number;
}

export interface TrimOptions extends ExpectedSession {
  /** Default: `transcript`. */
  readonly log?: LogName;
  readonly keepSeqs?: readonly number[];
}

export interface RemoveOptions extends ExpectedSession {
  /**
   * The transcript's `lastSeq` that the caller knows. If another append came first, nothing is removed and the call
   * fails with `STORE_CONFLICT`.
   */
  readonly expectedSeq?: number;
}

export interface AppendResult {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** True if the same `operationId` had already been appended. */
  readonly isRepeated: boolean;
}

/** Selects entries to read. The store reads nothing else. */
export interface ReadRange {
  /** Default: `transcript`. */
  readonly log?: LogName;
  /** Only entries with a larger sequence number. */
  readonly after?: number;
  /** Only entries with a smaller sequence number. */
  readonly before?: number;
  /** Maximum number of entries, from the end that `order` begins with. Default: all. */
  readonly limit?: number;
  /** Default: `ascending`. */
  readonly order?: "ascending" | "descending";
  /** Only entries of these types. */
  readonly types?: readonly EntryType[];
  /** Only pinned entries. */
  readonly pinned?: true;
  /** Only entries with one of these sequence numbers. */
  readonly seqs?: readonly number[];
}

/** A row of a log that isn't an entry, because something else wrote it. It doesn't count toward limits. */
export interface SkippedEntry {
  /** The sequence number, if known. */
  readonly seq: number | undefined;
  /** The fault, in words. */
  readonly reason: string;
}

export interface ReadResult {
  readonly entries: readonly Entry[];
  /** The session, read in the same transaction; undefined if it does not exist. */
  readonly info: SessionInfo | undefined;
  readonly skipped: readonly SkippedEntry[];
}

/** A change to a session. */
export interface StoreChange {
  readonly kind: "append" | "trim" | "remove";
  readonly log: LogName;
  /** The last sequence number after an append, 0 otherwise. */
  readonly lastSeq: number;
}

/** Stores data that can be recomputed: counts, terms, embeddings. Sessions choose the names; values are bytes. */
export interface DerivedStore {
  /** Returns the values that exist for these names. */
  read(sessionKey: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Writes all values or none. Undefined removes a value. Does nothing for a session that doesn't exist. */
  write(sessionKey: string, values: ReadonlyMap<string, Uint8Array | undefined>): Promise<void>;
}

/**
 * A store of sessions. Any text can be a key, and keys are compared exactly. Failures are `ContextError`s of the kind
 * `store_error`. After a failure, acknowledged entries are intact, and the next call works.
 */
export interface TranscriptStore {
  /** Appends all entries or none. They are durable when the promise resolves. The first entry creates the session. */
  append(sessionKey: string, entries: readonly NewEntry[], options?: AppendOptions): Promise<AppendResult>;
  read(sessionKey: string, range?: ReadRange): Promise<ReadResult>;
  /** Returns the transcript's entries with one of these ids, by sequence number. */
  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]>;
  readonly derived: DerivedStore;
  /** Returns all sessions, or those with one of `keys`. Sorted by key in the order of code units. */
  sessions(filter?: { readonly keys?: readonly string[] }): Promise<readonly SessionInfo[]>;
  /**
   * Removes the entries before a sequence number, except those in `keepSeqs`, and returns their number. The sequence
   * continues.
   */
  trim(sessionKey: string, beforeSeq: number, options?: TrimOptions): Promise<{ readonly removedCount: number }>;
  /** Removes a session with everything that belongs to it. The same transaction checks the caller's expectations. */
  remove(sessionKey: string, options?: RemoveOptions): Promise<void>;
  /** Runs a function that reads several times. Until it ends, nothing of the session is trimmed or removed. */
  holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T>;
  /** Reports changes, from other tabs too if the store can observe them. Returns a function that unsubscribes. */
  subscribe?(sessionKey: string, listener: (change: StoreChange) => void): () => void;
  /** Closes the store. Later calls fail with `STORE_CLOSED`. */
  close(): Promise<void>;
}
