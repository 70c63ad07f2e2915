// What a message may look like, and how it is read into the engine's columns.

import type { CoreTranscript } from "#core";
import { ContextError, type ErrorKind } from "../base/errors.js";
import { FIELDS, type Field, ROLES, type Role } from "../base/generated.js";
import { firstHole } from "../base/lists.js";
import { describe } from "../base/options.js";
import { isPartMissing } from "../base/parts.js";
import { isRecord } from "../base/plain-data.js";
import { call } from "../engine/engine.js";
import { originOf } from "./given.js";
import { json, list, Malformed, required, text, unknownType } from "./malformed.js";
import { mediaOf } from "./media.js";
import type { MediaSource, MessageInput, PartInput } from "./message.js";
import { OWN_PROVIDER, PROVIDER_OF_SHAPE, provenanceOf, sealedBy, thoughtDetails } from "./provenance.js";
import { type AnyMessage, shapeOf } from "./shapes/index.js";
import { kindOfMediaType, type Origin, type PlainMessage, type Row } from "./shapes/shape.js";
import { hasMedia, lostField, sayingField } from "./substance.js";

/**
 * A message as the engine sees it: role, pinned, time, and then field and text in turn. Two messages with equal encodings
 * are the same to the engine.
 */
export type EncodedMessage = (string | number)[];

const roleCodes = new Map<unknown, number>(ROLES.map((role, code) => [role, code]));
const fieldCodes = Object.fromEntries(FIELDS.map((field, code) => [field, code])) as Record<Field, number>;
const HEAD = 3;
const TOOL = ROLES.indexOf("tool");

/** The fields of a message that are read. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "id",
    "role",
    "content",
    "name",
    "createdAt",
    "sessionId",
    "conversationId",
    "summaryOf",
    "replyTo",
    "source",
    "tags",
  ],
  ...["actions", "status", "target", "priority", "ttlSeconds", "toolCalls", "tool_calls", "toolCallId", "tool_call_id"],
  ...[
    "audio",
    "refusal",
    "pinned",
    "persist",
    "function_call",
    "reasoning_content",
    "reasoning",
    "thinking",
    "reasoning_details",
  ],
]);
/** The fields that a message has which the module of a shape read. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([...MESSAGE_FIELDS, "joinsNext"]);
/** Fields in which providers give what the assistant thought, as a text. */
const REASONING_FIELDS = ["reasoning_content", "reasoning", "thinking"] as const;
/** The fields that may hold media, or say where it is. */
const MEDIA_FIELDS = [
  ...["data", "url", "image", "image_url", "input_audio", "audio", "file", "source", "file_id", "fileId", "id"],
] as const;
/** The fields of a media part that are read. */
const MEDIA_PART_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "detail", "mediaType", "width", "height", "pages", "seconds", "bytes", ...MEDIA_FIELDS],
]);

/** What a message is read by beside itself. */
export interface Surroundings {
  /** The name of its shape, where one was given. */
  readonly shape?: string | undefined;
  /** The message before it, where there is one. */
  readonly before?: unknown;
}

/** Reads a message into `encoded`. Fails with `INVALID_TRANSCRIPT` at `path`, which is put together only then. */
export function readMessage(
  message: unknown,
  path: string | (() => string),
  kind: ErrorKind,
  encoded: EncodedMessage,
  { shape, before }: Surroundings = {},
): void {
  if (encoded.length > 0) {
    encoded.length = 0;
  }
  try {
    read(message, encoded, shape, before);
  } catch (failure) {
    if (isPartMissing(failure)) {
      throw failure;
    }
    const isMalformed = failure instanceof Malformed;
    const own = typeof path === "string" ? path : path();
    const place = isMalformed ? own + failure.place : own;
    const asShape = shape === undefined ? "" : ` It was read as ${shape}, as \`shape\` says.`;
    throw new ContextError({
      kind,
      code: "INVALID_TRANSCRIPT",
      message: `${place}: ${isMalformed ? failure.message : "the message could not be read"}`,
      path: place,
      nextAction: isMalformed ? failure.nextAction + asShape : "Pass messages whose fields can be read as plain data.",
      cause: isMalformed ? undefined : failure,
    });
  }
}

