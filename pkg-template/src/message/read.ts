// Reads a message of any format, once: into the canonical message and its columns. All other code uses this result.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { ROLES, type Role } from "../base/generated.js";
import { describe } from "../base/options.js";
import { isPartMissing } from "../base/parts.js";
import { withoutBase64 } from "./base64-text.js";
import { columnsOf, type MessageColumns, saidBy } from "./columns.js";
import { besideContent, formOf, type PartForm, type ServerFields, serverFieldsOf } from "./dialect.js";
import { withOrigin } from "./edit.js";
import { hasFailed, type MessageFormat, type MessageOrigin, type UnknownRecord } from "./format.js";
import { checkNothingIsLost, saysSomething } from "./lost.js";
import { json, list, MalformedMessage, required, text, unknownType } from "./malformed.js";
import type { PlainMessage, PlainPart, ReadMessage, ResultPart } from "./message.js";
import { from, originOf, type PlacedPart } from "./origin.js";
import { formatOf, ownFormat, unreadName } from "./recognise.js";
import { inMilliseconds, otherTimeIn } from "./times.js";

/** A parsed message. */
export interface ParsedMessage {
  /** The canonical message. */
  readonly message: ReadMessage;
  /** The parts of its content, each with its origin. */
  readonly parts: readonly PlacedPart[];
  readonly columns: MessageColumns;
  readonly format: MessageFormat;
  /** The caller's object. */
  readonly given: object;
  /** The fields that the server set. */
  readonly server?: ServerFields | undefined;
  /** True if windrow made it, or the application in a section. */
  readonly isMade?: boolean;
}

/** The context for reading a message. */
export interface Surroundings {
  /** The name of its format, if the caller named one. */
  readonly shape?: string | undefined;
  /** The message before it. */
  readonly before?: unknown;
}

/** Reads a message. Fails with `INVALID_TRANSCRIPT` at `path`, which is only computed in that case. */
export function parse(
  value: unknown,
  path: string | (() => string),
  kind: ErrorKind,
  surroundings: Surroundings = {},
): ParsedMessage {
  try {
    return read(value, surroundings.shape, surroundings.before);
  } catch (failure) {
    if (isPartMissing(failure)) {
      throw failure;
    }
    const isMalformed = failure instanceof MalformedMessage;
    const own = typeof path === "string" ? path : path();
    const place = isMalformed ? own + failure.place : own;
    const { shape } = surroundings;
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

/**
 * Returns a parsed copy of a message with an origin. In windrow's own form, an origin is a field of the message, so the
 * copy isn't parsed again.
 */
export function originated(message: ParsedMessage, origin: MessageOrigin, kind: ErrorKind): ParsedMessage {
  const given = withOrigin(message.given as UnknownRecord, origin);
  if (message.format.withOrigin !== undefined) {
    return parse(given, "message", kind);
  }
  const own = { ...origin, ...(origin.id == null ? {} : { id: String(origin.id) }) };
  const canonicalCopy: ReadMessage = { ...message.message, ...own };
  return {
    ...message,
    message: canonicalCopy,
    columns: columnsOf(canonicalCopy, message.parts, message.server),
    given,
  };
}

function read(value: unknown, shape: string | undefined, before: unknown): ParsedMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MalformedMessage("", `expected a message, got ${describe(value)}`, "Pass objects with role and content.");
  }
  const given = value as UnknownRecord;
  const format = formatOf(given, shape);
  const row = format.behind?.(given, before) ?? given;
  const plain = format.read(row) as PlainMessage | UnknownRecord;
  const parsed = plain === row ? ownRead(row, format, given) : readPlain(plain as PlainMessage, row, format, given);
  checkStatedRole(given, parsed);
  checkMessage(row, format, parsed);
  const copy = withoutBase64(given, parsed.parts);
  return copy === undefined ? parsed : { ...read(copy, shape, before), given };
}

/**
 * Fails if a message states one role and is read as another, because the message that an app checked must be the one
 * that is sent.
 */
function checkStatedRole({ role: stated }: UnknownRecord, { message: { role } }: ParsedMessage): void {
  // Anthropic's results are in user messages.
  const isResults = stated === "user" && role === "tool";
  if (ROLE_NAMES.has(stated) && stated !== role && !isResults) {
    throw new MalformedMessage(
      ".role",
      `the role is ${stated}, and other fields say ${role}`,
      "Leave one of the two out.",
    );
  }
}

