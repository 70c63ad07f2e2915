// The AI SDK's `ModelMessage`, versions 5 to 7, in the form that `generateText` and `streamText` take.
//
// - All instructions, in any position, go into the field `system`, in order, with a blank line between them. Models
//   behind the SDK don't take them elsewhere. Options of instruction messages are left out.
// - A user's name comes before the text. Other names are left out.
// - Reasoning stays, with the proof of its provider in `providerOptions`.
// - Consecutive messages of one role stay separate. The SDK joins them for each provider.
// - Images and files in a tool's result have the form of versions 6 and 7. Version 5 names this form differently, and 7
//   refuses that name.

import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import { MalformedMessage } from "../../message/malformed.js";
import type {
  CallPart,
  MediaPart,
  ReasoningPart,
  RedactedPart,
  ResultPart,
  SentPart,
  TextPart,
} from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import { ANY, argumentsOf, idsOf, outcomeOf } from "../request/calls.js";
import { compactionFirst, withoutCompacted } from "../request/compaction.js";
import { isSpoken, mediaOf, refuse } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
import { listIn } from "../request/rules.js";
import { type FieldSchema, fields, knownFieldsIn } from "../request/schema.js";
import { withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import {
  type AnsweredCall,
  apart,
  callsIn,
  type IsInline,
  type Piece,
  type RequestTurn,
  textsOf,
  turnsOf,
} from "../request/turns.js";

/** A value that JSON can represent. */
export type AiSdkJson = null | string | number | boolean | { [key: string]: AiSdkJson } | AiSdkJson[];

export interface AiSdkOptions {
  providerOptions?: Record<string, Record<string, AiSdkJson>>;
}

export type AiSdkData = string | Uint8Array | ArrayBuffer | URL;

export type AiSdkText = AiSdkOptions & { type: "text"; text: string };
export type AiSdkImage = AiSdkOptions & { type: "image"; image: AiSdkData; mediaType?: string };
export type AiSdkFile = AiSdkOptions & { type: "file"; data: AiSdkData; mediaType: string; filename?: string };
export type AiSdkReasoning = AiSdkOptions & { type: "reasoning"; text: string };
export type AiSdkCall = AiSdkOptions & {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
};
export type AiSdkOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "image-data" | "file-data"; data: string; mediaType: string }
        | { type: "image-url" | "file-url"; url: string }
      )[];
    };
export type AiSdkResult = AiSdkOptions & {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AiSdkOutput;
};

/**
 * A request for the user's approval of a call. If the call hasn't run yet, the SDK runs it when it finds the request
 * and the answer.
 */
export interface AiSdkQuestion {
  type: "tool-approval-request";
  approvalId: string;
  toolCallId: string;
}

/** The user's answer. */
export interface AiSdkAnswer {
  type: "tool-approval-response";
  approvalId: string;
  approved: boolean;
  reason?: string;
}

export type AiSdkMessage = AiSdkOptions &
  (
    | { role: "user"; content: string | (AiSdkText | AiSdkImage | AiSdkFile)[] }
    | {
        role: "assistant";
        content: string | (AiSdkText | AiSdkFile | AiSdkReasoning | AiSdkCall | AiSdkResult | AiSdkQuestion)[];
      }
    | { role: "tool"; content: (AiSdkResult | AiSdkAnswer)[] }
  );

/** The arguments of `generateText` and `streamText` that hold the prompt. */
export interface AiSdkBody {
  system?: string;
  messages: AiSdkMessage[];
}

export const PARTS: Readonly<Record<string, FieldSchema>> = {
  text: fields("type text providerOptions"),
  image: fields("type image mediaType providerOptions"),
  file: fields("type data mediaType filename providerOptions"),
  reasoning: fields("type text providerOptions"),
  "reasoning-file": fields("type data mediaType providerOptions"),
  custom: fields("type kind providerOptions"),
  "tool-call": fields("type toolCallId toolName input providerOptions providerExecuted"),
  "tool-result": fields("type toolCallId toolName output providerOptions"),
  "tool-approval-request": fields("type approvalId toolCallId signature inputSchemaInput isAutomatic"),
  "tool-approval-response": fields("type approvalId approved reason providerExecuted"),
};
export const MESSAGE: FieldSchema = fields("role content providerOptions");