function read(message: unknown, encoded: EncodedMessage, shapeName: string | undefined, before: unknown): void {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new Malformed("", `expected a message, got ${describe(message)}`, "Pass objects with role and content.");
  }
  const given = message as Row;
  const shape = shapeOf(given, shapeName);
  if (shape === undefined) {
    checkIsNoFile(given);
    readPlain(given, encoded, MESSAGE_FIELDS, OWN_PROVIDER);
    return;
  }
  const row = shape.behind?.(given, before) ?? given;
  const plain = shape.read(row);
  const maker = PROVIDER_OF_SHAPE[shape.name];
  const own = { ...ownFields(row, shape.fields), ...plain };
  const begin = placed(plain, () => readPlain(own, encoded, PLAIN_FIELDS, maker));
  if (plain.joinsNext === true) {
    push(encoded, "joinsNext", "");
  }
  const known = new Set([...shape.fields, ...OWN_FIELDS]);
  const isEmpty = saysNothing(encoded, begin, SAYS_NOTHING_BY_ITSELF);
  checkNothingIsLost(row, { place: "", what: "message", known }, isEmpty, encoded, begin);
}

/** Reads what a module made of a message. What is wrong with a part of it is told with its place in the caller's message. */
function placed<T>(plain: PlainMessage, read: () => T): T {
  try {
    return read();
  } catch (failure) {
    const at = failure instanceof Malformed ? /^\.content\[(\d+)\]/.exec(failure.place)?.[1] : undefined;
    const part = at === undefined ? undefined : plain.content[Number(at)];
    const place = part === undefined ? undefined : originOf(part)?.place;
    if (failure instanceof Malformed && place !== undefined) {
      throw new Malformed(place, failure.message, failure.nextAction);
    }
    throw failure;
  }
}

/** Fails for what is a row of a file that `parseTranscript` reads, and no message. */
function checkIsNoFile({ role, type, mapping, chat_messages, message }: Row): void {
  const isOfTurn = (type === "user" || type === "assistant") && isRecord(message);
  const file = isRecord(mapping)
    ? "a conversation of an export of ChatGPT"
    : Array.isArray(chat_messages)
      ? "a conversation of an export of Claude"
      : isOfTurn
        ? "a row of a log of Claude Code"
        : undefined;
  if (role == null && file !== undefined) {
    throw new Malformed(
      "",
      `expected a message, got ${file}`,
      "Pass the file's text to parseTranscript, and then the messages that it gives.",
    );
  }
}

/** Fields of windrow's own that a message of any shape may have beside those of its shape. */
const OWN_FIELDS = ["pinned", "persist", "tags", "replyTo", "sessionId", "conversationId"] as const;

/** What a message has of these fields, apart from those that its shape has `taken`. */
function ownFields(row: Row, taken: ReadonlySet<string>): Row {
  const own = OWN_FIELDS.filter((field) => row[field] != null && !taken.has(field));
  return Object.fromEntries(own.map((field) => [field, row[field]]));
}

/**
 * Reads a message in windrow's own form; `known` are the fields of it that may be there, and `maker` is whose reasoning it holds where
 * it does not say so. Gives where its content begins.
 */
