// The log of a session: messages as entries of a store, and entries as lines of a file, in the format of takobot.
//
// What is appended is kept as the message's own data. What is imported keeps its line, so that an export gives the file back
// as it was, down to the spelling of numbers and escapes; it is read as a message when it is asked for.

import { ContextError } from "../base/errors.js";
import { decodePlain, encodePlain, isRecord, Unkept, withFields } from "../base/plain-data.js";
import {
  aboutOf,
  type EncodedMessage,
  fieldsBesideShape,
  type MessageAbout,
  readMessage,
  withOrigin,
} from "../read/messages.js";
import { checkAnyIsRead, hasMessages, isCut, messageOfRow, rowsOf, type SkippedRow, tryParse } from "../read/parse.js";
import { type AnyMessage, shapeOf } from "../read/shapes/index.js";
import { fieldsWithValue, type Row } from "../read/shapes/shape.js";
import type { Entry, EntryType, JsonValue, NewEntry } from "../stores/contract.js";
import { entryOfBuildRow, isBuildRow } from "./builds.js";

export { messageOfRow };

/** The reading of an entry: a message and what it says of itself, or its fault. */
export type EntryMessage =
  | { readonly message: AnyMessage; readonly about: MessageAbout; readonly flaw?: undefined }
  | { readonly message?: undefined; readonly about?: undefined; readonly flaw: string };

/** What a message is known by. */
export interface Named {
  readonly id?: string | number | undefined;
  readonly createdAt?: string | number | undefined;
}

/** An object's data. */
type Data = Readonly<Record<string, JsonValue>>;

/** The contents of a file. */
export interface ReadLines {
  readonly entries: NewEntry[];
  /** The row of each entry: blank lines count for none. */
  readonly rows: number[];
  readonly builds: NewEntry[];
  readonly skipped: SkippedRow[];
}

/**
 * The entry of a message of any shape, as `readMessage` has `encoded` it, with what it is `missing`: its id and its time, where
 * it has none. Fails with `INVALID_TRANSCRIPT` where something in it would be lost: a function, for example, or an object of a
 * class that has no `toJSON`. `path` is where the message is in the caller's input.
 */
export function entryOf(message: AnyMessage, encoded: EncodedMessage, path = "", missing: Named = {}): NewEntry {
  const about = (row: unknown): MessageAbout => {
    const again: EncodedMessage = [];
    readMessage(row, path || "message", "session_error", again);
    return aboutOf(again);
  };
  const given = aboutOf(encoded);
  const { row, data } = plainOf(message, path);
  // What is kept is what `toJSON` gives, and nobody has looked at that. It may not say all that the message itself says.
  const kept = row === message ? given : about(row);
  const added: Named = fieldsWithValue({
    id: kept.id === undefined ? (given.id ?? missing.id) : undefined,
    createdAt: kept.createdAt === undefined ? (given.createdAt ?? missing.createdAt) : undefined,
  });
  if (Object.keys(added).length === 0) {
    return { ...factsOf(kept), data };
  }
  const named = withOrigin(row, added);
  const isOwn = shapeOf(row) === undefined;
  return { ...factsOf(about(named)), data: isOwn ? withFields(data, added as Data) : dataOf(named, path) };
}

/** A message as it is kept: itself, or what its `toJSON` gives, with the fields of windrow's own that stand beside its shape. */
function plainOf(message: AnyMessage, path: string): { readonly row: Row; readonly data: Data } {
  const given = message as unknown as Row;
  const data = dataOf(given, path);
  try {
    if (given.toJSON === undefined) {
      return { row: given, data };
    }
    const beside = fieldsBesideShape(given);
    const row = decodePlain(data) as Row;
    return Object.keys(beside).length === 0 || !isRecord(row)
      ? { row, data }
      : { row: { ...beside, ...row }, data: dataOf({ ...beside, ...row }, path) };
  } catch (failure) {
    throw notKept(failure, path);
  }
}

/** The data of a value that was read as a message. */
function dataOf(row: Row, path: string): Data {
  try {
    return encodePlain(row, path) as Data;
  } catch (failure) {
    throw notKept(failure, path);
  }
}

