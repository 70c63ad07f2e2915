// Sessions in memory: for tests, for Node, and for edge isolates that keep nothing.

import type {
  AppendOptions,
  AppendResult,
  DerivedStore,
  Entry,
  EntryType,
  JsonValue,
  LogName,
  NewEntry,
  ReadRange,
  ReadResult,
  RemoveOptions,
  SessionInfo,
  StoreChange,
  TranscriptStore,
  TrimOptions,
} from "./contract.js";
import { Holds } from "./hold.js";
import { Listeners } from "./listeners.js";
import {
  admit,
  changeOf,
  checkExpected,
  checkKey,
  checkListener,
  seqsToRewrite,
  storeError,
  trimmed,
  withCopies,
} from "./log.js";
import { publicDerived, publicStore } from "./public-store.js";

/**
 * Creates a store that keeps sessions for its own lifetime. Pass the same store to everything that should share them.
 */
export function memoryStore(): TranscriptStore {
  return new MemoryStore();
}

/** Used instead of a key by calls that concern no single session. */
const ALL = Symbol("all sessions");

class MemoryStore implements TranscriptStore {
  readonly #sessions = new Map<string, MemorySession>();
  readonly #holds = new Holds();
  readonly #listeners = new Listeners();
  /** Calls that wait or run while others may call. All other calls end synchronously. */
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor() {
    publicStore(MemoryStore.prototype);
  }

  readonly derived: DerivedStore = publicDerived({
    read: (sessionKey, names) =>
      this.#call(sessionKey, () => {
        const values = this.#sessions.get(sessionKey)?.derived;
        return new Map(
          names.flatMap((name) => {
            const value = values?.get(name);
            return value === undefined ? [] : [[name, value.slice()]];
          }),
        );
      }),
    write: (sessionKey, values) =>
      this.#call(sessionKey, () => {
        const copies = kept(() => [...values].map(([name, value]) => [name, value && new Uint8Array(value)] as const));
        const derived = this.#sessions.get(sessionKey)?.derived;
        for (const [name, value] of copies) {
          if (value === undefined) {
            derived?.delete(name);
          } else {
            derived?.set(name, value);
          }
        }
      }),
  });

  append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<AppendResult> {
    return this.#call(sessionKey, () => {
      const { log = "transcript", operationId, replacesSeq } = options;
      const session = this.#sessions.get(sessionKey);
      const before = operationId === undefined ? undefined : session?.logs[log].operation(operationId);
      if (before !== undefined) {
        return { ...before, isRepeated: true };
      }
      // Data is kept as JSON text, so no caller can change it, and every reader gets new objects.
      const copies = kept(() => entries.map((entry) => ({ ...entry, data: textOf(entry.data) })));
      const own = kept(() => withCopies(options, (entry) => ({ ...entry, data: textOf(entry.data) })));
      const replaced = replacesSeq === undefined ? undefined : session?.logs[log].at(replacesSeq);
      const rewritten = seqsToRewrite(options).flatMap((seq) => session?.logs[log].at(seq) ?? []);
      const standing = { info: session?.info, replaced, rewritten };
      const after = admit(sessionKey, standing, copies, own, Date.now());
      const { info, rows } = after;
      const changed = session ?? new MemorySession(info);
      changed.info = info;
      changed.logs[log].rewrite(after.rewritten);
      changed.logs[log].add(rows, replaced);
      this.#sessions.set(sessionKey, changed);
      const { lastSeq } = info.logs[log];
      this.#listeners.tell(sessionKey, changeOf(options, log, lastSeq));
      return { firstSeq: lastSeq - rows.length + 1, lastSeq, isRepeated: false };
    });
  }

  read(sessionKey: string, range: ReadRange = {}): Promise<ReadResult> {
    return this.#call(sessionKey, () => {
      const session = this.#sessions.get(sessionKey);
      const rows = session?.logs[range.log ?? "transcript"].read(range) ?? [];
      return { entries: rows.map(entryOf), info: session && structuredClone(session.info), skipped: [] };
    });
  }

  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]> {
    return this.#call(sessionKey, () => this.#sessions.get(sessionKey)?.logs.transcript.get(ids).map(entryOf) ?? []);
  }

  sessions({ keys }: { readonly keys?: readonly string[] } = {}): Promise<readonly SessionInfo[]> {
    return this.#call(ALL, () => {
      const wanted = keys === undefined ? [...this.#sessions.keys()] : [...new Set(keys)];
      // Sorted by code units, JavaScript's own order.
      return wanted.sort().flatMap((key) => {
        const session = this.#sessions.get(key);
        return session === undefined ? [] : [structuredClone(session.info)];
      });
    });
  }

  trim(sessionKey: string, beforeSeq: number, options: TrimOptions = {}): Promise<{ readonly removedCount: number }> {
    const { log = "transcript", keepSeqs = [], expectedId } = options;
    const keep = new Set(keepSeqs);
    return this.#alone(sessionKey, () => {
      const session = this.#sessions.get(sessionKey);
      checkExpected(session?.info, { expectedId });
      const removed = session?.logs[log].trim(beforeSeq, keep) ?? [];
      if (session !== undefined && removed.length > 0) {
        session.info = trimmed(session.info, log, removed, session.logs[log].lastMessageSeq);
        this.#listeners.tell(sessionKey, { kind: "trim", log, lastSeq: 0 });
      }
      return { removedCount: removed.length };
    });
  }

  remove(sessionKey: string, options: RemoveOptions = {}): Promise<void> {
    const expected = { ...options };
    return this.#alone(sessionKey, () => {
      checkExpected(this.#sessions.get(sessionKey)?.info, expected);
      if (this.#sessions.delete(sessionKey)) {
        this.#listeners.tell(sessionKey, { kind: "remove", log: "transcript", lastSeq: 0 });
      }
    });
  }

  holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    return this.#call(sessionKey, () => this.#holds.holding(sessionKey, run));
  }

  subscribe(sessionKey: string, listener: (change: StoreChange) => void): () => void {
    this.#check(sessionKey);
    checkListener(listener);
    return this.#listeners.subscribe(sessionKey, listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    this.#listeners.clear();
    this.#sessions.clear();
  }

  #alone<T>(sessionKey: string, run: () => T): Promise<T> {
    return this.#call(sessionKey, () => this.#holds.alone(sessionKey, run));
  }

  /** Runs a call. It finishes synchronously, so all or nothing happens, unless it waits for a hold. */
  async #call<T>(sessionKey: string | typeof ALL, run: () => T | Promise<T>): Promise<T> {
    this.#check(sessionKey);
    const result = run();
    if (!(result instanceof Promise)) {
      return result;
    }
    this.#running.add(result);
    try {
      return await result;
    } finally {
      this.#running.delete(result);
    }
  }

  #check(sessionKey: string | typeof ALL): void {
    if (sessionKey !== ALL) {
      checkKey(sessionKey);
    }
    if (this.#isClosed) {
      throw storeError("STORE_CLOSED", "the store was closed", "Make another store.");
    }
  }
}

