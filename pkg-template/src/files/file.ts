// What a kind of file is: how it is told from others, and how it is read. A module of a kind says in messages what its file
// holds. What it does not understand it reports: nothing is lost silently.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { isRecord } from "../base/plain-data.js";
import { counted } from "../base/words.js";
import type { MessageInput } from "../message/message.js";
import { parse } from "../message/read.js";
import { withArticle } from "../message/recognise.js";

/** Something whose fields are looked at one by one. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a file that is not a message, or a part of one that was not understood. */
export interface SkippedRow {
  /** Which row: its number from 1 among the list's entries or the file's lines. */
  readonly row: number;
  /** Its fault, in words. */
  readonly reason: string;
}

/** The messages of a file that could not be read. */
export interface UnreadMessages {
  /** How many rows look like something that somebody said, and could not be read, or not all of it. */
  readonly count: number;
  /** The first of them. */
  readonly first: SkippedRow;
  /** The same in words. */
  readonly words: string;
}

/** What a file says of a conversation beside its messages. */
export interface ConversationFacts {
  readonly id?: unknown;
  readonly title?: unknown;
  /** When it began. */
  readonly startedAt?: unknown;
}

/** A conversation that is being read. Its messages are counted from 0, as they stand in the file. */
export interface OpenConversation {
  facts: ConversationFacts;
  /** Its row; undefined where it is the whole file, or of several rows. */
  readonly row: number | undefined;
  readonly messages: MessageInput[];
  /** Takes a message; one that cannot be read is reported. Gives whether it was taken. */
  take(message: unknown, at: number): boolean;
  /**
   * Reports a fault of a message, or of the conversation if no message is named: a failure, or its words. `row` is what
   * could not be read at all.
   */
  skip(failure: unknown, at?: number, row?: unknown): void;
}

/** A file that is being read. */
export interface OpenFile {
  readonly conversations: OpenConversation[];
  readonly skipped: SkippedRow[];
  /** The failure of the first message that could not be read. */
  readonly firstFailure: ContextError | undefined;
  /** The messages that could not be read; undefined if all could. */
  readonly unread: UnreadMessages | undefined;
  /** Begins a conversation: that of a row, or the file's only one. */
  begin(facts: ConversationFacts, row: number | undefined): OpenConversation;
  /** The conversation of the rows that are messages by themselves. It has the place of the first of them. */
  loose(): OpenConversation;
  /** Reports a fault of a row; `value` is the row, or its line if that isn't JSON. */
  skip(row: number, failure: unknown, value?: unknown): void;
}

/** A kind of file whose conversations are each one value: the file's own, an entry of its list, or a line. */
export interface FileKind {
  readonly name: string;
  /** Whether a value has what only this kind has. */
  fits(value: unknown): boolean;
  /** Reads a value that fits. `row` is its number; undefined where it is the whole file. */
  read(value: Row, row: number | undefined, file: OpenFile): void;
}

/** Opens a file whose failures are of a kind. */
export function openFile(kind: ErrorKind): OpenFile {
  const conversations: OpenConversation[] = [];
  const skipped: SkippedRow[] = [];
  let firstFailure: ContextError | undefined;
  let loose: OpenConversation | undefined;
  let unread: UnreadMessages | undefined;
  const report = (row: number, failure: unknown, value: unknown, place = ""): void => {
    firstFailure ??= failure instanceof ContextError ? failure : undefined;
    const entry = { row, reason: place + reasonOf(failure) };
    skipped.push(entry);
    unread = isSpeech(value) ? unreadWith(unread, entry) : unread;
  };
  const begin = (facts: ConversationFacts, row: number | undefined): OpenConversation => {
    const messages: MessageInput[] = [];
    const skip = (failure: unknown, at?: number, value?: unknown): void => {
      // Of several conversations a row is one of them: the message is named beside it.
      const place = row === undefined || at === undefined ? "" : `message ${at + 1}: `;
      report(row ?? (at ?? 0) + 1, failure, value, place);
    };
    const conversation: OpenConversation = {
      facts,
      row,
      messages,
      take(message, at) {
        try {
          parse(message, "row", kind);
          messages.push(message as MessageInput);
          return true;
        } catch (failure) {
          skip(failure, at, message);
          return false;
        }
      },
      skip,
    };
    conversations.push(conversation);
    return conversation;
  };
  return {
    conversations,
    skipped,
    get firstFailure() {
      return firstFailure;
    },
    get unread() {
      return unread;
    },
    begin,
    loose() {
      loose ??= begin({}, undefined);
      return loose;
    },
    skip: report,
  };
}

function unreadWith(before: UnreadMessages | undefined, entry: SkippedRow): UnreadMessages {
  const count = (before?.count ?? 0) + 1;
  const first = before?.first ?? entry;
  return {
    count,
    first,
    words: `${counted(count, "row")} that ${count === 1 ? "looks like a message" : "look like messages"} could not be read; the first is row ${first.row}: ${first.reason}`,
  };
}

