// The tables of sessions in SQLite, and the scripts that query them. A Durable Object runs a script in one transaction;
// D1 runs each step in its own.

import { storeError } from "./log.js";

/** A value bound to a parameter. */
export type SqlValue = ArrayBuffer | string | number | null;

/** A statement with the values of its numbered parameters (`?1`). */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** A query in steps: it yields statements and receives the rows of each. A step runs as a whole or fails. */
export type Script<T> = Generator<readonly Statement[], T, readonly (readonly SqlRow[])[]>;

export function statement(sql: string, ...values: readonly SqlValue[]): Statement {
  return { sql, values };
}

/**
 * The statements that turn each version of the schema into the next. Arbitrary texts (keys, ids, names, operations) are
 * stored as JSON, because JSON escapes what UTF-8 and SQLite's texts can't hold: lone surrogates and NUL. So they
 * compare exactly.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // A key may be long, so rows and indexes hold its number. AUTOINCREMENT assigns a new number to a session that was
    // removed and started again, so a late write can't reach it.
    `CREATE TABLE IF NOT EXISTS windrow_keys (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE
    )`,
    // The revision names the last write. A write names the revision that it has read.
    `CREATE TABLE IF NOT EXISTS windrow_sessions (
      session INTEGER PRIMARY KEY,
      revision TEXT NOT NULL,
      info TEXT NOT NULL
    )`,
    // Times are texts in JavaScript's notation, so they come back exactly. Data is the last column, so SQLite needn't
    // read it for the others.
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
/**
 * A condition of every write, because a worker of an older version may still run after a newer one has changed the
 * tables.
 */
export const IS_CURRENT: string = `${VERSION} = ${MIGRATIONS.length}`;

/** Migrates the tables to the newest version. Another worker may do so at the same time. */
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
      // The version row comes first. It can't be written twice, so no migration runs twice.
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

/** Queries the database. Creates or migrates the tables first if they are missing or old. */
export function* ask(...statements: readonly Statement[]): Script<readonly (readonly SqlRow[])[]> {
  for (let isMigrated = false; ; isMigrated = true) {
    try {
      // Every step checks the version. So it never relies on an old answer and needs no separate first step.
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