/** Copies data to be stored. */
function kept<T>(copy: () => T): T {
  try {
    return copy();
  } catch (cause) {
    throw storeError("INVALID_SESSION", "the value can't be stored: it can't be copied", "Pass plain data.", cause);
  }
}

/** Returns data as text. The append fails for data that JSON can't represent, as in every store. */
function textOf(data: JsonValue): JsonValue {
  return JSON.stringify(data);
}

/** Returns a row as a new entry. */
function entryOf(row: Entry): Entry {
  return { ...row, data: JSON.parse(row.data as string) };
}

class MemorySession {
  readonly logs: Readonly<Record<LogName, Log>> = { transcript: new Log(), builds: new Log() };
  readonly derived: Map<string, Uint8Array> = new Map();
  info: SessionInfo;

  constructor(info: SessionInfo) {
    this.info = info;
  }
}

interface Operation {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The number of its rows that remain. */
  rowCount: number;
}

/**
 * The rows of a log, and lists of rows by type and pin. Each is sorted by sequence number, so no read scans all rows.
 */
class Log {
  #rows: Rows = [];
  #pinned: Rows = [];
  readonly #byType = new Map<EntryType, Rows>();
  readonly #byId = new Map<string, Rows>();
  readonly #operations = new Map<string, Operation>();

  get lastMessageSeq(): number {
    return this.#byType.get("message")?.at(-1)?.seq ?? 0;
  }

  at(seq: number): Entry | undefined {
    const row = this.#rows[placeOf(this.#rows, seq)];
    return row?.seq === seq ? row : undefined;
  }

  operation(id: string): Pick<AppendResult, "firstSeq" | "lastSeq"> | undefined {
    const operation = this.#operations.get(id);
    return operation && { firstSeq: operation.firstSeq, lastSeq: operation.lastSeq };
  }

