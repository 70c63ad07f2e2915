// Conversations in files, recognised by their contents.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { describe } from "../base/options.js";
import { decodePlain, isRecord } from "../base/plain-data.js";
import { publicCall } from "../base/public-call.js";
import type { MessageInput } from "./message.js";
import { type EncodedMessage, readMessage } from "./messages.js";

/** A row of a file that is not a message. */
export interface SkippedRow {
  /** Which row: its number from 1 among the list's entries or the file's lines. */
  readonly row: number;
  /** Its fault, in words. */
  readonly reason: string;
}

/** The contents of a file. */
export interface ParsedTranscript {
  /** The messages, in the order of the file. */
  readonly messages: readonly MessageInput[];
  /** The rows that were not understood. */
  readonly skipped: readonly SkippedRow[];
  /** What the conversation was asked: the field `request` of a file that is one object. */
  readonly request?: string | MessageInput;
}

/**
 * Reads a conversation from the text of a file: a JSON list of messages, a message a line (JSONL), or an object with a
 * list `messages`; of the last, also a list or one a line. Messages are in windrow's form, OpenAI's, or that of session
 * logs: a header `{ type: "session", session_key }` and rows `{ type: "message", role, text, created_at }`, or rows
 * `{ type: "user" | "assistant", timestamp, message: { content } }`, of which the texts stay where another block cannot be
 * read. What is not understood is skipped and reported. Fails with `INVALID_TRANSCRIPT` where there is no JSON at all, and
 * where there are rows and none of them is a message.
 */
export function parseTranscript(text: string): ParsedTranscript {
  return publicCall("transcript_error", "parseTranscript", () => parse(text));
}

function parse(text: string): ParsedTranscript {
  checkText(text, "transcript_error");
  const messages: MessageInput[] = [];
  const skipped: SkippedRow[] = [];
  const encoded: EncodedMessage = [];
  let sessionKey: string | undefined;
  let firstFailure: unknown;
  const take = (entry: unknown, row: number): void => {
    const header = sessionKeyOf(entry);
    if (header !== undefined) {
      sessionKey = header;
      return;
    }
    const skip = (failure: unknown): void => {
      firstFailure ??= failure;
      skipped.push({ row, reason: (failure as ContextError).message.replace(/^row \d+(\.|: )?/, "") });
    };
    const turn = messageOfTurn(entry);
    if (turn !== undefined) {
      try {
        readMessage(turn, `row ${row}`, "transcript_error", encoded);
        messages.push(turn as unknown as MessageInput);
        return;
      } catch (failure) {
        const texts = textsOf(turn.content);
        skip(failure);
        if (texts.length > 0) {
          messages.push({ ...turn, content: texts } as unknown as MessageInput);
        }
        return;
      }
    }
    try {
      const message = fromSessionLog(entry, sessionKey);
      readMessage(message, `row ${row}`, "transcript_error", encoded);
      messages.push(message as MessageInput);
    } catch (failure) {
      skip(failure);
    }
  };
  const found = (): ParsedTranscript => {
    if (messages.length === 0) {
      checkAnyIsRead(skipped, firstFailure, "transcript_error");
    }
    return { messages, skipped };
  };

  const body = text.replace(/^\uFEFF/, "");
  const whole = tryParse(body);
  if (whole.failure === undefined) {
    rowsOf(whole.value).forEach((entry, index) => {
      take(entry, index + 1);
    });
    return { ...found(), ...requestOf(whole.value) };
  }
  if (body.trimStart().startsWith("[") || isCut(body)) {
    throw notJson(whole.failure);
  }
  const lines = body.split("\n").map((line) => (line.trim() === "" ? undefined : tryParse(line)));
  // A line of a log is an object: a number or a text could stand in any prose.
  if (!lines.some((line) => typeof line?.value === "object" && line.value !== null)) {
    throw notJson(whole.failure);
  }
  lines.forEach((line, index) => {
    if (line === undefined) {
      return;
    }
    const { value, failure } = line;
    if (failure !== undefined) {
      skipped.push({ row: index + 1, reason: `not JSON: ${failure.message}` });
      return;
    }
    for (const entry of rowsOf(value)) {
      take(entry, index + 1);
    }
  });
  return found();
}

/** Fails for a file whose rows were all skipped, with the fault of the first. */
export function checkAnyIsRead(skipped: readonly SkippedRow[], firstFailure: unknown, kind: ErrorKind): void {
  const [first] = skipped;
  if (first === undefined) {
    return;
  }
  const known = firstFailure instanceof ContextError ? firstFailure : undefined;
  throw new ContextError({
    kind,
    code: "INVALID_TRANSCRIPT",
    message: `no message in it (row ${first.row}: ${first.reason})`,
    nextAction: known?.nextAction ?? "Give a JSON list of messages, or a message a line.",
    cause: firstFailure,
  });
}

