// Requests of Amazon Bedrock's Converse API, for all of its models.
//
// - All instructions, in any position, go into the field `system`, one block each, in order. Changes to the tools stay
//   in their place, in a message with the role system.
// - Consecutive messages of one role become one. The assistant's words come before its calls, and the results of all
//   calls begin the user's message after them.
// - A user's name comes before the text. Other names are left out.
// - Claude's reasoning with its signature stays, and other reasoning is left out. A message with reasoning begins with
//   it.
// - A result that is an object is a block `json`; others are texts and media. An empty result has no status, because
//   Converse refuses a failure without a text.
// - Each document gets a unique name that Converse accepts.
// - A conversation that begins with the assistant gets a short user message before it.

import { decodeBase64 } from "../../base/base64.js";
import { EARLIER_MESSAGES } from "../../base/generated.js";
import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import type { MediaPart, SentPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import { argumentsOf, fitted, idsOf, type Limit, outcomeOf, wordLimit } from "../request/calls.js";
import { mediaOf, refuse, type SentMedia, wordsIn } from "../request/media.js";
import { takesInstructionsLate } from "../request/models.js";
import type { RequestTarget } from "../request/provider.js";
import { type FieldSchema, fields, knownFieldsIn } from "../request/schema.js";
import { withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import {
  type AnsweredCall,
  afterUser,
  apart,
  callsIn,
  type IsInline,
  type Piece,
  type RequestTurn,
  textsOf,
  turnsOf,
} from "../request/turns.js";
import { formatOf, type MediaKind } from "./media.js";

/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

export type BedrockMediaSource = { bytes: Uint8Array } | { s3Location: { uri: string; bucketOwner?: string } };

export type BedrockText = { text: string };
export type BedrockCachePoint = { cachePoint: { type: "default"; ttl?: "5m" | "1h" } };
export type BedrockMedia =
  | { image: { format: "png" | "jpeg" | "gif" | "webp"; source: BedrockMediaSource } }
  | {
      document: {
        format?: "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "md" | "txt";
        name: string;
        source: BedrockMediaSource | { text: string };
      };
    }
  | {
      video: {
        format: "mkv" | "mov" | "mp4" | "webm" | "flv" | "mpeg" | "mpg" | "wmv" | "three_gp";
        source: BedrockMediaSource;
      };
    };
export type BedrockAudio = {
  audio: {
    format: "mp3" | "wav" | "flac" | "ogg" | "opus" | "aac" | "mp4" | "m4a" | "webm" | "pcm";
    source: BedrockMediaSource;
  };
};
export type BedrockToolChange = { tool: { type?: string; name?: string; serverName?: string } };
export type BedrockBlock =
  | BedrockText
  | BedrockCachePoint
  | BedrockMedia
  | BedrockAudio
  | { reasoningContent: { reasoningText: { text: string; signature?: string } } | { redactedContent: Uint8Array } }
  | { toolUse: { toolUseId: string; name: string; input: { [name: string]: JsonValue }; type?: "server_tool_use" } }
  | { toolAddition: BedrockToolChange }
  | { toolRemoval: BedrockToolChange }
  | {
      toolResult: {
        toolUseId: string;
        content: (BedrockText | BedrockMedia | { json: JsonValue })[];
        status?: "success" | "error";
      };
    };

export interface BedrockMessage {
  /** `system` only holds changes to the tools. */
  role: "user" | "assistant" | "system";
  content: BedrockBlock[];
}

/** The prompt's fields in a Converse request. */
export interface BedrockBody {
  system?: (BedrockText | BedrockCachePoint)[];
  messages: BedrockMessage[];
}

/**
 * Ids of calls and tool names: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
export const ID: Limit = wordLimit(64);
export const NAME: Limit = wordLimit(64);
/** Names of documents: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
export const DOCUMENT_NAME: RegExp = /^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/;
const MOST_NAME_LENGTH = 200;

const MEDIA = fields("format source error");
const REASONING = fields("redactedContent", { reasoningText: fields("text signature") });

/** The kinds of a block. A block has exactly one of these fields. */
export const BLOCK: FieldSchema = fields("text cachePoint guardContent citationsContent searchResult", {
  image: MEDIA,
  video: MEDIA,
  audio: MEDIA,
  document: fields("format name source context citations"),
  toolUse: fields("toolUseId name input type"),
  toolResult: fields("toolUseId content status type"),
  reasoningContent: REASONING,
  toolAddition: fields("tool"),
  toolRemoval: fields("tool"),
});
/** The kinds of a block in a tool's result. */
export const RESULT_BLOCK: FieldSchema = fields("text json searchResult", {
  image: MEDIA,
  video: MEDIA,
  document: fields("format name source context citations"),
});
/** Calls to tools that the provider runs, and their results. They stay in the assistant's message. */
const isInline: IsInline = ({ part, given }) => {
  const isOfTool = part.type === "tool-call" || part.type === "tool-result";
  return isOfTool && part.providerExecuted === true && isRecord(given) && isRecord(given.toolUse ?? given.toolResult);
};

/** Changes to the tools, which only instructions among the messages can hold. */
const CHANGES = ["toolAddition", "toolRemoval"];
const isToolChange: IsInline = ({ given }) => isRecord(given) && CHANGES.some((kind) => given[kind] != null);

interface BedrockTurn {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: BedrockBlock[];
}

/** Returns the parts of a request that hold messages. */
export function writeBedrock(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { model, lateInstructions }: RequestTarget = {},
): BedrockBody {
  const changesTools = takesInstructionsLate(model);
  const isKept: IsInline = (piece) => isInline(piece) || (changesTools && isToolChange(piece));
  const turns = withSpeakers(turnsOf(messages, isKept), namesInTexts);
  const { system, others } = apart(turns, lateInstructions ?? "top", isToolChange);
  const ids = idsOf(callsIn(others), ID);
  const written = merged(afterUser(others).flatMap((turn) => messageOf(turn, ids)));
  if (written[0]?.role === "assistant") {
    written.unshift({ role: "user", blocks: [{ text: EARLIER_MESSAGES }] });
  }
  const instructions = system.flatMap(textsOf).flatMap(textBlocksOf);
  nameDocuments(written.flatMap(({ blocks }) => blocks));
  return wellFormed({
    ...(instructions.length === 0 ? {} : { system: instructions }),
    messages: written.map(({ role, blocks }) => ({ role, content: blocks })),
  });
}

/** Joins consecutive messages of one role. */
function merged(written: readonly BedrockTurn[]): BedrockTurn[] {
  const result: BedrockTurn[] = [];
  for (const { role, blocks } of written) {
    const last = result.at(-1);
    if (last?.role === role) {
      last.blocks.push(...blocks);
    } else if (blocks.length > 0) {
      result.push({ role, blocks: [...blocks] });
    }
  }
  return result.map(({ role, blocks }) => ({ role, blocks: role === "assistant" ? ordered(blocks) : blocks }));
}

/**
 * Puts the assistant's blocks in the order that Claude requires: reasoning first and calls last, each with its cache
 * point.
 */
function ordered(blocks: readonly BedrockBlock[]): BedrockBlock[] {
  const runs: BedrockBlock[][] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if ("cachePoint" in block && last !== undefined) {
      last.push(block);
    } else {
      runs.push([block]);
    }
  }
  const isA = (field: string) => (run: readonly BedrockBlock[]) => field in (run[0] as BedrockBlock);
  const isCall = (run: readonly BedrockBlock[]): boolean => isA("toolUse")(run) && !isHostedBlock(run[0]);
  const calls = runs.filter(isCall);
  const said = runs.filter((run) => !isCall(run));
  const first = said.findIndex(isA("reasoningContent"));
  const after = said.findIndex((run, at) => at > first && !isA("reasoningContent")(run));
  const end = after < 0 ? said.length : after;
  const all = first <= 0 ? said : [...said.slice(first, end), ...said.slice(0, first), ...said.slice(end)];
  return [...all, ...calls].flat();
}

const isHostedBlock = (block: BedrockBlock | undefined): boolean =>
  block !== undefined && "toolUse" in block && block.toolUse.type !== undefined;

function messageOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): BedrockTurn[] {
  switch (turn.kind) {
    case "user":
      return [{ role: "user", blocks: turn.pieces.flatMap(userBlocksOf) }];
    case "assistant":
      return [{ role: "assistant", blocks: turn.pieces.flatMap((piece) => assistantBlocksOf(piece, ids)) }];
    case "results": {
      const blocks = turn.calls.flatMap((call) => resultsOf(call.results, ids.get(call) as string));
      const orphan = turn.orphan && resultsOf([turn.orphan], fitted(turn.orphan.part.toolCallId, ID));
      return [{ role: "user", blocks: [...blocks, ...(orphan ?? [])] }];
    }
    default:
      return [{ role: "system", blocks: turn.pieces.flatMap((piece) => ownBlock(piece, ...CHANGES) ?? []) }];
  }
}

