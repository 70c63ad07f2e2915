// Messages in the engine's form: flat columns, in batches.

import type { CoreTranscript } from "#core";
import type { ErrorKind } from "../base/errors.js";
import { FIELDS, type Field, ROLES } from "../base/generated.js";
import { call } from "../engine/engine.js";
import type { ServerFields } from "./dialect.js";
import { json, MalformedMessage } from "./malformed.js";
import { mediaOf } from "./media.js";
import type { PlainPart, Provenance, ReadMessage, ReasoningPart, RedactedPart } from "./message.js";
import type { PlacedPart } from "./origin.js";
import { brokenIn, isThought } from "./proofs.js";
import { type Share, sharesOf } from "./shares.js";

/**
 * A message as the engine sees it: the code of its role, 1 if it is pinned, its time, then field and text in turn. Two
 * messages with equal columns are the same to the engine.
 */
export type MessageColumns = (string | number)[];

const roleCodes = Object.fromEntries(ROLES.map((role, code) => [role, code])) as Record<ReadMessage["role"], number>;
const fieldCodes = Object.fromEntries(FIELDS.map((field, code) => [field, code])) as Record<Field, number>;
/** The number of values before the first field. */
const HEAD = 3;

/**
 * Returns the columns of a message whose parts are `placed`. Throws `MalformedMessage` if a call or a result contains a
 * value without a JSON form.
 */
export function columnsOf(message: ReadMessage, placed: readonly PlacedPart[], server?: ServerFields): MessageColumns {
  const { createdAt, tags, actions, target, priority, ttlSeconds } = message;
  const time = createdAt instanceof Date ? createdAt.getTime() : typeof createdAt === "number" ? createdAt : Number.NaN;
  const shares = sharesOf(message, placed);
  const role = shares?.[0]?.role ?? message.role;
  const columns: MessageColumns = [roleCodes[role], message.pinned === true ? 1 : 0, time];
  push(columns, "id", message.id as string | undefined);
  push(columns, "name", role === message.role ? message.name : undefined);
  push(columns, "createdAt", typeof createdAt === "string" ? createdAt : undefined);
  push(columns, "sessionId", message.sessionId);
  push(columns, "conversationId", message.conversationId as string | undefined);
  push(columns, "summaryOf", message.summaryOf as string | undefined);
  push(columns, "replyTo", message.replyTo as string | undefined);
  push(columns, "source", message.source);
  pushAll(columns, "tag", tags);
  pushAll(columns, "action", actions as readonly string[] | undefined);
  push(columns, "status", message.status);
  pushAll(columns, "target", typeof target === "string" ? [target] : target);
  // In millionths.
  push(columns, "priority", priority == null ? undefined : String(Math.round(priority * 1e6)));
  push(columns, "timeToLive", ttlSeconds == null ? undefined : timeToLive(ttlSeconds));
  const { text: serverFields, saysThoughts = false } = server ?? {};
  // The fields include the reasoning that follows directly.
  push(columns, "serverFields", saysThoughts ? serverFields : undefined);
  const encrypted = encryptedIn(placed);
  const broken = placed.some(({ part }) => isThought(part)) ? brokenIn(placed) : undefined;
  const [first] = placed;
  if (placed.length === 1 && first?.part.type === "tool-result" && first.place === "") {
    // The message itself is the result. Its text stays when tool calls are left out, so it comes before the id.
    pushOutput(columns, first.part.output, first);
    columns.push(fieldCodes.resultId, first.part.toolCallId);
    push(columns, "resultName", first.part.toolCallId === "" ? first.part.toolName : undefined);
  } else {
    const rows: readonly Share[] = shares ?? [{ role, parts: placed }];
    for (const [at, { role: speaker, parts }] of rows.entries()) {
      if (at > 0) {
        columns.push(fieldCodes.nextRow, speaker);
        push(columns, "name", speaker === message.role ? message.name : undefined);
      }
      for (const part of parts) {
        pushPart(columns, part, { encrypted, broken });
      }
      push(columns, "proofBytes", shares === undefined ? undefined : proofBytes(parts));
    }
  }
  push(columns, "serverFields", saysThoughts ? undefined : serverFields);
  push(columns, "proofBytes", shares === undefined ? proofBytes(placed) : undefined);
  push(columns, "joinsNext", message.joinsNext === true ? "" : undefined);
  return columns;
}

/** Returns a message's id in the engine, from its columns. Undefined if it has none. */
export function idIn(columns: MessageColumns): string | undefined {
  return columns[HEAD] === fieldCodes.id ? (columns[HEAD + 1] as string) : undefined;
}

/** Returns the whole content of parts as one text, for lookups. */
export function saidBy(placed: readonly PlacedPart[]): string {
  const columns: MessageColumns = [];
  for (const part of placed) {
    pushPart(columns, part);
  }
  return columns.filter((_, at) => at % 2 === 1).join("\n");
}

/** The engine's names for a provider's notes to itself. */
const NOTES = { compaction: "compaction", tools: "tools", output: "output", other: "note" } as const;