  get(ids: readonly string[]): readonly Entry[] {
    return bySeq([...new Set(ids)].flatMap((id) => this.#byId.get(id) ?? []));
  }

  read({ after = 0, before = Infinity, limit = Infinity, order, types, pinned, seqs }: ReadRange): readonly Entry[] {
    const isDescending = order === "descending";
    const cut = (rows: readonly Entry[]): readonly Entry[] =>
      isDescending ? rows.slice(Math.max(0, rows.length - limit)).reverse() : rows.slice(0, limit);
    const inRange = (rows: readonly Entry[]): readonly Entry[] => {
      // Copies no more than the limit.
      const start = placeOf(rows, after + 1);
      const end = Math.max(start, placeOf(rows, before));
      return isDescending
        ? rows.slice(Math.max(start, end - limit), end)
        : rows.slice(start, Math.min(end, start + limit));
    };
    if (seqs !== undefined) {
      const isWanted = ({ seq, type, pinned: isPinned }: Entry): boolean =>
        seq > after && seq < before && (types?.includes(type) ?? true) && (!pinned || isPinned === true);
      const found = [...new Set(seqs)].flatMap((seq) => {
        const row = this.#rows[placeOf(this.#rows, seq)];
        return row?.seq === seq && isWanted(row) ? [row] : [];
      });
      return cut(bySeq(found));
    }
    if (types === undefined) {
      return cut(inRange(pinned ? this.#pinned : this.#rows));
    }
    const lists = [...new Set(types)].map((type) => this.#byType.get(type) ?? []);
    const found = pinned
      ? this.#pinned.filter(({ seq, type }) => seq > after && seq < before && types.includes(type))
      : bySeq(lists.flatMap(inRange));
    return cut(found);
  }

  /** Replaces the rows that have the same sequence numbers. */
  rewrite(rows: readonly Entry[]): void {
    for (const row of rows) {
      this.#remove(this.at(row.seq) as Entry);
      for (const list of this.#listsOf(row)) {
        list.splice(placeOf(list, row.seq), 0, row);
      }
    }
  }

  #remove(row: Entry): void {
    for (const list of this.#listsOf(row)) {
      list.splice(placeOf(list, row.seq), 1);
    }
    this.#forget([row]);
  }

  /** Adds rows, and removes the row that they replace. */
  add(rows: readonly Entry[], replaced: Entry | undefined): void {
    if (replaced !== undefined) {
      this.#remove(replaced);
    }
    const [first] = rows;
    for (const row of rows) {
      for (const list of this.#listsOf(row)) {
        list.push(row);
      }
    }
    if (first?.operationId !== undefined) {
      const { length } = rows;
      const operation = { firstSeq: first.seq, lastSeq: first.seq + length - 1, rowCount: length };
      this.#operations.set(first.operationId, operation);
    }
  }

  /** Removes the rows before a sequence number, except some, and returns them. */
  trim(beforeSeq: number, keep: ReadonlySet<number>): readonly Entry[] {
    const removed = this.#rows.slice(0, placeOf(this.#rows, beforeSeq)).filter(({ seq }) => !keep.has(seq));
    if (removed.length > 0) {
      const isLeft = ({ seq }: Entry): boolean => seq >= beforeSeq || keep.has(seq);
      this.#rows = this.#rows.filter(isLeft);
      this.#pinned = this.#pinned.filter(isLeft);
      for (const lists of [this.#byType, this.#byId] as readonly Map<string, Rows>[]) {
        for (const [name, rows] of lists) {
          lists.set(name, rows.filter(isLeft));
        }
      }
      this.#forget(removed);
    }
    return removed;
  }

  /** Returns the lists that contain a row. */
  #listsOf({ type, id, pinned }: Entry): readonly Rows[] {
    return [
      this.#rows,
      listOf(this.#byType, type),
      ...(pinned ? [this.#pinned] : []),
      ...(id === undefined ? [] : [listOf(this.#byId, id)]),
    ];
  }

  /** Forgets facts from rows that are gone. */
  #forget(removed: readonly Entry[]): void {
    for (const { id, operationId } of removed) {
      if (id !== undefined && this.#byId.get(id)?.length === 0) {
        this.#byId.delete(id);
      }
      const operation = operationId === undefined ? undefined : this.#operations.get(operationId);
      if (operationId !== undefined && operation !== undefined) {
        operation.rowCount -= 1;
        if (operation.rowCount === 0) {
          this.#operations.delete(operationId);
        }
      }
    }
  }
}

type Rows = Entry[];

function listOf<Name>(lists: Map<Name, Rows>, name: Name): Rows {
  const known = lists.get(name);
  if (known !== undefined) {
    return known;
  }
  const made: Rows = [];
  lists.set(name, made);
  return made;
}

/** Returns the index of the first row whose sequence number isn't smaller. */
function placeOf(rows: readonly Entry[], seq: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.seq ?? 0) < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function bySeq(rows: readonly Entry[]): readonly Entry[] {
  return [...rows].sort((left, right) => left.seq - right.seq);
}
