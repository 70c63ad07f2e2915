// The log of a session: messages as entries of a store, and entries as lines of a file, in the format of takobot.
//
// An appended message is stored as its own data. An imported one is stored as its line, so an export reproduces the
// file exactly, including the spelling of numbers and escapes. It is parsed as a message on demand.

import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { decodePlain, encodePlain, isRecord, UnkeptValue, withFields } from "../base/plain-data.js";
import { conversationOf, inOrderOfTime, listed, type ParsedConversation, toldApart } from "../files/conversations.js";
import { bareMessagesIn } from "../files/dialogue.js";
import {
  checkAnyIsRead,
  type FailedKind,
  isAnythingSaid,
  type OpenConversation,
  openFile,
  readableOf,
  reasonOf,
  recordIn,
  type SkippedRow,
  type UnreadMessages,
  unreadWithName,
} from "../files/file.js";
import { entriesOf, entriesOfFile, isConversation, readConversation } from "../files/index.js";
import { appFile, failedKindOf, readAppText } from "../files/readers.js";
import { logOf, type PlacedRow, readRows as readRowsOf } from "../files/rows.js";
import { messageOfRow } from "../files/session-log.js";
import { damageOf, isMostlyDamaged, mayBeOneValue, separateValues, tryParse, withoutMark } from "../files/text.js";
import { messageOfTurn } from "../files/turn-log.js";
import { unknownKindOf } from "../files/unknown.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageOrigin, UnknownRecord } from "../message/format.js";
import { fieldsWithValue } from "../message/format.js";
import type { MessageInput } from "../message/message.js";
import { originated, ownFields, type ParsedMessage, parse } from "../message/read.js";
import { formatOf, ownFormat } from "../message/recognise.js";
import { timeMsOf } from "../message/times.js";
import type { Entry, EntryType, JsonValue, NewEntry } from "../stores/contract.js";
import { entryOfBuildRow, isBuildRow } from "./builds.js";

/** A parsed entry: its message, or its fault. */
export type EntryMessage =
  | { readonly parsed: ParsedMessage; readonly flaw?: undefined }
  | { readonly parsed?: undefined; readonly flaw: string };

/** A message in the form that a log stores. */
export interface KeptMessage {
  readonly parsed: ParsedMessage;
  readonly data: Data;
  /** The id and time of the caller's message, if its `toJSON` leaves them out. */
  readonly origin: MessageOrigin;
}

/** An object's data. */
type Data = Readonly<Record<string, JsonValue>>;

/** The contents of a file. */
export interface ReadLines {
  readonly entries: NewEntry[];
  /** The row of each entry. Blank lines don't count. */
  readonly rows: number[];
  readonly builds: NewEntry[];
  readonly skipped: SkippedRow[];
  /** The messages that couldn't be read. */
  readonly unread: UnreadMessages | undefined;
  /** The imported conversations. */
  readonly conversations: readonly ImportedConversation[];
}

/** A conversation of an imported file. */
export interface ImportedConversation extends Omit<ParsedConversation, "messages"> {
  /** The number of its messages and summaries that were imported. */
  readonly messageCount: number;
}

/**
 * Reads a message in the form that a log stores. Fails with `INVALID_TRANSCRIPT` if something in it would be lost, such
 * as a function or an object of a class without `toJSON`. `path` is the message's place in the caller's input.
 */
export function keptMessage(message: AnyMessage, path = "message"): KeptMessage {
  const given = message as unknown as UnknownRecord;
  const data = dataOf(given, path);
  const [row, kept] = besideFormat(given, data, path);
  const parsed = parse(row, path, "session_error");
  const { id, createdAt } = parsed.message;
  // The result of `toJSON` hasn't been checked, and may say less than the message itself.
  const isWhole = typeof given?.toJSON !== "function" || (id !== undefined && createdAt !== undefined);
  const source = isWhole ? parsed.message : parse(given, path, "session_error").message;
  return { parsed, data: kept, origin: { id: source.id, createdAt: source.createdAt } };
}

