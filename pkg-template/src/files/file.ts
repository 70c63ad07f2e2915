// What a kind of file is: how it is told from others, and how it is read. A module of a kind says in messages what its file
// holds. What it does not understand it reports: nothing is lost silently.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { isRecord } from "../base/plain-data.js";
import type { MessageInput } from "../message/message.js";
import { parse } from "../message/read.js";

/** Something whose fields are looked at one by one. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a file that is not a message, or a part of one that was not understood. */
export interface SkippedRow {
  /** Which row: its number from 1 among the list's entries or the file's lines. */
  readonly row: number;
  /** Its fault, in words. */
  readonly reason: string;
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
  readonly facts: ConversationFacts;
  /** Its row; undefined where it is the whole file, or of several rows. */
  readonly row: number | undefined;
  readonly messages: MessageInput[];
  /** Takes a message; one that cannot be read is reported. Gives whether it was taken. */
  take(message: unknown, at: number): boolean;
  /** Reports what was not understood of a message, or of the conversation where none is named: a failure, or its words. */
  skip(failure: unknown, at?: number): void;
}

/** A file that is being read. */
export interface OpenFile {
  readonly conversations: OpenConversation[];
  readonly skipped: SkippedRow[];
  /** The failure of the first message that could not be read. */
  readonly firstFailure: ContextError | undefined;
  /** Begins a conversation: that of a row, or the file's only one. */
  begin(facts: ConversationFacts, row: number | undefined): OpenConversation;
  /** The conversation of the rows that are messages by themselves. It has the place of the first of them. */
  loose(): OpenConversation;
  /** Reports what was not understood of a row. */
  skip(row: number, failure: unknown): void;
}

/** A kind of file whose conversations are each one value: the file's own, an entry of its list, or a line. */
export interface FileKind {
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
  const skip = (row: number, failure: unknown, place = ""): void => {
    firstFailure ??= failure instanceof ContextError ? failure : undefined;
    skipped.push({ row, reason: place + reasonOf(failure) });
  };
  const begin = (facts: ConversationFacts, row: number | undefined): OpenConversation => {
    const messages: MessageInput[] = [];
    const report = (failure: unknown, at?: number): void => {
      // Of several conversations a row is one of them: the message is named beside it.
      const place = row === undefined || at === undefined ? "" : `message ${at + 1}: `;
      skip(row ?? (at ?? 0) + 1, failure, place);
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
          report(failure, at);
          return false;
        }
      },
      skip: report,
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
    begin,
    loose() {
      loose ??= begin({}, undefined);
      return loose;
    },
    skip,
  };
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

/** Fails for a file whose rows were all skipped, with the fault of the first. */
export function checkAnyIsRead(
  skipped: readonly SkippedRow[],
  firstFailure: ContextError | undefined,
  kind: ErrorKind,
): void {
  const [first] = skipped;
  if (first === undefined) {
    return;
  }
  throw new ContextError({
    kind,
    code: "INVALID_TRANSCRIPT",
    message: `no message in it (row ${first.row}: ${first.reason})`,
    nextAction:
      firstFailure?.nextAction ?? "Give a JSON list of messages, a message a line, or an export as it was downloaded.",
    cause: firstFailure,
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