/** Calls to tools that a provider runs, and their results. Both are in the assistant's message. */
const isInline: IsInline = ({ part }) =>
  (part.type === "tool-call" || part.type === "tool-result") && part.providerExecuted === true;

/** An approved call that the SDK hasn't run yet: the request and the answer. */
interface Approval {
  readonly request: AiSdkQuestion;
  readonly response: AiSdkAnswer;
}

/** Returns the approved calls by their ids, from anywhere in the caller's messages. */
function allowedIn(messages: readonly ParsedMessage[]): ReadonlyMap<unknown, Approval> {
  const parts = messages.flatMap((message) => listIn(message.given, "content")).filter(isRecord);
  const answers = new Map(parts.map((part) => [part.type === RESPONSE ? part.approvalId : undefined, part]));
  return new Map(
    parts.flatMap((request): [unknown, Approval][] => {
      const response = request.type === REQUEST ? answers.get(request.approvalId) : undefined;
      return response === undefined
        ? []
        : [
            [
              request.toolCallId,
              { request: request as unknown as AiSdkQuestion, response: response as unknown as AiSdkAnswer },
            ],
          ];
    }),
  );
}

export const REQUEST = "tool-approval-request";
export const RESPONSE = "tool-approval-response";

/** Returns the approval of a call that hasn't run. The SDK runs it when it receives the request and the answer. */
function allowedOf(call: AnsweredCall, allowed: ReadonlyMap<unknown, Approval>): Approval | undefined {
  const { results, part } = call;
  const [first, ...others] = results;
  if (first === undefined) {
    return allowed.get(part.toolCallId);
  }
  const given = first.given;
  if (others.length > 0 || !isRecord(given) || given.type !== RESPONSE) {
    return undefined;
  }
  const response = given as unknown as AiSdkAnswer;
  return { request: { type: REQUEST, approvalId: response.approvalId, toolCallId: part.toolCallId }, response };
}

/** Returns the provider whose compactions a model accepts back. */
function makerOf(model: string | null | undefined): string | undefined {
  const name = model?.toLowerCase() ?? "";
  return name.includes("claude") ? "anthropic" : OPENAI.test(name) ? "openai" : undefined;
}

const OPENAI = /(?:^|\/)(?:gpt-|chatgpt-|codex|o\d)/;

/** Returns a message without compactions of providers other than `maker`. */
function withoutOthers(message: ParsedMessage, maker: string | undefined): ParsedMessage {
  const parts = message.parts.filter(
    ({ part }) =>
      part.type !== "redacted_thinking" ||
      part.note === undefined ||
      (part.note === "compaction" && part.provider === maker),
  );
  return parts.length === message.parts.length ? message : { ...message, parts };
}

/** Returns the parts of a request that hold messages. */
export function writeAiSdk(
  given: readonly ParsedMessage[],
  namesInTexts: boolean,
  { model, lateInstructions }: RequestTarget = {},
): AiSdkBody {
  const late = lateInstructions ?? "top";
  const maker = makerOf(model);
  const messages = withoutCompacted(given, maker, late === "top").map((message) => withoutOthers(message, maker));
  const turns = withSpeakers(turnsOf(messages, isInline), namesInTexts);
  const { system, others } = apart(maker === undefined ? turns : compactionFirst(turns, maker), late);
  const allowed = allowedIn(messages);
  const ids = idsOf(callsIn(turns), ANY);
  const instructions = system.flatMap(textsOf).map(({ part }) => part.text);
  return wellFormed({
    ...(instructions.length === 0 ? {} : { system: instructions.join("\n\n") }),
    messages: others.flatMap((turn) => messageOf(turn, allowed, ids)),
  });
}

