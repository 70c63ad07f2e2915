// Sessions in SQLite at the edge. A Durable Object runs each call in one transaction, and D1 runs each step in its own.
// Scripts that pause at every query serve both.

import { ContextError } from "../base/errors.js";
import { newId } from "../base/ids.js";
import type {
  AppendOptions,
  AppendResult,
  DerivedStore,
  Entry,
  LogName,
  NewEntry,
  ReadRange,
  ReadResult,
  RemoveOptions,
  SessionInfo,
  SkippedEntry,
  StoreChange,
  TranscriptStore,
  TrimOptions,
} from "./contract.js";
import type { Holds } from "./hold.js";
import type { Listeners } from "./listeners.js";
import {
  admit,
  changeOf,
  checkExpected,
  checkKey,
  checkListener,
  recovered,
  seqsToRewrite,
  storeError,
  trimmed,
  withCopies,
} from "./log.js";
import { publicDerived, publicStore } from "./public-store.js";
import {
  allEntriesOf,
  boundOf,
  derivedWrites,
  entriesAt,
  entriesOf,
  entryIn,
  FIELDS,
  headIn,
  headOf,
  headWrites,
  IS_MINE,
  insertsOf,
  isRowOf,
  joined,
  jsonOf,
  LOGS,
  listsOf,
  NUMBER,
  parsed,
  readable,
  removalsOf,
  rewritesOf,
  type SessionHead,
  trimsOf,
  WITHOUT_DATA,
} from "./sql-rows.js";
import { ask, type Script, type SqlRow, statement } from "./sql-schema.js";

/** Runs scripts. */
export interface SqlHost {
  read<T>(begin: () => Script<T>): Promise<T>;
  /**
   * Runs a script that writes. Those of one session run in the order of the calls. The writes are durable when the
   * promise resolves.
   */
  write<T>(sessionKey: string, begin: () => Script<T>): Promise<T>;
  /** True if a script starts again when the outcome of its last step is unknown. */
  readonly mayRepeat: boolean;
  readonly holds: Holds;
  readonly listeners: Listeners;
}

/** The number of sessions listed in one step. */
const SESSIONS_PER_STEP = 1000;
/** How often a write is tried while others write to the same session. Whenever one fails, another has succeeded. */
const MOST_ATTEMPTS = 100;

/** Returns a store of sessions in the tables of a host. */
export function sqlStore(host: SqlHost): TranscriptStore {
  return new SqlStore(host);
}

class SqlStore implements TranscriptStore {
  readonly derived: DerivedStore;
  readonly #host: SqlHost;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #subscriptions = new Set<() => void>();
  /**
   * The identities of sessions whose heads were lost. They stay the same at every reading until a write stores them.
   */
  readonly #recovered = new Map<string, Pick<SessionInfo, "id" | "createdAtMs">>();
  #isClosed = false;