/** Returns the entry of a message, and the message in it. `missing` has the id and time to use if it has none. */
export function entryOf(
  { parsed, data, origin }: KeptMessage,
  missing: MessageOrigin = {},
): { readonly entry: NewEntry; readonly parsed: ParsedMessage } {
  const { message, given, format } = parsed;
  const added: MessageOrigin = fieldsWithValue({
    id: message.id === undefined ? (origin.id ?? missing.id) : undefined,
    createdAt: message.createdAt === undefined ? (origin.createdAt ?? missing.createdAt) : undefined,
  });
  if (Object.keys(added).length === 0) {
    return { entry: { ...factsOf(parsed), data }, parsed };
  }
  const named = originated({ ...parsed, given }, added, "session_error");
  const isOwn = format === ownFormat();
  const namedData = isOwn
    ? withFields(data, dataOf(added as UnknownRecord, ""))
    : dataOf(named.given as UnknownRecord, "message");
  return { entry: { ...factsOf(named), data: namedData }, parsed: named };
}

/** Returns a message and its data. If its `toJSON` leaves out fields that belong to windrow, they are added back. */
function besideFormat(given: UnknownRecord, data: Data, path: string): readonly [row: UnknownRecord, data: Data] {
  const row = decodePlain(data) as UnknownRecord;
  try {
    if (typeof given?.toJSON !== "function" || !isRecord(row)) {
      return [row, data];
    }
    const format = formatOf(given);
    const beside = format === ownFormat() ? {} : ownFields(given, format);
    const whole = { ...beside, ...row };
    return Object.keys(beside).length === 0 ? [row, data] : [whole, dataOf(whole, path)];
  } catch (failure) {
    throw notKept(failure, path);
  }
}

/** Returns the data of a value that was read as a message. */
function dataOf(row: UnknownRecord, path: string): Data {
  try {
    return encodePlain(row, path) as Data;
  } catch (failure) {
    throw notKept(failure, path);
  }
}

function notKept(failure: unknown, path: string): ContextError {
  const isKnown = failure instanceof UnkeptValue;
  const place = isKnown ? failure.path : path;
  const reason = isKnown ? failure.reason : "the message could not be read";
  return new ContextError({
    kind: "session_error",
    code: "INVALID_TRANSCRIPT",
    message: place === "" ? `a message cannot be kept: ${reason}` : `${place}: ${reason}`,
    path: place === "" ? undefined : place,
    nextAction: "Append plain data: strings, numbers, lists, objects, dates and bytes. Leave out anything else.",
    cause: isKnown ? failure.cause : failure,
  });
}

/** Returns the facts about a message that a store keeps. */
function factsOf({ message: { id, summaryOf, createdAt, pinned } }: ParsedMessage): Omit<NewEntry, "data"> {
  const timeMs = timeMsOf(createdAt);
  return {
    type: summaryOf === undefined || summaryOf === "" ? "message" : "summary",
    ...(id === undefined ? {} : { id: id as string }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(pinned === true ? { pinned: true } : {}),
  };
}

/**
 * Returns the message of an entry, or the reason why it has none. A message without an id gets one: `#` and its
 * sequence number.
 */
export function messageOf({ data, seq }: Entry): EntryMessage {
  try {
    const found = typeof data === "string" ? messageOfRow(JSON.parse(data)) : decodePlain(data);
    const parsed = parse(found, "entry", "session_error");
    return {
      parsed: parsed.message.id === undefined ? originated(parsed, { id: `#${seq}` }, "session_error") : parsed,
    };
  } catch (failure) {
    return { flaw: reasonOf(failure) };
  }
}

/** The types of rows that an import keeps, apart from messages. */
const KEPT_TYPES: readonly EntryType[] = ["session", "failure", "forgotten"];

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
      message: `entry ${seq} of the log can't be represented in JSON: something else than windrow wrote it`,
      nextAction: "Let the store return plain data, or trim the session up to this entry, and export again.",
      cause,
    });
  }
  return line;
}

/** Fields that a row uses itself, or that mark data. A message with a field of the same name is nested in the row. */
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

/** Returns the first line of a session's file. */
export function headerLine(sessionKey: string, createdAtMs: number | undefined): string {
  const created = new Date(createdAtMs ?? Number.NaN);
  const time = Number.isNaN(created.getTime()) ? {} : { created_at: created.toISOString() };
  return JSON.stringify({ type: "session", session_key: sessionKey, ...time });
}

/** The progress of reading a file. */
export interface ReadProgress {
  readonly rowCount: number;
  readonly rowTotal: number;
}