function notKept(failure: unknown, path: string): ContextError {
  const isKnown = failure instanceof Unkept;
  const place = isKnown ? failure.path : path;
  const reason = isKnown ? failure.reason : "the message could not be read";
  return new ContextError({
    kind: "session_error",
    code: "INVALID_TRANSCRIPT",
    message: place === "" ? `a message cannot be kept: ${reason}` : `${place}: ${reason}`,
    path: place === "" ? undefined : place,
    nextAction: "Append plain data: texts, numbers, lists, objects, dates and bytes; leave out what is none of these.",
    cause: isKnown ? failure.cause : failure,
  });
}

/** What a store knows of a message. */
function factsOf({ id, summaryOf, createdAt, isPinned }: MessageAbout): Omit<NewEntry, "data"> {
  const timeMs = timeMsOf(createdAt);
  return {
    type: summaryOf === undefined || summaryOf === "" ? "message" : "summary",
    ...(id === undefined ? {} : { id }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(isPinned ? { pinned: true } : {}),
  };
}

/**
 * The message of an entry, or the reason why it has no message. A message without an id gets one, so that it can be named: `#` and
 * its sequence number. The message's fields are read into `encoded`.
 */
export function messageOf(entry: Entry, encoded: EncodedMessage = []): EntryMessage {
  try {
    const { data, seq } = entry;
    const found = typeof data === "string" ? messageOfRow(JSON.parse(data)) : decodePlain(data);
    readMessage(found, "entry", "session_error", encoded);
    const about = aboutOf(encoded);
    if (about.id !== undefined) {
      return { message: found as AnyMessage, about };
    }
    const message = withOrigin(found as Row, { id: `#${seq}` });
    readMessage(message, "entry", "session_error", encoded);
    return { message: message as unknown as AnyMessage, about: aboutOf(encoded) };
  } catch (failure) {
    return { flaw: reasonOf(failure) };
  }
}

/** An error's words without the place of the row: the report names the row itself. */
function reasonOf(failure: unknown): string {
  if (failure instanceof ContextError) {
    return failure.message.replace(/^(row|entry)(\.|: )?/, "");
  }
  return failure instanceof SyntaxError ? `not JSON: ${failure.message}` : "the message could not be read";
}

/** The line of an entry: the original line of an imported entry, otherwise takobot's form. */
export function lineOf({ seq, type, data }: Entry): string {
  if (typeof data === "string") {
    return data;
  }
  const isMessage = (type === "message" || type === "summary") && isRecord(data);
  let line: string | undefined;
  let cause: unknown;
  try {
    line = JSON.stringify(isMessage ? rowOf(data) : data);
  } catch (failure) {
    cause = failure; // it contains itself, for example
  }
  if (line === undefined) {
    throw new ContextError({
      kind: "session_error",
      code: "STORE_FAILED",
      message: `entry ${seq} of the log has no form in JSON: something else than windrow wrote it`,
      nextAction: "Have the store give plain data, or trim the session up to this entry, and export again.",
      cause,
    });
  }
  return line;
}

/** Fields that a row has for itself, or that mark data: a message that has one of its own stands apart from the row's. */
const ROW_FIELDS = ["type", "text", "created_at", "$windrow"];

function rowOf(message: Readonly<Record<string, unknown>>): unknown {
  if (ROW_FIELDS.some((field) => Object.hasOwn(message, field))) {
    return { type: "message", message };
  }
  const { role, content, createdAt, ...rest } = message;
  return {
    type: "message",
    role,
    ...(typeof content === "string" ? { text: content } : content === undefined ? {} : { content }),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
    ...rest,
  };
}

/** The first line of a session's file. */
export function headerLine(sessionKey: string, createdAtMs: number | undefined): string {
  const created = new Date(createdAtMs ?? Number.NaN);
  const time = Number.isNaN(created.getTime()) ? {} : { created_at: created.toISOString() };
  return JSON.stringify({ type: "session", session_key: sessionKey, ...time });
}

/** How far the reading of a file is: how many of its rows were read. */
export interface ReadProgress {
  readonly rowCount: number;
  readonly rowTotal: number;
}

/** How long rows are read before other work gets its turn, in milliseconds. */
const SLICE_MS = 25;

/**
 * Reads a file into entries: a session log, a row a line, or what else `parseTranscript` reads. Of a log every row is kept as
 * its line. Rows of types that are not known are kept too, and are never messages. What is not understood is skipped and
 * reported, the last line where it was cut. Fails with `INVALID_TRANSCRIPT` where there are rows other than headers and
 * failures, and none of them is a message; and with what `onProgress` throws.
 */
export async function readLines(text: string, onProgress: (progress: ReadProgress) => void): Promise<ReadLines> {
  const failures: unknown[] = [];
  const found = await readRows(text, failures, onProgress);
  if (!found.entries.some(({ type }) => type === "message" || type === "summary")) {
    const odd = found.entries.findIndex(({ type }) => type === "other");
    const { damagedBuilds } = found;
    checkAnyIsRead(
      found.skipped.filter((row) => !damagedBuilds.has(row)),
      failures[0],
      "session_error",
    );
    if (odd >= 0) {
      checkIsMessage(found.entries[odd] as NewEntry);
    }
  }
  return found;
}

/** Fails with the reason why a row of an unknown type is no message. */
function checkIsMessage({ data }: NewEntry): void {
  const row: unknown = typeof data === "string" ? JSON.parse(data) : data;
  try {
    readMessage(row, "row", "session_error", []);
  } catch (failure) {
    checkAnyIsRead([{ row: 1, reason: reasonOf(failure) }], failure, "session_error");
  }
}

async function readRows(
  text: string,
  failures: unknown[],
  onProgress: (progress: ReadProgress) => void,
): Promise<ReadLines & { readonly damagedBuilds: ReadonlySet<SkippedRow> }> {
  const entries: NewEntry[] = [];
  const rows: number[] = [];
  const builds: NewEntry[] = [];
  const skipped: SkippedRow[] = [];
  const damagedBuilds = new Set<SkippedRow>();
  const found = { entries, rows, builds, skipped, damagedBuilds };
  const encoded: EncodedMessage = [];
  const takeBuild = (value: Readonly<Record<string, unknown>>, row: number): void => {
    try {
      builds.push(entryOfBuildRow(value));
    } catch (failure) {
      const damaged = { row, reason: reasonOf(failure) };
      skipped.push(damaged);
      damagedBuilds.add(damaged);
    }
  };
  /** Rows are counted without blank lines, and named with them. */
  let rowCount = 0;
  let isLog = false;
  const take = (value: unknown, row: number, line?: string): void => {
    if (isBuildRow(value)) {
      takeBuild(value, row);
      return;
    }
    isLog ||= typeOf(value) === "session";
    try {
      entries.push(entryOfRow(value, line, encoded, isLog));
      rows.push(rowCount);
    } catch (failure) {
      failures.push(failure);
      skipped.push({ row, reason: reasonOf(failure) });
    }
  };
  /** Reads each row. The host gets its turn by a timer, which all hosts have. */
  const each = async <T>(rows: readonly T[], read: (row: T, index: number) => void): Promise<void> => {
    let until = performance.now() + SLICE_MS;
    for (const [index, row] of rows.entries()) {
      if (performance.now() > until) {
        onProgress({ rowCount: index, rowTotal: rows.length });
        await new Promise((resolve) => setTimeout(resolve));
        until = performance.now() + SLICE_MS;
      }
      read(row, index);
    }
    onProgress({ rowCount: rows.length, rowTotal: rows.length });
  };

  const body = text.replace(/^\uFEFF/, "");
  const lines = body.split("\n").map(withoutReturns);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0) {
    return found;
  }
  const whole = tryParse(body);
  const isOneLine = lines.findLastIndex((line) => line.trim() !== "") === first;
  if (whole.failure === undefined && !isOneLine) {
    await each(rowsOf(whole.value), (value, index) => {
      rowCount += 1;
      take(value, index + 1);
    });
    return found;
  }
  if (!isOneLine && (await isOneValueCut(body, lines, each))) {
    skipped.push({ row: first + 1, reason: `not JSON: ${whole.failure?.message}` });
    return found;
  }
  await each(lines, (line, index) => {
    if (line.trim() === "") {
      return;
    }
    rowCount += 1;
    const { value, failure } = tryParse(line);
    if (failure !== undefined) {
      skipped.push({ row: index + 1, reason: `not JSON: ${failure.message}` });
    } else if (Array.isArray(value) || (hasMessages(value) && typeOf(value) === undefined)) {
      // Several in a line: none of them has a line of its own.
      rowsOf(value).forEach((entry, position) => {
        take(entry, isOneLine ? position + 1 : index + 1);
      });
    } else {
      take(value, index + 1, line);
    }
  });
  return found;
}

