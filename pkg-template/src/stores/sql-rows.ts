// Sessions as rows: statements that read and write them, and the parsing of their rows. Arbitrary texts are JSON in the
// tables.

import type { Entry, JsonValue, LogName, ReadRange, SessionInfo } from "./contract.js";
import { flawOf, isInfo, storeError } from "./log.js";
import { IS_CURRENT, type SqlRow, type Statement, statement } from "./sql-schema.js";

/** The largest row in bytes. The databases accept 2,000,000, and a row has other columns too. */
const LARGEST_ROW_BYTES = 1_900_000;
/** The size of a parameter that carries many rows, and of one piece of a derived value, in bytes. */
const CHUNK_BYTES = 1_000_000;
/** A statement has at most 100 parameters: one for the session, and three for each piece. */
const PIECES_PER_STATEMENT = 33;

export const LOGS: Readonly<Record<LogName, number>> = { transcript: 0, builds: 1 };

/** Selects the number of the session whose key is the first parameter. */
export const NUMBER: string = "(SELECT number FROM windrow_keys WHERE key = ?1)";
/** True if the session's last write is the one that the second parameter names, so no other write came in between. */
export const IS_MINE: string = `EXISTS (SELECT 1 FROM windrow_sessions WHERE session = ${NUMBER} AND revision = ?2)`;
export const FIELDS: string = "seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, operation";
/** Selects an entry without its data, for checks. */
export const WITHOUT_DATA: string = `${FIELDS}, CASE WHEN json_valid(data) THEN 'null' END AS data`;

// ---- Heads ----

/** The head of a session, from its row. */
export interface SessionHead {
  /** Undefined if no session has that key. */
  readonly number?: number;
  /** Null if the row is missing. */
  readonly revision?: string | null;
  /** Undefined if the row is missing or damaged; `flaw` says why. */
  readonly info?: SessionInfo;
  readonly flaw?: string;
}

export function headOf(key: string): Statement {
  return statement(
    `SELECT k.number, s.revision, s.info FROM windrow_keys k
      LEFT JOIN windrow_sessions s ON s.session = k.number WHERE k.key = ?1`,
    key,
  );
}

