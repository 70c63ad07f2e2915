// Reads conversations from files and recognizes the kind of file by its contents. Each kind has a module in `files`.

import { ContextError } from "../base/errors.js";
import { publicCall } from "../base/public-call.js";
import type { MessageInput } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import { newestOf, type ParsedConversation, toldApart } from "./conversations.js";
import {
  checkAnyIsRead,
  isAnythingSaid,
  listIn,
  type OpenFile,
  openFile,
  recordIn,
  type SkippedRow,
  type UnreadMessages,
  unreadKind,
  unreadWithName,
} from "./file.js";
import { entriesOf, entriesOfFile, isConversation, readConversation } from "./index.js";
import { beginPass, reportRead } from "./progress.js";
import { failedKindOf, readAppText } from "./readers.js";
import { logOf, type PlacedRow, readRows } from "./rows.js";
import {
  checkText,
  damageOf,
  isCut,
  isMostlyDamaged,
  linesOf,
  mayBeOneValue,
  separateValues,
  tryParse,
  withoutMark,
} from "./text.js";
import { unknownKindOf } from "./unknown.js";

export type { ParsedConversation, SkippedRow, UnreadMessages };

/** The contents of a file. */
export interface ParsedTranscript {
  /**
   * The messages in chronological order. For a file with several conversations, those of the newest: the one with the
   * latest message or, without any times, the last in the file.
   */
  readonly messages: readonly MessageInput[];
  /** The rows that weren't understood. */
  readonly skipped: readonly SkippedRow[];
  /** The messages that couldn't be read, if any. The conversation is then incomplete. */
  readonly unread?: UnreadMessages;
  /** All conversations with at least one message, in the order of the file. */
  readonly conversations: readonly ParsedConversation[];
  /** The request of the conversation: the field `request` of a file that is one object. */
  readonly request?: string | MessageInput;
}

/**
 * Reads conversations from the text of a file. Accepts:
 *
 * - a JSON list of messages, or one message per line (JSONL) or after another, in any format that windrow reads;
 * - an object with a list `messages`, or with `conversations: [{ from, value }]` (ShareGPT), or a request to Gemini's
 *   API with `contents`; a list of such objects, or one per line, is one conversation each;
 * - an export: ChatGPT's or Claude's `conversations.json`, Gemini's `MyActivity.json` of Google Takeout, a prompt of AI
 *   Studio;
 * - a request: `{ system, messages }`, or `{ instructions, input }` of the Responses API;
 * - a log: of a session, with a header `{ type: "session", session_key }` and rows `{ type: "message", role, text,
 *   created_at }`; or of an agent: Claude Code, Codex, the Gemini CLI, pi and OpenClaw, or Roo Code.
 *
 * If a part of a message can't be read, its other parts are kept.
 *
 * If a conversation branches, reads the branch shown last, and reads a summary instead of the messages it replaces.
 * `skipped` lists rows and fields that aren't read, and `unread` says whether messages are among them. Fails with
 * `INVALID_TRANSCRIPT` if the text isn't JSON at all, or has rows but no message. The error names the kind of file if
 * known.
 */
export function parseTranscript(text: string): ParsedTranscript {
  return publicCall("transcript_error", "parseTranscript", () => parse(text));
}

function parse(text: string): ParsedTranscript {
  checkText(text, "transcript_error");
  shapes.get(); // a row that needs them would be skipped otherwise
  const file = openFile("transcript_error");
  const request = readText(withoutMark(text), file);
  beginPass([READ, TOLD_APART], file.conversations.length);
  const conversations = toldApart(file.conversations);
  const { skipped, unread } = file;
  const kind = conversations.length > 0 && unread === undefined ? undefined : failedKindOf(text);
  // Instructions alone aren't a conversation.
  if (conversations.length === 0 || (unread !== undefined && !isAnythingSaid(conversations))) {
    checkAnyIsRead(skipped, file.firstFailure, "transcript_error", kind ?? (file.firstFailure && unknownKindOf(text)));
  }
  const { messages } = newestOf(conversations) ?? { messages: [] };
  const missing = unread === undefined ? {} : { unread: unreadWithName(unread, kind) };
  return { messages, skipped, conversations, ...missing, ...request };
}