/**
 * The number of lines that are examined to recognize an agent's log. Some logs begin with rows that aren't messages.
 */
const FIRST_LINES = 200;

/** The time that rows are read before other work may run, in milliseconds. */
const SLICE_MS = 25;

/**
 * Reads a file into entries: a session log with one row per line, or any other file that `parseTranscript` reads. Every
 * row of a log is stored as its line, including rows of unknown types, which never become messages. If the file has
 * several conversations, imports all of them, oldest first, or only the requested one. Rows that aren't understood are
 * skipped and reported, such as a truncated last line. Fails with `INVALID_TRANSCRIPT` if the file has rows other than
 * headers and failures but no message, with `INVALID_CONFIG` if the requested conversation doesn't exist, and with
 * anything that `onProgress` throws.
 */
export async function readLines(
  text: string,
  onProgress: (progress: ReadProgress) => void,
  choice?: string | number,
): Promise<ReadLines> {
  const found = await readRows(text, onProgress);
  const { unread } = found;
  const isRead =
    unread === undefined ? found.exports.some(({ messages }) => messages.length > 0) : isAnythingSaid(found.exports);
  const kind = isRead && unread === undefined ? undefined : failedKindOf(text);
  if (!found.entries.some(isMessageEntry) && !isRead) {
    const odd = found.entries.findIndex(({ type }) => type === "other");
    const { damagedBuilds } = found;
    checkAnyIsRead(
      found.skipped.filter((row) => !damagedBuilds.has(row)),
      found.firstFailure,
      "session_error",
      kind ?? (found.firstFailure && unknownKindOf(text)),
    );
    if (odd >= 0) {
      checkIsMessage(found.entries[odd] as NewEntry, unknownKindOf(text));
    }
  }
  return withExports({ ...found, unread: unread && unreadWithName(unread, kind) }, choice);
}

/** Throws the reason why a row of an unknown type isn't a message. */
function checkIsMessage({ data }: NewEntry, kind: FailedKind | undefined): void {
  const row: unknown = typeof data === "string" ? JSON.parse(data) : data;
  try {
    parse(row, "row", "session_error");
  } catch (failure) {
    checkAnyIsRead([{ row: 1, reason: reasonOf(failure) }], failure as ContextError, "session_error", kind);
  }
}

/** The rows of a file, read. */
interface ReadRows extends Omit<ReadLines, "conversations"> {
  /** Builds that can't be replayed. */
  readonly damagedBuilds: ReadonlySet<SkippedRow>;
  readonly firstFailure: ContextError | undefined;
  /**
   * The conversations that are single rows of the file, and the conversation of the other rows, with only its first
   * message.
   */
  readonly exports: readonly OpenConversation[];
  readonly loose: OpenConversation | undefined;
}