export function headIn(sessionKey: string, row: SqlRow | undefined): SessionHead {
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

/** Writes the head. If another write came after it was read, the whole step does nothing. */
export function headWrites(
  key: string,
  { number, revision }: SessionHead,
  callId: string,
  info: SessionInfo,
): Statement[] {
  const text = jsonOf(info as unknown as JsonValue);
  if (number !== undefined && revision != null) {
    const sql = `UPDATE windrow_sessions SET revision = ?1, info = ?2
      WHERE session = ?3 AND revision = ?4 AND ${IS_CURRENT}`;
    return [statement(sql, callId, text, number, revision)];
  }
  const insert = `INSERT OR IGNORE INTO windrow_sessions (session, revision, info)
    SELECT number, ?2, ?3 FROM windrow_keys WHERE key = ?1 AND ${IS_CURRENT}`;
  return [
    // A number that was read isn't created again. If it is gone, the session was removed.
    ...(number === undefined
      ? [statement(`INSERT OR IGNORE INTO windrow_keys (key) SELECT ?1 WHERE ${IS_CURRENT}`, key)]
      : []),
    statement(insert, key, callId, text),
  ];
}

// ---- Entries ----

/**
 * Selects the entries of a range, each through an index. A tail, rare types and pinned entries cost as much in a long
 * log as in a short one.
 */
export function entriesOf(key: string, range: ReadRange, count: number): Statement {
  const { log = "transcript", after = -Infinity, before = Infinity, types, pinned, seqs } = range;
  const limit = Number.isFinite(count) ? count : -1;
  const values = [key, LOGS[log], boundOf(after), boundOf(before), limit];
  const distinct = types && [...new Set(types)];
  const select = (source: string, more: string): string =>
    `SELECT ${FIELDS}, data FROM windrow_entries ${source}
      WHERE session = ${NUMBER} AND log = ?2 AND seq > ?3 AND seq < ?4 ${more}`;
  const parameter = (index: number): string => `?${values.length + 1 + index}`;
  const end = `ORDER BY seq ${range.order === "descending" ? "DESC" : "ASC"} LIMIT ?5`;
  if (seqs !== undefined) {
    const wanted = JSON.stringify(seqs.filter(Number.isSafeInteger));
    const named = types === undefined ? "" : `AND type IN (SELECT value FROM json_each(?7))`;
    const body = select(
      "",
      `AND seq IN (SELECT value FROM json_each(?6)) ${named} ${pinned ? "AND is_pinned = 1" : ""}`,
    );
    return statement(`${body} ${end}`, ...values, wanted, ...(types === undefined ? [] : [JSON.stringify(types)]));
  }
  // SQLite refuses a compound of more than five selects, and more than five types are all types.
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
  // SQLite merges the types' parts of the index, which are in order, and stops at the limit.
  const parts = distinct.map((_, index) => select("INDEXED BY windrow_types", `AND type = ${parameter(index)}`));
  return statement(`${parts.join(" UNION ALL ")} ${end}`, ...values, ...distinct);
}

/** Selects all entries of both logs, without their data. */
export function allEntriesOf(key: string): Statement {
  const sql = `SELECT log, ${WITHOUT_DATA} FROM windrow_entries WHERE session = ${NUMBER} ORDER BY log, seq`;
  return statement(sql, key);
}

export function readable(rows: readonly SqlRow[]): Entry[] {
  return rows.map(entryIn).filter((entry) => typeof entry === "object");
}

/** Returns the entry of a row, or the reason why it can't be read. */
export function entryIn(row: SqlRow): Entry | string {
  const { seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, operation, data } = row;
  const timeOf = (text: unknown): unknown => (typeof text === "string" ? Number(text) : text);
  const value = parsed(data);
  if (value === undefined) {
    return "its data isn't JSON";
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

/** Inserts entries whose data is already JSON text. Many share one parameter; a large one has its own. */
export function insertsOf(
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
        "Keep large data elsewhere, for example in an object storage, and append its name.",
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

/** True if a row is the inserted form of an entry. */
export function isRowOf(row: SqlRow, entry: Entry | undefined): boolean {
  const { seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, data } = row;
  const found = [seq, type, id, time_ms, latest_time_ms, is_pinned, replaces_seq, data];
  return entry !== undefined && valuesOf(entry).every((value, index) => value === found[index]);
}

/** Selects entries by sequence number, without their data. */
export function entriesAt(key: string, log: LogName, seqs: readonly number[]): Statement {
  const sql = `SELECT ${WITHOUT_DATA} FROM windrow_entries WHERE session = ${NUMBER} AND log = ?2
    AND seq IN (SELECT value FROM json_each(?3))`;
  return statement(sql, key, LOGS[log], JSON.stringify(seqs.map(boundOf)));
}

/** Replaces rows by their sequence numbers, if the head is the call's own. Their data is JSON text. */
export function rewritesOf(key: string, callId: string, log: LogName, rows: readonly Entry[]): Statement[] {
  if (rows.length === 0) {
    return [];
  }
  const sql = `DELETE FROM windrow_entries WHERE session = ${NUMBER} AND log = ?3
    AND seq IN (SELECT value FROM json_each(?4)) AND ${IS_MINE}`;
  const deletes = chunksOf(rows.map(({ seq }) => String(seq))).map((chunk) =>
    statement(sql, key, callId, LOGS[log], chunk),
  );
  return [...deletes, ...insertsOf(key, callId, log, null, rows)];
}

/** Removes the entries before a sequence number, except those to be kept, if the head is the call's own. */
export function trimsOf(
  key: string,
  callId: string,
  log: LogName,
  beforeSeq: number,
  kept: ReadonlySet<number>,
): Statement[] {
  const sql = `DELETE FROM windrow_entries WHERE session = ${NUMBER} AND log = ?3 AND seq > ?4 AND seq < ?5
    AND seq NOT IN (SELECT value FROM json_each(?6)) AND ${IS_MINE}`;
  const seqs = [...kept]
    .filter((seq) => Number.isSafeInteger(seq) && seq < beforeSeq)
    .sort((left, right) => left - right);
  const statements: Statement[] = [];
  // The kept numbers may not fit one parameter. Each part covers the range that ends with its last number.
  let after = Number.MIN_SAFE_INTEGER;
  for (const chunk of chunksOf(seqs.map(String))) {
    const last = Number(/(-?\d+)\]$/.exec(chunk)?.[1]);
    statements.push(statement(sql, key, callId, LOGS[log], after, last, chunk));
    after = last;
  }
  return [...statements, statement(sql, key, callId, LOGS[log], after, beforeSeq, "[]")];
}

/**
 * Removes a session with everything that belongs to it. With `isUnchanged`, only if no write came since its head was
 * read.
 */
export function removalsOf({ number, revision }: SessionHead, isUnchanged: boolean): Statement[] {
  const isRead = "(SELECT revision FROM windrow_sessions WHERE session = ?1) IS ?2";
  const of = (table: string, column = "session"): Statement =>
    statement(
      `DELETE FROM ${table} WHERE ${column} = ?1 AND ${isUnchanged ? `${isRead} AND ` : ""}${IS_CURRENT}`,
      ...[number ?? null, ...(isUnchanged ? [revision ?? null] : [])],
    );
  return [
    of("windrow_entries"),
    of("windrow_derived"),
    of("windrow_keys", "number"),
    // This comes last, because the other statements compare its revision.
    of("windrow_sessions"),
  ];
}

// ---- Derived values ----

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
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

export function derivedWrites(sessionKey: string, values: ReadonlyMap<string, Uint8Array | undefined>): Statement[] {
  const key = jsonOf(sessionKey);
  const names: string[] = [];
  const pieces: (readonly [string, number, ArrayBuffer])[] = [];
  for (const [name, value] of values) {
    const text = jsonOf(name);
    names.push(name);
    if (!(value === undefined || value instanceof Uint8Array)) {
      throw storeError("INVALID_SESSION", "a derived value must be a Uint8Array", "Pass its bytes as a Uint8Array.");
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

/** Returns a value as JSON text. */
export function jsonOf(value: JsonValue): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (failure) {
    cause = failure;
  }
  if (text === undefined) {
    throw storeError(
      "INVALID_SESSION",
      "the value can't be stored: JSON can't represent it",
      "Pass plain data.",
      cause,
    );
  }
  return text;
}

/** Parses a JSON text. Undefined if that fails. */
export function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Clamps a bound, because D1 accepts no infinite number. */
export function boundOf(seq: number): number {
  return Math.min(Math.max(seq, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Returns texts as lists for a query's parameters, in the form that the tables have. Skips texts that are longer than
 * any row.
 */
export function listsOf(texts: readonly string[]): string[] {
  return chunksOf(texts.map((text) => jsonOf(jsonOf(text))).filter((text) => bytesOf(text) <= LARGEST_ROW_BYTES));
}

/** Joins JSON texts into lists, each about as large as a parameter may be. */
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
