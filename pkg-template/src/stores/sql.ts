// Sessions in the SQLite of an edge: the tables, and what is done with them. A Durable Object does it inside of one
// transaction, D1 with a transaction for each step; so it is written once, as scripts that stop wherever they ask the database.

import { ContextError } from "../errors.js";
import type {
  Appended,
  AppendOptions,
  Change,
  DerivedStore,
  Entry,
  JsonValue,
  LogName,
  NewEntry,
  ReadRange,
  ReadResult,
  SessionInfo,
  SkippedEntry,
  TranscriptStore,
} from "./contract.js";
import type { Holds } from "./hold.js";
import type { Listeners } from "./listeners.js";
import { admit, checkKey, flawOf, isInfo, newId, recovered, storeError, trimmed } from "./log.js";

/** What is bound to a parameter. */
export type SqlValue = ArrayBuffer | string | number | null;

/** A statement with the values of its parameters, which are numbered: `?1`. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export type Row = Readonly<Record<string, unknown>>;

/** What asks the database step by step: it yields statements and is given the rows of each; a step is done as a whole, or fails. */
export type Script<T> = Generator<readonly Statement[], T, readonly (readonly Row[])[]>;

/** Where scripts run. */
export interface SqlHost {
  read<T>(begin: () => Script<T>): Promise<T>;
  /** Runs what writes, of one session in the order of the calls; it is durable when it resolves. */
  write<T>(sessionKey: string, begin: () => Script<T>): Promise<T>;
  /** Whether a script is begun again where nobody knows whether its last step was done. */
  readonly mayRepeat: boolean;
  readonly holds: Holds;
  readonly listeners: Listeners;
}

/** The largest row in bytes: the databases take 2,000,000, and there are other columns than the large one. */
const LARGEST_ROW_BYTES = 1_900_000;
/** What one parameter carries of many rows, and what one piece of a derived value has, in bytes. */
const CHUNK_BYTES = 1_000_000;
/** A statement has at most 100 parameters: one for the session and three for each piece. */
const PIECES_PER_STATEMENT = 33;
/** How many sessions are listed in one step. */
const SESSIONS_PER_STEP = 1000;
/** How often a write is tried while others write to the same session. Each failure is another's success. */
const MOST_ATTEMPTS = 100;

// ---- The tables ----

/**
 * What makes each version of the schema out of the one before. Texts that may be any (keys, ids, names, operations) are kept
 * as JSON texts: JSON escapes what UTF-8 and SQLite's texts cannot hold, lone surrogates and NUL, so that they compare exactly.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // A key may be long: rows and indexes hold its number. AUTOINCREMENT, so that a session that is removed and begins
    // anew has another number, and nobody who is late writes into it.
    `CREATE TABLE IF NOT EXISTS windrow_keys (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE
    )`,
    // The revision names the last write: who wants to write names the one that it has read.
    `CREATE TABLE IF NOT EXISTS windrow_sessions (
      session INTEGER PRIMARY KEY,
      revision TEXT NOT NULL,
      info TEXT NOT NULL
    )`,
    // Times are texts, as JavaScript writes numbers: what is read is exactly what was written. Data comes last, so that
    // SQLite need not read it for the columns before.
    `CREATE TABLE IF NOT EXISTS windrow_entries (
      session INTEGER NOT NULL,
      log INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      type TEXT,
      id TEXT,
      time_ms TEXT,
      latest_time_ms TEXT,
      is_pinned INTEGER,
      replaces_seq INTEGER,
      operation TEXT,
      first_seq INTEGER,
      last_seq INTEGER,
      data TEXT,
      PRIMARY KEY (session, log, seq)
    )`,
    "CREATE INDEX IF NOT EXISTS windrow_types ON windrow_entries (session, log, type, seq)",
    "CREATE INDEX IF NOT EXISTS windrow_pinned ON windrow_entries (session, log, seq) WHERE is_pinned = 1",
    "CREATE INDEX IF NOT EXISTS windrow_ids ON windrow_entries (session, id) WHERE log = 0 AND id IS NOT NULL",
    `CREATE INDEX IF NOT EXISTS windrow_operations ON windrow_entries (session, log, operation)
      WHERE operation IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS windrow_derived (
      session INTEGER NOT NULL,
      name TEXT NOT NULL,
      piece INTEGER NOT NULL,
      value BLOB NOT NULL,
      PRIMARY KEY (session, name, piece)
    )`,
  ],
];

const LOGS: Readonly<Record<LogName, number>> = { transcript: 0, builds: 1 };

const VERSION = "(SELECT max(version) FROM windrow_schema)";
/** Every write asks for it: a worker of an older version may still run when a newer one has changed the tables. */
const IS_CURRENT = `${VERSION} = ${MIGRATIONS.length}`;
/** The number of the session whose key is the first parameter. */
const NUMBER = "(SELECT number FROM windrow_keys WHERE key = ?1)";
/** Whether the session's last write is the one that the second parameter names: nobody came in between. */
const IS_MINE = `EXISTS (SELECT 1 FROM windrow_sessions WHERE session = ${NUMBER} AND revision = ?2)`;
const FIELDS = "seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, operation";
/** An entry without its data, which is only looked at. */
const WITHOUT_DATA = `${FIELDS}, CASE WHEN json_valid(data) THEN 'null' END AS data`;