async function readRows(text: string, onProgress: (progress: ReadProgress) => void): Promise<ReadRows> {
  const file = openFile("session_error");
  const entries: NewEntry[] = [];
  const rows: number[] = [];
  const builds: NewEntry[] = [];
  const { skipped } = file;
  const damagedBuilds = new Set<SkippedRow>();
  let loose: OpenConversation | undefined;
  const takeBuild = (value: Readonly<Record<string, unknown>>, row: number): void => {
    try {
      builds.push(entryOfBuildRow(value));
    } catch (failure) {
      const damaged = { row, reason: reasonOf(failure) };
      skipped.push(damaged);
      damagedBuilds.add(damaged);
    }
  };
  /** Rows are counted without blank lines, and named including them. */
  let rowCount = 0;
  const keep = (entry: NewEntry, message: AnyMessage | undefined): void => {
    entries.push(entry);
    rows.push(rowCount);
    if (message !== undefined && loose === undefined) {
      loose = file.loose();
      loose.messages.push(message as MessageInput);
    }
  };
  let isLog = false;
  const take = (value: unknown, row: number, line?: string): void => {
    if (isBuildRow(value)) {
      takeBuild(value, row);
      return;
    }
    isLog ||= typeOf(value) === "session";
    // In a log, the row's own type decides, whatever else the row contains. Other apps' files have a field of the same
    // name.
    if (isConversation(value) && (line === undefined || typeOf(value) === undefined || appFile.fits(value))) {
      readConversation(value, row, file);
      return;
    }
    try {
      const { entry, message } = entryOfRow(value, line, isLog);
      keep(entry, message);
    } catch (failure) {
      file.skip(row, failure, value);
      const rest = readableOf(messageOfTurn(value) ?? recordIn(value)) as unknown as AnyMessage | undefined;
      if (rest !== undefined) {
        keep(entryOf(keptMessage(rest, "row")).entry, rest);
      }
    }
  };
  /** Reads an agent's log as one conversation, because its rows say which of them are valid. */
  const takeLog = (values: readonly PlacedRow[]): void => {
    const begin = (): OpenConversation => file.begin({}, undefined);
    readRowsOf(values, begin(), begin);
  };
  const each = async <T>(rows: readonly T[], read: (row: T, index: number) => void): Promise<void> => {
    await inSlices(rows, read, onProgress);
  };
  const found = (): ReadRows => {
    const { firstFailure, unread, conversations: exports } = file;
    return { entries, rows, builds, skipped, unread, damagedBuilds, firstFailure, exports, loose };
  };

  const body = withoutMark(text);
  const lines = body.split("\n").map(withoutReturns);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0) {
    return found();
  }
  const whole = tryParse(body);
  const isOneLine = lines.findLastIndex((line) => line.trim() !== "") === first;
  if (whole.failure === undefined) {
    const { value } = whole;
    const values = (appFile.fits(value) ? undefined : bareMessagesIn(value)) ?? entriesOfFile(value);
    if (logOf(values) !== undefined) {
      rowCount = values.length;
      takeLog(values.map((entry, at) => ({ value: entry, at })));
      return found();
    }
    await each(values, (entry, index) => {
      rowCount += 1;
      const isWhole = entry === value;
      if (isWhole && isConversation(value) && (typeOf(value) === undefined || appFile.fits(value))) {
        readConversation(value, undefined, file);
      } else {
        // If one row has one line, the line is that row's. Several rows on one line have no line each.
        take(entry, isWhole && isOneLine ? first + 1 : index + 1, isWhole && isOneLine ? lines[first] : undefined);
      }
    });
    return found();
  }
  if (readAppText(body, file)) {
    return found();
  }
  const separate = separateValues(body);
  if (!isOneLine && separate === undefined && (await isOneValueCut(body, lines, each))) {
    skipped.push({ row: first + 1, reason: `not JSON: ${whole.failure.message}` });
    return found();
  }
  const steps: PlacedRow[] = [];
  const texts = separate ?? lines.map((line, at) => ({ text: line, at }));
  const isAgents = logOf(texts.slice(0, FIRST_LINES).map((row) => tryParse(row.text).value)) !== undefined;
  await each(texts, ({ text: line, at }) => {
    if (line.trim() === "") {
      return;
    }
    rowCount += 1;
    const { value, failure } = tryParse(line);
    if (failure !== undefined) {
      file.skip(at + 1, failure, line);
      return;
    }
    if (isAgents) {
      steps.push({ value, at });
      return;
    }
    const inLine = Array.isArray(value) || typeOf(value) === undefined ? entriesOf(value) : [value];
    for (const entry of inLine) {
      // An entry keeps its line, and a value of several lines has none.
      take(entry, at + 1, entry === value && separate === undefined ? line : undefined);
    }
  });
  if (isAgents) {
    takeLog(steps);
  }
  return found();
}

/** Reads each row. A timer, which every host has, lets the host run in between. */
async function inSlices<T>(
  rows: readonly T[],
  read: (row: T, index: number) => void,
  onProgress?: (progress: ReadProgress) => void,
): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const [index, row] of rows.entries()) {
    if (performance.now() > until) {
      onProgress?.({ rowCount: index, rowTotal: rows.length });
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + SLICE_MS;
    }
    read(row, index);
  }
  onProgress?.({ rowCount: rows.length, rowTotal: rows.length });
}

/**
 * Adds the entries of conversations that are single rows after the others, because they aren't lines of a log. Oldest
 * first, whatever the order of the file, because the end of a log is its newest part. If one conversation is requested,
 * returns only its entries.
 */