/** A row of a transcript of turns as a message: who speaks is its type. */
function messageOfTurn(entry: unknown): Record<string, unknown> | undefined {
  const isTurn = isRecord(entry) && (entry.type === "user" || entry.type === "assistant") && isRecord(entry.message);
  if (!isTurn) {
    return undefined;
  }
  const { content } = entry.message as Record<string, unknown>;
  return { role: entry.type, content, ...(entry.timestamp == null ? {} : { createdAt: entry.timestamp }) };
}

/** The text blocks of a content that are readable by themselves. */
function textsOf(content: unknown): readonly unknown[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.filter((block) => isRecord(block) && block.type === "text" && typeof block.text === "string");
}

/** The session's key, of a row that is the header of a session log; empty where it names none. */
function sessionKeyOf(entry: unknown): string | undefined {
  const header = (entry ?? {}) as { readonly type?: unknown; readonly session_key?: unknown };
  if (header.type !== "session") {
    return undefined;
  }
  return typeof header.session_key === "string" ? header.session_key : "";
}

/** A row as a message; one of a session log belongs to its session. */
function fromSessionLog(entry: unknown, sessionKey: string | undefined): unknown {
  const message = messageOfRow(entry);
  return sessionKey && isMessageRow(entry) && isRecord(message) ? { sessionId: sessionKey, ...message } : message;
}

/**
 * What should be a message, of a row. A row of a session log, `{ type: "message", role, text, created_at }`, says `content` as
 * `text` and `createdAt` as `created_at`; its further fields stay. A message whose own fields would be mistaken for these
 * stands in a row `{ type: "message", message }`. Anything else is as it is.
 */
export function messageOfRow(row: unknown): unknown {
  return decodePlain(isMessageRow(row) ? unwrapped(row) : row);
}

function isMessageRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return isRecord(row) && row.type === "message";
}

function unwrapped(row: Readonly<Record<string, unknown>>): unknown {
  if (isRecord(row.message) && !("role" in row)) {
    return row.message;
  }
  const { type, text, created_at, ...message } = row;
  return {
    ...message,
    ...(typeof text === "string" ? { content: text } : "text" in row ? { text } : {}),
    ...("created_at" in row ? { createdAt: created_at } : {}),
  };
}

function requestOf(value: unknown): { readonly request?: string | MessageInput } {
  const request = Array.isArray(value) ? undefined : (value as { readonly request?: unknown } | null)?.request;
  const isRequest = typeof request === "string" || (typeof request === "object" && request !== null);
  return isRequest ? { request: request as string | MessageInput } : {};
}

/** The entries that should be messages: those of a list, and those of every list `messages` in it. */
export function rowsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry) => (hasMessages(entry) ? entry.messages : [entry]));
  }
  return hasMessages(value) ? value.messages : [value];
}

export function hasMessages(value: unknown): value is { readonly messages: readonly unknown[] } {
  return typeof value === "object" && value !== null && Array.isArray((value as { messages?: unknown }).messages);
}

/**
 * Whether a text is one JSON value whose end is missing. Some of its lines may well be messages by themselves, but read as
 * JSONL it would be a conversation with holes.
 */
export function isCut(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isInString) {
      if (letter === "\n") {
        return false; // A line that was cut within a string: JSON has no line ends there.
      }
      at += letter === "\\" ? 1 : 0;
      isInString = letter !== '"';
    } else if (letter === '"') {
      isInString = true;
    } else if (letter === "{" || letter === "[") {
      depth += 1;
    } else if (letter === "}" || letter === "]") {
      depth -= 1;
      if (depth === 0) {
        return false;
      }
    }
  }
  return true;
}

export function tryParse(text: string): { readonly value?: unknown; readonly failure?: Error } {
  try {
    return { value: JSON.parse(text) };
  } catch (failure) {
    return { failure: failure as Error };
  }
}

/** Fails where the text of a file is no text. */
export function checkText(text: unknown, kind: ErrorKind): asserts text is string {
  if (typeof text !== "string") {
    throw new ContextError({
      kind,
      code: "INVALID_TRANSCRIPT",
      message: `expected the text of a file, got ${describe(text)}`,
      nextAction: "Pass the file's text.",
    });
  }
}

function notJson(cause: Error): ContextError {
  return new ContextError({
    kind: "transcript_error",
    code: "INVALID_TRANSCRIPT",
    message: `not a conversation: ${cause.message}`,
    nextAction: "Give a JSON list of messages, or a message a line.",
    cause,
  });
}