/** Fields that name who speaks, and those that hold the words. */
const SPEAKERS = ["role", "from", "author", "sender", "speaker", "user", "name", "type", "username"] as const;
const WORDS = "content contents text message parts value body mes msg utterance response answer".split(" ");
/** How deep words may lie in a row. */
const DEEPEST_WORDS = 4;

/** True if a row looks like something that somebody said: it names a speaker and has words. A line that isn't JSON has such a field. */
function isSpeech(row: unknown): boolean {
  if (typeof row === "string") {
    return /"(?:content|text|message|parts|value)"\s*:/.test(row);
  }
  if (!isRecord(row)) {
    return false;
  }
  const isNamed = SPEAKERS.some((field) => textIn(row[field]) !== undefined || isRecord(row[field]));
  const hasParts = textIn(row.role) !== undefined && [row.content, row.parts].some((parts) => listIn(parts).length > 0);
  return hasParts || ((isNamed || textIn(row.content) !== undefined) && hasWords(row));
}

function hasWords(value: unknown, depth = DEEPEST_WORDS): boolean {
  if (depth === 0 || Array.isArray(value)) {
    return depth > 0 && (value as unknown[]).some((item) => textIn(item) !== undefined || hasWords(item, depth - 1));
  }
  return WORDS.some((field) => {
    const words = recordIn(value)[field];
    return textIn(words) !== undefined || (typeof words === "object" && words !== null && hasWords(words, depth - 1));
  });
}

/** A fault in words, without the place of the row: the report names the row itself. */
export function reasonOf(failure: unknown): string {
  if (typeof failure === "string") {
    return failure;
  }
  if (failure instanceof ContextError) {
    return failure.message.replace(/^(?:row|entry)(?:\.|: )?/, "");
  }
  return failure instanceof SyntaxError ? `not JSON: ${failure.message}` : "the message could not be read";
}

/** True if somebody but the developer says something in one of some conversations. */
export function isAnythingSaid(conversations: readonly { readonly messages: readonly MessageInput[] }[]): boolean {
  return conversations.some(({ messages }) => messages.some(({ role }) => role !== "system" && role !== "developer"));
}

/** A kind of file as a failure names it. */
export interface FailedKind {
  readonly name: string;
  /** True if `windrow/files` has a reader of it. */
  readonly isRead?: true;
  /** True if this reader is there. */
  readonly isThere: boolean;
}

/** Fails for a file whose rows were all skipped: with the name of its kind if that is known, and the fault of the first row. */
export function checkAnyIsRead(
  skipped: readonly SkippedRow[],
  firstFailure: ContextError | undefined,
  kind: ErrorKind,
  failed?: FailedKind,
): void {
  const [first] = skipped;
  const fault = first === undefined ? "" : ` (row ${first.row}: ${first.reason})`;
  if (failed !== undefined) {
    throw unreadKind(failed, kind, fault, firstFailure);
  }
  if (first === undefined) {
    return;
  }
  throw new ContextError({
    kind,
    code: "INVALID_TRANSCRIPT",
    message: `no message in it${fault}`,
    nextAction:
      firstFailure?.nextAction ??
      "Pass a JSON list of messages, one message per line, or an export as it was downloaded.",
    cause: firstFailure,
  });
}

/** Returns the messages that could not be read, with the name of the kind of file if that is known. */
export function unreadWithName(unread: UnreadMessages, failed: FailedKind | undefined): UnreadMessages {
  return failed === undefined
    ? unread
    : { ...unread, words: `${unread.words}. The file looks like ${withArticle(failed.name)}${limitOf(failed)}.` };
}

function limitOf({ isRead, isThere }: FailedKind): string {
  return isThere
    ? ""
    : isRead === true
      ? '; "windrow/files" reads these, and isn\'t imported'
      : "; windrow doesn't read these yet";
}

/** Returns the failure of a file that has no readable message and whose kind is known. */
export function unreadKind(failed: FailedKind, kind: ErrorKind, fault = "", cause?: ContextError): ContextError {
  const { name, isRead, isThere } = failed;
  const nextAction = isThere
    ? "Pass the file as it was exported, with its messages."
    : isRead === true
      ? 'Import "windrow/files" once: it has the reader.'
      : "Map its rows to { role, name, content, createdAt }.";
  const rest = isThere ? `, with no message that could be read${fault}` : limitOf(failed);
  return new ContextError({
    kind,
    code: "INVALID_TRANSCRIPT",
    message: `This looks like ${withArticle(name)}${rest}. ${nextAction}`,
    nextAction,
    cause: isThere ? cause : undefined,
  });
}

/** A value's field that is an object; an empty one otherwise. */
export function recordIn(value: unknown): Row {
  return isRecord(value) ? value : {};
}

/** A value that is a list; an empty one otherwise. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text with something in it; undefined otherwise. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
