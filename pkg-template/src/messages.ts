// What a message may look like, and how it is read into the engine's columns.

import type { CoreTranscript } from "#core";
import { call } from "./engine.js";
import { ContextError, type ErrorKind } from "./errors.js";
import { FIELDS, type Field, ROLES, type Role } from "./generated.js";

/** A tool call, in windrow's form or as OpenAI's chat messages have it. */
export type ToolCallInput =
  | { readonly id: string; readonly name: string; readonly arguments?: unknown }
  | { readonly id: string; readonly function: { readonly name: string; readonly arguments?: unknown } }
  | { readonly id: string; readonly custom: { readonly name: string; readonly input?: unknown } };

/** A part of a message's content. Beside windrow's own forms, those of OpenAI's chat messages are read. */
export type PartInput =
  | { readonly type: "text" | "input_text" | "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "file" | "input_audio";
      readonly detail?: string;
      readonly data?: unknown;
      readonly url?: unknown;
      readonly mediaType?: string;
      readonly image?: unknown;
      readonly input_audio?: unknown;
      readonly file?: unknown;
    }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input?: unknown }
  | { readonly type: "tool-result"; readonly toolCallId: string; readonly output?: unknown };

/**
 * A message: windrow's own form, or a chat message of OpenAI's. Further fields are allowed and left alone. Messages are
 * never copied, changed or frozen: what a context keeps of them are these objects.
 */
export interface MessageInput {
  /** Names the message in `explain`. */
  readonly id?: string | number | null;
  /** Who speaks. */
  readonly role: Role | (string & {});
  /** What is said. */
  readonly content?: string | readonly (PartInput | string)[] | null;
  /** Who speaks, by name. */
  readonly name?: string | null;
  /** When: ISO 8601 (UTC where it has no offset), milliseconds since 1970, or a `Date`. */
  readonly createdAt?: string | number | Date | null;
  /** The session that it belongs to. */
  readonly sessionId?: string | null;
  /** The conversation that it belongs to: one sitting within a session. */
  readonly conversationId?: string | number | null;
  /** The conversation that its text is the summary of. */
  readonly summaryOf?: string | number | null;
  /** The id of the message that it replies to. */
  readonly replyTo?: string | number | null;
  /** Where it comes from, for example `scheduled`. */
  readonly source?: string | null;
  /** Tags, for example `command`. */
  readonly tags?: readonly string[] | null;
  /** What was done in it, in words: a list of texts, or the JSON text of one. Other texts say nothing. */
  readonly actions?: readonly string[] | string | null;
  /** How the turn ended, for example `completed` or `failed`; `deleted` where its author removed it, and it is never shown. */
  readonly status?: string | null;
  /** The agent that it is meant for, or all the names that it goes by: it is a direct message then. */
  readonly target?: string | readonly string[] | null;
  /** Its priority among direct messages, from 0 to 1. */
  readonly priority?: number | null;
  /** How many seconds it is valid after it was written, 0 or more. */
  readonly ttlSeconds?: number | null;
  /** Tools that the assistant calls. */
  readonly toolCalls?: readonly ToolCallInput[] | null;
  /** Tools that the assistant calls, as OpenAI's chat messages have it. */
  readonly tool_calls?: readonly ToolCallInput[] | null;
  /** The call that this is the result of. */
  readonly toolCallId?: string | null;
  /** The call that this is the result of, as OpenAI's chat messages have it. */
  readonly tool_call_id?: string | null;
  /** What the assistant said aloud, as OpenAI's chat messages refer to it. */
  readonly audio?: unknown;
  /** What the assistant says in place of content. */
  readonly refusal?: string | null;
  /** Whether every context must keep it. */
  readonly pinned?: boolean | null;
  /**
   * Whether a session keeps it. Default: yes, but for local commands and diagnostics, which are messages with the tag
   * `command` or `diagnostic`.
   */
  readonly persist?: boolean | null;
}

/**
 * A message as the engine sees it: role, pinned, time, and then field and text in turn. Two messages with equal streams
 * are the same to the engine.
 */
export type Stream = (string | number)[];

const roleCodes = new Map<unknown, number>(ROLES.map((role, code) => [role, code]));
const fieldCodes = Object.fromEntries(FIELDS.map((field, code) => [field, code])) as Record<Field, number>;
const HEAD = 3;

/** What is wrong with a message, and where in it. */
class Malformed {
  readonly place: string;
  readonly message: string;
  readonly nextAction: string;

  constructor(place: string, message: string, nextAction: string) {
    this.place = place;
    this.message = message;
    this.nextAction = nextAction;
  }
}