  constructor(host: SqlHost) {
    publicStore(SqlStore.prototype);
    this.#host = host;
    this.derived = publicDerived({
      read: (sessionKey, names) =>
        this.#ofSession(sessionKey, () => {
          const wanted = [...new Set(names)];
          return host.read(() => readDerived(sessionKey, wanted));
        }),
      write: (sessionKey, values) =>
        this.#ofSession(sessionKey, async () => {
          // Encoded before the first await, so later changes of the caller have no effect.
          const statements = derivedWrites(sessionKey, values);
          if (statements.length > 0) {
            await host.write(sessionKey, () => ask(...statements));
          }
        }),
    });
  }

  append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<AppendResult> {
    return this.#ofSession(sessionKey, async () => {
      const { log = "transcript" } = options;
      const own = withCopies(options, (entry) => ({ ...entry, data: jsonOf(entry.data) }));
      const written = entries.map((entry) => ({ ...entry, data: jsonOf(entry.data) }));
      const trying: Appending = { callId: newId(), rows: undefined };
      const begin = (): Script<AppendResult> => this.#append(sessionKey, written, own, trying);
      const appended = await this.#host.write(sessionKey, begin);
      if (!appended.isRepeated) {
        this.#tell(sessionKey, changeOf(options, log, appended.lastSeq));
      }
      return appended;
    });
  }

  read(sessionKey: string, range: ReadRange = {}): Promise<ReadResult> {
    return this.#ofSession(sessionKey, () => {
      const own = { ...range };
      return this.#host.read(() => this.#read(sessionKey, own));
    });
  }

  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]> {
    return this.#ofSession(sessionKey, () => {
      const wanted = [...new Set(ids)];
      return this.#host.read(() => findById(sessionKey, wanted));
    });
  }

  sessions({ keys }: { readonly keys?: readonly string[] } = {}): Promise<readonly SessionInfo[]> {
    return this.#call(() => {
      const wanted = keys && [...new Set(keys)];
      return this.#host.read(() => this.#sessions(wanted));
    });
  }

  trim(sessionKey: string, beforeSeq: number, options: TrimOptions = {}): Promise<{ readonly removedCount: number }> {
    return this.#ofSession(sessionKey, () => {
      const { log = "transcript", expectedId } = options;
      const kept = new Set(options.keepSeqs);
      const done: Trimming = { callId: newId(), removedCount: 0 };
      return this.#host.holds.alone(sessionKey, async () => {
        const begin = (): Script<number> => this.#trim(sessionKey, boundOf(beforeSeq), { log, kept, expectedId }, done);
        const removedCount = await this.#host.write(sessionKey, begin);
        if (removedCount > 0) {
          this.#tell(sessionKey, { kind: "trim", log, lastSeq: 0 });
        }
        return { removedCount };
      });
    });
  }

  remove(sessionKey: string, options: RemoveOptions = {}): Promise<void> {
    return this.#ofSession(sessionKey, () => {
      const expected = { ...options };
      const found: Removing = { number: undefined };
      return this.#host.holds.alone(sessionKey, async () => {
        if (await this.#host.write(sessionKey, () => this.#remove(sessionKey, expected, found))) {
          this.#tell(sessionKey, { kind: "remove", log: "transcript", lastSeq: 0 });
        }
      });
    });
  }

  async holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    checkKey(sessionKey);
    this.#checkOpen();
    return await this.#tracked(this.#host.holds.holding(sessionKey, run));
  }

  subscribe(sessionKey: string, listener: (change: StoreChange) => void): () => void {
    checkKey(sessionKey);
    checkListener(listener);
    this.#checkOpen();
    const end = this.#host.listeners.subscribe(sessionKey, listener);
    this.#subscriptions.add(end);
    return () => {
      this.#subscriptions.delete(end);
      end();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#calls);
    for (const end of this.#subscriptions) {
      end();
    }
    this.#subscriptions.clear();
  }

  async #ofSession<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    checkKey(sessionKey);
    return await this.#call(run);
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    try {
      return await this.#tracked(run());
    } catch (failure) {
      throw failureOf(failure);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) {
      throw storeError("STORE_CLOSED", "the store was closed", "Open the store again.");
    }
  }

  async #tracked<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  #tell(sessionKey: string, change: StoreChange): void {
    this.#host.listeners.tell(sessionKey, change);
  }

  // ---- Scripts ----

  *#append(
    sessionKey: string,
    entries: readonly NewEntry[],
    options: AppendOptions,
    trying: Appending,
  ): Script<AppendResult> {
    const { callId } = trying;
    const { log = "transcript", operationId, replacesSeq } = options;
    // A call that starts again must be recognized even without an operation id. No JSON text equals this one.
    const operation = operationId === undefined ? (this.#host.mayRepeat ? callId : null) : jsonOf(operationId);
    const key = jsonOf(sessionKey);
    const standing = [
      headOf(key),
      statement(
        `SELECT first_seq, last_seq FROM windrow_entries INDEXED BY windrow_operations
          WHERE session = ${NUMBER} AND log = ?2 AND operation = ?3 AND operation IS NOT NULL LIMIT 1`,
        key,
        LOGS[log],
        operation,
      ),
      statement(
        `SELECT ${WITHOUT_DATA} FROM windrow_entries WHERE session = ${NUMBER} AND log = ?2 AND seq = ?3`,
        key,
        LOGS[log],
        replacesSeq === undefined ? null : boundOf(replacesSeq),
      ),
      ...(options.rewrites === undefined ? [] : [entriesAt(key, log, seqsToRewrite(options))]),
    ];
    const replacing = statement(
      `DELETE FROM windrow_entries WHERE session = ${NUMBER} AND log = ?3 AND seq = ?4 AND ${IS_MINE}`,
      key,
      callId,
      LOGS[log],
      replacesSeq ?? null,
    );
    let answers = yield* ask(...standing);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [headRows = [], [made] = [], [replacedRow] = [], rewrittenRows = []] = answers.slice(-standing.length);
      const head = headIn(sessionKey, headRows[0]);
      if (made !== undefined) {
        const [firstSeq, lastSeq] = [made.first_seq as number, made.last_seq as number];
        const isOwn = operationId === undefined || head.revision === callId;
        return { firstSeq, lastSeq, isRepeated: !(isOwn || (yield* this.#hasWritten(key, log, trying.rows))) };
      }
      const info = yield* this.#infoOf(sessionKey, head);
      const replaced = replacedRow && entryIn(replacedRow);
      const found = {
        info,
        replaced: typeof replaced === "object" ? replaced : undefined,
        rewritten: readable(rewrittenRows),
      };
      const after = admit(sessionKey, found, entries, options, Date.now());
      const [firstSeq, lastSeq] = [after.rows[0]?.seq as number, after.rows.at(-1)?.seq as number];
      trying.rows = after.rows;
      answers = yield* ask(
        ...headWrites(key, head, callId, after.info),
        ...rewritesOf(key, callId, log, after.rewritten),
        ...insertsOf(key, callId, log, operation, after.rows),
        ...(replacesSeq === undefined ? [] : [replacing]),
        // The next attempt starts with this state if this one came too late, so it isn't later than the others' next
        // ones.
        ...standing,
      );
      if (headIn(sessionKey, answers.at(-standing.length)?.[0]).revision === callId) {
        this.#recovered.delete(sessionKey);
        return { firstSeq, lastSeq, isRepeated: false };
      }
      trying.rows = undefined;
    }
    throw tooManyWriters();
  }

  /**
   * True if the rows exist that a step wrote before its answer was lost. Others may have come since, even with the same
   * operation.
   */
  *#hasWritten(key: string, log: LogName, rows: readonly Entry[] | undefined): Script<boolean> {
    const [first] = rows ?? [];
    if (rows === undefined || first === undefined) {
      return false;
    }
    const range = { log, after: first.seq - 1, before: first.seq + rows.length };
    const [found = []] = yield* ask(entriesOf(key, range, rows.length));
    return found.every((row) => isRowOf(row, rows[(row.seq as number) - first.seq]));
  }

  *#read(sessionKey: string, range: ReadRange): Script<ReadResult> {
    const { types, limit = Infinity } = range;
    const wanted = limit > 0 ? Math.ceil(limit) : 0;
    const key = jsonOf(sessionKey);
    let isDamaged = false;
    for (let count = wanted; ; ) {
      const [headRows = [], rows = [], all = []] = yield* ask(
        headOf(key),
        entriesOf(key, range, count),
        ...(isDamaged ? [allEntriesOf(key)] : []),
      );
      const head = headIn(sessionKey, headRows[0]);
      if (head.flaw !== undefined && !isDamaged) {
        // Head and entries must be from the same moment, so everything that the head depends on is read once more.
        isDamaged = true;
        continue;
      }
      const entries: Entry[] = [];
      const skipped: SkippedEntry[] = [];
      for (const row of rows) {
        if (entries.length === wanted) {
          break;
        }
        const entry = entryIn(row);
        if (typeof entry === "string") {
          skipped.push({ seq: Number.isSafeInteger(row.seq) ? (row.seq as number) : undefined, reason: entry });
        } else if (types === undefined || types.includes(entry.type)) {
          entries.push(entry);
        }
      }
      if (entries.length < wanted && rows.length === count) {
        // Damaged rows don't count toward the limit. Each round reads more of them, so it ends soon.
        count = wanted + 2 * (rows.length - entries.length);
        continue;
      }
      const isLost = head.flaw !== undefined;
      const info = isLost ? this.#recoveredFrom(sessionKey, head, all) : head.info;
      if (isLost && info !== undefined) {
        skipped.unshift({ seq: undefined, reason: head.flaw });
      }
      return { entries, info, skipped };
    }
  }

  *#sessions(keys: readonly string[] | undefined): Script<readonly SessionInfo[]> {
    const columns = "k.number, k.key, s.revision, s.info";
    const joined = "LEFT JOIN windrow_sessions s ON s.session = k.number";
    const found: SqlRow[] = [];
    if (keys === undefined) {
      const page = `SELECT ${columns} FROM windrow_keys k ${joined} WHERE k.number > ?1 ORDER BY k.number LIMIT ?2`;
      let rows: readonly SqlRow[];
      do {
        const last = Number(found.at(-1)?.number ?? 0);
        [rows = []] = yield* ask(statement(page, last, SESSIONS_PER_STEP));
        for (const row of rows) {
          found.push(row);
        }
      } while (rows.length === SESSIONS_PER_STEP);
    } else {
      const named = `SELECT ${columns} FROM json_each(?1) w CROSS JOIN windrow_keys k ON k.key = w.value ${joined}`;
      for (const chunk of listsOf(keys)) {
        for (const row of (yield* ask(statement(named, chunk)))[0] ?? []) {
          found.push(row);
        }
      }
    }
    const infos: SessionInfo[] = [];
    for (const row of found) {
      const sessionKey = parsed(row.key);
      const info =
        typeof sessionKey === "string" ? yield* this.#infoOf(sessionKey, headIn(sessionKey, row)) : undefined;
      if (info !== undefined) {
        infos.push(info);
      }
    }
    return infos.sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  *#trim(sessionKey: string, beforeSeq: number, { log, kept, expectedId }: TrimCall, done: Trimming): Script<number> {
    const key = jsonOf(sessionKey);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [headRows = [], rows = []] = yield* ask(
        headOf(key),
        statement(
          `SELECT ${WITHOUT_DATA} FROM windrow_entries WHERE session = ${NUMBER} AND log = ?2 AND seq < ?3 ORDER BY seq`,
          key,
          LOGS[log],
          beforeSeq,
        ),
      );
      const head = headIn(sessionKey, headRows[0]);
      if (head.revision === done.callId) {
        return done.removedCount;
      }
      const info = yield* this.#infoOf(sessionKey, head);
      checkExpected(info, { expectedId });
      const removed = rows.filter(({ seq }) => !kept.has(seq as number));
      if (info === undefined || removed.length === 0) {
        return done.removedCount;
      }
      const { lastMessageSeq } = info.logs[log];
      const isLeft = lastMessageSeq >= beforeSeq || kept.has(lastMessageSeq);
      const newest = readable(rows).findLast(({ seq, type }) => type === "message" && kept.has(seq));
      const after = trimmed(info, log, readable(removed), isLeft ? lastMessageSeq : (newest?.seq ?? 0));
      done.removedCount = removed.length;
      const [, ...answers] = yield* ask(
        ...headWrites(key, head, done.callId, after),
        ...trimsOf(key, done.callId, log, beforeSeq, kept),
        headOf(key),
      );
      if (headIn(sessionKey, answers.at(-1)?.[0]).revision === done.callId) {
        this.#recovered.delete(sessionKey);
        return removed.length;
      }
      done.removedCount = 0;
    }
    throw tooManyWriters();
  }

  /**
   * Removes the session found first, and returns true if one existed. A session that starts later under the same key is
   * a different one.
   */
  *#remove(sessionKey: string, expected: RemoveOptions, found: Removing): Script<boolean> {
    const key = jsonOf(sessionKey);
    const isConditional = expected.expectedId !== undefined || expected.expectedSeq !== undefined;
    let [[row] = []] = yield* ask(headOf(key));
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const head = headIn(sessionKey, row);
      if (found.number !== undefined && head.number !== found.number) {
        this.#recovered.delete(sessionKey);
        return true;
      }
      if (isConditional) {
        checkExpected(yield* this.#infoOf(sessionKey, head), expected);
      }
      if (head.number === undefined) {
        return false;
      }
      found.number = head.number;
      const answers = yield* ask(...removalsOf(head, isConditional), headOf(key));
      row = answers.at(-1)?.[0];
    }
    throw tooManyWriters();
  }

  /** Returns a session's facts, recomputed from its entries if its head is lost. */
  *#infoOf(sessionKey: string, head: SessionHead): Script<SessionInfo | undefined> {
    if (head.flaw === undefined) {
      return head.info;
    }
    const [rows = []] = yield* ask(allEntriesOf(jsonOf(sessionKey)));
    return this.#recoveredFrom(sessionKey, head, rows);
  }

  #recoveredFrom(sessionKey: string, { revision }: SessionHead, rows: readonly SqlRow[]): SessionInfo | undefined {
    if (revision === null && rows.length === 0) {
      return undefined;
    }
    const ofLog = (log: LogName): readonly SqlRow[] => rows.filter((row) => row.log === LOGS[log]);
    const entries = { transcript: readable(ofLog("transcript")), builds: readable(ofLog("builds")) };
    const { logs, ...info } = recovered(sessionKey, entries, Date.now());
    const { id, createdAtMs } = this.#recovered.get(sessionKey) ?? info;
    this.#recovered.set(sessionKey, { id, createdAtMs });
    const withLast = (log: LogName): SessionInfo["logs"][LogName] => {
      // No sequence number is reused, not even that of an unreadable row.
      const last = ofLog(log).at(-1)?.seq;
      return { ...logs[log], lastSeq: Math.max(logs[log].lastSeq, Number.isSafeInteger(last) ? (last as number) : 0) };
    };
    return { ...info, id, createdAtMs, logs: { transcript: withLast("transcript"), builds: withLast("builds") } };
  }
}