function readPlain(input: Row, encoded: EncodedMessage, known: ReadonlySet<string>, maker: string | undefined): number {
  const role = input.role;
  const roleCode = roleCodes.get(role);
  if (roleCode === undefined) {
    const roles = ROLES.join(", ");
    throw new Malformed(
      ".role",
      role == null ? "the message has no role" : `unknown role ${describe(role)}`,
      `Give the message one of the roles ${roles}.`,
    );
  }
  const createdAt = input.createdAt;
  encoded.push(isAnswerOfTools(input) ? TOOL : roleCode, isPinned(input.pinned) ? 1 : 0, timeOf(createdAt));
  push(encoded, "id", idOf(input.id, ".id"));
  push(encoded, "name", text(input.name, ".name"));
  push(encoded, "createdAt", typeof createdAt === "string" ? createdAt : undefined);
  push(encoded, "sessionId", text(input.sessionId, ".sessionId"));
  push(encoded, "conversationId", idOf(input.conversationId, ".conversationId"));
  push(encoded, "summaryOf", idOf(input.summaryOf, ".summaryOf"));
  push(encoded, "replyTo", idOf(input.replyTo, ".replyTo"));
  push(encoded, "source", text(input.source, ".source"));
  for (const [position, tag] of list(input.tags, ".tags").entries()) {
    push(encoded, "tag", text(tag, `.tags[${position}]`));
  }
  const { actions, target } = input;
  if (actions != null) {
    for (const action of actionsOf(actions)) {
      push(encoded, "action", action);
    }
  }
  push(encoded, "status", text(input.status, ".status"));
  if (typeof target === "string") {
    push(encoded, "target", target);
  } else if (target != null) {
    for (const [position, name] of list(target, ".target", "a text or a list of texts").entries()) {
      push(encoded, "target", text(name, `.target[${position}]`));
    }
  }
  push(encoded, "priority", priorityOf(input.priority));
  push(encoded, "timeToLive", timeToLiveOf(input.ttlSeconds));
  const begin = encoded.length;
  readContent(input.content, encoded, maker);
  push(encoded, "text", text(input.refusal, ".refusal"));
  for (const [thought, proof] of thoughtsOf(input)) {
    push(encoded, "reasoningOf", makerOf(proof ?? input, maker));
    push(encoded, "reasoning", thought);
  }
  readCalls(input.toolCalls, ".toolCalls", encoded);
  readCalls(input.tool_calls, ".tool_calls", encoded);
  if (input.audio != null) {
    push(encoded, "audio", mediaOf({ audio: input.audio }, "audio"));
  }
  if (input.function_call != null) {
    throw new Malformed(
      ".function_call",
      "a function_call has no id to pair it with its result",
      "Write it as a tool call: tool_calls, and a message of the role tool.",
    );
  }
  push(encoded, "resultId", text(input.toolCallId ?? input.tool_call_id, ".toolCallId"));
  const isEmpty = saysNothing(encoded, begin, SAYS_NOTHING_BY_ITSELF);
  checkNothingIsLost(input, { place: "", what: "message", known }, isEmpty, encoded, begin);
  if (input.content === undefined && encoded.length === begin) {
    throw new Malformed(
      ".content",
      "the message has no content, and nothing else that windrow reads says anything",
      'Give it a content: a text, a list of parts, or "" where nothing is said.',
    );
  }
  return begin;
}

/**
 * Whether a message of the user's is nothing but results of tools: Anthropic's messages have no role for these. To all that
 * counts turns or asks who speaks it is the tools' message.
 */
function isAnswerOfTools({ role, content }: Record<string, unknown>): boolean {
  const isResult = (part: unknown): boolean => RESULT_TYPE.test(String((part as { type?: unknown } | null)?.type));
  return (
    role === "user" && Array.isArray(content) && content.length > 0 && firstHole(content) < 0 && content.every(isResult)
  );
}

type Thoughts = readonly (readonly [thought: string, proof?: Row])[];
const NO_THOUGHTS: Thoughts = [];

/** What the assistant thought, where it stands beside the content, and the part that says whose it is. */
function thoughtsOf(input: Record<string, unknown>): Thoughts {
  const details =
    input.reasoning_details == null
      ? NO_THOUGHTS
      : thoughtDetails(input.reasoning_details).map(
          (part) => [part.type === "reasoning" ? part.text : part.data, part as unknown as Row] as const,
        );
  for (const field of REASONING_FIELDS) {
    const thought = input[field];
    if (typeof thought === "string" && thought !== "") {
      return [details.find(([said]) => said === thought) ?? [thought]];
    }
  }
  return details;
}

/** Whose reasoning is, with what proves it to that provider; undefined where nothing does. */
function makerOf(part: Row, maker: string | undefined): string | undefined {
  if (part.type === "redacted_thinking") {
    return typeof part.provider === "string" ? part.provider : (provenanceOf(part, maker).provider ?? maker);
  }
  const { provider, signature, data, id } = provenanceOf(part, maker);
  const isProven = provider === "anthropic" ? (signature ?? data) : (signature ?? id ?? data);
  // A summary of Gemini's has no signature of its own.
  return isProven === undefined ? (part.provider === "google" ? part.provider : undefined) : provider;
}

/** The id of the call that a message answers says nothing, and so do the id and the name of a call without arguments. */
const SAYS_NOTHING_BY_ITSELF: readonly Field[] = ["resultId", "reasoningOf"];
const SAYS_NOTHING_IN_A_PART: readonly Field[] = ["resultId", "reasoningOf", "callId", "callName"];

/** Whether a text has anything but white space. Most begin with a letter. */
function says(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || /\S/.test(text);
}

/** Whether nothing that is said was read from `begin` on, apart from `silent` fields. */
function saysNothing(encoded: EncodedMessage, begin: number, silent: readonly Field[]): boolean {
  for (let at = begin; at < encoded.length; at += 2) {
    const field = FIELDS[encoded[at] as number] as Field;
    const value = encoded[at + 1] as string;
    if (says(value) && !silent.includes(field) && !(field === "callArguments" && value === "{}")) {
      return false;
    }
  }
  return true;
}

