// Requests of Gemini's generateContent.
//
// - All instructions, in any position, go into `systemInstruction`, one part each, in order.
// - Consecutive messages of one role become one content. Tool results are a separate content after the calls, with
//   nothing else in it.
// - A user's name comes before the text. Other names are left out.
// - Reasoning with Google's signature stays, and so do signatures of texts and calls. Other reasoning is left out. If
//   the first call since the user last spoke has no signature, it gets the value that makes the provider skip the
//   check, because Gemini 3 refuses a call without one.
// - A call and its response have an id if the caller's have one, or if one of them comes from another format. Not every
//   host of the models knows the field. Otherwise name and order match them.
// - A tool's result that is an object becomes the response itself. A text becomes its field `output`, and a failure its
//   field `error`.
// - A conversation that begins with the assistant gets a short user message before it.

import { EARLIER_MESSAGES } from "../../base/generated.js";
import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import type { MediaPart, ReasoningPart, SentPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import { argumentsOf, fitted, idsOf, type Limit, outcomeOf } from "../request/calls.js";
import { documentAsText, isSpoken, mediaOf, refuse } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
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

export interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { data?: string; mimeType?: string };
  fileData?: { fileUri?: string; mimeType?: string };
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: {
    id?: string;
    name?: string;
    response?: Record<string, unknown>;
    parts?: { inlineData?: { data?: string; mimeType?: string }; fileData?: { fileUri?: string; mimeType?: string } }[];
  };
  executableCode?: { code?: string; id?: string };
  codeExecutionResult?: { output?: string; id?: string };
  toolCall?: { id?: string; args?: Record<string, unknown> };
  toolResponse?: { id?: string; response?: Record<string, unknown> };
}

export interface GeminiContent {
  role?: string;
  parts?: GeminiPart[];
}

/** The prompt's fields in a request of Gemini's generateContent. `systemInstruction` belongs in `config`. */
export interface GeminiBody {
  systemInstruction?: GeminiContent;
  contents: GeminiContent[];
}

export const NAME: Limit = {
  pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  unfit: /[^a-zA-Z0-9_.:-]/g,
  longest: 128,
  start: [/^[a-zA-Z_]/, "_"],
};

/** The limit for ids of calls. No page states what Gemini accepts. Its own ids are shorter and use these characters. */
export const ID: Limit = { pattern: /^[a-zA-Z0-9_.:-]{1,128}$/, unfit: /[^a-zA-Z0-9_.:-]/g, longest: 128 };

/** The kinds of a part. A part has exactly one of these fields. */
export const KINDS: readonly (keyof GeminiPart)[] = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["toolCall", "toolResponse"],
] as (keyof GeminiPart)[];
const BLOB = fields("data mimeType displayName");
const FILE = fields("fileUri mimeType displayName");
export const PART: FieldSchema = fields(
  "text thought thoughtSignature executableCode codeExecutionResult toolCall toolResponse videoMetadata mediaResolution " +
    "partMetadata mediaProcessing speechMetadata",
  {
    inlineData: BLOB,
    fileData: FILE,
    functionCall: fields("id name args partialArgs willContinue"),
    functionResponse: fields("id name response parts scheduling willContinue"),
  },
);

/** The value that the provider accepts instead of a signature, for calls by another model. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Calls to tools that Gemini runs, and their results. They stay in the model's content. */
const isInline: IsInline = ({ part, given }) => {
  const isOfTool = part.type === "tool-call" || part.type === "tool-result";
  return isOfTool && isRecord(given) && !("type" in given) && HOSTED.some((kind) => isRecord(given[kind]));
};

const HOSTED = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"] as const;

/** The speaker of a content: the user, the model, or tools. */
type Speaker = "user" | "model" | "tools";

interface GeminiTurn {
  readonly speaker: Speaker;
  readonly parts: GeminiPart[];
}