function messageOf(
  turn: RequestTurn,
  allowed: ReadonlyMap<unknown, Approval>,
  ids: ReadonlyMap<AnsweredCall, string>,
): AiSdkMessage[] {
  switch (turn.kind) {
    case "user": {
      const pieces = turn.pieces.filter(({ part }) => part.type !== "text" || !isBlank(part.text));
      return pieces.length === 0
        ? []
        : [{ role: "user", content: contentOf(pieces, userPartOf), ...optionsOf(pieces) }];
    }
    case "assistant": {
      const names = new Map(turn.pieces.flatMap(({ part }) => (part.type === "tool-call" ? [nameOf(part)] : [])));
      const pieces = turn.pieces.filter((piece) => !saysNothing(piece));
      const content = contentOf(pieces, (piece) => assistantPartOf(piece, names, ids));
      const asked = pieces.flatMap(({ call }) => {
        const request = call && allowedOf(call, allowed)?.request;
        return request === undefined ? [] : [{ ...request, toolCallId: ids.get(call as AnsweredCall) as string }];
      });
      return pieces.length === 0
        ? []
        : [
            {
              role: "assistant",
              content: typeof content === "string" ? content : [...content, ...asked],
              ...optionsOf(pieces),
            },
          ];
    }
    case "results": {
      const results = turn.calls.flatMap((call): (AiSdkResult | AiSdkAnswer)[] => {
        const response = allowedOf(call, allowed)?.response;
        return response === undefined
          ? resultOf(call.results, { toolCallId: ids.get(call) as string, toolName: call.part.toolName })
          : [knownFieldsIn(response, PARTS[RESPONSE] as FieldSchema)];
      });
      const orphan = turn.orphan === undefined ? [] : resultOf([turn.orphan], turn.orphan.part);
      const content = [...results, ...orphan];
      const options = optionsOf(turn.calls.flatMap(({ results: of }) => of));
      return content.length === 0 ? [] : [{ role: "tool", content, ...options }];
    }
    default:
      return [];
  }
}

/** Returns the options of the messages that pieces belong to: the last that are set. They hold cache marks. */
function optionsOf(pieces: readonly Piece[]): AiSdkOptions {
  const given = pieces.map(({ source }) => source?.given);
  const options = given.map((row) => (isRecord(row) ? row.providerOptions : undefined)).findLast(isRecord);
  return options === undefined ? {} : { providerOptions: options as Record<string, Record<string, AiSdkJson>> };
}

/** True if a part is a blank text, or reasoning with neither a text nor a proof. */
const saysNothing = ({ part, given }: Piece): boolean =>
  (part.type === "text" && isBlank(part.text)) ||
  (part.type === "reasoning" && isBlank(part.text) && given === undefined && Object.keys(proofOf(part)).length === 0);

const nameOf = ({ toolCallId, toolName }: CallPart): readonly [id: string, name: string] => [toolCallId, toolName];

/** Returns a single text as a string. Several pieces, and the caller's own part, become a list. */
function contentOf<Part>(pieces: readonly Piece[], write: (piece: Piece) => Part): string | Part[] {
  const [first, ...others] = pieces;
  const part = first?.part;
  const isText = others.length === 0 && part?.type === "text" && ownPart(first as Piece, () => true) === undefined;
  const isProven = isText && Object.keys(proofOf(part)).length > 0;
  return isText && !isProven ? part.text : pieces.map(write);
}

/** Returns the caller's own part, if it is one of the SDK's. */
function ownPart<Part>(piece: Piece, isWhole: (given: Readonly<Record<string, unknown>>) => boolean): Part | undefined {
  const given = piece.given;
  const schema = PARTS[piece.part.type];
  if (schema === undefined || !isRecord(given) || given.type !== piece.part.type || !isWhole(given)) {
    return undefined;
  }
  return knownFieldsIn(given, schema) as Part;
}

/** Returns a provider's proof in the place that the SDK's packages read. */
function proofOf(
  { provider, signature, id }: SentPart & { type: "text" | "reasoning" | "tool-call" },
  data?: string,
): AiSdkOptions {
  const options: Readonly<Record<string, Readonly<Record<string, AiSdkJson | undefined>>>> = {
    anthropic: { signature },
    google: { thoughtSignature: signature },
    openai: { itemId: id, reasoningEncryptedContent: data },
  };
  const said = Object.entries(options[provider ?? ""] ?? {}).filter(([, value]) => value !== undefined);
  const proof = Object.fromEntries(said) as Record<string, AiSdkJson>;
  return provider === undefined || said.length === 0 ? {} : { providerOptions: { [provider]: proof } };
}