/**
 * Fails where a field that is not read holds what a message, part or call says: all of it where what was read `isEmpty`,
 * otherwise parts, calls, results and media that stand beside it.
 */
function checkNothingIsLost(
  input: object,
  {
    place,
    what,
    known,
  }: { readonly place: string; readonly what: "message" | "part" | "tool call"; readonly known: ReadonlySet<string> },
  isEmpty: boolean,
  encoded: EncodedMessage,
  begin: number = encoded.length,
): void {
  const said = (): string =>
    encoded
      .slice(begin)
      .filter((_, at) => at % 2 === 1)
      .join("\n");
  const field = isEmpty ? sayingField(input, known, what !== "message") : lostField(input, known, said);
  if (field === undefined) {
    return;
  }
  throw new Malformed(
    `${place}.${field}`,
    isEmpty
      ? `what the ${what} says is in \`${field}\`, which windrow does not read`
      : `\`${field}\` holds more than windrow reads of the ${what}`,
    `Put it where windrow reads it, or under \`metadata\` where the model is not to see it.`,
  );
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

/** The actions of a message. A stored text may hold anything: a text that is no list of texts is skipped. */
function actionsOf(actions: unknown): readonly string[] {
  if (typeof actions !== "string") {
    const given = list(actions, ".actions", "a list of texts, or the JSON text of one");
    return Array.from(given, (action, position) => required(action, `.actions[${position}]`));
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

function readContent(content: unknown, encoded: EncodedMessage, maker: string | undefined): void {
  if (typeof content === "string") {
    push(encoded, "text", content);
    return;
  }
  for (const [position, part] of list(content, ".content", "a text or a list of parts").entries()) {
    readPart(part, `.content[${position}]`, encoded, maker);
  }
}

function readPart(part: unknown, place: string, encoded: EncodedMessage, maker: string | undefined): void {
  if (typeof part === "string") {
    push(encoded, "text", part);
    return;
  }
  if (typeof part !== "object" || part === null) {
    throw new Malformed(place, `expected a content part, got ${describe(part)}`, "Pass objects with a type, or texts.");
  }
  const input = part as Record<string, unknown>;
  const begin = encoded.length;
  if (typeof input.type === "string" && THOUGHT.test(input.type)) {
    push(encoded, "reasoningOf", makerOf(input, maker));
  }
  const known = readFields(input, place, encoded);
  const isEmpty = saysNothing(encoded, begin, SAYS_NOTHING_IN_A_PART);
  checkNothingIsLost(input, { place, what: "part", known }, isEmpty, encoded, begin);
}

const RESULT_TYPE = /^tool-result$|^(?:\w+_)?tool_result$/;
const CALL_TYPE = /^(?:(?:server|mcp)_)?tool_use$/;
/** Whether a call may be made, and the answer: no model is shown either, but what the call gave. */
export const APPROVAL: RegExp = /^tool-approval-(?:request|response)$/;

/** Whether a part is a tool's call or what one gave. */
export function isOfTool(part: unknown): boolean {
  const type = String((part as { readonly type?: unknown } | null)?.type);
  return type === "tool-call" || APPROVAL.test(type) || CALL_TYPE.test(type) || RESULT_TYPE.test(type);
}

const THOUGHT = /^(?:reasoning|thinking|redacted_thinking)$/;

/** Reads the fields of a part; gives those that it knows. */
function readFields(input: Record<string, unknown>, place: string, encoded: EncodedMessage): ReadonlySet<string> {
  const { type } = input;
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return readText(input, place, "text", "text", encoded);
    case "refusal":
      return readText(input, place, "text", "refusal", encoded);
    case "reasoning":
      return readText(input, place, "reasoning", "text", encoded);
    case "thinking":
      return readText(input, place, "reasoning", "thinking", encoded);
    case "redacted_thinking":
      return readText(input, place, "reasoning", "data", encoded);
    case "image":
    case "image_url":
      readMedia(input, place, "image", encoded);
      return MEDIA_PART_FIELDS;
    case "audio":
    case "input_audio":
      readMedia(input, place, "audio", encoded);
      return MEDIA_PART_FIELDS;
    case "file":
    case "document":
      readMedia(input, place, "file", encoded);
      return MEDIA_PART_FIELDS;
    case "container_upload":
      readMedia(input, place, "file", encoded);
      return MEDIA_PART_FIELDS;
    case "reasoning-file":
      readMedia(input, place, kindOfMediaType(input.mediaType), encoded);
      return MEDIA_PART_FIELDS;
    case "custom":
      for (const { data } of sealedBy(input.providerOptions)) {
        push(encoded, "reasoning", data);
      }
      return CUSTOM_FIELDS;
    case "compaction":
      push(encoded, "reasoningOf", "anthropic");
      push(encoded, "reasoning", compacted(input, place));
      return COMPACTION_FIELDS;
    case "search_result":
      readSearchResult(input, place, encoded);
      return SEARCH_RESULT_FIELDS;
    case "tool-approval-request":
      // It goes with its answer, as a call does with its result, and both with the call that they are about.
      push(encoded, "callId", required(input.approvalId, `${place}.approvalId`));
      push(encoded, "callName", "");
      push(encoded, "callArguments", "");
      push(encoded, "resultLater", text(input.toolCallId, `${place}.toolCallId`));
      return APPROVAL_FIELDS;
    case "tool-approval-response":
      push(encoded, "resultId", required(input.approvalId, `${place}.approvalId`));
      push(encoded, "text", typeof input.reason === "string" ? input.reason : "");
      return APPROVAL_FIELDS;
    case "tool-call":
      pushCall(encoded, place, input, oneOf(input, "input", "args"), ["toolCallId", "toolName"]);
      push(encoded, "resultLater", input.providerExecuted === true ? String(input.toolCallId) : undefined);
      return TOOL_CALL_FIELDS;
    case "tool-result":
      push(encoded, "resultId", required(input.toolCallId, `${place}.toolCallId`));
      readOutput(oneOf(input, "output", "result"), place, encoded);
      return TOOL_RESULT_FIELDS;
    default:
      if (typeof type === "string" && CALL_TYPE.test(type)) {
        pushCall(encoded, place, input, [input.input, ".input"]);
        push(encoded, "resultLater", type === "tool_use" ? undefined : String(input.id));
        return TOOL_USE_FIELDS;
      }
      if (typeof type === "string" && RESULT_TYPE.test(type)) {
        push(encoded, "resultId", required(input.tool_use_id, `${place}.tool_use_id`));
        readBlocks(input.content, `${place}.content`, encoded);
        return TOOL_RESULT_BLOCK_FIELDS;
      }
      throw unknownType(type, place, "content part", "text, reasoning, image, audio, file, tool-call or tool-result");
  }
}

const APPROVAL_FIELDS: ReadonlySet<string> = new Set([
  ...["approvalId", "toolCallId", "approved", "reason", "providerExecuted", "isAutomatic", "signature"],
]);
const TOOL_CALL_FIELDS: ReadonlySet<string> = new Set(["toolCallId", "toolName", "input", "args"]);
const TOOL_RESULT_FIELDS: ReadonlySet<string> = new Set(["toolCallId", "toolName", "output", "result"]);
const TOOL_USE_FIELDS: ReadonlySet<string> = new Set(["id", "name", "input", "server_name", "toolset_name", "caller"]);
const TOOL_RESULT_BLOCK_FIELDS: ReadonlySet<string> = new Set(["tool_use_id", "content"]);
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "arguments", "input", "function", "custom"]);
const TEXT_FIELDS: ReadonlySet<string> = new Set(["text", "refusal", "thinking"]);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(["kind", "providerOptions"]);
const COMPACTION_FIELDS: ReadonlySet<string> = new Set(["content", "encrypted_content", "tool_changes"]);
const SEARCH_RESULT_FIELDS: ReadonlySet<string> = new Set(["title", "source", "content"]);
const NO_FIELDS: ReadonlySet<string> = new Set();

