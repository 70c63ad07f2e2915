// A message of any shape in windrow's own form, with all that a provider needs to get it back: what a message says, as
// `messages.ts` reads it for the engine, and beside it the proofs of reasoning, the names of files, and the caller's own parts.

import { ROLES } from "../base/generated.js";
import { describe } from "../base/options.js";
import { publicCall } from "../base/public-call.js";
import { from, originOf } from "./given.js";
import { list, Malformed, required, unknownType } from "./malformed.js";
import { givenMedia, type MediaFields } from "./media-fields.js";
import type { Provenance } from "./message.js";
import { APPROVAL, compacted, readMessage, searchResult } from "./messages.js";
import { OWN_PROVIDER, PROVIDER_OF_SHAPE, provenanceOf, sealedBy, thoughtDetails } from "./provenance.js";
import { type AnyMessage, type ShapeName, shapeNameOf, shapeOf } from "./shapes/index.js";
import { kindOfMediaType, type PlainMessage, type Row, recordOf } from "./shapes/shape.js";
import { hasMedia } from "./substance.js";

/** A text. */
export interface TextPart extends Provenance {
  readonly type: "text";
  readonly text: string;
}

/** What the assistant thought. */
export interface ReasoningPart extends Provenance {
  readonly type: "reasoning";
  readonly text: string;
  /** The same as its provider encrypted it. */
  readonly data?: string;
}

/** What the assistant thought, of which only its provider can read more. */
export interface RedactedPart extends Provenance {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** An image, audio or a file. */
export interface MediaPart extends MediaFields {
  readonly type: "image" | "audio" | "file";
}

/** A call of a tool. */
export interface CallPart extends Provenance {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments: an object, or a text as the model wrote it. */
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
}

/** What a tool gave. */
export interface ResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName?: string;
  /** A text, any JSON, or `{ type: "content", value }` with parts. */
  readonly output?: unknown;
  readonly isError?: boolean;
  readonly providerExecuted?: boolean;
}

/** A part in windrow's own form, one of each kind. */
export type PlainPart = TextPart | ReasoningPart | RedactedPart | MediaPart | CallPart | ResultPart;

/** A message in windrow's own form whose parts have one form each. */
export interface ReadMessage extends PlainMessage {
  readonly content: readonly PlainPart[];
}

/** The fields of a message that say nothing, and stay as they are. */
const ABOUT = [
  ...["id", "name", "createdAt", "sessionId", "conversationId", "summaryOf", "replyTo", "source", "tags", "actions"],
  ...["status", "target", "priority", "ttlSeconds", "pinned", "persist", "joinsNext"],
] as const;

/**
 * What a message says, in windrow's own form: the message is of any shape that is read, or of that name; `before` is the message
 * before it. Throws `Malformed`, with the place in the message, as reading it for the engine does.
 */
export function plainOf(message: AnyMessage, shapeName?: string, before?: unknown): ReadMessage {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new Malformed("", `expected a message, got ${describe(message)}`, "Pass objects with role and content.");
  }
  const row = message as unknown as Row;
  const shape = shapeOf(row, shapeName);
  if (shape === undefined) {
    return readOwn(row, OWN_PROVIDER);
  }
  const plain = shape.read(shape.behind?.(row, before) ?? row);
  for (const part of plain.content) {
    if (originOf(part) === undefined) {
      from(part, undefined, ""); // Its place in windrow's own form says nothing to the caller.
    }
  }
  return from(readOwn(plain as unknown as Row, PROVIDER_OF_SHAPE[shape.name]), row, "");
}

/**
 * What a message says, in windrow's own form, whatever shape it is of: to show it, to search it, or to store it. Fails with
 * `INVALID_TRANSCRIPT` where it cannot be read.
 */
