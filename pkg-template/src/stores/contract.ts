// What a store of sessions is: append-only logs, each with its own sequence, and beside them what can be computed again.

import type { JsonValue } from "../base/json.js";

export type { JsonValue };

/**
 * The logs of a session: what was said, and what was built from it. They have sequences of their own, so that reading the end
 * of the transcript reads messages.
 */
export type LogName = "transcript" | "builds";

/**
 * The type of an entry. Only the log of builds has `build`, and only the transcript has the others. A `left` entry keeps a message that the
 * conversation no longer has: the old text of an edited one, or one of an abandoned branch. A `forgotten` entry says what the user wants
 * forgotten.
 */
export type EntryType = "session" | "message" | "summary" | "failure" | "build" | "left" | "forgotten" | "other";

/** An entry as it is appended. */
export interface NewEntry {
  readonly type: EntryType;
  /** The id that `get` finds it by. Several entries may have one id. */
  readonly id?: string;
  /** When it was written, in milliseconds since 1970. */
  readonly timeMs?: number;
  /** Whether retention keeps it whatever its age. */
  readonly pinned?: true;
  /** The data that is kept: for the store, any plain data. */
  readonly data: JsonValue;
}

/** An entry of a log. Only an append with `rewrites` changes one, and appends the old one as a `left` entry. */
export interface Entry extends NewEntry {
  /** Its place: a whole number from 1, ascending, never given twice. */
  readonly seq: number;
  /** The latest time of this entry and all that were ever appended before it; absent where none had a time. */
  readonly latestTimeMs?: number;
  /** The entry in whose place it is: the first, where several were replaced one after the other. */
  readonly replacesSeq?: number;
  /** The operation that appended it. */
  readonly operationId?: string;
}

/** How a log stands. */
export interface LogHead {
  /** The sequence number of the last entry that was ever appended; 0 where there was none. */
  readonly lastSeq: number;
  /** The sequence number of the newest message; 0 before the first. */
  readonly lastMessageSeq: number;
  /** How many entries there are, by type. */
  readonly counts: Readonly<Partial<Record<EntryType, number>>>;
  /** How many entries are pinned. */
  readonly pinnedCount: number;
  /** How many messages and summaries have no time. */
  readonly untimedCount: number;
  /** The latest time of all entries that were ever appended. */
  readonly latestTimeMs?: number;
  /** How often entries were trimmed or rewritten. After it, entries that were read before may be gone, or others. */
  readonly removals: number;
}

/** Facts of a session that need no reading of its logs. */
export interface SessionInfo {
  readonly key: string;
  /** Made with the session: where it was removed and began anew, it is another. */
  readonly id: string;
  /** When it began, in milliseconds since 1970. */
  readonly createdAtMs: number;
  /** When its transcript was last appended to. */
  readonly updatedAtMs: number;
  readonly logs: Readonly<Record<LogName, LogHead>>;
}

/** Which session a call is meant for. */
export interface ExpectedSession {
  /** The `id` that the caller knows; where another session is there, or none, the call does nothing and fails with `STORE_CONFLICT`. */
  readonly expectedId?: string;
}

export interface AppendOptions extends ExpectedSession {
  /** Default: `transcript`. */
  readonly log?: LogName;
  /** Names the append: where it was made before, it is not made again, and gives what it gave then. */
  readonly operationId?: string;
  /** The `lastSeq` that the caller knows (0: an empty log); where another append came first, this one fails with `STORE_CONFLICT`. */
  readonly expectedSeq?: number;
  /**
   * The entry whose place the appended ones take: it is removed in the same transaction. It must be the newest message;
   * otherwise the append fails with `STORE_CONFLICT`. At least one of the appended ones must be a message.
   */
  readonly replacesSeq?: number;
  /**
   * Entries that become others in the same transaction, each in its place. They go with `expectedSeq`, and not with `replacesSeq`. If
   * one of them is no longer there, the append fails with `STORE_CONFLICT`.
   */
  readonly rewrites?: Rewrites;
  /** Whether the caller gives the entries up and never changes them: a store that would copy them needn't. Default: no. */
  readonly givesUpEntries?: boolean;
}

/** New versions of entries. */
export interface Rewrites {
  readonly entries: readonly RewrittenEntry[];
  /** The newest message after it; 0 for none. If it is no longer there, the append fails with `STORE_CONFLICT`. */
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
  /** The `lastSeq` of the transcript that the caller knows; where another append came, nothing is removed and it fails with `STORE_CONFLICT`. */
  readonly expectedSeq?: number;
}

export interface AppendResult {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Whether it had been appended before, under the same `operationId`. */
  readonly isRepeated: boolean;
}

/** Which entries to read. Nothing else is read. */
export interface ReadRange {
  /** Default: `transcript`. */
  readonly log?: LogName;
  /** Only entries with a larger sequence number. */
  readonly after?: number;
  /** Only entries with a smaller sequence number. */
  readonly before?: number;
  /** At most so many, from the end that `order` begins with. Default: all. */
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

/** A row of a log that is not an entry: something else has written there. It counts to no limit. */
export interface SkippedEntry {
  /** Its sequence number, where that is known. */
  readonly seq: number | undefined;
  /** Its fault, in words. */
  readonly reason: string;
}

export interface ReadResult {
  readonly entries: readonly Entry[];
  /** The session, read in the same transaction; undefined if it does not exist. */
  readonly info: SessionInfo | undefined;
  readonly skipped: readonly SkippedEntry[];
}

/** What happened to a session. */
export interface StoreChange {
  readonly kind: "append" | "trim" | "remove";
  readonly log: LogName;
  /** The last sequence number after an append, 0 otherwise. */
  readonly lastSeq: number;
}

/** What can be computed again: counts, terms, embeddings. Names are the session's own business; values are bytes. */
export interface DerivedStore {
  /** The values that there are of these names. */
  read(sessionKey: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Writes values, all or none; undefined removes one. For a session that does not exist nothing is written. */
  write(sessionKey: string, values: ReadonlyMap<string, Uint8Array | undefined>): Promise<void>;
}

/**
 * A place where sessions are kept. Keys are any texts and are told apart exactly. Failures are `ContextError`s of the kind
 * `store_error`. After one, acknowledged entries are still there, and the next call works.
 */
export interface TranscriptStore {
  /** Appends entries, all or none: they are durable when it resolves. A session begins with its first entry. */
  append(sessionKey: string, entries: readonly NewEntry[], options?: AppendOptions): Promise<AppendResult>;
  read(sessionKey: string, range?: ReadRange): Promise<ReadResult>;
  /** The entries of the transcript that have one of these ids, by sequence number. */
  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]>;
  readonly derived: DerivedStore;
  /** The sessions that there are, by key in the order of code units; only these where `keys` are given. */
  sessions(filter?: { readonly keys?: readonly string[] }): Promise<readonly SessionInfo[]>;
  /** Removes the entries before a sequence number but for those that are to be kept, and says how many. The sequence goes on. */
  trim(sessionKey: string, beforeSeq: number, options?: TrimOptions): Promise<{ readonly removedCount: number }>;
  /** Removes a session with all that belongs to it. What is expected of it is checked in the same transaction. */
  remove(sessionKey: string, options?: RemoveOptions): Promise<void>;
  /** Runs something that reads several times: until it has ended, nothing of the session is trimmed or removed. */
  holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T>;
  /** Tells of changes, in whatever tab they are made where the store can know; gives what ends it. */
  subscribe?(sessionKey: string, listener: (change: StoreChange) => void): () => void;
  /** Ends all use. Calls after it fail with `STORE_CLOSED`. */
  close(): Promise<void>;
}