/** Reads a message in windrow's own form. */
function ownRead(row: UnknownRecord, format: MessageFormat, given: object): ParsedMessage {
  checkRole(row);
  const parts = partsOf(row, format.maker);
  const message = canonical(row, parts);
  const createdAt = message.createdAt ?? otherTimeIn(row, format.fields);
  if (createdAt !== undefined) {
    message.createdAt = timeIn(createdAt);
  }
  // Only OpenAI's own form has a server's fields.
  const server = row === given && row.role === "assistant" ? serverFieldsOf(row) : undefined;
  return { message, parts, columns: columnsOf(message, parts, server), format, given, server };
}

/** Reads a format's result. A fault in a part is reported at its place in the caller's message. */
function readPlain(plain: PlainMessage, row: UnknownRecord, format: MessageFormat, given: object): ParsedMessage {
  for (const part of plain.content) {
    if (originOf(part) === undefined) {
      from(part, undefined, ""); // a place in windrow's own form means nothing to the caller
    }
  }
  try {
    const createdAt = plain.createdAt ?? otherTimeIn(row, format.fields);
    return ownRead({ ...ownFields(row, format), ...plain, createdAt }, format, given);
  } catch (failure) {
    const at = failure instanceof MalformedMessage ? /^\.content\[(\d+)\]/.exec(failure.place)?.[1] : undefined;
    const part = at === undefined ? undefined : plain.content[Number(at)];
    const place = part === undefined ? undefined : originOf(part)?.place;
    if (failure instanceof MalformedMessage && place !== undefined) {
      throw new MalformedMessage(place, failure.message, failure.nextAction);
    }
    throw failure;
  }
}

/** Fields of windrow's own that a message of any format may have in addition. */
export const OWN_FIELDS = ["pinned", "persist", "tags", "replyTo", "sessionId", "conversationId"] as const;

/** Returns windrow's own fields that a message has in addition to its format's fields. */
export function ownFields(row: UnknownRecord, { fields }: MessageFormat): UnknownRecord {
  const own = OWN_FIELDS.filter((field) => row[field] != null && !fields.has(field));
  return Object.fromEntries(own.map((field) => [field, row[field]]));
}

const knownFields = new WeakMap<MessageFormat, ReadonlySet<string>>();

function knownFieldsOf(format: MessageFormat): ReadonlySet<string> {
  let known = knownFields.get(format);
  if (known === undefined) {
    known = new Set([...format.fields, ...OWN_FIELDS]);
    knownFields.set(format, known);
  }
  return known;
}

/**
 * Fails if a message has no content that windrow reads, or more than it reads, or calls a tool and isn't the
 * assistant's.
 */
function checkMessage(row: UnknownRecord, format: MessageFormat, { message: { role }, parts }: ParsedMessage): void {
  const call = parts.find(({ part }) => part.type === "tool-call");
  if (call !== undefined && role !== "assistant") {
    // No provider accepts such a call. If it were kept, every later request would fail.
    throw new MalformedMessage(
      call.place,
      `the role ${role} calls a tool`,
      "Set the role of the message to assistant.",
    );
  }
  // The id of an answered call isn't content. A call is, with or without arguments.
  const isEmpty = call === undefined && !parts.some(({ part }) => saysSomething(part));
  checkNothingIsLost(row, { place: "", what: "message", known: knownFieldsOf(format) }, isEmpty, () => saidBy(parts));
  if (format === ownFormat() && row.content === undefined && parts.length === 0) {
    throw new MalformedMessage(
      ".content",
      "the message has no content, and no other field that windrow reads has any",
      'Add content: a string, a list of parts, or "" if nothing is said.',
    );
  }
}

// ---- The canonical form ----

/** Makes a mutable copy of a type. */
export type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

const ROLE_NAMES: ReadonlySet<unknown> = new Set(ROLES);

/** Returns a message in the canonical form. Its parts are already parsed. */
function canonical(row: UnknownRecord, parts: readonly PlacedPart[]): Draft<ReadMessage> {
  const message: Draft<ReadMessage> = { role: roleOf(row, parts), content: parts.map(({ part }) => part) };
  readAbout(row, message);
  if (changesRequest(message)) {
    message.pinned = true;
  }
  if (row.joinsNext === true) {
    message.joinsNext = true;
  }
  return message;
}