export function plainMessage(message: AnyMessage, options?: { readonly shape?: ShapeName | undefined }): ReadMessage {
  const kind = "transcript_error";
  return publicCall(kind, "plainMessage", () => {
    const shape = shapeNameOf(options?.shape, kind);
    readMessage(message, "message", kind, [], { shape });
    return plainOf(message, shape);
  });
}

function readOwn(row: Row, provider: string | undefined): ReadMessage {
  const { role } = row;
  if (!ROLES.some((it) => it === role)) {
    throw new Malformed(
      ".role",
      role == null ? "the message has no role" : `unknown role ${describe(role)}`,
      `Give the message one of the roles ${ROLES.join(", ")}.`,
    );
  }
  const about = Object.fromEntries(ABOUT.filter((field) => row[field] != null).map((field) => [field, row[field]]));
  const said = [
    ...thoughtsOf(row, provider),
    ...hosted(contentOf(row.content, ".content", provider)),
    ...(typeof row.refusal === "string" ? [refusal(row.refusal, undefined, ".refusal")] : []),
    ...(row.audio == null ? [] : [mediaPart({ audio: row.audio }, "audio", ".audio")]),
  ];
  const calls = ["toolCalls", "tool_calls"].flatMap((field) =>
    list(row[field], `.${field}`).map((call, at) => callPart(recordOf(call), `.${field}[${at}]`, provider)),
  );
  const answered = row.toolCallId ?? row.tool_call_id;
  const parts = answered == null ? said : answering(row, required(answered, ".toolCallId"), said);
  const content = [...parts, ...calls];
  const isOfTools = role === "user" && content.length > 0 && content.every(({ type }) => type === "tool-result");
  return from({ ...about, role: (isOfTools ? "tool" : role) as PlainMessage["role"], content }, row, "");
}

/** Parts in which the result of a tool that the provider runs says so, as its call does. */
function hosted(parts: readonly PlainPart[]): readonly PlainPart[] {
  const ids = parts.flatMap((part) => (part.type === "tool-call" && part.providerExecuted ? [part.toolCallId] : []));
  return ids.length === 0
    ? parts
    : parts.map((part) => {
        const { given, place } = originOf(part) ?? { given: undefined, place: "" };
        const isHosted = part.type === "tool-result" && ids.includes(part.toolCallId);
        return isHosted ? from({ ...part, providerExecuted: true }, given, place) : part;
      });
}

/** The parts of a message that answers a call: what it says is what the tool gave. */
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

/** What a tool gave, of its parts: a text where they are no more, and the caller has no part for it. */
function outputOf(parts: readonly PlainPart[]): unknown {
  const [first, ...others] = parts;
  if (first === undefined) {
    return "";
  }
  const isText = others.length === 0 && first.type === "text" && typeof originOf(first)?.given !== "object";
  return isText ? first.text : { type: "content", value: parts };
}

const isMedia = (type: string): boolean => type === "image" || type === "audio" || type === "file";

/** What the assistant thought, where it stands beside the content. */
function thoughtsOf(row: Row, provider: string | undefined): readonly PlainPart[] {
  const details = thoughtDetails(row.reasoning_details);
  const thought = [row.reasoning_content, row.reasoning, row.thinking].find(
    (it) => typeof it === "string" && it !== "",
  );
  if (typeof thought !== "string") {
    return details.map((part, at) => from(part, undefined, `.reasoning_details[${at}]`));
  }
  const proven = details.find((part) => part.type === "reasoning" && part.text === thought);
  return [from(proven ?? { type: "reasoning", text: thought, ...provenanceOf(row, provider) }, undefined, "")];
}

function contentOf(content: unknown, place: string, provider: string | undefined): readonly PlainPart[] {
  if (typeof content === "string") {
    return [from({ type: "text", text: content }, undefined, place)];
  }
  return list(content, place, "a text or a list of parts").flatMap((part, at) =>
    APPROVAL.test(String(recordOf(part).type)) ? [] : partsOf(part, `${place}[${at}]`, provider),
  );
}

