// Reads a message of any format, once: the canonical message and its columns. Everything else asks for what was read here.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { ROLES, type Role } from "../base/generated.js";
import { describe } from "../base/options.js";
import { isPartMissing } from "../base/parts.js";
import { columnsOf, type MessageColumns, saidBy } from "./columns.js";
import { besideContent, formOf, type PartForm } from "./dialect.js";
import { withOrigin } from "./edit.js";
import type { MessageFormat, MessageOrigin, Row } from "./format.js";
import { checkNothingIsLost, saysSomething } from "./lost.js";
import { list, Malformed, required, text, unknownType } from "./malformed.js";
import type { PlainMessage, PlainPart, ReadMessage, ResultPart } from "./message.js";
import { from, originOf } from "./origin.js";
import { formatOf, ownFormat } from "./recognise.js";

/** A message that was read. */
export interface ParsedMessage {
  /** The canonical message. */
  readonly message: ReadMessage;
  readonly columns: MessageColumns;
  readonly format: MessageFormat;
  /** The caller's object. */
  readonly given: object;
  /** What it was read with. */
  readonly surroundings: Surroundings;
}

/** What a message is read with. */
export interface Surroundings {
  /** The name of its format, if the caller named one. */
  readonly shape?: string | undefined;
  /** The message before it. */
  readonly before?: unknown;
}

/** How many messages are remembered at least. A build rarely keeps more of a conversation. */
const REMEMBERED_MESSAGES = 4096;

let remembered = new WeakMap<object, ParsedMessage>();
let rememberedBefore = new WeakMap<object, ParsedMessage>();
let rememberedCount = 0;

function remember(parsed: ParsedMessage): void {
  if (rememberedCount === REMEMBERED_MESSAGES) {
    rememberedBefore = remembered;
    remembered = new WeakMap();
    rememberedCount = 0;
  }
  remembered.set(parsed.given, parsed);
  rememberedCount += 1;
}

/**
 * Reads a message as it is now. Fails with `INVALID_TRANSCRIPT` at `path`, which is put together only then.
 */
export function parse(
  value: unknown,
  path: string | (() => string),
  kind: ErrorKind,
  surroundings: Surroundings = {},
): ParsedMessage {
  try {
    const parsed = read(value, surroundings);
    remember(parsed);
    return parsed;
  } catch (failure) {
    if (isPartMissing(failure)) {
      throw failure;
    }
    const isMalformed = failure instanceof Malformed;
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

/** Returns what was read of a message before, and reads it if it wasn't. */
export function parsed(
  value: unknown,
  path: string | (() => string),
  kind: ErrorKind,
  surroundings: Surroundings = {},
): ParsedMessage {
  const known = remembered.get(value as object) ?? rememberedBefore.get(value as object);
  const isKnown =
    known !== undefined &&
    known.surroundings.shape === surroundings.shape &&
    (known.format.behind === undefined || known.surroundings.before === surroundings.before);
  return isKnown ? known : parse(value, path, kind, surroundings);
}

/**
 * Returns a copy of a message that says where it is from, read. In windrow's own form an origin is a field of the message, so the copy
 * needs no second reading.
 */
export function originated(message: ParsedMessage, origin: MessageOrigin, kind: ErrorKind): ParsedMessage {
  const given = withOrigin(message.given as Row, origin);
  if (message.format.withOrigin !== undefined) {
    return parse(given, "message", kind);
  }
  const own = { ...origin, ...(origin.id == null ? {} : { id: String(origin.id) }) };
  const canonicalCopy: ReadMessage = { ...message.message, ...own };
  const copy = { ...message, message: canonicalCopy, columns: columnsOf(canonicalCopy), given };
  remember(copy);
  return copy;
}

/** Returns the id of a message as the engine knows it; undefined if it has none, or can't be read. */
export function idOfMessage(message: unknown, shape?: string): string | undefined {
  try {
    return parsed(message, "message", "transcript_error", { shape }).message.id as string | undefined;
  } catch {
    return undefined;
  }
}

function read(value: unknown, surroundings: Surroundings): ParsedMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Malformed("", `expected a message, got ${describe(value)}`, "Pass objects with role and content.");
  }
  const given = value as Row;
  const format = formatOf(given, surroundings.shape);
  const row = format.behind?.(given, surroundings.before) ?? given;
  const plain = format.read(row);
  if ((plain as unknown) !== row) {
    for (const part of plain.content) {
      if (originOf(part) === undefined) {
        from(part, undefined, ""); // Its place in windrow's own form means nothing to the caller.
      }
    }
  }
  const message = placed(plain, () =>
    canonical((plain as unknown) === row ? row : { ...ownFields(row, format), ...plain }, format.maker),
  );
  const columns = placed(plain, () => columnsOf(message));
  checkMessage(row, format, message);
  return { message, columns, format, given, surroundings };
}