/** Returns the caller's own block, if it is one of Converse's. */
function ownBlock<Block extends BedrockBlock>({ given }: Piece, ...kinds: readonly string[]): Block | undefined {
  const kind = kinds.find((name) => isRecord(given) && !("type" in given) && given[name] != null);
  return kind === undefined
    ? undefined
    : (knownFieldsIn({ [kind]: (given as Record<string, unknown>)[kind] }, BLOCK) as unknown as Block);
}

/** Returns a block and the cache point after it, if there is one. */
function withPoint<Block extends object>({ given }: Piece, block: Block): (Block | BedrockCachePoint)[] {
  const point = isRecord(given) && !("type" in given) ? given.cachePoint : undefined;
  return isRecord(point) ? [block, { cachePoint: point as BedrockCachePoint["cachePoint"] }] : [block];
}

function textBlocksOf(piece: Piece): (BedrockText | BedrockCachePoint)[] {
  const { text } = piece.part as SentPart & { type: "text" };
  const own = ownBlock<BedrockText>(piece, "text", "guardContent", "citationsContent");
  return withPoint(piece, own ?? { text });
}

function userBlocksOf(piece: Piece): BedrockBlock[] {
  if (piece.part.type === "text") {
    return isBlank(piece.part.text) ? [] : textBlocksOf(piece);
  }
  return withPoint(piece, mediaBlockOf(piece as Piece<MediaPart>));
}