/** Returns the parts of a request that hold messages. */
export function writeGemini(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { lateInstructions }: RequestTarget = {},
): GeminiBody {
  const turns = withSpeakers(turnsOf(messages, isInline), namesInTexts);
  const { system, others } = apart(turns, lateInstructions ?? "top");
  const ids = idsOf(callsIn(others), ID);
  const written = merged(others.flatMap((turn) => contentsOf(turn, ids)));
  if (written[0]?.speaker === "model") {
    written.unshift({ speaker: "user", parts: [{ text: EARLIER_MESSAGES }] });
  }
  signCalls(written);
  const instructions = system.flatMap(textsOf).map(textOf);
  return wellFormed({
    ...(instructions.length === 0 ? {} : { systemInstruction: { parts: instructions } }),
    contents: written.map(({ speaker, parts }) => ({ role: speaker === "model" ? "model" : "user", parts })),
  });
}

function merged(written: readonly GeminiTurn[]): GeminiTurn[] {
  const result: GeminiTurn[] = [];
  for (const { speaker, parts } of written) {
    const last = result.at(-1);
    if (last?.speaker === speaker) {
      last.parts.push(...parts);
    } else if (parts.length > 0) {
      result.push({ speaker, parts: [...parts] });
    }
  }
  return result;
}

/** Signs the first call of each content since the user last spoke, if it has no signature. */
function signCalls(written: readonly GeminiTurn[]): void {
  const spoken = written.findLastIndex(({ speaker }) => speaker === "user");
  for (const { parts } of written.slice(spoken + 1)) {
    const at = parts.findIndex(({ functionCall }) => functionCall !== undefined);
    const call = parts[at];
    if (call !== undefined && !call.thoughtSignature) {
      parts[at] = { ...call, thoughtSignature: NO_SIGNATURE };
    }
  }
}

function contentsOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): GeminiTurn[] {
  switch (turn.kind) {
    case "user":
      return [{ speaker: "user", parts: turn.pieces.flatMap(userPartsOf) }];
    case "assistant":
      return [{ speaker: "model", parts: turn.pieces.flatMap((piece) => modelPartsOf(piece, ids)) }];
    case "results": {
      const orphans = turn.orphan === undefined ? [] : [orphanOf(turn.orphan)];
      return [{ speaker: "tools", parts: [...turn.calls.flatMap((call) => responsesOf(call, ids)), ...orphans] }];
    }
    default:
      return [];
  }
}

/** Returns the caller's own part, if it is one of Gemini's. */
function ownPart(piece: Piece, ...kinds: readonly (keyof GeminiPart)[]): GeminiPart | undefined {
  const given = piece.given;
  if (!isRecord(given) || "type" in given || !kinds.some((kind) => given[kind] !== undefined)) {
    return undefined;
  }
  return knownFieldsIn(given, PART) as GeminiPart;
}

function textOf(piece: Piece): GeminiPart {
  const { text, provider, signature } = piece.part as SentPart & { type: "text" };
  const own = ownPart(piece, ...KINDS);
  return own ?? { text, ...(provider === "google" && signature ? { thoughtSignature: signature } : {}) };
}

function userPartsOf(piece: Piece): GeminiPart[] {
  if (piece.part.type === "text") {
    const part = textOf(piece);
    return isEmpty(part) ? [] : [part];
  }
  return [mediaPartOf(piece as Piece<MediaPart>)];
}

const isEmpty = ({ text, thoughtSignature }: GeminiPart): boolean =>
  text !== undefined && isBlank(text) && !thoughtSignature;

const TAKEN = "data with its media type, or an address";

function mediaPartOf(piece: Piece<MediaPart>): GeminiPart {
  const own = ownPart(piece, "inlineData", "fileData");
  if (own !== undefined) {
    return own;
  }
  const media = mediaOf(piece);
  const { mediaType, base64, url, id, text } = media;
  if (text !== undefined) {
    return { text };
  }
  if (base64 !== undefined && mediaType !== undefined) {
    return { inlineData: { mimeType: mediaType, data: base64 } };
  }
  const fileUri = url ?? (id !== undefined && /^(?:files\/|https?:|gs:)/.test(id) ? id : undefined);
  if (fileUri !== undefined && !/^(?:blob|cid):/i.test(fileUri)) {
    return { fileData: { fileUri, ...(mediaType === undefined ? {} : { mimeType: mediaType }) } };
  }
  return refuse(media, "Gemini", TAKEN);
}

