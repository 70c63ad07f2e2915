// Conversations in files, recognised by their contents. Each kind of file has a module in `files`.

import { ContextError } from "../base/errors.js";
import { publicCall } from "../base/public-call.js";
import type { MessageInput } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import { newestOf, type ParsedConversation, toldApart } from "./conversations.js";
import { checkAnyIsRead, type OpenFile, openFile, type SkippedRow } from "./file.js";
import { entriesOf, isConversation, readConversation } from "./index.js";
import { rowReader } from "./rows.js";
import { checkText, isCut, tryParse, withoutMark } from "./text.js";

export type { ParsedConversation, SkippedRow };

/** The contents of a file. */
export interface ParsedTranscript {
  /**
   * The messages, in the order in which they were said. Of a file with several conversations they are those of the newest: the one
   * with the latest message or, where no message has a time, the last in the file.
   */
  readonly messages: readonly MessageInput[];
  /** The rows that were not understood. */
  readonly skipped: readonly SkippedRow[];
  /** All conversations that have a message, in the order of the file. */
  readonly conversations: readonly ParsedConversation[];
  /** What the conversation was asked: the field `request` of a file that is one object. */
  readonly request?: string | MessageInput;
}

/**
 * Reads conversations from the text of a file. A file is
 *
 * - a JSON list of messages, or a message a line (JSONL), in any form that windrow reads;
 * - an object with a list `messages`, or with `conversations: [{ from, value }]` (ShareGPT), or a request to Gemini's API with
 *   `contents`; or a list of such objects, or one a line: each is a conversation of its own;
 * - an export: ChatGPT's or Claude's `conversations.json`, Gemini's `MyActivity.json` of Google Takeout, a prompt of AI Studio;
 * - a log: of a session, with a header `{ type: "session", session_key }` and rows `{ type: "message", role, text, created_at }`; or
 *   of turns, with rows `{ type: "user" | "assistant", timestamp, message: { content } }`, of which the texts stay where another
 *   block cannot be read.
 *
 * Of a conversation that branches the branch is read that was shown last. What is not understood is skipped and reported. Fails with
 * `INVALID_TRANSCRIPT` where there is no JSON at all, and where there are rows and none of them is a message.
 */
export function parseTranscript(text: string): ParsedTranscript {
  return publicCall("transcript_error", "parseTranscript", () => parse(text));
}

function parse(text: string): ParsedTranscript {
  checkText(text, "transcript_error");
  shapes.get(); // A row that needs them would be skipped without.
  const file = openFile("transcript_error");
  const request = readText(withoutMark(text), file);
  const conversations = toldApart(file.conversations);
  if (conversations.length === 0) {
    checkAnyIsRead(file.skipped, file.firstFailure, "transcript_error");
  }
  const { messages } = newestOf(conversations) ?? { messages: [] };
  return { messages, skipped: file.skipped, conversations, ...request };
}

/** Reads a text into a file; gives the request that stands in it. */
function readText(body: string, file: OpenFile): Pick<ParsedTranscript, "request"> {
  const readRow = rowReader(() => file.loose());
  const read = (entry: unknown, row: number, isWhole = false): void => {
    if (isConversation(entry)) {
      readConversation(entry, isWhole ? undefined : row, file);
    } else {
      readRow(entry, row - 1);
    }
  };
  const whole = tryParse(body);
  if (whole.failure === undefined) {
    const { value } = whole;
    for (const [index, entry] of entriesOf(value).entries()) {
      read(entry, index + 1, entry === value);
    }
    return requestOf(value);
  }
  if (body.trimStart().startsWith("[") || isCut(body)) {
    throw notJson(body, whole.failure);
  }
  const lines = body.split("\n").map((line) => (line.trim() === "" ? undefined : tryParse(line)));
  // A line of a log is an object: a number or a text could stand in any prose.
  if (!lines.some((line) => typeof line?.value === "object" && line.value !== null)) {
    throw notJson(body, whole.failure);
  }
  for (const [index, line] of lines.entries()) {
    if (line?.failure !== undefined) {
      file.skip(index + 1, line.failure);
    } else if (line !== undefined) {
      for (const entry of entriesOf(line.value)) {
        read(entry, index + 1);
      }
    }
  }
  return {};
}

function requestOf(value: unknown): Pick<ParsedTranscript, "request"> {
  const request = Array.isArray(value) ? undefined : (value as { readonly request?: unknown } | null)?.request;
  const isRequest = typeof request === "string" || (typeof request === "object" && request !== null);
  return isRequest ? { request: request as string | MessageInput } : {};
}

function notJson(body: string, cause: Error): ContextError {
  const isPage = body.trimStart().startsWith("<");
  return new ContextError({
    kind: "transcript_error",
    code: "INVALID_TRANSCRIPT",
    message: `not a conversation: ${cause.message}`,
    nextAction: isPage
      ? "Give the file as JSON: what was exported as HTML can be exported as JSON too."
      : "Give a JSON list of messages, a message a line, or an export as it was downloaded.",
    cause,
  });
}