const RESULT_TYPE = /^tool-result$|^(?:\w+_)?tool_result$/;
const CALL_TYPE = /^(?:(server|mcp)_)?tool_use$/;

/** What a part is in its one form: one part, or for one of a provider's own what that has encrypted in it. */
function partsOf(part: unknown, place: string, provider: string | undefined): readonly PlainPart[] {
  const { type, providerOptions } = recordOf(part);
  return type === "custom"
    ? sealedBy(providerOptions).map((sealed) => from({ type: "redacted_thinking", ...sealed }, part, place))
    : [partOf(part, place, provider)];
}

/** A part of any form that is read, in its one form. */
function partOf(part: unknown, place: string, provider: string | undefined): PlainPart {
  if (typeof part === "string") {
    return from({ type: "text", text: part }, undefined, place);
  }
  if (typeof part !== "object" || part === null) {
    throw new Malformed(place, `expected a content part, got ${describe(part)}`, "Pass objects with a type, or texts.");
  }
  const input = part as Row;
  const made = canonical(input, place, provider);
  const origin = originOf(part);
  return from(made, origin === undefined ? part : origin.given, origin?.place ?? place);
}

function canonical(input: Row, place: string, provider: string | undefined): PlainPart {
  const type = String(input.type);
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return { type: "text", text: required(input.text, `${place}.text`), ...provenanceOf(input, provider) };
    case "refusal":
      return refusal(required(input.refusal, `${place}.refusal`), input, place);
    case "reasoning":
      return reasoning(input, required(input.text, `${place}.text`), provider);
    case "thinking":
      return reasoning(input, required(input.thinking, `${place}.thinking`), provider);
    case "redacted_thinking":
      return {
        type,
        data: required(input.data, `${place}.data`),
        ...provenanceOf(input, provider),
        ...(provider === undefined ? {} : { provider: String(input.provider ?? provider) }),
      };
    case "image":
    case "image_url":
      return mediaPart(input, "image", place);
    case "audio":
    case "input_audio":
      return mediaPart(input, "audio", place);
    case "file":
    case "document":
      return mediaPart(input, "file", place);
    case "reasoning-file":
      return mediaPart(input, kindOfMediaType(input.mediaType), place);
    case "search_result":
      return { type: "file", source: searchResult(input, place) };
    case "container_upload":
      return mediaPart(input, "file", place);
    case "compaction":
      return { type: "redacted_thinking", data: compacted(input, place), provider: "anthropic" };
    case "tool-call":
      return call(input, [input.toolCallId, input.toolName], input.input ?? input.args, place, provider);
    case "tool-result":
      return result(input, required(input.toolCallId, `${place}.toolCallId`), input.output ?? input.result, place);
    default:
      return canonicalBlock(input, type, place, provider);
  }
}

/** A call or a result as Anthropic's blocks have them, those of tools that Anthropic runs included. */
function canonicalBlock(input: Row, type: string, place: string, provider: string | undefined): PlainPart {
  const called = CALL_TYPE.exec(type);
  if (called !== null) {
    const part = call(input, [input.id, input.name], input.input, place, provider);
    return called[1] === undefined ? part : { ...part, providerExecuted: true };
  }
  if (!RESULT_TYPE.test(type)) {
    throw unknownType(
      input.type,
      place,
      "content part",
      "text, reasoning, image, audio, file, tool-call or tool-result",
    );
  }
  const output = Array.isArray(input.content)
    ? outputOf(blocksOf(input.content, `${place}.content`))
    : (input.content ?? "");
  const part = result(input, required(input.tool_use_id, `${place}.tool_use_id`), output, place);
  return type === "tool_result" ? part : { ...part, providerExecuted: true };
}

const refusal = (text: string, given: unknown, place: string): TextPart =>
  from({ type: "text", text }, given ?? { type: "refusal", refusal: text }, place);