/** Fields of windrow's own that a message of any format may have next to those of its format. */
const OWN_FIELDS = ["pinned", "persist", "tags", "replyTo", "sessionId", "conversationId"] as const;

/** Returns the fields of windrow's own that a message has next to those of its format. */
export function ownFields(row: Row, { fields }: MessageFormat): Row {
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

/** Fails if a message says nothing that windrow reads, or more than that. */
function checkMessage(row: Row, format: MessageFormat, { content }: ReadMessage): void {
  // The id of the call that a message answers says nothing. A call says something, with arguments or without.
  const isEmpty = !content.some((part) => part.type === "tool-call" || saysSomething(part));
  checkNothingIsLost(row, { place: "", what: "message", known: knownFieldsOf(format) }, isEmpty, () => saidBy(content));
  if (format === ownFormat() && row.content === undefined && content.length === 0) {
    throw new Malformed(
      ".content",
      "the message has no content, and nothing else that windrow reads says anything",
      'Give it a content: a text, a list of parts, or "" where nothing is said.',
    );
  }
}

/** Reads what a format returned. A fault in a part of it is reported at its place in the caller's message. */
function placed<T>(plain: PlainMessage, run: () => T): T {
  try {
    return run();
  } catch (failure) {
    const at = failure instanceof Malformed ? /^\.content\[(\d+)\]/.exec(failure.place)?.[1] : undefined;
    const part = at === undefined ? undefined : plain.content?.[Number(at)];
    const place = typeof part === "object" && part !== null ? originOf(part)?.place : undefined;
    if (failure instanceof Malformed && place !== undefined) {
      throw new Malformed(place, failure.message, failure.nextAction);
    }
    throw failure;
  }
}

// ---- The canonical form ----

/** Makes a mutable copy of a type. */
type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

/** Returns a message with a role and a content in the canonical form. */
function canonical(row: Row, maker: string | undefined): ReadMessage {
  const { role } = row;
  if (!ROLES.includes(role as Role)) {
    throw new Malformed(
      ".role",
      role == null ? "the message has no role" : `unknown role ${describe(role)}`,
      `Give the message one of the roles ${ROLES.join(", ")}.`,
    );
  }
  const message: Draft<ReadMessage> = { role: role as Role, content: [] };
  readAbout(row, message);
  const content = contentOf(row.content, maker);
  const beside = besideContent(row, maker);
  message.content = beside.length === 0 ? content : joined(row, content, beside);
  if (role === "user" && message.content.length > 0 && message.content.every(({ type }) => type === "tool-result")) {
    // Anthropic's messages have no role for results. To all that counts turns, or asks who speaks, it is the tools' message.
    message.role = "tool";
  }
  if (row.joinsNext === true) {
    message.joinsNext = true;
  }
  return message;
}

/** Reads the fields that are about a message. */
function readAbout(row: Row, message: Draft<ReadMessage>): void {
  const { id, name, createdAt, sessionId, conversationId, summaryOf, replyTo, source } = row;
  const { tags, actions, status, target, priority, ttlSeconds, pinned, persist } = row;
  if (pinned != null) {
    if (typeof pinned !== "boolean") {
      throw new Malformed(".pinned", `expected true or false, got ${describe(pinned)}`, "Give true or false.");
    }
    message.pinned = pinned;
  }
  if (createdAt != null) {
    message.createdAt = timeIn(createdAt);
  }
  if (id != null) {
    message.id = idIn(id, ".id");
  }
  if (name != null) {
    message.name = required(name, ".name");
  }
  if (sessionId != null) {
    message.sessionId = required(sessionId, ".sessionId");
  }
  if (conversationId != null) {
    message.conversationId = idIn(conversationId, ".conversationId");
  }
  if (summaryOf != null) {
    message.summaryOf = idIn(summaryOf, ".summaryOf");
  }
  if (replyTo != null) {
    message.replyTo = idIn(replyTo, ".replyTo");
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

/** Reads an id. A number is read as its text. */
function idIn(value: unknown, place: string): string {
  return typeof value === "number" ? String(value) : required(value, place);
}

/** Reads a list of texts; places of it that hold nothing are left out. */
function textsIn(value: unknown, place: string, expected?: string): readonly string[] {
  const texts = list(value, place, expected);
  return texts.flatMap((item, position) => text(item, `${place}[${position}]`) ?? []);
}

function timeIn(createdAt: unknown): string | number | Date {
  if (createdAt instanceof Date || typeof createdAt === "number" || typeof createdAt === "string") {
    return createdAt;
  }
  throw new Malformed(
    ".createdAt",
    `expected a time, got ${describe(createdAt)}`,
    "Give ISO 8601, milliseconds or a Date.",
  );
}

/** Reads the actions of a message. A stored text may hold anything: one that isn't a list of texts is skipped. */
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
    throw new Malformed(
      ".priority",
      `expected a number from 0 to 1, got ${describe(priority)}`,
      "Give a number from 0 to 1, or leave the field out.",
    );
  }
  return priority;
}

function secondsIn(seconds: unknown): number {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
    throw new Malformed(
      ".ttlSeconds",
      `expected 0 or more seconds, got ${describe(seconds)}`,
      "Give a number of seconds, or leave the field out.",
    );
  }
  return seconds;
}