/** Brings the tables to the newest version; also where another worker does so at the same time. */
export function* migrate(migrations: readonly (readonly string[])[] = MIGRATIONS): Script<void> {
  yield [statement("CREATE TABLE IF NOT EXISTS windrow_schema (version INTEGER PRIMARY KEY)")];
  const readVersion = [statement(`SELECT ${VERSION} AS version`)];
  let version = versionIn(yield readVersion);
  while (version !== migrations.length) {
    const next = migrations[version];
    if (next === undefined) {
      throw storeError(
        "STORE_NEWER",
        `the tables are of version ${version}, and this windrow knows ${migrations.length}`,
        "Deploy a newer windrow, the one that made the tables or a later one.",
      );
    }
    try {
      // The row comes first: it cannot be written twice, so that no migration is made twice.
      yield [
        statement("INSERT INTO windrow_schema (version) VALUES (?1)", version + 1),
        ...next.map((sql) => statement(sql)),
      ];
      version += 1;
    } catch (failure) {
      const found = versionIn(yield readVersion);
      if (found === version) {
        throw failure;
      }
      version = found;
    }
  }
}

function versionIn([rows]: readonly (readonly Row[])[]): number {
  return Number(rows?.[0]?.version ?? 0);
}

/** Asks the database, and makes the tables first where they are missing or old. */
function* ask(...statements: readonly Statement[]): Script<readonly (readonly Row[])[]> {
  for (let isMigrated = false; ; isMigrated = true) {
    try {
      // Every step asks for the version: no answer of yesterday is relied on, and there is no first step of its own.
      const [schema = [], ...rows] = yield [statement(`SELECT ${VERSION} AS version`), ...statements];
      if (versionIn([schema]) === MIGRATIONS.length) {
        return rows;
      }
    } catch (failure) {
      if (isMigrated || !/no such (table|column|index)/i.test(String(failure))) {
        throw failure;
      }
    }
    yield* migrate();
  }
}

function statement(sql: string, ...values: readonly SqlValue[]): Statement {
  return { sql, values };
}

// ---- The store ----

/** The head of a session as its row says it. */
interface Head {
  /** Undefined where there is no session of that key. */
  readonly number?: number;
  /** Null where the row is missing. */
  readonly revision?: string | null;
  /** Undefined where the row is missing or damaged; `flaw` says so. */
  readonly info?: SessionInfo;
  readonly flaw?: string;
}

/** A store of sessions in the tables of a host. */
export function sqlStore(host: SqlHost): TranscriptStore {
  return new SqlStore(host);
}

class SqlStore implements TranscriptStore {
  readonly derived: DerivedStore;
  readonly #host: SqlHost;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #subscriptions = new Set<() => void>();
  /** Who sessions are whose heads were lost: the same at every reading, until a write keeps it. */
  readonly #recovered = new Map<string, Pick<SessionInfo, "id" | "createdAtMs">>();
  #isClosed = false;