interface Appending {
  readonly callId: string;
  /** The rows that a step wrote, until its outcome is known. */
  rows: readonly Entry[] | undefined;
}

interface TrimCall {
  readonly log: LogName;
  readonly kept: ReadonlySet<number>;
  readonly expectedId: string | undefined;
}

interface Trimming {
  readonly callId: string;
  /** The number of entries that the last attempt removes, until its outcome is known. */
  removedCount: number;
}

interface Removing {
  /** The number of the session to remove, once found. */
  number: number | undefined;
}

function* findById(sessionKey: string, ids: readonly string[]): Script<readonly Entry[]> {
  const key = jsonOf(sessionKey);
  const sql = `SELECT ${FIELDS.replaceAll(/\w+/g, "e.$&")}, e.data
    FROM json_each(?2) w CROSS JOIN windrow_entries e INDEXED BY windrow_ids
    WHERE e.session = ${NUMBER} AND e.log = 0 AND e.id = w.value AND e.id IS NOT NULL`;
  const chunks = listsOf(ids);
  const answers = chunks.length === 0 ? [] : yield* ask(...chunks.map((chunk) => statement(sql, key, chunk)));
  return readable(answers.flat()).sort((left, right) => left.seq - right.seq);
}

function* readDerived(sessionKey: string, names: readonly string[]): Script<ReadonlyMap<string, Uint8Array>> {
  const key = jsonOf(sessionKey);
  const sql = `SELECT d.name, d.value FROM json_each(?2) w CROSS JOIN windrow_derived d
    WHERE d.session = ${NUMBER} AND d.name = w.value ORDER BY d.name, d.piece`;
  const chunks = listsOf(names);
  const answers = chunks.length === 0 ? [] : yield* ask(...chunks.map((chunk) => statement(sql, key, chunk)));
  const pieces = new Map<string, Uint8Array[]>();
  for (const { name, value } of answers.flat()) {
    const own = pieces.get(name as string) ?? [];
    // D1 returns a list of numbers.
    own.push(new Uint8Array(value as ArrayBuffer | number[]));
    pieces.set(name as string, own);
  }
  return new Map([...pieces].map(([name, own]) => [parsed(name) as string, joined(own)]));
}