/** A line without the carriage returns that it ends with. */
function withoutReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") {
    end -= 1;
  }
  return line.slice(0, end);
}

/**
 * Whether lines are one JSON value whose end is missing, as far as that can be told from a log that was damaged: read as a
 * log, the value would be a conversation with holes. Of a log, most lines are whole.
 */
async function isOneValueCut(
  body: string,
  lines: readonly string[],
  each: (lines: readonly string[], read: (line: string) => void) => Promise<void>,
): Promise<boolean> {
  if (body.trimStart().startsWith("[")) {
    return true;
  }
  if (!isCut(body)) {
    return false;
  }
  let surplus = 0;
  await each(lines, (line) => {
    if (line.trim() !== "") {
      surplus += tryParse(line).failure === undefined ? -1 : 1;
    }
  });
  return surplus > 0;
}

/**
 * The entry of a row; where the row has no line, its data are kept. In a log a type says what a row is. Elsewhere it may be that
 * of a message of another shape: its data are kept, as its line would say something else in the log that is exported.
 */
function entryOfRow(row: unknown, line: string | undefined, encoded: EncodedMessage, isLog: boolean): NewEntry {
  const type = typeOf(row);
  const isOther = type !== undefined && type !== "message";
  if (isOther && (isLog || !isOfShape(row))) {
    const kept: EntryType = type === "session" || type === "failure" ? type : "other";
    return { type: kept, data: line ?? (row as JsonValue) };
  }
  const message = messageOfRow(row);
  readMessage(message, "row", "session_error", encoded);
  return line === undefined || isOther
    ? entryOf(message as AnyMessage, encoded)
    : { ...factsOf(aboutOf(encoded)), data: line };
}