/** Reads a message into `stream`. Fails with `INVALID_TRANSCRIPT` at `path`. */
export function readMessage(message: unknown, path: string, kind: ErrorKind, stream: Stream): void {
  stream.length = 0;
  try {
    read(message, stream);
  } catch (failure) {
    const isMalformed = failure instanceof Malformed;
    const place = isMalformed ? path + failure.place : path;
    throw new ContextError({
      kind,
      code: "INVALID_TRANSCRIPT",
      message: `${place}: ${isMalformed ? failure.message : "the message could not be read"}`,
      path: place,
      nextAction: isMalformed ? failure.nextAction : "Pass messages whose fields can be read as plain data.",
      cause: isMalformed ? undefined : failure,
    });
  }
}

function read(message: unknown, stream: Stream): void {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new Malformed("", `expected a message, got ${describe(message)}`, "Pass objects with role and content.");
  }
  const input = message as Record<string, unknown>;
  const role = input.role;
  const roleCode = roleCodes.get(role);
  if (roleCode === undefined) {
    const known = ROLES.join(", ");
    throw new Malformed(
      ".role",
      role == null ? "the message has no role" : `unknown role ${describe(role)}`,
      `Give the message one of the roles ${known}.`,
    );
  }
  const createdAt = input.createdAt;
  stream.push(roleCode, input.pinned === true ? 1 : 0, timeOf(createdAt));
  push(stream, "id", idOf(input.id, ".id"));
  push(stream, "name", text(input.name, ".name"));
  push(stream, "createdAt", typeof createdAt === "string" ? createdAt : undefined);
  push(stream, "sessionId", text(input.sessionId, ".sessionId"));
  push(stream, "conversationId", idOf(input.conversationId, ".conversationId"));
  push(stream, "summaryOf", idOf(input.summaryOf, ".summaryOf"));
  push(stream, "replyTo", idOf(input.replyTo, ".replyTo"));
  push(stream, "source", text(input.source, ".source"));
  for (const [position, tag] of list(input.tags, ".tags").entries()) {
    push(stream, "tag", text(tag, `.tags[${position}]`));
  }
  const { actions, target } = input;
  if (actions != null) {
    for (const action of actionsOf(actions)) {
      push(stream, "action", action);
    }
  }
  push(stream, "status", text(input.status, ".status"));
  if (typeof target === "string") {
    push(stream, "target", target);
  } else if (target != null) {
    for (const [position, name] of list(target, ".target", "a text or a list of texts").entries()) {
      push(stream, "target", text(name, `.target[${position}]`));
    }
  }
  push(stream, "priority", priorityOf(input.priority));
  push(stream, "timeToLive", timeToLiveOf(input.ttlSeconds));
  readContent(input.content, stream);
  push(stream, "text", text(input.refusal, ".refusal"));
  for (const field of ["toolCalls", "tool_calls"]) {
    for (const [position, call] of list(input[field], `.${field}`).entries()) {
      readCall(call, `.${field}[${position}]`, stream);
    }
  }
  if (input.audio != null) {
    push(stream, "audio", mediaOf({ audio: input.audio }));
  }
  if (input.function_call != null) {
    throw new Malformed(
      ".function_call",
      "a function_call has no id to pair it with its result",
      "Write it as a tool call: tool_calls, and a message of the role tool.",
    );
  }
  push(stream, "resultId", text(input.toolCallId ?? input.tool_call_id, ".toolCallId"));
}

function timeOf(createdAt: unknown): number {
  if (createdAt instanceof Date) {
    return createdAt.getTime();
  }
  if (createdAt == null || typeof createdAt === "number" || typeof createdAt === "string") {
    return typeof createdAt === "number" ? createdAt : Number.NaN;
  }
  throw new Malformed(
    ".createdAt",
    `expected a time, got ${describe(createdAt)}`,
    "Give ISO 8601, milliseconds or a Date.",
  );
}

/** What was done. A text comes from a store, where anything may be: what is no list of texts in it is passed over. */
function actionsOf(actions: unknown): readonly string[] {
  if (typeof actions !== "string") {
    const given = list(actions, ".actions", "a list of texts, or the JSON text of one");
    return given.map((action, position) => required(action, `.actions[${position}]`));
  }
  try {
    const stored: unknown = JSON.parse(actions);
    return Array.isArray(stored) ? stored.filter((action) => typeof action === "string") : [];
  } catch {
    return [];
  }
}

/** A priority in millionths, as the engine takes it. */
function priorityOf(priority: unknown): string | undefined {
  if (priority == null) {
    return undefined;
  }
  if (typeof priority !== "number" || !(priority >= 0 && priority <= 1)) {
    throw new Malformed(
      ".priority",
      `expected a number from 0 to 1, got ${describe(priority)}`,
      "Give a number from 0 to 1, or leave the field out.",
    );
  }
  return String(Math.round(priority * 1e6));
}