  constructor(host: SqlHost) {
    this.#host = host;
    this.derived = {
      read: (sessionKey, names) =>
        this.#ofSession(sessionKey, () => {
          const wanted = [...new Set(names)];
          return host.read(() => readDerived(sessionKey, wanted));
        }),
      write: (sessionKey, values) =>
        this.#ofSession(sessionKey, async () => {
          // Read before anything is awaited: what the caller changes later is no part of it.
          const statements = derivedWrites(sessionKey, values);
          if (statements.length > 0) {
            await host.write(sessionKey, () => ask(...statements));
          }
        }),
    };
  }

  append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return this.#ofSession(sessionKey, async () => {
      const { log = "transcript" } = options;
      const own = { ...options };
      const written = entries.map((entry) => ({ ...entry, data: jsonOf(entry.data) }));
      const callId = newId();
      const begin = (): Script<Appended> => this.#append(sessionKey, written, own, callId);
      const appended = await this.#host.write(sessionKey, begin);
      if (!appended.isRepeated) {
        this.#tell(sessionKey, { kind: "append", log, lastSeq: appended.lastSeq });
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

  trim(
    sessionKey: string,
    beforeSeq: number,
    { log = "transcript", keepSeqs = [] }: { readonly log?: LogName; readonly keepSeqs?: readonly number[] } = {},
  ): Promise<{ readonly removedCount: number }> {
    return this.#ofSession(sessionKey, () => {
      const kept = new Set(keepSeqs);
      const done: Trimming = { callId: newId(), removedCount: 0 };
      return this.#host.holds.alone(sessionKey, async () => {
        const begin = (): Script<number> => this.#trim(sessionKey, boundOf(beforeSeq), log, kept, done);
        const removedCount = await this.#host.write(sessionKey, begin);
        if (removedCount > 0) {
          this.#tell(sessionKey, { kind: "trim", log, lastSeq: 0 });
        }
        return { removedCount };
      });
    });
  }

  remove(sessionKey: string): Promise<void> {
    return this.#ofSession(sessionKey, () =>
      this.#host.holds.alone(sessionKey, async () => {
        this.#recovered.delete(sessionKey);
        if (await this.#host.write(sessionKey, () => remove(sessionKey))) {
          this.#tell(sessionKey, { kind: "remove", log: "transcript", lastSeq: 0 });
        }
      }),
    );
  }

  async holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    checkKey(sessionKey);
    this.#checkOpen();
    return await this.#tracked(this.#host.holds.holding(sessionKey, run));
  }

  subscribe(sessionKey: string, listener: (change: Change) => void): () => void {
    checkKey(sessionKey);
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

  #tell(sessionKey: string, change: Change): void {
    this.#host.listeners.tell(sessionKey, change);
  }

  // ---- Scripts ----

  *#append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions, callId: string): Script<Appended> {
    const { log = "transcript", operationId, replacesSeq } = options;
    // Without an operation of its own, a call that is begun again must still be known: a JSON text is never this.
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
      const [headRows = [], [made] = [], [replacedRow] = []] = answers.slice(-standing.length);
      const head = headIn(sessionKey, headRows[0]);
      if (made !== undefined) {
        const isRepeated = operationId !== undefined && head.revision !== callId;
        return { firstSeq: made.first_seq as number, lastSeq: made.last_seq as number, isRepeated };
      }
      const info = yield* this.#infoOf(sessionKey, head);
      const replaced = replacedRow && entryIn(replacedRow);
      const found = { info, replaced: typeof replaced === "object" ? replaced : undefined };
      const after = admit(sessionKey, found, entries, options, Date.now());
      const [firstSeq, lastSeq] = [after.rows[0]?.seq as number, after.rows.at(-1)?.seq as number];
      answers = yield* ask(
        ...headWrites(key, head, callId, after.info),
        ...insertsOf(key, callId, log, operation, after.rows),
        ...(replacesSeq === undefined ? [] : [replacing]),
        // What the next attempt begins with, where this one came too late: so it is no later than the others' next ones.
        ...standing,
      );
      if (headIn(sessionKey, answers.at(-standing.length)?.[0]).revision === callId) {
        this.#recovered.delete(sessionKey);
        return { firstSeq, lastSeq, isRepeated: false };
      }
    }
    throw tooManyWriters();
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
        // Head and entries are of one moment: all is read once more, with what the head follows from.
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
        // Damaged rows count to no limit: as many more are read, and more each time, so that it ends soon.
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
    const found: Row[] = [];
    if (keys === undefined) {
      const page = `SELECT ${columns} FROM windrow_keys k ${joined} WHERE k.number > ?1 ORDER BY k.number LIMIT ?2`;
      let rows: readonly Row[];
      do {
        const last = Number(found.at(-1)?.number ?? 0);
        [rows = []] = yield* ask(statement(page, last, SESSIONS_PER_STEP));
        found.push(...rows);
      } while (rows.length === SESSIONS_PER_STEP);
    } else {
      const named = `SELECT ${columns} FROM json_each(?1) w CROSS JOIN windrow_keys k ON k.key = w.value ${joined}`;
      for (const chunk of listsOf(keys)) {
        found.push(...((yield* ask(statement(named, chunk)))[0] ?? []));
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

  *#trim(
    sessionKey: string,
    beforeSeq: number,
    log: LogName,
    kept: ReadonlySet<number>,
    done: Trimming,
  ): Script<number> {
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
      const removed = rows.filter(({ seq }) => !kept.has(seq as number));
      if (info === undefined || removed.length === 0) {
        return 0;
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
    }
    throw tooManyWriters();
  }

  /** What is known of a session, made anew from its entries where its head is lost. */
  *#infoOf(sessionKey: string, head: Head): Script<SessionInfo | undefined> {
    if (head.flaw === undefined) {
      return head.info;
    }
    const [rows = []] = yield* ask(allEntriesOf(jsonOf(sessionKey)));
    return this.#recoveredFrom(sessionKey, head, rows);
  }

  #recoveredFrom(sessionKey: string, { revision }: Head, rows: readonly Row[]): SessionInfo | undefined {
    if (revision === null && rows.length === 0) {
      return undefined;
    }
    const ofLog = (log: LogName): readonly Row[] => rows.filter((row) => row.log === LOGS[log]);
    const entries = { transcript: readable(ofLog("transcript")), builds: readable(ofLog("builds")) };
    const { logs, ...info } = recovered(sessionKey, entries, Date.now());
    const { id, createdAtMs } = this.#recovered.get(sessionKey) ?? info;
    this.#recovered.set(sessionKey, { id, createdAtMs });
    const withLast = (log: LogName): SessionInfo["logs"][LogName] => {
      // No place is given twice, also not that of a row that cannot be read.
      const last = ofLog(log).at(-1)?.seq;
      return { ...logs[log], lastSeq: Math.max(logs[log].lastSeq, Number.isSafeInteger(last) ? (last as number) : 0) };
    };
    return { ...info, id, createdAtMs, logs: { transcript: withLast("transcript"), builds: withLast("builds") } };
  }
}