const TAKEN = "images, documents, audio and videos by their bytes, or by their address in S3";

function mediaBlockOf(piece: Piece<MediaPart>): BedrockMedia | BedrockAudio {
  const own = ownBlock<BedrockMedia>(piece, "image", "document", "video", "audio", "searchResult", "guardContent");
  if (own !== undefined && !Object.values(own).some(isEncoded)) {
    return own;
  }
  const media = mediaOf(piece);
  const { mediaType, document: text, part } = media;
  if (text !== undefined) {
    const format = formatOf("document", mediaType) ?? "txt";
    return { document: { format, name: part.filename ?? "", source: { text } } } as BedrockMedia;
  }
  const kind: MediaKind = mediaType?.startsWith("video/") ? "video" : media.kind === "file" ? "document" : media.kind;
  const format =
    formatOf(kind, mediaType) ?? (kind === "document" && mediaType?.startsWith("text/") ? "txt" : undefined);
  const source = sourceOf(media);
  if (format === undefined || source === undefined) {
    return refuse(media, "Bedrock", TAKEN);
  }
  const name = kind === "document" ? { name: part.filename ?? "" } : {};
  return { [kind]: { format, ...name, source } } as unknown as BedrockMedia;
}

/** True for media that was read from JSON. Its bytes are base64, and the SDK would encode them again. */
function isEncoded(media: unknown): boolean {
  const source = isRecord(media) && isRecord(media.source) ? media.source : {};
  return source.bytes != null && !(source.bytes instanceof Uint8Array);
}