/**
 * True for a provider's note that the assistant didn't write, such as a change to the tools. Without it, the rest of
 * the conversation would have the wrong tools.
 */
const changesRequest = ({ role, content }: ReadMessage): boolean =>
  role !== "assistant" && role !== "tool" && content.some(({ type }) => type === "redacted_thinking");

function roleOf({ role }: UnknownRecord, parts: readonly PlacedPart[]): Role {
  // Anthropic has no role for results. For counting turns and finding the speaker, they count as the tools' message.
  const isOfTools = role === "user" && parts.length > 0 && parts.every(({ part }) => part.type === "tool-result");
  return isOfTools ? "tool" : (role as Role);
}

function checkRole(row: UnknownRecord): void {
  const { role } = row;
  const name = ROLE_NAMES.has(role) ? undefined : unreadName(row);
  if (name !== undefined) {
    throw new MalformedMessage(
      "",
      `this looks like ${name}, which windrow doesn't read as a message`,
      "Pass the file's text to parseTranscript, or map each row to { role, name, content, createdAt }.",
    );
  }
  if (!ROLE_NAMES.has(role)) {
    throw new MalformedMessage(
      ".role",
      role == null ? `the message has no role${typeNamed(row)}` : `unknown role ${describe(role)}`,
      `Set the role of the message to one of ${ROLES.join(", ")}.`,
    );
  }
}

/** Maximum length of the names of fields in an error. */
const LONGEST_FIELDS = 80;

/** Returns words about the type of a message that no format knows, or about its fields. */
const typeNamed = (row: UnknownRecord): string =>
  typeof row.type === "string" && row.type !== "message" && row.type !== ""
    ? `, and windrow knows no message of the type ${describe(row.type)}`
    : `, but the fields ${Object.keys(row).join(", ").slice(0, LONGEST_FIELDS)}`;

/** Reads the fields that describe a message. */
function readAbout(row: UnknownRecord, message: Draft<ReadMessage>): void {
  const { id, name, createdAt, sessionId, conversationId, summaryOf, replyTo, source } = row;
  const { tags, actions, status, target, priority, ttlSeconds, pinned, persist } = row;
  if (pinned != null) {
    if (typeof pinned !== "boolean") {
      throw new MalformedMessage(".pinned", `expected true or false, got ${describe(pinned)}`, "Pass true or false.");
    }
    message.pinned = pinned;
  }
  if (createdAt != null) {
    message.createdAt = timeIn(createdAt);
  }
  const own = idIn(id, ".id");
  if (own !== undefined) {
    message.id = own;
  }
  if (name != null) {
    message.name = required(name, ".name");
  }
  const session = text(sessionId, ".sessionId");
  if (session) {
    message.sessionId = session;
  }
  const conversation = idIn(conversationId, ".conversationId");
  if (conversation !== undefined) {
    message.conversationId = conversation;
  }
  const summarized = idIn(summaryOf, ".summaryOf");
  if (summarized !== undefined) {
    message.summaryOf = summarized;
  }
  const answered = idIn(replyTo, ".replyTo");
  if (answered !== undefined) {
    message.replyTo = answered;
  }
  if (source != null) {
    message.source = required(source, ".source");
  }
  if (tags != null) {
    message.tags = textsIn(tags, ".tags");
  }
  if (actions != null) {
    message.actions = actionsIn(actions);
  }
  if (status != null) {
    message.status = required(status, ".status");
  }
  if (target != null) {
    message.target = typeof target === "string" ? target : textsIn(target, ".target", "a text or a list of texts");
  }
  if (priority != null) {
    message.priority = priorityIn(priority);
  }
  if (ttlSeconds != null) {
    message.ttlSeconds = secondsIn(ttlSeconds);
  }
  if (persist != null) {
    message.persist = persist as boolean;
  }
}

/** Reads an id. A number becomes its text, and an empty text counts as missing. */
function idIn(value: unknown, place: string): string | undefined {
  return typeof value === "number" ? String(value) : text(value, place) || undefined;
}

/** Reads a list of texts. Skips empty places. */
function textsIn(value: unknown, place: string, expected?: string): readonly string[] {
  const texts = list(value, place, expected);
  return texts.flatMap((item, position) => text(item, `${place}[${position}]`) ?? []);
}