interface Trimming {
  readonly callId: string;
  /** How many entries the last attempt removes, where it comes in time. */
  removedCount: number;
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

function* remove(sessionKey: string): Script<boolean> {
  const key = jsonOf(sessionKey);
  const of = (table: string): Statement =>
    statement(`DELETE FROM ${table} WHERE session = ${NUMBER} AND ${IS_CURRENT}`, key);
  const [found = []] = yield* ask(
    headOf(key),
    of("windrow_entries"),
    of("windrow_derived"),
    of("windrow_sessions"),
    statement(`DELETE FROM windrow_keys WHERE key = ?1 AND ${IS_CURRENT}`, key),
  );
  return found.length > 0;
}

// ---- Heads ----

function headOf(key: string): Statement {
  return statement(
    `SELECT k.number, s.revision, s.info FROM windrow_keys k
      LEFT JOIN windrow_sessions s ON s.session = k.number WHERE k.key = ?1`,
    key,
  );
}

function headIn(sessionKey: string, row: Row | undefined): Head {
  if (row === undefined) {
    return {};
  }
  const known = { number: row.number as number, revision: row.revision as string | null };
  if (known.revision === null) {
    return { ...known, flaw: "the session's header is missing" };
  }
  const info = parsed(row.info);
  return isInfo(info) && info.key === sessionKey
    ? { ...known, info }
    : { ...known, flaw: "the session's header is damaged" };
}

/** Writes the head, unless another has written it since it was read: then nothing of the step is done. */
function headWrites(key: string, { number, revision }: Head, callId: string, info: SessionInfo): Statement[] {
  const text = jsonOf(info as unknown as JsonValue);
  if (number !== undefined && revision != null) {
    const sql = `UPDATE windrow_sessions SET revision = ?1, info = ?2
      WHERE session = ?3 AND revision = ?4 AND ${IS_CURRENT}`;
    return [statement(sql, callId, text, number, revision)];
  }
  const insert = `INSERT OR IGNORE INTO windrow_sessions (session, revision, info)
    SELECT number, ?2, ?3 FROM windrow_keys WHERE key = ?1 AND ${IS_CURRENT}`;
  return [
    // A number that was read is not made again: where it is gone, the session was removed.
    ...(number === undefined
      ? [statement(`INSERT OR IGNORE INTO windrow_keys (key) SELECT ?1 WHERE ${IS_CURRENT}`, key)]
      : []),
    statement(insert, key, callId, text),
  ];
}

// ---- Entries ----

/** The entries of a range, each read through an index: a tail, rare types and what is pinned cost what they are, not what the log is. */
function entriesOf(key: string, range: ReadRange, count: number): Statement {
  const { log = "transcript", after = -Infinity, before = Infinity, types, pinned } = range;
  const limit = Number.isFinite(count) ? count : -1;
  const values = [key, LOGS[log], boundOf(after), boundOf(before), limit];
  const distinct = types && [...new Set(types)];
  const select = (source: string, more: string): string =>
    `SELECT ${FIELDS}, data FROM windrow_entries ${source}
      WHERE session = ${NUMBER} AND log = ?2 AND seq > ?3 AND seq < ?4 ${more}`;
  const parameter = (index: number): string => `?${values.length + 1 + index}`;
  const end = `ORDER BY seq ${range.order === "descending" ? "DESC" : "ASC"} LIMIT ?5`;
  // A compound of more than five is refused, and more types than five are all.
  if (distinct === undefined || distinct.length > 5) {
    const body = pinned ? select("INDEXED BY windrow_pinned", "AND is_pinned = 1") : select("", "");
    return statement(`${body} ${end}`, ...values);
  }
  if (distinct.length === 0) {
    return statement(`${select("", "AND 0")} ${end}`, ...values);
  }
  if (pinned) {
    const named = `AND is_pinned = 1 AND type IN (${distinct.map((_, index) => parameter(index))})`;
    return statement(`${select("INDEXED BY windrow_pinned", named)} ${end}`, ...values, ...distinct);
  }
  // SQLite merges what comes in order from each type's part of the index, and ends at the limit.
  const parts = distinct.map((_, index) => select("INDEXED BY windrow_types", `AND type = ${parameter(index)}`));
  return statement(`${parts.join(" UNION ALL ")} ${end}`, ...values, ...distinct);
}

/** All entries of both logs, without their data. */
function allEntriesOf(key: string): Statement {
  const sql = `SELECT log, ${WITHOUT_DATA} FROM windrow_entries WHERE session = ${NUMBER} ORDER BY log, seq`;
  return statement(sql, key);
}

function readable(rows: readonly Row[]): Entry[] {
  return rows.map(entryIn).filter((entry) => typeof entry === "object");
}

/** The entry of a row, or what is wrong with it. */
function entryIn(row: Row): Entry | string {
  const { seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, operation, data } = row;
  const timeOf = (text: unknown): unknown => (typeof text === "string" ? Number(text) : text);
  const value = parsed(data);
  if (value === undefined) {
    return "its data is no JSON";
  }
  const entry = {
    seq,
    type,
    data: value,
    ...(id === null ? {} : { id: parsed(id) ?? null }),
    ...(time_ms === null ? {} : { timeMs: timeOf(time_ms) }),
    ...(latest_time_ms === null ? {} : { latestTimeMs: timeOf(latest_time_ms) }),
    ...(is_pinned === 1 ? { pinned: true } : {}),
    ...(replaces_seq === null ? {} : { replacesSeq: replaces_seq }),
    ...(typeof operation === "string" && operation.startsWith('"') ? { operationId: parsed(operation) } : {}),
  };
  return flawOf(entry) ?? (entry as unknown as Entry);
}

/** Inserts entries whose data is JSON text already: many by one parameter, and a large one by its own. */
function insertsOf(
  key: string,
  callId: string,
  log: LogName,
  operation: string | null,
  rows: readonly Entry[],
): Statement[] {
  const firstSeq = rows[0]?.seq ?? 0;
  const lastSeq = rows.at(-1)?.seq ?? 0;
  const values = [key, callId, LOGS[log], operation, operation && firstSeq, operation && lastSeq];
  const insert = (columns: readonly string[], source: string): string =>
    `INSERT INTO windrow_entries (session, log, operation, first_seq, last_seq, ${FIELDS.replace(", operation", "")}, data)
      SELECT s.session, ?3, ?4, ?5, ?6, ${columns} FROM windrow_sessions s ${source}
      WHERE s.session = ${NUMBER} AND s.revision = ?2`;
  const columns = Array.from({ length: 8 }, (_, index) => index);
  const many = insert(
    columns.map((index) => `r.value ->> ${index}`),
    "CROSS JOIN json_each(?7) r",
  );
  const single = insert(
    columns.map((index) => `?${values.length + 1 + index}`),
    "",
  );
  const statements: Statement[] = [];
  const small: string[] = [];
  for (const row of rows) {
    const own = valuesOf(row);
    const text = JSON.stringify(own);
    if (bytesOf(text) <= CHUNK_BYTES) {
      small.push(text);
      continue;
    }
    const bytes = own.reduce((sum: number, value) => sum + bytesOf(String(value)), bytesOf(operation ?? ""));
    if (bytes > LARGEST_ROW_BYTES) {
      throw storeError(
        "STORE_QUOTA",
        `an entry has ${bytes} bytes, and a row of this database holds ${LARGEST_ROW_BYTES}`,
        "Keep what is large elsewhere, for example in an object storage, and append what names it.",
      );
    }
    statements.push(statement(single, ...values, ...own));
  }
  return [...chunksOf(small).map((chunk) => statement(many, ...values, chunk)), ...statements];
}

function valuesOf({
  seq,
  type,
  id,
  timeMs,
  latestTimeMs,
  pinned,
  replacesSeq,
  data,
}: Entry): (string | number | null)[] {
  return [
    seq,
    type,
    id === undefined ? null : jsonOf(id),
    timeMs === undefined ? null : String(timeMs),
    latestTimeMs === undefined ? null : String(latestTimeMs),
    pinned ? 1 : null,
    replacesSeq ?? null,
    data as string,
  ];
}

/** Removes what is before a sequence number but for what is kept, where the head is the call's own. */
function trimsOf(key: string, callId: string, log: LogName, beforeSeq: number, kept: ReadonlySet<number>): Statement[] {
  const sql = `DELETE FROM windrow_entries WHERE session = ${NUMBER} AND log = ?3 AND seq > ?4 AND seq < ?5
    AND seq NOT IN (SELECT value FROM json_each(?6)) AND ${IS_MINE}`;
  const seqs = [...kept]
    .filter((seq) => Number.isSafeInteger(seq) && seq < beforeSeq)
    .sort((left, right) => left - right);
  const statements: Statement[] = [];
  // What is kept may be more than a parameter holds: each part has the range that ends with its last.
  let after = Number.MIN_SAFE_INTEGER;
  for (const chunk of chunksOf(seqs.map(String))) {
    const last = Number(/(-?\d+)\]$/.exec(chunk)?.[1]);
    statements.push(statement(sql, key, callId, LOGS[log], after, last, chunk));
    after = last;
  }
  return [...statements, statement(sql, key, callId, LOGS[log], after, beforeSeq, "[]")];
}