function textOf(piece: Piece<TextPart>): AiSdkText {
  const { part } = piece;
  const own = ownPart<AiSdkText>(piece, ({ text }) => text === part.text);
  return own ?? { type: "text", text: part.text, ...proofOf(part) };
}

function userPartOf(piece: Piece): AiSdkText | AiSdkImage | AiSdkFile {
  const { part } = piece;
  if (part.type === "text") {
    return textOf(piece as Piece<TextPart>);
  }
  const text =
    part.type === "file" && part.source?.type === "text" ? mediaOf(piece as Piece<MediaPart>).text : undefined;
  if (text !== undefined) {
    // Not every provider accepts a text file, but all accept its text.
    return { type: "text", text };
  }
  if (part.type === "image") {
    const own = ownPart<AiSdkImage>(piece, ({ image }) => isData(image));
    return own ?? imageOf(piece as Piece<MediaPart>);
  }
  return fileOf(piece as Piece<MediaPart>);
}

const isData = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof URL ||
  // Version 7 wraps data in an object that states its kind, or names a file stored with a provider.
  (isRecord(value) && Object.keys(value).length > 0);

const TAKEN = "data with its media type, or an address";

function imageOf(piece: Piece<MediaPart>): AiSdkImage {
  const media = mediaOf(piece);
  const { mediaType, base64 } = media;
  const image = base64 ?? addressOf(media.url);
  if (image === undefined) {
    return refuse(media, "the AI SDK", TAKEN);
  }
  return { type: "image", image, ...(mediaType === undefined ? {} : { mediaType }) };
}

/** Returns an address in the SDK's form. A string could also be base64. */
function addressOf(url: string | undefined): URL | undefined {
  try {
    return url === undefined || /^(?:blob|cid):/i.test(url) ? undefined : new URL(url);
  } catch {
    return undefined;
  }
}

function fileOf(piece: Piece<MediaPart>): AiSdkFile {
  const given = piece.given;
  if (isRecord(given) && given.type === "reasoning-file") {
    return knownFieldsIn(given, PARTS["reasoning-file"] as FieldSchema) as unknown as AiSdkFile;
  }
  const own = ownPart<AiSdkFile>(piece, ({ data, mediaType }) => isData(data) && typeof mediaType === "string");
  if (own !== undefined) {
    return own;
  }
  const media = mediaOf(piece);
  const { kind, mediaType, base64, document, part } = media;
  const data = base64 ?? (document === undefined ? addressOf(media.url) : new TextEncoder().encode(document));
  const type = mediaType ?? (kind === "image" ? "image/*" : undefined);
  if (data === undefined || type === undefined) {
    return refuse(media, "the AI SDK", TAKEN);
  }
  return { type: "file", data, mediaType: type, ...(part.filename === undefined ? {} : { filename: part.filename }) };
}

function assistantPartOf(
  piece: Piece,
  names: ReadonlyMap<string, string>,
  ids: ReadonlyMap<AnsweredCall, string>,
): AiSdkText | AiSdkFile | AiSdkReasoning | AiSdkCall | AiSdkResult {
  const { part } = piece;
  switch (part.type) {
    case "text":
      return textOf(piece as Piece<TextPart>);
    case "reasoning":
      return ownPart<AiSdkReasoning>(piece, ({ text }) => text === part.text) ?? reasoningOf(part);
    case "redacted_thinking":
      return redactedOf(piece as Piece<RedactedPart>);
    case "tool-call":
      return callOf(piece as Piece<CallPart>, piece.call && ids.get(piece.call));
    case "tool-result": {
      const toolName = part.toolName ?? names.get(part.toolCallId) ?? part.toolCallId;
      return resultOf([piece as Piece<ResultPart>], { toolCallId: part.toolCallId, toolName })[0] as AiSdkResult;
    }
    default: {
      return isSpoken(part) ? { type: "text", text: part.transcript } : fileOf(piece as Piece<MediaPart>);
    }
  }
}

const reasoningOf = (part: ReasoningPart): AiSdkReasoning => ({
  type: "reasoning",
  text: part.text,
  ...proofOf(part, part.data),
});