/** A time to live in milliseconds, as the engine takes it. */
function timeToLiveOf(seconds: unknown): string | undefined {
  if (seconds == null) {
    return undefined;
  }
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
    throw new Malformed(
      ".ttlSeconds",
      `expected 0 or more seconds, got ${describe(seconds)}`,
      "Give a number of seconds, or leave the field out.",
    );
  }
  // Beyond it a number has no plain spelling any more, and no clock gets there.
  return String(Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER));
}

function readContent(content: unknown, stream: Stream): void {
  if (typeof content === "string") {
    push(stream, "text", content);
    return;
  }
  for (const [position, part] of list(content, ".content", "a text or a list of parts").entries()) {
    readPart(part, `.content[${position}]`, stream);
  }
}

function readPart(part: unknown, place: string, stream: Stream): void {
  if (typeof part === "string") {
    push(stream, "text", part);
    return;
  }
  if (typeof part !== "object" || part === null) {
    throw new Malformed(place, `expected a content part, got ${describe(part)}`, "Pass objects with a type, or texts.");
  }
  const input = part as Record<string, unknown>;
  switch (input.type) {
    case "text":
    case "input_text":
    case "output_text":
      push(stream, "text", required(input.text, `${place}.text`));
      break;
    case "refusal":
      push(stream, "text", required(input.refusal, `${place}.refusal`));
      break;
    case "reasoning":
      push(stream, "reasoning", required(input.text, `${place}.text`));
      break;
    case "image":
      push(stream, "image", mediaOf(part, text(input.detail, `${place}.detail`)));
      break;
    case "image_url": {
      const image = input.image_url as Record<string, unknown> | undefined;
      push(stream, "image", mediaOf(part, text(image?.detail, `${place}.image_url.detail`)));
      break;
    }
    case "audio":
    case "input_audio":
      push(stream, "audio", mediaOf(part));
      break;
    case "file":
      push(stream, "file", mediaOf(part));
      break;
    case "tool-call":
      pushCall(stream, place, input.toolCallId, input.toolName, input.input ?? input.args);
      break;
    case "tool-result":
      push(stream, "resultId", required(input.toolCallId, `${place}.toolCallId`));
      push(stream, "text", json(input.output ?? input.result) ?? "");
      break;
    default:
      throw new Malformed(
        `${place}.type`,
        `unknown content part ${describe(input.type)}`,
        "Use text, reasoning, image, audio, file, tool-call or tool-result, or leave the part out.",
      );
  }
}

/**
 * A marked copy of a message with another text: it stands where the first text stood, and the further ones are gone. What
 * is no text stays as it is, so that a call keeps its result and an image its place.
 */
export function shortenedCopy<M extends MessageInput>(message: M, text: string): M {
  try {
    const { refusal, ...copy } = message;
    return { ...copy, content: withText(message.content, text), shortened: true } as unknown as M;
  } catch (cause) {
    throw new ContextError({
      kind: "context_build_error",
      code: "INVALID_TRANSCRIPT",
      message: "a message that must be shortened cannot be copied",
      nextAction: "Pass messages whose fields can be read as plain data.",
      cause,
    });
  }
}

function withText(content: MessageInput["content"], text: string): MessageInput["content"] {
  if (typeof content === "string" || content == null) {
    return text;
  }
  let isPlaced = false;
  const parts = content.flatMap((part) => {
    const field = textField(part);
    if (field === undefined) {
      return [part];
    }
    const placed = isPlaced ? "" : text;
    const isGone = isPlaced && (typeof part === "string" || part.type !== "tool-result");
    isPlaced = true;
    return isGone ? [] : [typeof part === "string" ? placed : ({ ...part, [field]: placed } as PartInput)];
  });
  return isPlaced ? parts : [...parts, text];
}

/** The field of a part that the engine takes for text. */
function textField(part: PartInput | string): string | undefined {
  if (typeof part === "string") {
    return "text";
  }
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return "text";
    case "refusal":
      return "refusal";
    case "tool-result":
      return part.output == null && "result" in part ? "result" : "output";
    default:
      return undefined;
  }
}

function readCall(call: unknown, place: string, stream: Stream): void {
  if (typeof call !== "object" || call === null) {
    throw new Malformed(
      place,
      `expected a tool call, got ${describe(call)}`,
      "Pass objects with id, name and arguments.",
    );
  }
  const input = call as Record<string, unknown>;
  const named = (input.function ?? input.custom ?? input) as Record<string, unknown>;
  pushCall(stream, place, input.id, named.name, named.arguments ?? named.input);
}

function pushCall(stream: Stream, place: string, id: unknown, name: unknown, given: unknown): void {
  push(stream, "callId", required(id, `${place}.id`));
  push(stream, "callName", required(name, `${place}.name`));
  push(stream, "callArguments", json(given) ?? "");
}

function push(stream: Stream, field: Field, value: string | undefined): void {
  if (value !== undefined) {
    stream.push(fieldCodes[field], value);
  }
}