function readText(
  input: Record<string, unknown>,
  place: string,
  field: Field,
  name: string,
  encoded: EncodedMessage,
): ReadonlySet<string> {
  const value = input[name];
  if (value == null) {
    checkNothingIsLost(input, { place, what: "part", known: NO_FIELDS }, true, encoded);
  }
  push(encoded, field, required(value, `${place}.${name}`));
  return name === "data" ? REDACTED_FIELDS : TEXT_FIELDS;
}

const REDACTED_FIELDS: ReadonlySet<string> = new Set(["data"]);

/** An image, audio or a file: itself, or what says where it is. */
function readMedia(
  input: Record<string, unknown>,
  place: string,
  kind: "image" | "audio" | "file",
  encoded: EncodedMessage,
): void {
  if (!MEDIA_FIELDS.some((field) => hasMedia(input[field]))) {
    checkNothingIsLost(input, { place, what: "part", known: MEDIA_PART_FIELDS }, true, encoded);
    throw new Malformed(
      place,
      `the ${kind} part has no data, no url and no id`,
      "Give what it holds, or leave the part out.",
    );
  }
  const detail = input.type === "image_url" ? ".image_url.detail" : ".detail";
  const given =
    input.type === "image_url" ? (input.image_url as { detail?: unknown } | undefined)?.detail : input.detail;
  push(encoded, kind, mediaOf(input, kind, text(given, place + detail)));
}