/** Reads a text into a file. Returns the file's request. */
function readText(body: string, file: OpenFile): Pick<ParsedTranscript, "request"> {
  const whole = tryParse(body);
  if (whole.failure === undefined) {
    const { value } = whole;
    const entries = entriesOfFile(value).map((entry, at) => ({ value: entry, at, isWhole: entry === value }));
    beginPass([PARSED, READ], entries[0]?.isWhole === true ? listIn(recordIn(value).messages).length : entries.length);
    readEntries(entries, file);
    return requestOf(value);
  }
  if (readAppText(body, file)) {
    return {};
  }
  const separate = separateValues(body);
  if (separate === undefined && mayBeOneValue(body) && isDamaged(body)) {
    throw notJson(body, whole.failure);
  }
  const texts = separate ?? linesOf(body);
  beginPass([0, PARSED], texts.length);
  const lines = texts.map(({ text, at }, index) => {
    reportRead(index);
    return { at, text, ...(text.trim() === "" ? undefined : tryParse(text)) };
  });
  beginPass([PARSED, READ], texts.length);
  // A line of a log is an object. A bare number or text could appear in any prose.
  if (!lines.some(({ value }) => typeof value === "object" && value !== null)) {
    throw notJson(body, whole.failure);
  }
  const entries: FileEntry[] = [];
  for (const { at, text, value, failure } of lines) {
    if (failure !== undefined) {
      file.skip(at + 1, failure, text);
    } else if (value !== undefined) {
      for (const entry of entriesOf(value)) {
        entries.push({ value: entry, at, isWhole: false });
      }
    }
  }
  readEntries(entries, file);
  return {};
}

function isDamaged(body: string): boolean {
  const damage = linesOf(body).reduce((sum, { text }) => sum + damageOf(text), 0);
  return isMostlyDamaged(body, damage);
}

/**
 * The fractions of a file's work that are done after its JSON is parsed, after its messages are read, and after each
 * conversation has its id and time. Measured with an export of 1,700 conversations (65 MB), in three runs: 21 to 27 %, 62 to
 * 70 %, and 87 to 90 % of the time.
 */
const [PARSED, READ, TOLD_APART] = [0.25, 0.65, 0.9];

/** A value of a file. */
interface FileEntry extends PlacedRow {
  /** True if it is the file's only value. */
  readonly isWhole: boolean;
}

/** Reads the values of a file. Those that are conversations become one each, and the others become the rows of one. */
function readEntries(entries: readonly FileEntry[], file: OpenFile): void {
  const isLog = logOf(entries.map(({ value }) => value)) !== undefined;
  const rows: FileEntry[] = [];
  for (const entry of entries) {
    if (!isLog && isConversation(entry.value)) {
      reportRead(entry.isWhole ? 0 : entry.at);
      readConversation(entry.value, entry.isWhole ? undefined : entry.at + 1, file);
    } else {
      file.loose(); // takes the place of its first row
      rows.push(entry);
    }
  }
  if (rows.length > 0) {
    readRows(rows, file.loose(), () => file.begin({}, undefined));
  }
}

function requestOf(value: unknown): Pick<ParsedTranscript, "request"> {
  const request = Array.isArray(value) ? undefined : (value as { readonly request?: unknown } | null)?.request;
  const isRequest = typeof request === "string" || (typeof request === "object" && request !== null);
  return isRequest ? { request: request as string | MessageInput } : {};
}

function notJson(body: string, cause: Error): ContextError {
  const kind = failedKindOf(body);
  if (kind !== undefined) {
    return unreadKind(kind, "transcript_error", ` (${cause.message})`);
  }
  const isPage = body.trimStart().startsWith("<");
  return new ContextError({
    kind: "transcript_error",
    code: "INVALID_TRANSCRIPT",
    message: `not a conversation: ${faultOf(body) ?? cause.message}`,
    nextAction: isPage
      ? "Pass the file as JSON: an app that exports HTML can export JSON too."
      : "Pass a JSON list of messages, one message per line, or an export as it was downloaded.",
    cause,
  });
}

/** Returns why a text isn't JSON, in words. Undefined if the parser's own message says more. */
function faultOf(body: string): string | undefined {
  if (body.trim() === "") {
    return "the file is empty";
  }
  const isJson = /^\s*[{["]/.test(body);
  return isJson && isCut(body)
    ? "the end of the file is missing"
    : isJson
      ? undefined
      : "its text is neither JSON nor an export that windrow knows";
}
