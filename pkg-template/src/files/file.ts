// The interface of kinds of files: how to recognize one, and how to read it. Each kind has a module that turns the file
// into messages. It reports everything it doesn't understand, so nothing is lost silently.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { isRecord } from "../base/plain-data.js";
import { counted } from "../base/words.js";
import type { MessageInput } from "../message/message.js";
import { parse } from "../message/read.js";
import { withArticle } from "../message/recognise.js";
import { lostField, sayingField } from "../message/substance.js";
import { reportRead } from "./progress.js";

/** An object whose fields are read one by one. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a file that isn't a message, or a part of a message that wasn't understood. */
export interface SkippedRow {
  /** The number of the row, from 1, among the list's entries or the file's lines. */
  readonly row: number;
  /** The fault, in words. */
  readonly reason: string;
}

/** The messages of a file that couldn't be read. */
export interface UnreadMessages {
  /** The number of rows that look like a person's or a model's words but couldn't be read in full. */
  readonly count: number;
  /** The first of them. */
  readonly first: SkippedRow;
  /** The same in words. */
  readonly words: string;
}

/** Facts of a conversation, in addition to its messages. */
export interface ConversationFacts {
  readonly id?: unknown;
  readonly title?: unknown;
  /** The time it began. */
  readonly startedAt?: unknown;
}

/** A conversation that is being read. Its messages are numbered from 0, in the order of the file. */
export interface OpenConversation {
  facts: ConversationFacts;
  /** The row. Undefined if it is the whole file or spans several rows. */
  readonly row: number | undefined;
  readonly messages: MessageInput[];
  /** Adds a message and returns true, or reports it if it can't be read and returns false. */
  take(message: unknown, at: number): boolean;
  /**
   * Reports a fault of a message, or of the conversation if no message is named: a failure, or its words. `row` is a
   * value that couldn't be read at all.
   */
  skip(failure: unknown, at?: number, row?: unknown): void;
}

/** A file that is being read. */
export interface OpenFile {
  readonly conversations: OpenConversation[];
  readonly skipped: SkippedRow[];
  /** The failure of the first message that couldn't be read. */
  readonly firstFailure: ContextError | undefined;
  /** The messages that couldn't be read. Undefined if all could. */
  readonly unread: UnreadMessages | undefined;
  /** Starts a conversation: that of a row, or the file's only one. */
  begin(facts: ConversationFacts, row: number | undefined): OpenConversation;
  /** Returns the conversation of the rows that are messages by themselves. Its place is that of its first row. */
  loose(): OpenConversation;
  /** Reports a fault of a row. `value` is the row, or its line if that isn't JSON. */
  skip(row: number, failure: unknown, value?: unknown): void;
}

/** A kind of file in which each conversation is one value: the file's own value, an entry of its list, or a line. */
export interface FileKind {
  readonly name: string;
  /** True if a value has fields that only this kind has. */
  fits(value: unknown): boolean;
  /** Reads a value that fits. `row` is its number. Undefined if it is the whole file. */
  read(value: Row, row: number | undefined, file: OpenFile): void;
}