async function withExports(found: ReadRows, choice: string | number | undefined): Promise<ReadLines> {
  const { skipped, unread, loose } = found;
  const open = found.exports.filter(({ messages }) => messages.length > 0);
  const all = toldApart(open);
  const rowOf = new Map(all.map((conversation, at) => [conversation, open[at]?.row]));
  const ofLoose = loose === undefined ? undefined : all[open.indexOf(loose)];
  const chosen = choice === undefined ? all : [chosenOf(all, choice)];
  const isLooseIn = choice === undefined || (ofLoose !== undefined && chosen.includes(ofLoose));
  const none: Pick<ReadRows, "entries" | "rows" | "builds"> = { entries: [], rows: [], builds: [] };
  const { entries, rows, builds } = isLooseIn ? found : none;
  const conversations: ImportedConversation[] = [];
  if (isLooseIn && ofLoose !== undefined) {
    // Its lines stay unchanged, so no conversation id is added to them.
    const { id, messages, ...facts } = ofLoose;
    conversations.push({ ...facts, messageCount: entries.filter(isMessageEntry).length });
  }
  for (const conversation of inOrderOfTime(chosen.filter((it) => it !== ofLoose))) {
    const { messages, ...facts } = conversation;
    const before = entries.length;
    await inSlices(messages, (message, at) => {
      try {
        entries.push(entryOf(keptMessage(message)).entry);
      } catch (failure) {
        skipped.push({ row: rowOf.get(conversation) ?? at + 1, reason: reasonOf(failure) });
      }
    });
    conversations.push({ ...facts, messageCount: entries.length - before });
  }
  return { entries, rows, builds, skipped, unread, conversations };
}

/** Returns the requested conversation. Fails if it doesn't exist. */
function chosenOf(conversations: readonly ParsedConversation[], choice: string | number): ParsedConversation {
  const chosen = conversationOf(conversations, choice);
  if (chosen === undefined) {
    throw new ContextError({
      kind: "session_error",
      code: "INVALID_CONFIG",
      path: "conversation",
      message: `conversation: the file has no conversation ${describe(choice)}`,
      nextAction: `Pass the id or the number of one that it has (${listed(conversations).join("; ")}), or leave it out.`,
    });
  }
  return chosen;
}

function isMessageEntry({ type }: NewEntry): boolean {
  return type === "message" || type === "summary";
}

/** Removes the carriage returns at the end of a line. */
function withoutReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") {
    end -= 1;
  }
  return line.slice(0, end);
}

/**
 * True if lines are probably one JSON value whose end is missing, and not a damaged log. Read as a log, such a value
 * would be a conversation with holes. In a log, most lines are complete.
 */
async function isOneValueCut(
  body: string,
  lines: readonly string[],
  each: (lines: readonly string[], read: (line: string) => void) => Promise<void>,
): Promise<boolean> {
  if (!mayBeOneValue(body)) {
    return false;
  }
  let damage = 0;
  await each(lines, (line) => {
    damage += damageOf(line);
  });
  return isMostlyDamaged(body, damage);
}

/**
 * Returns the entry of a row, and its message if it is one. A row without a line is stored as data. In a log, the type
 * says what a row is. Elsewhere the type may belong to another message format, so the row is stored as data: its line
 * would mean something else in an exported log.
 */
function entryOfRow(
  row: unknown,
  line: string | undefined,
  isLog: boolean,
): { readonly entry: NewEntry; readonly message?: AnyMessage } {
  const type = typeOf(row);
  const isOther = type !== undefined && type !== "message" && messageOfTurn(row) === undefined;
  if (isOther && (isLog || !isOfShape(row))) {
    const kept: EntryType = KEPT_TYPES.find((it) => it === type) ?? "other";
    return { entry: { type: kept, data: line ?? (row as JsonValue) } };
  }
  const message = messageOfRow(row) as AnyMessage;
  const isKeptAsLine = line !== undefined && !isOther;
  const entry = isKeptAsLine
    ? { ...factsOf(parse(message, "row", "session_error")), data: line }
    : entryOf(keptMessage(message, "row")).entry;
  return { entry, message };
}

/** True if a row is a message of another package's format, which may have a field `type`. */
function isOfShape(row: unknown): boolean {
  const message = decodePlain(row);
  return isRecord(message) && formatOf(message) !== ownFormat();
}

function typeOf(row: unknown): string | undefined {
  return isRecord(row) && typeof row.type === "string" ? row.type : undefined;
}
