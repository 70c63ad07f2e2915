// The tables of sessions in SQLite, and how the database is asked. A Durable Object runs a script inside of one transaction, D1
// with a transaction for each step.

import { storeError } from "./log.js";

/** A value that is bound to a parameter. */
export type SqlValue = ArrayBuffer | string | number | null;

/** A statement with the values of its parameters, which are numbered: `?1`. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** What asks the database step by step: it yields statements and is given the rows of each; a step is done as a whole, or fails. */
export type Script<T> = Generator<readonly Statement[], T, readonly (readonly SqlRow[])[]>;

export function statement(sql: string, ...values: readonly SqlValue[]): Statement {
  return { sql, values };
}

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
    // Times are texts, as JavaScript writes numbers, so that they come back exactly. Data comes last, so that
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

const VERSION = "(SELECT max(version) FROM windrow_schema)";
/** Every write asks for it: a worker of an older version may still run when a newer one has changed the tables. */
export const IS_CURRENT: string = `${VERSION} = ${MIGRATIONS.length}`;

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

function versionIn([rows]: readonly (readonly SqlRow[])[]): number {
  return Number(rows?.[0]?.version ?? 0);
}

/** Asks the database, and makes the tables first where they are missing or old. */
export function* ask(...statements: readonly Statement[]): Script<readonly (readonly SqlRow[])[]> {
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