/** What Anthropic made of the messages before it: its text, or that encrypted. */
export function compacted({ content, encrypted_content }: Row, place: string): string {
  return text(content, `${place}.content`) ?? required(encrypted_content, `${place}.encrypted_content`);
}

/** What a search found, as Anthropic takes it: a document with its title and where it is from. */
function readSearchResult(input: Record<string, unknown>, place: string, encoded: EncodedMessage): void {
  readMedia({ type: "document", source: searchResult(input, place) }, place, "file", encoded);
}

/** The document that a search found. */
export function searchResult(input: Row, place: string): MediaSource {
  const texts = list(input.content, `${place}.content`).map((block, at) =>
    required((block as { text?: unknown } | null)?.text, `${place}.content[${at}].text`),
  );
  const said = [text(input.title, `${place}.title`), text(input.source, `${place}.source`), ...texts];
  return { type: "text", media_type: "text/plain", data: said.filter((it) => it != null).join("\n") };
}

/** What a tool gave: a text, any JSON, or one of the AI SDK's outputs, which say themselves what they are. */
function readOutput([output, field]: Held, holder: string, encoded: EncodedMessage): void {
  const place = holder + field;
  const typed = (typeof output === "object" && output !== null ? output : {}) as { type?: unknown; value?: unknown };
  if (typed.type === "content" && Array.isArray(typed.value)) {
    readBlocks(typed.value, `${place}.value`, encoded);
  } else {
    const isTyped = OUTPUT_TYPE.test(String(typed.type)) && "value" in typed;
    push(encoded, "text", isTyped ? carried(typed.value, `${place}.value`) : carried(output, place));
  }
}

const OUTPUT_TYPE = /^(?:error-)?(?:text|json)$/;

/** What a tool gave, as a list of texts, images and the like, or as a text. */
function readBlocks(content: unknown, place: string, encoded: EncodedMessage): void {
  if (!Array.isArray(content)) {
    push(encoded, "text", carried(content, place));
    return;
  }
  for (const [position, block] of content.entries()) {
    const type = String((block as { type?: unknown } | null)?.type);
    const at = `${place}[${position}]`;
    const kind = BLOCK_KINDS.find(([pattern]) => pattern.test(type))?.[1];
    if (kind !== undefined) {
      readMedia(block as Record<string, unknown>, at, kind, encoded);
    } else if (type === "text" || typeof block === "string") {
      readPart(block, at, encoded, undefined);
    } else {
      push(encoded, "text", carried(block, at));
    }
  }
}

const BLOCK_KINDS = [
  [/^image/, "image"],
  [/^audio/, "audio"],
  [/^(?:file|document|media)/, "file"],
] as const;

/** What a message says of itself, beside its content. */
export interface MessageAbout {
  readonly role: Role;
  readonly isPinned: boolean;
  readonly id: string | undefined;
  /** When it was written: as a text, or in milliseconds since 1970. */
  readonly createdAt: string | number | undefined;
  readonly sessionId: string | undefined;
  readonly summaryOf: string | undefined;
}

/** What a message of any shape says of itself, in what `readMessage` has read of it. */
export function aboutOf(encoded: EncodedMessage): MessageAbout {
  const [role, pinned, time] = encoded as number[];
  const said = (field: Field): string | undefined => {
    for (let at = HEAD; at < encoded.length; at += 2) {
      if (encoded[at] === fieldCodes[field]) {
        return encoded[at + 1] as string;
      }
    }
    return undefined;
  };
  return {
    role: ROLES[role as number] as Role,
    isPinned: pinned === 1,
    id: said("id"),
    createdAt: said("createdAt") ?? (Number.isNaN(time) ? undefined : time),
    sessionId: said("sessionId"),
    summaryOf: said("summaryOf"),
  };
}