/** Returns the maker of a part that only its provider can read, and the part's kind. */
function redactedMaker({ provider, note }: RedactedPart): string | undefined {
  if (note !== undefined) {
    return `${provider}/${NOTES[note]}`;
  }
  return provider === "openai" ? "openai/sealed" : provider;
}

/** True for the item of a computer's screenshot, which no text can replace. */
const isScreenshot = (given: unknown): boolean =>
  /^computer_call_(?:output|result)$/.test(String((given as { readonly type?: unknown } | null | undefined)?.type));

/** Returns the text in parts: the model's, a user's, or a result's. */
export function textOfParts(placed: readonly PlacedPart[]): string {
  const columns: MessageColumns = [];
  for (const part of placed) {
    pushPart(columns, part);
  }
  return columns.filter((_, at) => at % 2 === 1 && columns[at - 1] === fieldCodes.text).join("\n");
}

/** Facts about the thoughts of a message. */
interface ThoughtFacts {
  /** The ids of the reasoning items whose encrypted content is included. */
  readonly encrypted?: ReadonlySet<string | undefined> | undefined;
  /** The parts that no request can hold. */
  readonly broken?: ReadonlySet<PlainPart> | undefined;
}

function pushPart(columns: MessageColumns, placed: PlacedPart, { encrypted, broken }: ThoughtFacts = {}): void {
  const { part } = placed;
  /** Adds the maker of the reasoning that follows. */
  const pushMaker = (maker: string | undefined): void =>
    push(columns, "reasoningOf", broken?.has(part) ? `${maker}/broken` : maker);
  switch (part.type) {
    case "text":
      push(columns, "ofFile", part.origin === "file" ? "" : undefined);
      columns.push(fieldCodes.text, part.text);
      break;
    case "reasoning":
      pushMaker(isKnownById(part) && !encrypted?.has(part.id) ? "openai/id" : makerOf(part));
      columns.push(fieldCodes.reasoning, part.text);
      if (isSealed(part)) {
        pushMaker("openai/sealed/summarized");
        columns.push(fieldCodes.reasoning, part.data);
      }
      break;
    case "redacted_thinking":
      pushMaker(redactedMaker(part));
      columns.push(fieldCodes.reasoning, part.data);
      break;
    case "tool-call":
      push(columns, "customCall", part.isCustom === true ? "" : undefined);
      columns.push(fieldCodes.callId, part.toolCallId, fieldCodes.callName, part.toolName);
      columns.push(fieldCodes.callArguments, carried(part.input, placed));
      push(columns, "resultLater", part.providerExecuted === true ? part.toolCallId : undefined);
      break;
    case "tool-result":
      columns.push(fieldCodes.resultId, part.toolCallId);
      pushOutput(columns, part.output, placed);
      break;
    case "tool-approval-request":
      // An approval request stays with its answer, as a call stays with its result, and both stay with the call to
      // approve.
      columns.push(fieldCodes.callId, part.approvalId, fieldCodes.callName, "", fieldCodes.callArguments, "");
      push(columns, "resultLater", part.toolCallId);
      break;
    case "tool-approval-response":
      columns.push(fieldCodes.approvalAnswer, "");
      columns.push(fieldCodes.resultId, part.approvalId, fieldCodes.text, part.reason ?? "");
      break;
    default:
      columns.push(fieldCodes[part.type], `${mediaOf(part)}${isScreenshot(placed.given) ? " fixed=1" : ""}`);
  }
}

/** Returns the bytes of the proofs in parts, which are ASCII. Undefined without proofs. */
function proofBytes(placed: readonly PlacedPart[]): string | undefined {
  let bytes = 0;
  for (const { part } of placed) {
    const { signature, id, data } = part as Provenance & { readonly data?: unknown };
    const isText = part.type === "text" || part.type === "tool-call" || part.type === "reasoning";
    const isBeside = isText && !(part.type === "reasoning" && isSealed(part));
    const proofs = isText || part.type === "redacted_thinking" ? [signature, id, isBeside ? data : undefined] : [];
    bytes += proofs.reduce<number>((sum, proof) => sum + (typeof proof === "string" ? proof.length : 0), 0);
  }
  return bytes === 0 ? undefined : String(bytes);
}

/** Returns the ids of reasoning items with their encrypted content. Undefined without any. */
function encryptedIn(placed: readonly PlacedPart[]): ReadonlySet<string | undefined> | undefined {
  let ids: Set<string | undefined> | undefined;
  for (const { part } of placed) {
    if (isThought(part) && part.data !== undefined) {
      ids ??= new Set();
      ids.add(part.id);
    }
  }
  return ids;
}

/** True if OpenAI finds reasoning only by its id, in a request that it has kept. */
const isKnownById = ({ provider, id, signature, data }: ReasoningPart): boolean =>
  provider === "openai" && id !== undefined && (signature ?? data) === undefined;

/** True if a summary of reasoning comes with the reasoning itself, encrypted by OpenAI. */
const isSealed = (part: ReasoningPart): part is ReasoningPart & { readonly data: string } =>
  part.provider === "openai" && part.text !== "" && part.data !== undefined;