// ---- Content ----

function contentOf(content: unknown, maker: string | undefined): readonly PlainPart[] {
  if (typeof content === "string") {
    return [{ type: "text", text: content }];
  }
  const given = list(content, ".content", "a text or a list of parts");
  const parts: PlainPart[] = [];
  let hasHostedCall = false;
  for (const [at, value] of given.entries()) {
    for (const part of readPart(value, `.content[${at}]`, maker)) {
      parts.push(part);
      hasHostedCall ||= part.type === "tool-call" && part.providerExecuted === true;
    }
  }
  return hasHostedCall ? withHostedResults(parts) : parts;
}

/** Marks the results of tools that the provider runs, as their calls are. */
function withHostedResults(parts: readonly PlainPart[]): readonly PlainPart[] {
  const ids = parts.flatMap((part) => (part.type === "tool-call" && part.providerExecuted ? [part.toolCallId] : []));
  return parts.map((part) => {
    if (part.type !== "tool-result" || !ids.includes(part.toolCallId)) {
      return part;
    }
    const { given, place, field } = originOf(part) ?? { given: undefined, place: "" };
    return from({ ...part, providerExecuted: true }, given, place, field);
  });
}

/** Reads a content part of any dialect. Most are one canonical part. */
export function readPart(value: unknown, place: string, maker: string | undefined): readonly PlainPart[] {
  if (typeof value === "string") {
    return [from({ type: "text", text: value }, undefined, place)];
  }
  if (typeof value !== "object" || value === null) {
    throw new Malformed(
      place,
      `expected a content part, got ${describe(value)}`,
      "Pass objects with a type, or texts.",
    );
  }
  const input = value as Row;
  const form = formOf(input.type);
  if (form === undefined) {
    const known = "text, reasoning, image, audio, file, tool-call or tool-result";
    throw unknownType(input.type, place, "content part", known);
  }
  const made = form.read(input, place, maker);
  const parts = Array.isArray(made) ? (made as readonly PlainPart[]) : [made as PlainPart];
  checkPart(input, place, form, parts);
  const origin = originOf(value);
  for (const part of parts) {
    if (origin === undefined) {
      from(part, value, place, originOf(part)?.field);
    } else {
      from(part, origin.given, origin.place);
    }
  }
  return parts;
}

/** Fails if a part says nothing that windrow reads, or more than that. */
export function checkPart(
  input: Row,
  place: string,
  { fields }: Pick<PartForm, "fields">,
  parts: readonly PlainPart[],
): void {
  checkNothingIsLost(input, { place, what: "part", known: fields }, !parts.some(saysSomething), () => saidBy(parts));
}

/** Joins what a message says in its content with what it says outside of it. */
function joined(
  row: Row,
  content: readonly PlainPart[],
  beside: ReturnType<typeof besideContent>,
): readonly PlainPart[] {
  const all = <Name extends "thoughts" | "said" | "calls">(name: Name) => beside.flatMap((it) => it[name] ?? []);
  const said = [...all("thoughts"), ...content, ...all("said")];
  const answered = beside.find((it) => it.answered !== undefined)?.answered;
  return [...(answered === undefined ? said : answering(row, answered, said)), ...all("calls")];
}

/** Returns the parts of a message that answers a call: what it says is what the tool returned. */
function answering(row: Row, toolCallId: string, said: readonly PlainPart[]): readonly PlainPart[] {
  const isOutput = ({ type }: PlainPart): boolean => type === "text" || isMedia(type);
  const [output, others] = [said.filter(isOutput), said.filter((part) => !isOutput(part))];
  if (output.length === 0 && others.some(({ type }) => type === "tool-result")) {
    return others;
  }
  const name = row.toolName ?? row.name;
  const result: ResultPart = {
    type: "tool-result",
    toolCallId,
    ...(typeof name === "string" && row.role === "tool" ? { toolName: name } : {}),
    output: outputOf(output),
    ...(row.isError === true || row.is_error === true ? { isError: true } : {}),
  };
  return [...others, from(result, undefined, "")];
}

/** Returns parts as the output of a tool: a single text as it is, unless the caller has a part for it. */
export function outputOf(parts: readonly PlainPart[]): unknown {
  const [first, ...others] = parts;
  if (first === undefined) {
    return "";
  }
  const isText = others.length === 0 && first.type === "text" && typeof originOf(first)?.given !== "object";
  return isText ? first.text : { type: "content", value: parts };
}

const isMedia = (type: string): boolean => type === "image" || type === "audio" || type === "file";