// ---- Derived values ----

function* readDerived(sessionKey: string, names: readonly string[]): Script<ReadonlyMap<string, Uint8Array>> {
  const key = jsonOf(sessionKey);
  const sql = `SELECT d.name, d.value FROM json_each(?2) w CROSS JOIN windrow_derived d
    WHERE d.session = ${NUMBER} AND d.name = w.value ORDER BY d.name, d.piece`;
  const chunks = listsOf(names);
  const answers = chunks.length === 0 ? [] : yield* ask(...chunks.map((chunk) => statement(sql, key, chunk)));
  const pieces = new Map<string, Uint8Array[]>();
  for (const { name, value } of answers.flat()) {
    const own = pieces.get(name as string) ?? [];
    // D1 gives a list of numbers.
    own.push(new Uint8Array(value as ArrayBuffer | number[]));
    pieces.set(name as string, own);
  }
  return new Map([...pieces].map(([name, own]) => [parsed(name) as string, joined(own)]));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) {
    return first;
  }
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function derivedWrites(sessionKey: string, values: ReadonlyMap<string, Uint8Array | undefined>): Statement[] {
  const key = jsonOf(sessionKey);
  const names: string[] = [];
  const pieces: (readonly [string, number, ArrayBuffer])[] = [];
  for (const [name, value] of values) {
    const text = jsonOf(name);
    names.push(name);
    if (!(value === undefined || value instanceof Uint8Array)) {
      throw storeError("INVALID_SESSION", "a derived value is a Uint8Array, and this is none", "Give bytes.");
    }
    if (value !== undefined) {
      const bytes = Uint8Array.from(value);
      for (let at = 0; at === 0 || at < bytes.length; at += CHUNK_BYTES) {
        pieces.push([text, at / CHUNK_BYTES, bytes.slice(at, at + CHUNK_BYTES).buffer]);
      }
    }
  }
  const statements = listsOf(names).map((chunk) =>
    statement(
      `DELETE FROM windrow_derived
        WHERE session = ${NUMBER} AND name IN (SELECT value FROM json_each(?2)) AND ${IS_CURRENT}`,
      key,
      chunk,
    ),
  );
  for (let at = 0; at < pieces.length; at += PIECES_PER_STATEMENT) {
    const group = pieces.slice(at, at + PIECES_PER_STATEMENT);
    const rows = group.map((_, index) => `(?${3 * index + 2}, ?${3 * index + 3}, ?${3 * index + 4})`);
    statements.push(
      statement(
        `INSERT INTO windrow_derived (session, name, piece, value)
          SELECT k.number, v.column1, v.column2, v.column3 FROM windrow_keys k CROSS JOIN (VALUES ${rows}) v
          WHERE k.key = ?1 AND ${IS_CURRENT}`,
        key,
        ...group.flat(),
      ),
    );
  }
  return statements;
}