/** A copy of a message of any shape that says where it is from, in the places that its shape has for this. */
export function withOrigin(message: Row, origin: Origin): Row {
  return shapeOf(message)?.withOrigin?.(message, origin) ?? { ...message, ...origin };
}

/** The fields of windrow's own that a message of another shape has; none for a message in windrow's own form. */
export function fieldsBesideShape(message: Row): Row {
  const shape = shapeOf(message);
  return shape === undefined ? {} : ownFields(message, shape.fields);
}

/** The id of a message of any shape, as the engine knows it; undefined where it has none. */
export function idOfMessage(message: unknown, shapeName?: string): string | undefined {
  const row = message as Row;
  const { id } = shapeOf(row, shapeName)?.read(row) ?? row;
  return id == null ? undefined : String(id);
}

/**
 * A marked copy of a message with another text: it stands where the first text stood, and the further ones are gone. What
 * is no text stays as it is, so that a call keeps its result and an image its place.
 */
export function shortenedCopy<M extends AnyMessage>(
  message: M,
  text: string,
  mark: object = { shortened: true },
  shapeName?: string,
): M {
  try {
    const shape = shapeOf(message as unknown as Row, shapeName);
    if (shape !== undefined) {
      return Object.assign(shape.withText(message as unknown as Row, text), mark) as unknown as M;
    }
    const { refusal, ...copy } = message as MessageInput;
    return { ...copy, content: withText((message as MessageInput).content, text), ...mark } as unknown as M;
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
    const copy = partWithText(part, isPlaced ? "" : text);
    if (copy === undefined) {
      return [part];
    }
    const isGone = isPlaced && (typeof part === "string" || !RESULT_TYPE.test(part.type));
    isPlaced = true;
    return isGone ? [] : [copy];
  });
  if (isPlaced) {
    return parts;
  }
  return [...parts, { type: "text", text }];
}

/** A part with another text in the place of its own; undefined where it has none that the engine takes for text. */
function partWithText(part: PartInput | string, text: string): PartInput | string | undefined {
  if (typeof part === "string") {
    return text;
  }
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return { ...part, text };
    case "refusal":
      return { ...part, refusal: text };
    case "tool-result": {
      const field = part.output == null && "result" in part ? "result" : "output";
      return { ...part, [field]: outputWithText((part as Record<string, unknown>)[field], text) } as PartInput;
    }
    default:
      return RESULT_TYPE.test(part.type)
        ? ({ ...part, content: blocksWithText((part as { content?: unknown }).content, text) } as PartInput)
        : undefined;
  }
}

/** What a tool gave, with another text: of the AI SDK's outputs another of the same form. */
function outputWithText(output: unknown, text: string): unknown {
  const typed = (typeof output === "object" && output !== null ? output : {}) as { type?: unknown; value?: unknown };
  const type = String(typed.type);
  if (type === "content" && Array.isArray(typed.value)) {
    return { ...typed, value: blocksWithText(typed.value, text) };
  }
  return OUTPUT_TYPE.test(type) && "value" in typed
    ? { ...typed, type: type.startsWith("error") ? "error-text" : "text", value: text }
    : text;
}

/** Blocks with one text in the place of all that they say; images and files stay. */
function blocksWithText(content: unknown, text: string): unknown {
  if (!Array.isArray(content)) {
    return text;
  }
  const media = content.filter((block) => BLOCK_KINDS.some(([pattern]) => pattern.test(String(block?.type))));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...media];
}

function readCalls(calls: unknown, place: string, encoded: EncodedMessage): void {
  for (const [position, call] of list(calls, place).entries()) {
    readCall(call, `${place}[${position}]`, encoded);
  }
}

function readCall(call: unknown, place: string, encoded: EncodedMessage): void {
  if (typeof call !== "object" || call === null) {
    throw new Malformed(
      place,
      `expected a tool call, got ${describe(call)}`,
      "Pass objects with id, name and arguments.",
    );
  }
  const input = call as Record<string, unknown>;
  const given = input.function ?? input.custom;
  const named = (typeof given === "object" && given !== null ? given : input) as Record<string, unknown>;
  const begin = encoded.length;
  const [said, field] = oneOf(named, "arguments", "input");
  const holder = named === input ? "" : input.function === given ? ".function" : ".custom";
  pushCall(encoded, place, { id: input.id, name: named.name }, [said, holder + field]);
  const isEmpty = saysNothing(encoded, begin, SAYS_NOTHING_IN_A_PART);
  for (const fields of named === input ? [input] : [input, named]) {
    checkNothingIsLost(fields, { place, what: "tool call", known: CALL_FIELDS }, isEmpty, encoded, begin);
  }
  if (input.result != null || input.output != null) {
    throw new Malformed(
      `${place}.${input.result != null ? "result" : "output"}`,
      "a tool call holds its result",
      "Pass the result as a message of the role tool, with the id of the call as toolCallId.",
    );
  }
}