function timeIn(time: unknown): string | number | Date {
  const createdAt = inMilliseconds(time);
  if (createdAt instanceof Date || typeof createdAt === "string" || typeof createdAt === "number") {
    return createdAt;
  }
  throw new MalformedMessage(
    ".createdAt",
    `expected a time, got ${describe(createdAt)}`,
    "Pass ISO 8601, milliseconds or a Date.",
  );
}

/**
 * Reads the actions of a message. A stored text may contain anything, so a text that isn't a list of texts is skipped.
 */
function actionsIn(actions: unknown): readonly string[] {
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

function priorityIn(priority: unknown): number {
  if (typeof priority !== "number" || !(priority >= 0 && priority <= 1)) {
    throw new MalformedMessage(
      ".priority",
      `expected a number from 0 to 1, got ${describe(priority)}`,
      "Pass a number from 0 to 1, or leave the field out.",
    );
  }
  return priority;
}

function secondsIn(seconds: unknown): number {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
    throw new MalformedMessage(
      ".ttlSeconds",
      `expected 0 or more seconds, got ${describe(seconds)}`,
      "Pass a number of seconds, or leave the field out.",
    );
  }
  return seconds;
}

// ---- Content ----

/** Reads a message's content, both in its field `content` and outside of it. */
function partsOf(row: UnknownRecord, maker: string | undefined): readonly PlacedPart[] {
  const content = contentOf(row.content, maker);
  const beside = besideContent(row, maker);
  const parts = beside.length === 0 ? content : joined(row, content, beside);
  return row.role === "tool" ? allResults(row, parts) : parts;
}

/**
 * Returns the parts of a tool's message. All of a tool's words are results: without any result part, a result without a
 * call id; otherwise they join the result before them, or the first one.
 */
function allResults(row: UnknownRecord, parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const isSaid = ({ part: { type } }: PlacedPart): boolean => type === "text" || isMedia(type);
  const first = parts.findIndex(({ part }) => part.type === "tool-result");
  if (first < 0 || !parts.some(isSaid)) {
    return parts.some(isSaid) ? answering(row, "", parts) : parts;
  }
  // The parts before and after a result's output, by the result's index.
  const beside = new Map<number, { readonly before: PlacedPart[]; readonly after: PlacedPart[] }>();
  let last = first;
  for (const [at, placed] of parts.entries()) {
    if (placed.part.type === "tool-result") {
      last = at;
    } else if (isSaid(placed)) {
      const known = beside.get(last) ?? { before: [], after: [] };
      (at < first ? known.before : known.after).push(placed);
      beside.set(last, known);
    }
  }
  return parts.flatMap((placed, at) => {
    const said = beside.get(at);
    return isSaid(placed) ? [] : said === undefined ? [placed] : [withOutput(placed, said)];
  });
}

/**
 * Returns a result with more in its output. It no longer matches an element of the caller's message, so it has no
 * place.
 */
function withOutput(
  { part }: PlacedPart,
  { before, after }: { readonly before: readonly PlacedPart[]; readonly after: readonly PlacedPart[] },
): PlacedPart {
  const result = part as ResultPart;
  const { type, value } = (result.output ?? {}) as { readonly type?: unknown; readonly value?: unknown };
  const isList = type === "content" && Array.isArray(value);
  const text = typeof result.output === "string" ? result.output : (json(result.output ?? "", "") ?? "");
  const own = isList ? (value as readonly PlainPart[]) : [{ type: "text" as const, text }];
  const output = { type: "content", value: [...inside(before), ...own, ...inside(after)] };
  return { part: { ...result, output }, given: undefined, place: "" };
}

function contentOf(content: unknown, maker: string | undefined): readonly PlacedPart[] {
  if (typeof content === "string") {
    return [{ part: { type: "text", text: content }, given: undefined, place: ".content" }];
  }
  const given = list(content, ".content", "a text or a list of parts");
  const parts: PlacedPart[] = [];
  for (let at = 0; at < given.length; at++) {
    readPart(given[at], `.content[${at}]`, maker, parts);
  }
  return parts.some(({ part }) => part.type === "tool-call" && part.providerExecuted === true)
    ? withHostedResults(parts)
    : parts;
}

/** Marks the results of tools that the provider runs, in the same way as their calls. */
function withHostedResults(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const ids = new Set(
    parts.flatMap(({ part }) => (part.type === "tool-call" && part.providerExecuted ? [part.toolCallId] : [])),
  );
  return parts.map((placed) => {
    const { part } = placed;
    return part.type === "tool-result" && ids.has(part.toolCallId)
      ? { ...placed, part: { ...part, providerExecuted: true } }
      : placed;
  });
}