/** Returns a compaction in the form of its provider's SDK package. */
function compactionOf({ provider, data, id, signature }: RedactedPart): AiSdkText {
  if (provider === "anthropic") {
    const proof = signature === undefined ? {} : { signature };
    return { type: "text", text: data, providerOptions: { anthropic: { type: "compaction", ...proof } } };
  }
  const openai = { type: "compaction", ...(id === undefined ? {} : { itemId: id }), encryptedContent: data };
  // Only version 7 has a type for such a part.
  return { type: "custom", kind: "openai.compaction", providerOptions: { openai } } as unknown as AiSdkText;
}

/** Returns encrypted reasoning in the place that its provider's SDK package reads. */
function redactedOf({ part, place, given }: Piece<RedactedPart>): AiSdkReasoning | AiSdkText {
  const { provider, data, id } = part;
  const isOwn = isRecord(given) && (given.type === "custom" || typeof given.text === "string");
  if (isOwn && (given.type === "reasoning" || given.type === "custom")) {
    return knownFieldsIn(given, PARTS[given.type] as FieldSchema) as unknown as AiSdkReasoning;
  }
  if (part.note === "compaction") {
    return compactionOf(part);
  }
  if (provider === "anthropic") {
    return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: data } } };
  }
  if (provider === "openai") {
    return {
      type: "reasoning",
      text: "",
      ...proofOf({ type: "reasoning", text: "", provider, ...(id ? { id } : {}) }, data),
    };
  }
  throw new MalformedMessage(
    place,
    "the provider of this encrypted reasoning is unknown",
    'Name it, as in `provider: "anthropic"`, or leave the part out.',
  );
}

function callOf(piece: Piece<CallPart>, toolCallId: string = piece.part.toolCallId): AiSdkCall {
  const { part } = piece;
  const own = ownPart<AiSdkCall>(piece, ({ input, toolCallId: id }) => isRecord(input) && id === toolCallId);
  if (own !== undefined) {
    return own;
  }
  return {
    type: "tool-call",
    toolCallId,
    toolName: part.toolName,
    input: argumentsOf(piece).object,
    ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
    ...proofOf(part),
  };
}

export const OUTPUT: RegExp = /^(?:(?:error-)?(?:text|json)|content|execution-denied)$/;

function resultOf(
  results: AnsweredCall["results"],
  { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName?: string },
): AiSdkResult[] {
  const [first, ...others] = results;
  if (first === undefined) {
    return [];
  }
  const name = toolName ?? toolCallId;
  const isWhole = ({ output, toolName: own, toolCallId: id }: Readonly<Record<string, unknown>>): boolean =>
    own === name && id === toolCallId && isRecord(output) && OUTPUT.test(String(output.type));
  const own = others.length === 0 ? ownPart<AiSdkResult>(first, isWhole) : undefined;
  return [own ?? { type: "tool-result", toolCallId, toolName: name, output: outputOf(results) }];
}

function outputOf(results: AnsweredCall["results"]): AiSdkOutput {
  const { text, json, parts, isError } = outcomeOf(results);
  if (json !== undefined) {
    return { type: isError ? "error-json" : "json", value: json as AiSdkJson };
  }
  if (text !== undefined) {
    return { type: isError ? "error-text" : "text", value: text };
  }
  return { type: "content", value: parts.flatMap(blockOf) };
}

type Block = (AiSdkOutput & { type: "content" })["value"][number];

function blockOf(piece: Piece): Block[] {
  const { part, given } = piece;
  if (part.type === "text") {
    return isBlank(part.text) ? [] : [{ type: "text", text: part.text }];
  }
  if (isRecord(given) && /^(?:image|file)-(?:data|url|id|file-id)$|^image-file-id$|^media$/.test(String(given.type))) {
    return [given as unknown as Block];
  }
  const media = mediaOf(piece as Piece<MediaPart>);
  const { mediaType, base64, text } = media;
  if (text !== undefined) {
    return [{ type: "text", text }];
  }
  if (base64 !== undefined && mediaType !== undefined) {
    return [{ type: media.kind === "image" ? "image-data" : "file-data", data: base64, mediaType }];
  }
  const url = addressOf(media.url)?.href;
  if (url === undefined) {
    return refuse(media, "the AI SDK", "texts, data with its media type, and addresses from a tool");
  }
  return [{ type: media.kind === "image" ? "image-url" : "file-url", url }];
}