/** A value as the text that carries it: a text is itself, anything else JSON. */
function json(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function text(value: unknown, place: string): string | undefined {
  if (value == null) {
    return undefined;
  }
  return required(value, place);
}

/** An id: a number stands for its text. */
function idOf(value: unknown, place: string): string | undefined {
  return typeof value === "number" ? String(value) : text(value, place);
}

function required(value: unknown, place: string): string {
  if (typeof value !== "string") {
    throw new Malformed(place, `expected a text, got ${describe(value)}`, "Give a text, or leave the field out.");
  }
  return value;
}

function list(value: unknown, place: string, expected = "a list"): readonly unknown[] {
  if (value == null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new Malformed(
      place,
      `expected ${expected}, got ${describe(value)}`,
      `Give ${expected}, or leave the field out.`,
    );
  }
  return value;
}

/** A value in a few words, for an error message. */
export function describe(value: unknown): string {
  if (value == null) {
    return "nothing";
  }
  if (typeof value === "string") {
    return value.length <= 40 ? `"${value}"` : "a text";
  }
  if (typeof value === "object") {
    return Array.isArray(value) ? "a list" : "an object";
  }
  return typeof value === "function" ? "a function" : String(value);
}

/**
 * What the engine knows of a media part: its detail, and a fingerprint of all its fields, so that another image is another
 * message. The media itself stays outside.
 */
function mediaOf(part: object, detail = "auto"): string {
  const fields = JSON.stringify(part, function (this: Record<string, unknown>, key, value: unknown) {
    // As it is, before a `toJSON` of its own.
    const own = this[key];
    if (ArrayBuffer.isView(own)) {
      return fingerprint(new Uint8Array(own.buffer, own.byteOffset, own.byteLength));
    }
    return own instanceof ArrayBuffer ? fingerprint(new Uint8Array(own)) : value;
  });
  return `${detail} ${fingerprint(encoder.encode(fields))}`;
}

/** A checksum of bytes (FNV-1a, 32 bits) with their number. */
function fingerprint(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return `${bytes.length}-${(hash >>> 0).toString(16)}`;
}

/** How much text crosses at a time, in UTF-16 code units. */
const BATCH_LENGTH = 1 << 20;
const encoder = new TextEncoder();
let scratch = new Uint8Array(0);

/** Appends messages to the engine's transcript, in batches of flat columns. */
export function appendStreams(core: CoreTranscript, streams: readonly Stream[], kind: ErrorKind): void {
  for (let first = 0; first < streams.length; ) {
    let end = first;
    let length = 0;
    while (end < streams.length && (end === first || length < BATCH_LENGTH)) {
      length += textLength(streams[end] as Stream);
      end += 1;
    }
    appendBatch(core, streams.slice(first, end), length, kind);
    first = end;
  }
}

function textLength(stream: Stream): number {
  let length = 0;
  for (let at = HEAD + 1; at < stream.length; at += 2) {
    length += (stream[at] as string).length;
  }
  return length;
}

function appendBatch(core: CoreTranscript, streams: readonly Stream[], length: number, kind: ErrorKind): void {
  const count = streams.length;
  const roles = new Uint8Array(count);
  const pinned = new Uint8Array(count);
  const times = new Float64Array(count);
  const segmentCounts = new Uint32Array(count);
  const segmentTotal = streams.reduce((total, stream) => total + (stream.length - HEAD) / 2, 0);
  const segmentFields = new Uint8Array(segmentTotal);
  const segmentLengths = new Uint32Array(segmentTotal);
  // A code unit of UTF-16 is at most three bytes of UTF-8.
  const bytes = call(kind, () => (length > BATCH_LENGTH ? new Uint8Array(length * 3) : scratchOf(length * 3)));
  let segment = 0;
  let written = 0;
  for (const [index, stream] of streams.entries()) {
    roles[index] = stream[0] as number;
    pinned[index] = stream[1] as number;
    times[index] = stream[2] as number;
    segmentCounts[index] = (stream.length - HEAD) / 2;
    for (let at = HEAD; at < stream.length; at += 2) {
      const encoded = encoder.encodeInto(stream[at + 1] as string, bytes.subarray(written));
      segmentFields[segment] = stream[at] as number;
      segmentLengths[segment] = encoded.written;
      written += encoded.written;
      segment += 1;
    }
  }
  const text = bytes.subarray(0, written);
  call(kind, () => core.append(text, roles, pinned, times, segmentCounts, segmentFields, segmentLengths));
}

function scratchOf(length: number): Uint8Array {
  if (scratch.length < length) {
    scratch = new Uint8Array(length);
  }
  return scratch;
}

/** Whether two streams are the same message. */
export function isSame(left: Stream, right: Stream): boolean {
  return left.length === right.length && left.every((value, at) => Object.is(value, right[at]));
}