/** Reads a content part of any dialect into a list. Most become one canonical part. */
export function readPart(value: unknown, place: string, maker: string | undefined, into: PlacedPart[]): void {
  if (typeof value === "string") {
    into.push({ part: { type: "text", text: value }, given: undefined, place });
    return;
  }
  if (typeof value !== "object" || value === null) {
    throw new MalformedMessage(
      place,
      `expected a content part, got ${describe(value)}`,
      "Pass objects with a type, or texts.",
    );
  }
  const input = value as UnknownRecord;
  const form = formOf(input.type);
  if (form === undefined) {
    const known = "text, reasoning, image, audio, file, tool-call or tool-result";
    throw unknownType(input.type, place, "content part", known);
  }
  const read = form.read(input, place, maker);
  const origin = originOf(value) ?? { given: form.givenOf === undefined ? value : form.givenOf(input), place };
  const first = into.length;
  if (isList(read)) {
    for (const part of read) {
      into.push({ part, given: origin.given, place: origin.place });
    }
  } else {
    into.push({ part: read, given: origin.given, place: origin.place });
  }
  checkPart(input, place, form, into, first);
}

const isList = (read: PlainPart | readonly PlainPart[]): read is readonly PlainPart[] => Array.isArray(read);

/** Fails if a part has no content that windrow reads, or more than it reads. */
function checkPart(
  input: UnknownRecord,
  place: string,
  form: PartForm,
  parts: readonly PlacedPart[],
  first: number,
): void {
  let isEmpty = true;
  for (let at = first; at < parts.length && isEmpty; at++) {
    isEmpty = !saysSomething((parts[at] as PlacedPart).part);
  }
  checkNothingIsLost(input, { place, what: "part", known: form.fields }, isEmpty, () => saidBy(parts.slice(first)));
}

/** Joins a message's content with its content in other fields. */
function joined(
  row: UnknownRecord,
  content: readonly PlacedPart[],
  beside: ReturnType<typeof besideContent>,
): readonly PlacedPart[] {
  const parts: PlacedPart[] = [];
  let answered: string | undefined;
  for (const { thoughts = NO_PARTS } of beside) {
    parts.push(...thoughts);
  }
  parts.push(...content);
  for (const { said = NO_PARTS, answered: id } of beside) {
    parts.push(...said);
    answered ??= id;
  }
  const all = answered === undefined ? parts : answering(row, answered, parts);
  for (const { calls = NO_PARTS } of beside) {
    all.push(...calls);
  }
  return all;
}

const NO_PARTS: readonly PlacedPart[] = [];

/** Returns the parts of a message that answers a call. Its words become the tool's output. */
function answering(row: UnknownRecord, toolCallId: string, said: readonly PlacedPart[]): PlacedPart[] {
  const output: PlacedPart[] = [];
  const others: PlacedPart[] = [];
  let hasResult = false;
  for (const placed of said) {
    const { type } = placed.part;
    (type === "text" || isMedia(type) ? output : others).push(placed);
    hasResult ||= type === "tool-result";
  }
  if (output.length > 0 || !hasResult) {
    const part: Draft<ResultPart> = { type: "tool-result", toolCallId, output: outputOf(output) };
    const name = row.toolName ?? row.tool_name ?? row.name;
    if (typeof name === "string" && row.role === "tool") {
      part.toolName = name;
    }
    if (row.isError === true || row.is_error === true || hasFailed(row)) {
      part.isError = true;
    }
    others.push({ part, given: undefined, place: "" });
  }
  return others;
}

/** Returns parts as a tool's output. A single text becomes a string, unless the caller has a part for it. */
export function outputOf(parts: readonly PlacedPart[]): unknown {
  const first = parts[0];
  if (first === undefined) {
    return "";
  }
  if (parts.length === 1 && first.part.type === "text" && typeof first.given !== "object") {
    return first.part.text;
  }
  return { type: "content", value: inside(parts) };
}

/** Returns the parts inside an output, with their origins. */
export function inside(parts: readonly PlacedPart[]): readonly PlainPart[] {
  return parts.map(({ part, given, place }) => from(part, given, place));
}

const isMedia = (type: string): boolean => type === "image" || type === "audio" || type === "file";