// ---- Values ----

/** A value as JSON text. */
function jsonOf(value: JsonValue): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (failure) {
    cause = failure;
  }
  if (text === undefined) {
    throw storeError("INVALID_SESSION", "what is to be kept is nothing that JSON can say", "Give plain data.", cause);
  }
  return text;
}

/** What a JSON text says; undefined where it is none. */
function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Bounds may be infinite, which D1 cannot be told. */
function boundOf(seq: number): number {
  return Math.min(Math.max(seq, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** Lists of texts as they are in the tables. What is larger than a row is in none of them. */
function listsOf(texts: readonly string[]): string[] {
  return chunksOf(texts.map((text) => jsonOf(jsonOf(text))).filter((text) => bytesOf(text) <= LARGEST_ROW_BYTES));
}

/** JSON texts as lists of them, none much larger than a parameter should be. */
function chunksOf(texts: readonly string[]): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const own = bytesOf(text) + 1;
    if (chunk.length > 0 && bytes + own > CHUNK_BYTES) {
      chunks.push(`[${chunk}]`);
      chunk = [];
      bytes = 0;
    }
    chunk.push(text);
    bytes += own;
  }
  return chunk.length === 0 ? chunks : [...chunks, `[${chunk}]`];
}

// ---- Failures ----

function tooManyWriters(): ContextError {
  return storeError(
    "STORE_CONFLICT",
    `others wrote to the session ${MOST_ATTEMPTS} times while this was tried`,
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
    "Try again; where it stays so, the cause says what the database did.",
    failure,
  );
}

/** A Durable Object that has no SQLite. */
export function withoutSql(cause?: unknown): ContextError {
  return storeError(
    "STORE_UNAVAILABLE",
    "the storage of this Durable Object has no SQLite",
    'Name its class in "new_sqlite_classes" of a migration in the configuration of wrangler; a class that was deployed without cannot be changed.',
    cause,
  );
}