/** A value, and the field in which it was found. */
type Held = readonly [value: unknown, field: string];

/** The first of two fields that has a value. */
const oneOf = (row: Row, first: string, second: string): Held =>
  row[first] == null ? [row[second], `.${second}`] : [row[first], `.${first}`];

function pushCall(
  encoded: EncodedMessage,
  place: string,
  call: Record<string, unknown>,
  [given, field]: Held,
  [idField, nameField]: readonly [string, string] = ["id", "name"],
): void {
  push(encoded, "callId", required(call[idField], `${place}.${idField}`));
  push(encoded, "callName", required(call[nameField], `${place}.${nameField}`));
  push(encoded, "callArguments", carried(given, place + field));
}

function push(encoded: EncodedMessage, field: Field, value: string | undefined): void {
  if (value !== undefined) {
    encoded.push(fieldCodes[field], value);
  }
}

function isPinned(pinned: unknown): boolean {
  if (pinned == null || typeof pinned === "boolean") {
    return pinned === true;
  }
  throw new Malformed(".pinned", `expected true or false, got ${describe(pinned)}`, "Give true or false.");
}

/** A value as the text that carries it: a text is itself, anything else JSON. */
function carried(value: unknown, place: string): string {
  return typeof value === "string" ? value : (json(value, place) ?? "");
}

/** An id. A number is read as its text. */
function idOf(value: unknown, place: string): string | undefined {
  return typeof value === "number" ? String(value) : text(value, place);
}

/** How much text crosses at a time, in UTF-16 code units. */
const BATCH_LENGTH = 1 << 20;
const encoder = new TextEncoder();
let scratch = new Uint8Array(0);

/** Appends messages to the engine's transcript, in batches of flat columns. */
export function appendEncoded(core: CoreTranscript, encodedMessages: readonly EncodedMessage[], kind: ErrorKind): void {
  for (let first = 0; first < encodedMessages.length; ) {
    let end = first;
    let length = 0;
    let segmentCount = 0;
    while (end < encodedMessages.length && (end === first || length < BATCH_LENGTH)) {
      const encoded = encodedMessages[end] as EncodedMessage;
      for (let at = HEAD + 1; at < encoded.length; at += 2) {
        length += (encoded[at] as string).length;
        segmentCount += 1;
      }
      end += 1;
    }
    appendBatch(core, encodedMessages.slice(first, end), { length, segmentCount }, kind);
    first = end;
  }
}

function appendBatch(
  core: CoreTranscript,
  encodedMessages: readonly EncodedMessage[],
  { length, segmentCount }: { readonly length: number; readonly segmentCount: number },
  kind: ErrorKind,
): void {
  const count = encodedMessages.length;
  const roles = new Uint8Array(count);
  const pinned = new Uint8Array(count);
  const times = new Float64Array(count);
  const segmentCounts = new Uint32Array(count);
  const segmentFields = new Uint8Array(segmentCount);
  const segmentLengths = new Uint32Array(segmentCount);
  // A code unit of UTF-16 is at most three bytes of UTF-8.
  const bytes = call(kind, () => (length > BATCH_LENGTH ? new Uint8Array(length * 3) : scratchOf(length * 3)));
  let segment = 0;
  let written = 0;
  for (let index = 0; index < count; index++) {
    const encoded = encodedMessages[index] as EncodedMessage;
    roles[index] = encoded[0] as number;
    pinned[index] = encoded[1] as number;
    times[index] = encoded[2] as number;
    segmentCounts[index] = (encoded.length - HEAD) / 2;
    for (let at = HEAD; at < encoded.length; at += 2) {
      const utf8 = encoder.encodeInto(encoded[at + 1] as string, bytes.subarray(written));
      segmentFields[segment] = encoded[at] as number;
      segmentLengths[segment] = utf8.written;
      written += utf8.written;
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

/** Whether two encodings are of the same message. */
export function isSame(left: EncodedMessage, right: EncodedMessage): boolean {
  return left.length === right.length && left.every((value, at) => Object.is(value, right[at]));
}