function modelPartsOf(piece: Piece, ids: ReadonlyMap<AnsweredCall, string>): GeminiPart[] {
  const { part, call } = piece;
  if (call !== undefined) {
    return [callOf(call, idOf(call, ids))];
  }
  switch (part.type) {
    case "text": {
      const made = textOf(piece);
      return isEmpty(made) ? [] : [made];
    }
    case "reasoning":
      return isThought(part)
        ? [ownPart(piece, "text") ?? { text: part.text, thought: true, thoughtSignature: part.signature }]
        : ownThoughts(piece);
    case "image":
    case "audio":
    case "file": {
      return isSpoken(part) ? [{ text: part.transcript }] : [mediaPartOf(piece as Piece<MediaPart>)];
    }
    case "tool-call":
    case "tool-result":
      return [knownFieldsIn(piece.given as GeminiPart, PART)];
    default:
      return []; // encrypted reasoning of another provider
  }
}

const isThought = (part: ReasoningPart): part is ReasoningPart & { readonly signature: string } =>
  part.provider === "google" && part.signature !== undefined;

/** Returns the model's thoughts in Gemini's form. A summary has no signature. */
function ownThoughts(piece: Piece): GeminiPart[] {
  const own = ownPart(piece, "text");
  return own?.thought === true && !isBlank(own.text ?? "") ? [own] : [];
}

/**
 * Returns the id of a call for the request. Undefined if these are Gemini's own parts and neither the call nor its
 * response has one. A signed call without an id gets none.
 */
function idOf(call: AnsweredCall, ids: ReadonlyMap<AnsweredCall, string>): string | undefined {
  const given = [
    ownPart(call, "functionCall")?.functionCall,
    ...call.results.map((result) => ownPart(result, "functionResponse")?.functionResponse),
  ];
  const isSigned = given[0] !== undefined && call.part.signature !== undefined;
  const none = isSigned ? given.slice(0, 1) : given;
  return none.every((own) => own !== undefined && own.id === undefined) ? undefined : ids.get(call);
}

const idIn = (id: string | undefined): { readonly id?: string } => (id === undefined ? {} : { id });

function callOf(call: AnsweredCall, id: string | undefined): GeminiPart {
  const { toolName, provider, signature } = call.part;
  const name = fitted(toolName, NAME);
  const own = ownPart(call, "functionCall");
  if (own?.functionCall?.name === name && (own.functionCall.id ?? id) === id) {
    return own.functionCall.id === id ? own : { ...own, functionCall: { ...own.functionCall, ...idIn(id) } };
  }
  // A signature is valid only for the call that it was made for.
  const isSigned = provider === "google" && signature && own === undefined && name === toolName;
  return {
    functionCall: { ...idIn(id), name, args: argumentsOf(call).object },
    ...(isSigned ? { thoughtSignature: signature } : {}),
  };
}

function responsesOf(call: AnsweredCall, ids: ReadonlyMap<AnsweredCall, string>): GeminiPart[] {
  return call.results.length === 0 ? [] : [responseOf(call.results, idOf(call, ids), call.part.toolName)];
}

/** Writes a response without a call anyway, so the provider's rules can name the problem. */
function orphanOf(orphan: AnsweredCall["results"][number]): GeminiPart {
  const { toolCallId, toolName = toolCallId } = orphan.part;
  return responseOf([orphan], fitted(toolCallId, ID), toolName);
}

function responseOf(results: AnsweredCall["results"], id: string | undefined, toolName: string): GeminiPart {
  const name = fitted(toolName, NAME);
  const own = results.length === 1 ? ownPart(results[0] as Piece, "functionResponse") : undefined;
  const { id: ownId, ...given } = own?.functionResponse ?? {};
  if (own !== undefined && isResponse(given.response)) {
    const isSame = ownId === id && given.name === name;
    return isSame ? own : { ...own, functionResponse: { ...idIn(id), ...given, name } };
  }
  // A response's parts are media only.
  const { text, object, parts, isError } = outcomeOf(results, documentAsText);
  const said = parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = parts.filter(({ part }) => part.type !== "text").map((part) => mediaPartOf(part as Piece<MediaPart>));
  const response = object !== undefined && !isError ? object : { [isError ? "error" : "output"]: text ?? said };
  const held = media.length === 0 ? {} : { parts: media };
  return { ...own, functionResponse: { ...idIn(id), ...held, ...given, name, response } };
}

/** True if the provider accepts a response: an object or nothing. */
export const isResponse = (response: unknown): boolean => response == null || isRecord(response);