function reasoning(input: Row, text: string, provider: string | undefined): ReasoningPart | RedactedPart {
  const { data, ...proof } = provenanceOf(input, provider);
  if (data !== undefined && text.trim() === "") {
    return { type: "redacted_thinking", data, ...proof };
  }
  return { type: "reasoning", text, ...proof, ...(data === undefined ? {} : { data }) };
}

/** A call as a message has it beside its content: windrow's own, or OpenAI's. */
function callPart(input: Row, place: string, provider: string | undefined): CallPart {
  const named = recordOf(input.function ?? input.custom ?? input);
  const part = call(input, [input.id, named.name], named.arguments ?? named.input, place, provider);
  return from(part, input, place);
}

function call(
  input: Row,
  [id, name]: readonly [unknown, unknown],
  given: unknown,
  place: string,
  provider: string | undefined,
): CallPart {
  return {
    type: "tool-call",
    toolCallId: required(id, `${place}.id`),
    toolName: required(name, `${place}.name`),
    ...(given === undefined ? {} : { input: given }),
    // Anthropic and OpenAI's chat call the id of a call `id`: it is not that of an item.
    ...provenanceOf(input.id === id ? { ...input, id: undefined } : input, provider),
    ...(input.providerExecuted === true ? { providerExecuted: true } : {}),
  };
}

function result(input: Row, toolCallId: string, given: unknown, place: string): ResultPart {
  const { output, isError } = plainOutput(given, `${place}.output`);
  return {
    type: "tool-result",
    toolCallId,
    ...(typeof input.toolName === "string" ? { toolName: input.toolName } : {}),
    output,
    ...(isError || input.is_error === true || input.isError === true ? { isError: true } : {}),
    ...(input.providerExecuted === true ? { providerExecuted: true } : {}),
  };
}

/** What a tool gave. The AI SDK's outputs say themselves what they are. */
function plainOutput(output: unknown, place: string): { readonly output: unknown; readonly isError: boolean } {
  const { type, value } = recordOf(output);
  if (type === "content" && Array.isArray(value)) {
    return { output: { type, value: blocksOf(value, `${place}.value`) }, isError: false };
  }
  const typed = /^(error-)?(text|json)$/.exec(String(type));
  if (typed === null || !("value" in (output as object))) {
    return { output, isError: false };
  }
  // A JSON that looks like such an output itself stays in its own.
  const isPlain = typeof value === "string" || recordOf(value).type === undefined;
  return { output: isPlain ? value : { type: "json", value }, isError: typed[1] !== undefined };
}

const MEDIA_BLOCKS = [
  [/^image/, "image"],
  [/^(?:input_)?audio/, "audio"],
  [/^(?:file|document|media)/, "file"],
] as const;

/** What a tool gave, as a list: texts and media, and anything else as its JSON. */
function blocksOf(blocks: readonly unknown[], place: string): readonly PlainPart[] {
  return blocks.map((block, at) => {
    const here = `${place}[${at}]`;
    const row = recordOf(block);
    const kind = MEDIA_BLOCKS.find(([pattern]) => pattern.test(String(row.type)))?.[1];
    if (kind !== undefined) {
      const origin = originOf(row);
      return from(mediaPart(row, kind, here), origin === undefined ? block : origin.given, origin?.place || here);
    }
    return typeof block === "string" || row.type === "text"
      ? partOf(block, here, undefined)
      : from({ type: "text", text: JSON.stringify(block) ?? "" }, block, here);
  });
}

/** An image, audio or a file in its one form. */
function mediaPart(input: Row, kind: MediaPart["type"], place: string): MediaPart {
  const found = givenMedia(input);
  if (![found.data, found.url, found.id, found.source].some((it) => hasMedia(it))) {
    throw new Malformed(
      place,
      `the ${kind} part has no data, no url and no id`,
      "Give what it holds, or leave the part out.",
    );
  }
  return from({ type: kind, ...found }, input.audio != null && input.type === undefined ? input.audio : input, place);
}