// ---- Failures ----

function tooManyWriters(): ContextError {
  return storeError(
    "STORE_CONFLICT",
    `others wrote to the session during each of ${MOST_ATTEMPTS} attempts`,
    "Try again, or let one worker write to a session.",
  );
}

function failureOf(failure: unknown): ContextError {
  if (failure instanceof ContextError) {
    return failure;
  }
  const message = failure instanceof Error ? failure.message : String(failure);
  if (/SQLITE_FULL|disk is full|maximum (DB|database) size|SQLITE_TOOBIG|too big|storage limit/i.test(message)) {
    return storeError("STORE_QUOTA", message, "Trim or remove sessions, and try again.", failure);
  }
  if (/SQL is not enabled/i.test(message)) {
    return withoutSql(failure);
  }
  return storeError(
    "STORE_FAILED",
    message,
    "Try again. If it fails again, see the cause: the database's own error.",
    failure,
  );
}

/** The error for a Durable Object without SQLite. */
export function withoutSql(cause?: unknown): ContextError {
  return storeError(
    "STORE_UNAVAILABLE",
    "the storage of this Durable Object has no SQLite",
    'Name its class in "new_sqlite_classes" of a migration in the configuration of wrangler; a class that was deployed without cannot be changed.',
    cause,
  );
}
