// The log of a session: messages as entries of a store, and entries as lines of a file, in the format of takobot.
//
// What is appended is kept as the message's own data. What is imported keeps its line, so that an export gives the file back
// as it was, down to the spelling of numbers and escapes; it is read as a message when it is asked for.

import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { decodePlain, encodePlain, isRecord, UnkeptValue, withFields } from "../base/plain-data.js";
import { conversationOf, inOrderOfTime, listed, type ParsedConversation, toldApart } from "../files/conversations.js";
import { bareMessagesIn } from "../files/dialogue.js";
import {
  checkAnyIsRead,
  isAnythingSaid,
  type OpenConversation,
  openFile,
  reasonOf,
  type SkippedRow,
  type UnreadMessages,
  unreadWithName,
} from "../files/file.js";
import { entriesOf, isConversation, readConversation } from "../files/index.js";
import { appFile, failedKindOf, readAppText } from "../files/readers.js";
import { logOf, type PlacedRow, readRows as readRowsOf } from "../files/rows.js";
import { messageOfRow } from "../files/session-log.js";
import { isCut, tryParse, withoutMark } from "../files/text.js";
import { messageOfTurn, textsOfTurn } from "../files/turn-log.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageOrigin, UnknownRecord } from "../message/format.js";
import { fieldsWithValue } from "../message/format.js";
import type { MessageInput } from "../message/message.js";
import { originated, ownFields, type ParsedMessage, parse } from "../message/read.js";
import { formatOf, ownFormat } from "../message/recognise.js";
import { timeMsOf } from "../message/times.js";
import type { Entry, EntryType, JsonValue, NewEntry } from "../stores/contract.js";
import { entryOfBuildRow, isBuildRow } from "./builds.js";

/** The reading of an entry: its message, or its fault. */
export type EntryMessage =
  | { readonly parsed: ParsedMessage; readonly flaw?: undefined }
  | { readonly parsed?: undefined; readonly flaw: string };

/** A message as a log keeps it. */
export interface KeptMessage {
  readonly parsed: ParsedMessage;
  readonly data: Data;
  /** The id and the time of the caller's message, if its `toJSON` left them out. */
  readonly origin: MessageOrigin;
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
  /** The messages that could not be read. */
  readonly unread: UnreadMessages | undefined;
  /** The conversations that were taken. */
  readonly conversations: readonly ImportedConversation[];
}

/** A conversation of a file that was imported. */
export interface ImportedConversation extends Omit<ParsedConversation, "messages"> {
  /** How many messages and summaries of it were taken. */
  readonly messageCount: number;
}

/**
 * Reads a message as a log keeps it. Fails with `INVALID_TRANSCRIPT` if something in it would be lost: a function, for example, or an
 * object of a class that has no `toJSON`. `path` is the message's place in the caller's input.
 */
export function keptMessage(message: AnyMessage, path = "message"): KeptMessage {
  const given = message as unknown as UnknownRecord;
  const data = dataOf(given, path);
  const [row, kept] = besideFormat(given, data, path);
  const parsed = parse(row, path, "session_error");
  const { id, createdAt } = parsed.message;
  // Nobody has looked at what `toJSON` returns: it may say less than the message itself.
  const isWhole = typeof given?.toJSON !== "function" || (id !== undefined && createdAt !== undefined);
  const source = isWhole ? parsed.message : parse(given, path, "session_error").message;
  return { parsed, data: kept, origin: { id: source.id, createdAt: source.createdAt } };
}

/** Returns the entry of a message, and the message in it. It takes its id and its time from `missing` if it has none. */
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

/** Returns a message as it is kept, and its data: with the fields of windrow's own that its `toJSON` leaves out. */
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

/** The data of a value that was read as a message. */
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

/** What a store knows of a message. */
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
 * Reads the message of an entry, or the reason why it has none. A message without an id gets one, so that it can be named: `#` and
 * its sequence number.
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
      message: `entry ${seq} of the log has no form in JSON: something else than windrow wrote it`,
      nextAction: "Let the store return plain data, or trim the session up to this entry, and export again.",
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

/** How many lines show whether a file is the log of an agent: some begin with rows that say nothing. */
const FIRST_LINES = 200;

/** How long rows are read before other work gets its turn, in milliseconds. */
const SLICE_MS = 25;