function isOfShape(row: unknown): boolean {
  const message = decodePlain(row);
  return isRecord(message) && shapeOf(message) !== undefined;
}

function typeOf(row: unknown): string | undefined {
  return isRecord(row) && typeof row.type === "string" ? row.type : undefined;
}

/** The furthest from 1970 that a `Date` can be, in milliseconds. */
const LATEST_MS = 8.64e15;

/** A time as the engine reads it, in milliseconds since 1970; undefined if it is not a time. */
export function timeMsOf(createdAt: unknown): number | undefined {
  const timeMs =
    typeof createdAt === "string" ? parseTime(createdAt) : createdAt instanceof Date ? createdAt.getTime() : createdAt;
  return typeof timeMs === "number" && Math.abs(timeMs) <= LATEST_MS ? Math.trunc(timeMs) + 0 : undefined;
}

// What `parse` of the engine's `time.rs` reads: a date, with a time of day or without, in UTC where it has no offset.
const TIME =
  /^\p{White_Space}*(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+\-\u2212])(\d{2})(?::?(\d{2}))?)?)?\p{White_Space}*$/u;

function parseTime(text: string): number | undefined {
  const found = TIME.exec(text);
  if (found === null) {
    return undefined;
  }
  const number = (group: number): number => Number(found[group] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second, offsetHours, offsetMinutes] = [number(4), number(5), number(6), number(9), number(10)];
  const date = new Date(0);
  // `Date.UTC` takes the years before 100 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have is one of another month.
  const isDate = date.getUTCMonth() === month - 1;
  if (!isDate || hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) {
    return undefined;
  }
  const milliseconds = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const east = (found[8] === "+" ? 1 : -1) * (offsetHours * 60 + offsetMinutes);
  return date.getTime() + (((hour * 60 + minute - east) * 60 + second) * 1000 + milliseconds);
}