/** Returns the provider that accepts reasoning back. Undefined without a proof for it. */
export function makerOf({ provider, signature, id, data }: ReasoningPart): string | undefined {
  const proof = provider === "anthropic" ? (signature ?? data) : (signature ?? id ?? data);
  // A summary of Gemini's has no signature.
  return proof !== undefined || provider === "google" ? provider : undefined;
}

function pushOutput(columns: MessageColumns, output: unknown, placed: PlacedPart): void {
  const { type, value } = (output ?? {}) as { readonly type?: unknown; readonly value?: unknown };
  if (type === "content" && Array.isArray(value)) {
    for (const part of value as readonly PlainPart[]) {
      pushPart(columns, { ...placed, part });
    }
  } else {
    columns.push(fieldCodes.text, carried(type === "json" ? value : output, placed));
  }
}

/** Returns a value as text: a text unchanged, and anything else as JSON. */
function carried(value: unknown, { given, place }: PlacedPart): string {
  if (typeof value === "string") {
    return value;
  }
  try {
    return json(value, "") ?? "";
  } catch (failure) {
    if (!(failure instanceof MalformedMessage)) {
      throw failure;
    }
    // The format may have derived the value from any field of the part. Then only the part's place is known.
    const field = fieldOf(given, value);
    throw new MalformedMessage(
      field === undefined ? place : place + field + failure.place,
      failure.message,
      failure.nextAction,
    );
  }
}

/** Returns the field with a value, in a part or in an object within it: `.function.arguments`. */
function fieldOf(part: unknown, value: unknown): string | undefined {
  const fields = Object.entries(part ?? {});
  const own = fields.find(([, held]) => held === value)?.[0];
  const inner = fields.flatMap(([name, held]) =>
    Object.entries(typeof held === "object" ? (held ?? {}) : {}).flatMap(([field, it]) =>
      it === value ? [`.${name}.${field}`] : [],
    ),
  );
  return own === undefined ? inner[0] : `.${own}`;
}

/**
 * Returns a time to live in milliseconds. Numbers above the limit have no plain notation, and no clock reaches them.
 */
function timeToLive(seconds: number): string {
  return String(Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER));
}

function push(columns: MessageColumns, field: Field, value: string | null | undefined): void {
  if (value != null) {
    columns.push(fieldCodes[field], value);
  }
}

function pushAll(columns: MessageColumns, field: Field, values: readonly string[] | null | undefined): void {
  for (const value of values ?? []) {
    columns.push(fieldCodes[field], value);
  }
}

/** True if two messages are the same to the engine. */
export function areSame(left: MessageColumns, right: MessageColumns): boolean {
  return left.length === right.length && left.every((value, at) => Object.is(value, right[at]));
}

/**
 * The length of text passed to the engine at a time, in UTF-16 code units. Both sides copy a batch into buffers that
 * they keep. A call takes microseconds, so larger batches would only take more memory.
 */
const BATCH_LENGTH = 1 << 17;
const encoder = new TextEncoder();
let scratch = new Uint8Array(0);

/** Appends messages to the engine's transcript, in batches of flat columns. */
export function appendColumns(core: CoreTranscript, messages: readonly MessageColumns[], kind: ErrorKind): void {
  for (let first = 0; first < messages.length; ) {
    let end = first;
    let length = 0;
    let segmentCount = 0;
    while (end < messages.length && (end === first || length < BATCH_LENGTH)) {
      const columns = messages[end] as MessageColumns;
      for (let at = HEAD + 1; at < columns.length; at += 2) {
        length += (columns[at] as string).length;
        segmentCount += 1;
      }
      end += 1;
    }
    appendBatch(core, messages.slice(first, end), { length, segmentCount }, kind);
    first = end;
  }
}

function appendBatch(
  core: CoreTranscript,
  messages: readonly MessageColumns[],
  { length, segmentCount }: { readonly length: number; readonly segmentCount: number },
  kind: ErrorKind,
): void {
  const count = messages.length;
  const roles = new Uint8Array(count);
  const pinned = new Uint8Array(count);
  const times = new Float64Array(count);
  const segmentCounts = new Uint32Array(count);
  const segmentFields = new Uint8Array(segmentCount);
  const segmentLengths = new Uint32Array(segmentCount);
  // A UTF-16 code unit takes at most three bytes of UTF-8.
  const bytes = call(kind, () => (length > BATCH_LENGTH ? new Uint8Array(length * 3) : scratchOf(length * 3)));
  let segment = 0;
  let written = 0;
  for (let index = 0; index < count; index++) {
    const columns = messages[index] as MessageColumns;
    roles[index] = columns[0] as number;
    pinned[index] = columns[1] as number;
    times[index] = columns[2] as number;
    segmentCounts[index] = (columns.length - HEAD) / 2;
    for (let at = HEAD; at < columns.length; at += 2) {
      const utf8 = encoder.encodeInto(columns[at + 1] as string, bytes.subarray(written));
      segmentFields[segment] = columns[at] as number;
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