/**
 * Reads a file into entries: a session log, a row a line, or what else `parseTranscript` reads. Of a log every row is kept as
 * its line. Rows of types that are not known are kept too, and are never messages. Of a file with several conversations all are
 * taken, the oldest first, or the one that is asked for. What is not understood is skipped and reported, the last line where it was
 * cut. Fails with `INVALID_TRANSCRIPT` where there are rows other than headers and failures, and none of them is a message; with
 * `INVALID_CONFIG` where there is no such conversation; and with what `onProgress` throws.
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
      kind,
    );
    if (odd >= 0) {
      checkIsMessage(found.entries[odd] as NewEntry);
    }
  }
  return withExports({ ...found, unread: unread && unreadWithName(unread, kind) }, choice);
}

/** Fails with the reason why a row of an unknown type is no message. */
function checkIsMessage({ data }: NewEntry): void {
  const row: unknown = typeof data === "string" ? JSON.parse(data) : data;
  try {
    parse(row, "row", "session_error");
  } catch (failure) {
    checkAnyIsRead([{ row: 1, reason: reasonOf(failure) }], failure as ContextError, "session_error");
  }
}

/** What the rows of a file are. */
interface ReadRows extends Omit<ReadLines, "conversations"> {
  /** Builds that cannot be built again. */
  readonly damagedBuilds: ReadonlySet<SkippedRow>;
  readonly firstFailure: ContextError | undefined;
  /** The conversations that are rows of the file by themselves, and that of the other rows: of this no more than its first message. */
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
  /** Rows are counted without blank lines, and named with them. */
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
    // A row of a log that says its own type is that, whatever it holds. Other apps' files have fields of that name too.
    if (isConversation(value) && (line === undefined || typeOf(value) === undefined || appFile.fits(value))) {
      readConversation(value, row, file);
      return;
    }
    try {
      const { entry, message } = entryOfRow(value, line, isLog);
      keep(entry, message);
    } catch (failure) {
      file.skip(row, failure, value);
      const texts = textsOfTurn(messageOfTurn(value) ?? {});
      if (texts !== undefined) {
        keep(entryOf(keptMessage(texts as unknown as AnyMessage, "row")).entry, texts as unknown as AnyMessage);
      }
    }
  };
  /** Reads the log of an agent as one conversation: its rows say which of them count. */
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
    const values = bareMessagesIn(value) ?? entriesOf(value);
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
        // The line of a log of one row is that row. Of several in a line none has a line of its own.
        take(entry, isWhole && isOneLine ? first + 1 : index + 1, isWhole && isOneLine ? lines[first] : undefined);
      }
    });
    return found();
  }
  if (readAppText(body, file)) {
    return found();
  }
  if (!isOneLine && (await isOneValueCut(body, lines, each))) {
    skipped.push({ row: first + 1, reason: `not JSON: ${whole.failure.message}` });
    return found();
  }
  const steps: PlacedRow[] = [];
  const isAgents = logOf(lines.slice(0, FIRST_LINES).map((line) => tryParse(line).value)) !== undefined;
  await each(lines, (line, index) => {
    if (line.trim() === "") {
      return;
    }
    rowCount += 1;
    const { value, failure } = tryParse(line);
    if (failure !== undefined) {
      file.skip(index + 1, failure, line);
      return;
    }
    if (isAgents) {
      steps.push({ value, at: index });
      return;
    }
    const inLine = Array.isArray(value) || typeOf(value) === undefined ? entriesOf(value) : [value];
    for (const entry of inLine) {
      take(entry, index + 1, entry === value ? line : undefined);
    }
  });
  if (isAgents) {
    takeLog(steps);
  }
  return found();
}

/** Reads each row. The host gets its turn by a timer, which all hosts have. */
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
 * The entries with those of the conversations that are rows by themselves, behind the others: they are no lines of a log. The
 * oldest comes first, whatever the order of the file, as what comes last in a log is what was said last. Or those of the one
 * conversation that is asked for.
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
    // Its lines stay as they are: no conversation is named in them.
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

/** The conversation that is asked for. Fails where there is none. */
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
 * The entry of a row, and its message if it is one; where the row has no line, its data are kept. In a log a type says what a row is.
 * Elsewhere it may be that of a message of another shape: its data are kept, as its line would say something else in the log that is
 * exported.
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

/** Whether a row is a message of another package's shape, which may have a type of its own. */
function isOfShape(row: unknown): boolean {
  const message = decodePlain(row);
  return isRecord(message) && formatOf(message) !== ownFormat();
}

function typeOf(row: unknown): string | undefined {
  return isRecord(row) && typeof row.type === "string" ? row.type : undefined;
}