function sourceOf({ base64, url }: SentMedia): BedrockMediaSource | undefined {
  if (base64 !== undefined) {
    return { bytes: decodeBase64(base64) };
  }
  return url?.startsWith("s3://") ? { s3Location: { uri: url } } : undefined;
}

/** Names each document uniquely, within Converse's rules. The bytes of a body don't change. */
function nameDocuments(blocks: BedrockBlock[]): void {
  const taken = new Set<string>();
  const named = (block: object): void => {
    const { document, toolResult } = block as { document?: { name: string; format?: string }; toolResult?: object };
    if (document !== undefined) {
      (block as { document: object }).document = { ...document, name: documentName(document, taken) };
    }
    for (const inner of (toolResult as { content?: object[] } | undefined)?.content ?? []) {
      named(inner);
    }
  };
  blocks.forEach(named);
}

function documentName({ name, format }: { name: string; format?: string }, taken: Set<string>): string {
  const bare =
    format !== undefined && name.toLowerCase().endsWith(`.${format}`) ? name.slice(0, -format.length - 1) : name;
  const cleaned = bare.replace(/[^a-zA-Z0-9()[\]-]+/g, " ").trim() || "document";
  let free = cleaned.slice(0, MOST_NAME_LENGTH).trimEnd();
  // Names are compared without regard to case.
  for (let count = 2; taken.has(free.toLowerCase()); count++) {
    free = `${cleaned.slice(0, MOST_NAME_LENGTH - String(count).length - 1).trimEnd()} ${count}`;
  }
  taken.add(free.toLowerCase());
  return free;
}

function assistantBlocksOf(piece: Piece, ids: ReadonlyMap<AnsweredCall, string>): BedrockBlock[] {
  const { part, call } = piece;
  if (call !== undefined) {
    return withPoint(piece, callOf(call, ids.get(call) as string));
  }
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : textBlocksOf(piece);
    case "reasoning": {
      const { text, signature, provider } = part;
      const isSigned = provider === "anthropic" && signature !== undefined;
      return isSigned ? withPoint(piece, { reasoningContent: { reasoningText: { text, signature } } }) : [];
    }
    case "redacted_thinking": {
      const bytes = part.provider === "anthropic" && part.note === undefined ? bytesOf(part.data) : undefined;
      return bytes === undefined ? [] : withPoint(piece, { reasoningContent: { redactedContent: bytes } });
    }
    case "tool-call":
    case "tool-result": {
      const own = ownBlock(piece, "toolUse", "toolResult");
      return own === undefined ? [] : withPoint(piece, own);
    }
    default:
      return [{ text: wordsIn(piece as Piece<MediaPart>, "Bedrock", "of the assistant text alone") }];
  }
}

/** Decodes a provider's encrypted bytes. Undefined if the text isn't base64. */
function bytesOf(data: string): Uint8Array | undefined {
  try {
    return decodeBase64(data);
  } catch {
    return undefined;
  }
}

function callOf(call: AnsweredCall, toolUseId: string): BedrockBlock {
  const input = argumentsOf(call).object as { [name: string]: JsonValue };
  return { toolUse: { toolUseId, name: fitted(call.part.toolName, NAME), input } };
}

function resultsOf(results: AnsweredCall["results"], toolUseId: string): BedrockBlock[] {
  const [first] = results;
  if (first === undefined) {
    return [];
  }
  const { object, parts, isError } = outcomeOf(results);
  const content = object === undefined ? parts.flatMap(resultBlockOf) : [{ json: object as JsonValue }];
  const status = isError && content.length > 0 ? { status: "error" as const } : {};
  return withPoint(first, { toolResult: { toolUseId, content, ...status } });
}

function resultBlockOf(piece: Piece): (BedrockText | BedrockMedia)[] {
  if (piece.part.type === "text") {
    return isBlank(piece.part.text) ? [] : [{ text: piece.part.text }];
  }
  const block = mediaBlockOf(piece as Piece<MediaPart>);
  return "audio" in block
    ? refuse(mediaOf(piece as Piece<MediaPart>), "Bedrock", "anything but audio from a tool")
    : [block];
}