/** Opens a file. Its failures have this kind. */
export function openFile(kind: ErrorKind): OpenFile {
  const conversations: OpenConversation[] = [];
  const skipped: SkippedRow[] = [];
  let firstFailure: ContextError | undefined;
  let loose: OpenConversation | undefined;
  let unread: UnreadMessages | undefined;
  let lastUnread: string | undefined;
  const report = (row: number, failure: unknown, value: unknown, place = ""): void => {
    firstFailure ??= failure instanceof ContextError ? failure : undefined;
    const entry = { row, reason: place + reasonOf(failure) };
    skipped.push(entry);
    const isLost = isSpeech(value) || LOST.test(entry.reason);
    const message = `${row}/${place}`;
    unread = isLost && message !== lastUnread ? unreadWith(unread, entry) : unread;
    lastUnread = isLost ? message : lastUnread;
  };
  const begin = (facts: ConversationFacts, row: number | undefined): OpenConversation => {
    const messages: MessageInput[] = [];
    const skip = (failure: unknown, at?: number, value?: unknown): void => {
      // If a row is one of several conversations, the message is named too.
      const place = row === undefined || at === undefined ? "" : `message ${at + 1}: `;
      report(row ?? (at ?? 0) + 1, failure, value, place);
    };
    const conversation: OpenConversation = {
      facts,
      row,
      messages,
      take(message, at) {
        if (row === undefined) {
          reportRead(at);
        }
        try {
          parse(message, "row", kind);
          messages.push(message as MessageInput);
          return true;
        } catch (failure) {
          skip(failure, at, message);
          const rest = isRecord(message) ? readableOf(message) : undefined;
          if (rest !== undefined) {
            messages.push(rest as unknown as MessageInput);
          }
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

/** Fields that name a speaker, and fields that hold words. */
const SPEAKERS = ["role", "from", "author", "sender", "speaker", "user", "name", "type", "kind", "username"] as const;
const WORDS = "content contents text message parts value body mes msg utterance response answer".split(" ");
/** Maximum nesting of words in a row. */
const DEEPEST_WORDS = 4;

/**
 * True if a row looks like someone's words: it names a speaker and has words. For a line that isn't JSON, such a field
 * is enough.
 */
export function isSpeech(row: unknown): boolean {
  if (typeof row === "string") {
    return /"(?:content|text|message|parts|value)"\s*:/.test(row);
  }
  if (!isRecord(row)) {
    return false;
  }
  const isNamed = SPEAKERS.some((field) => textIn(row[field]) !== undefined || isRecord(row[field]));
  const { info } = row; // opencode's role
  if (isRecord(info)) {
    return isSpeech({ role: info.role, parts: row.parts });
  }
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

/** Returns a fault in words without its path: the report names the row itself. */
export function reasonOf(failure: unknown): string {
  if (typeof failure === "string") {
    return failure;
  }
  if (failure instanceof ContextError) {
    return failure.message.replace(/^(?:row|entry)(?:\.|: )?/, "");
  }
  return failure instanceof SyntaxError ? `not JSON: ${failure.message}` : "the message could not be read";
}

/**
 * Returns the fault of a row or a part without anything that was read, if a field of it has words. Undefined if none
 * has.
 * `known` are the fields that are read, or aren't for the model.
 */
export function unreadWordsIn(row: Row, known: ReadonlySet<string> = NO_FIELDS): string | undefined {
  const field = sayingField(row, known, false);
  return field === undefined ? undefined : `${field}: its words are not read`;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The end of a fault that says that words of a message are lost. */
const LOST = /: its (?:words|parts) are not read$/;

/** Returns the fault of a row if a field next to the known ones has parts or calls that aren't among those read. */
export function unreadPartsIn(row: Row, known: ReadonlySet<string>, parts: readonly unknown[]): string | undefined {
  const field = lostField(row, known, () => JSON.stringify(parts));
  return field === undefined ? undefined : `${field}: its parts are not read`;
}

/** True if anyone except the developer says something in these conversations. */
export function isAnythingSaid(conversations: readonly { readonly messages: readonly MessageInput[] }[]): boolean {
  return conversations.some(({ messages }) => messages.some(({ role }) => role !== "system" && role !== "developer"));
}

/** A kind of file, as a failure names it. */
export interface FailedKind {
  readonly name: string;
  /** True if `windrow/files` has a reader for it. */
  readonly isRead?: true;
  /** True if this reader is loaded. */
  readonly isThere: boolean;
  /** The file to pass instead. */
  readonly next?: string;
}

/**
 * Fails for a file whose rows were all skipped. The error has the name of its kind if known, and the fault of the first
 * row.
 */
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
    message: `no messages found${fault}`,
    nextAction:
      firstFailure?.nextAction ??
      "Pass a JSON list of messages, one message per line, or an export as it was downloaded.",
    cause: firstFailure,
  });
}

/** Returns the messages that couldn't be read, with the name of the file's kind if known. */
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

/** Returns the failure of a file of a known kind without a readable message. */
export function unreadKind(failed: FailedKind, kind: ErrorKind, fault = "", cause?: ContextError): ContextError {
  const { name, isRead, isThere, next } = failed;
  const nextAction = isThere
    ? "Pass the file as it was exported, with its messages."
    : isRead === true
      ? 'Import "windrow/files" once: it has the reader.'
      : (next ?? "Map its rows to { role, name, content, createdAt }.");
  const rest = isThere ? `, with no message that could be read${fault}` : limitOf(failed);
  return new ContextError({
    kind,
    code: "INVALID_TRANSCRIPT",
    message: `This looks like ${withArticle(name)}${rest}. ${nextAction}`,
    nextAction,
    cause: isThere ? cause : undefined,
  });
}

/** Returns a value that is an object, and an empty object for any other value. */
export function recordIn(value: unknown): Row {
  return isRecord(value) ? value : {};
}

/** Returns a value that is a list, and an empty list for any other value. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a value that is a non-blank text. Undefined for any other value. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The fields with the parts of a message. */
const PARTS = ["content", "parts"] as const;

/**
 * Returns a message with only the parts that can be read, for one with unreadable parts. Undefined if all or none can be
 * read.
 */
export function readableOf(message: Row): Row | undefined {
  for (const field of PARTS) {
    const parts = listIn(message[field]);
    const kept = parts.length < 2 ? [] : parts.filter((part) => isReadable({ ...message, [field]: [part] }));
    if (kept.length > 0 && kept.length < parts.length) {
      return { ...message, [field]: kept };
    }
  }
  return undefined;
}

function isReadable(message: Row): boolean {
  try {
    parse(message, "row", "transcript_error");
    return true;
  } catch {
    return false;
  }
}
