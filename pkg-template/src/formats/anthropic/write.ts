// Requests of Anthropic's Messages API, in a strict form that Bedrock and other hosts of the same models accept too.
//
// - All instructions, in any position, go into the field `system`, in order, with a blank line between them. If part of
//   them has a cache mark, they stay blocks.
// - Consecutive messages of one role become one. The assistant's words come before its calls, and the results of all
//   calls begin the user's message after them.
// - A user's name comes before the text. Other names are left out.
// - Reasoning with Anthropic's signature stays, and other reasoning is left out. A message with reasoning begins with
//   it.
// - A conversation that begins with the assistant gets a short user message before it.

import { EARLIER_MESSAGES } from "../../base/generated.js";
import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import type { MediaPart, RedactedPart, SentPart } from "../../message/message.js";
import type { ParsedMessage } from "../../message/read.js";
import { argumentsOf, fitted, idsOf, type Limit, outcomeOf, wordLimit } from "../request/calls.js";
import { compactionFirst, withoutCompacted } from "../request/compaction.js";
import { mediaOf, refuse, webAddress, wordsIn } from "../request/media.js";
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
  type SystemTurn,
  textsOf,
  turnsOf,
} from "../request/turns.js";
import { HOSTED_RESULT, TOOL_CHANGE } from "./read.js";

export interface AnthropicText {
  type: "text";
  text: string;
}

export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface AnthropicImage {
  type: "image";
  source:
    | { type: "base64"; media_type: AnthropicImageType; data: string }
    | { type: "url"; url: string }
    | { type: "file"; file_id: string };
}

export interface AnthropicDocument {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string }
    | { type: "file"; file_id: string };
  title?: string | null;
}

export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
      is_error?: boolean;
    };

export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  /** Only for models that take instructions among the messages, and only after a user message. */
  | { role: "system"; content: string | AnthropicText[] };

/** The prompt's fields in a request of Anthropic's Messages API. */
export interface AnthropicBody {
  system?: string | AnthropicText[];
  messages: AnthropicMessage[];
  /** Only with `onPrefixMismatch`: the treatment of thinking that is bound to another conversation. */
  thinking?: { type: "adaptive"; block_binding: { prefix_mismatch_behavior: "drop_block" | "error" } };
  /** The caller's settings. They may have more fields. */
  context_management?: {
    edits?: { type: "clear_tool_uses_20250919" | "clear_thinking_20251015" | "compact_20260112" }[];
  };
}

export const ID: Limit = wordLimit(64);
export const NAME: Limit = wordLimit(128);

const SOURCE = { source: fields("type media_type data url file_id content") };
const RESULT = fields("type tool_use_id content is_error cache_control toolset_name caller");
const BLOCKS: Readonly<Record<string, FieldSchema>> = {
  text: fields("type text cache_control citations"),
  image: fields("type cache_control transformations", SOURCE),
  document: fields("type title context citations cache_control", SOURCE),
  search_result: fields("type source title content citations cache_control"),
  thinking: fields("type thinking signature"),
  redacted_thinking: fields("type data"),
  tool_use: fields("type id name input cache_control caller toolset_name"),
  server_tool_use: fields("type id name input cache_control caller"),
  mcp_tool_use: fields("type id name server_name input cache_control"),
  tool_result: RESULT,
  container_upload: fields("type file_id cache_control"),
  compaction: fields("type content encrypted_content signature tool_changes cache_control"),
  fallback: fields("type from to trigger cache_control"),
  mcp_tool_listing: fields("type mcp_server_name tools cache_control"),
  tool_reference: fields("type tool_name cache_control"),
  tool_addition: fields("type tool cache_control"),
  tool_removal: fields("type tool cache_control"),
};

/** Returns the schema of a block by its type. Results of tools that Anthropic runs share one. */
export function schemaOf(type: unknown): FieldSchema | undefined {
  const name = String(type);
  return Object.hasOwn(BLOCKS, name) ? BLOCKS[name] : HOSTED_RESULT.test(name) ? RESULT : undefined;
}

/** Calls to tools that Anthropic runs, and their results. They stay in the assistant's message. */
const isHosted: IsInline = ({ part, given }) => {
  const isOfTool = part.type === "tool-call" || part.type === "tool-result";
  return isOfTool && part.providerExecuted === true && isRecord(given) && schemaOf(given.type) !== undefined;
};

const isOutputChange = ({ type, note }: { readonly type: string; readonly note?: unknown }): boolean =>
  type === "redacted_thinking" && note === "output";

/** Changes to the tools or the output settings. Only instructions among the messages can hold them. */
const isLateChange: IsInline = ({ part, given }) =>
  isOutputChange(part) || (isRecord(given) && TOOL_CHANGE.test(String(given.type)));

/** Returns the parts of a request that hold messages. */
export function writeAnthropic(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { model, lateInstructions }: RequestTarget = {},
): AnthropicBody {
  const takesLate = takesInstructionsLate(model);
  const late = takesLate ? "place" : (lateInstructions ?? "top");
  const isInline: IsInline = (piece) => isHosted(piece) || (takesLate && isLateChange(piece));
  const turns = withSpeakers(turnsOf(withoutCompacted(messages, MAKER, late === "top"), isInline), namesInTexts);
  const { system, others } = apart(compactionFirst(turns, MAKER), late, isLateChange);
  const ids = idsOf(callsIn(others), ID);
  const written = merged(afterUser(others).flatMap((turn) => messageOf(turn, ids)));
  if (written[0]?.role === "assistant" && !isCompaction(written[0].blocks[0])) {
    written.unshift({ role: "user", blocks: [plainText(EARLIER_MESSAGES)] });
  }
  const last = written.at(-1);
  if (last?.role === "assistant") {
    trimEnd(last.blocks);
  }
  const instructions = systemOf(system);
  return wellFormed({
    ...(instructions === undefined ? {} : { system: instructions }),
    messages: written.map(({ role, blocks, settings }) => {
      return { role, ...(blocks.length === 0 ? {} : { content: contentOf(blocks) }), ...settings } as AnthropicMessage;
    }),
  });
}

/** The provider whose compactions the API accepts back. */
const MAKER = "anthropic";

/**
 * A message in the form for sending. A text that wasn't one of the caller's parts becomes a plain string if it is the only block.
 */
interface AnthropicTurn {
  readonly role: "user" | "assistant" | "system";
  /** The content. Empty if the message only has settings. */
  readonly blocks: AnthropicBlock[];
  /** The caller's settings of instructions. Only the beta types of the SDK have them. */
  readonly settings?: InstructionSettings;
}

/** How long the model sees instructions, and the output settings that apply from there on. */
interface InstructionSettings {
  readonly clear_at?: unknown;
  readonly output_config?: unknown;
}

/** Returns the settings of a message of instructions. */
function settingsOf(given: unknown): InstructionSettings {
  const { clear_at: end, output_config: output } = isRecord(given) ? given : {};
  return { ...(end == null ? {} : { clear_at: end }), ...(output == null ? {} : { output_config: output }) };
}

/**
 * Returns the settings of two messages of instructions that become one: the newer output, and the end of both if it is
 * the same.
 */
function joined(first: InstructionSettings, second: InstructionSettings): InstructionSettings {
  const { clear_at: _, ...others } = { ...first, ...second };
  return first.clear_at !== undefined && first.clear_at === second.clear_at
    ? { ...others, clear_at: first.clear_at }
    : others;
}

const plainTexts = new WeakSet<object>();

function contentOf(blocks: AnthropicBlock[]): string | AnthropicBlock[] {
  const [first, ...others] = blocks;
  return first?.type === "text" && others.length === 0 && plainTexts.has(first) ? first.text : blocks;
}

/** Joins consecutive messages of one role. */
function merged(written: readonly AnthropicTurn[]): AnthropicTurn[] {
  const result: { role: AnthropicTurn["role"]; blocks: AnthropicBlock[]; settings: InstructionSettings }[] = [];
  for (const { role, blocks, settings = {} } of written) {
    const last = result.at(-1);
    if (last?.role === role) {
      last.blocks.push(...blocks);
      last.settings = joined(last.settings, settings);
    } else if (blocks.length > 0 || settings.output_config !== undefined) {
      result.push({ role, blocks: [...blocks], settings });
    }
  }
  return result.map((turn) => ({ ...turn, blocks: turn.role === "assistant" ? ordered(turn.blocks) : turn.blocks }));
}

/**
 * Puts the assistant's blocks in the order that the API requires: reasoning first if there is some, calls last. The API
 * rejects reordered reasoning, so these blocks move as one.
 */
function ordered(blocks: readonly AnthropicBlock[]): AnthropicBlock[] {
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const said = blocks.filter(({ type }) => type !== "tool_use");
  // A compaction stays first.
  const begin = isCompaction(said[0]) ? 1 : 0;
  const first = said.findIndex(isThinking);
  if (first <= begin) {
    return [...said, ...calls];
  }
  const after = said.findIndex((block, at) => at > first && !isThinking(block));
  const end = after < 0 ? said.length : after;
  const thinking = said.slice(first, end);
  return [...said.slice(0, begin), ...thinking, ...said.slice(begin, first), ...said.slice(end), ...calls];
}

const isThinking = ({ type }: { readonly type: string }): boolean =>
  type === "thinking" || type === "redacted_thinking";

/** Removes trailing whitespace from the assistant's last text if it ends the request. */
function trimEnd(blocks: AnthropicBlock[]): void {
  const last = blocks.at(-1);
  if (last?.type === "text" && last.text !== last.text.trimEnd()) {
    const text = last.text.trimEnd();
    blocks[blocks.length - 1] = plainTexts.has(last) ? plainText(text) : { ...last, text };
  }
}

function systemOf(turns: readonly SystemTurn[]): string | AnthropicText[] | undefined {
  const blocks = turns.flatMap(textsOf).map(textOf);
  const [first, ...others] = blocks;
  // Several texts stay separate. A separator would be sent but not counted.
  const isText = others.length === 0 && first !== undefined && Object.keys(first).length === 2;
  return isText ? first.text : first && blocks;
}

function messageOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): AnthropicTurn[] {
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
      return [
        {
          role: "system",
          blocks: turn.pieces.flatMap((piece) => instructionsOf(turn, piece)),
          settings: settingsOf(turn.pieces[0]?.source?.given),
        },
      ];
  }
}

/** Returns the caller's own block, if it has one of Anthropic's types. */
function ownBlock<Block extends AnthropicBlock>(piece: Piece, ...types: readonly string[]): Block | undefined {
  const given = piece.given;
  if (!isRecord(given) || !types.includes(String(given.type))) {
    return undefined;
  }
  return knownFieldsIn(given, schemaOf(given.type) as FieldSchema) as unknown as Block;
}

function textOf(piece: Piece): AnthropicText {
  const text = (piece.part as SentPart & { type: "text" }).text;
  const own = ownBlock<AnthropicText>(piece, "text");
  if (own !== undefined) {
    return own;
  }
  return plainText(text);
}

/** Returns a piece of instructions among the messages: a text, or a change to the tools. */
function instructionsOf(turn: SystemTurn, piece: Piece): readonly AnthropicBlock[] {
  if (isOutputChange(piece.part)) {
    return []; // its message has the settings
  }
  const change = ownBlock<AnthropicBlock>(piece, "tool_addition", "tool_removal");
  return change === undefined ? textsOf({ ...turn, pieces: [piece] }).map(textOf) : [change];
}

function plainText(text: string): AnthropicText {
  const made: AnthropicText = { type: "text", text };
  plainTexts.add(made);
  return made;
}

function userBlocksOf(piece: Piece): (AnthropicText | AnthropicImage | AnthropicDocument)[] {
  const { part } = piece;
  if (part.type === "text") {
    const isReference = ownBlock<AnthropicText>(piece, "search_result", "tool_reference");
    return isReference ? [isReference] : isBlank(part.text) ? [] : [textOf(piece)];
  }
  const own = ownBlock<AnthropicDocument>(piece, "search_result", "container_upload");
  return [own ?? mediaBlockOf(piece as Piece<MediaPart>)];
}

const IMAGE_TYPES: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const TAKEN = "JPEG, PNG, GIF and WebP images, PDF and text documents, by data or address";

function mediaBlockOf(piece: Piece<MediaPart>): AnthropicText | AnthropicImage | AnthropicDocument {
  const own = ownBlock<AnthropicImage | AnthropicDocument>(piece, "image", "document");
  if (own !== undefined && isRecord(own.source)) {
    return own;
  }
  const media = mediaOf(piece);
  const { kind, mediaType, base64, id, document, part } = media;
  const url = webAddress(media);
  const title = part.filename === undefined ? {} : { title: part.filename };
  if (document !== undefined) {
    return { type: "document", source: { type: "text", media_type: "text/plain", data: document }, ...title };
  }
  if (kind === "image") {
    if (base64 !== undefined && IMAGE_TYPES.includes(mediaType)) {
      return { type: "image", source: { type: "base64", media_type: mediaType as AnthropicImageType, data: base64 } };
    }
    if (url !== undefined) {
      return { type: "image", source: { type: "url", url } };
    }
    if (id !== undefined) {
      return { type: "image", source: { type: "file", file_id: id } };
    }
  }
  if (kind === "file") {
    if (base64 !== undefined && mediaType === "application/pdf") {
      return { type: "document", source: { type: "base64", media_type: mediaType, data: base64 }, ...title };
    }
    if (base64 !== undefined && mediaType?.startsWith("text/")) {
      const data = new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      return { type: "document", source: { type: "text", media_type: "text/plain", data }, ...title };
    }
    if (url !== undefined && (mediaType === undefined || mediaType === "application/pdf")) {
      return { type: "document", source: { type: "url", url }, ...title };
    }
    if (id !== undefined) {
      return { type: "document", source: { type: "file", file_id: id }, ...title };
    }
  }
  return refuse(media, "Anthropic", TAKEN);
}

function assistantBlocksOf(piece: Piece, ids: ReadonlyMap<AnsweredCall, string>): AnthropicBlock[] {
  const { part, call } = piece;
  if (call !== undefined) {
    return [callOf(call, ids.get(call) as string)];
  }
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [textOf(piece)];
    case "reasoning":
      return part.provider === "anthropic" && part.signature !== undefined
        ? [ownBlock(piece, "thinking") ?? { type: "thinking", thinking: part.text, signature: part.signature }]
        : [];
    case "redacted_thinking":
      return part.provider === "anthropic"
        ? [ownBlock(piece, part.type, "compaction", "fallback", "mcp_tool_listing") ?? redactedOf(part)]
        : [];
    case "tool-call":
    case "tool-result": {
      const given = piece.given as { readonly type: string };
      return [knownFieldsIn(given, schemaOf(given.type) as FieldSchema) as unknown as AnthropicBlock];
    }
    default: {
      const text = wordsIn(piece as Piece<MediaPart>, "Anthropic", "of the assistant text alone");
      return [{ type: "text", text }];
    }
  }
}

/** True for a compaction. The SDK has this block only in its beta types, so the body's type leaves it out. */
const isCompaction = (block: AnthropicBlock | undefined): boolean =>
  (block?.type as string | undefined) === "compaction";

function redactedOf({ data, note, signature }: RedactedPart): AnthropicBlock {
  if (note !== "compaction") {
    return { type: "redacted_thinking", data };
  }
  const block = { type: "compaction", content: data, ...(signature === undefined ? {} : { signature }) };
  return block as unknown as AnthropicBlock;
}

function callOf(call: AnsweredCall, id: string): AnthropicBlock {
  const name = fitted(call.part.toolName, NAME);
  const own = ownBlock<AnthropicBlock & { type: "tool_use" }>(call, "tool_use");
  const isWhole = own?.id === id && own.name === name && isRecord(own.input);
  return isWhole ? own : { type: "tool_use", id, name, input: argumentsOf(call).object };
}

function resultsOf(results: AnsweredCall["results"], id: string): AnthropicBlock[] {
  const [first, ...others] = results;
  if (first === undefined) {
    return [];
  }
  const { text, parts, isError } = outcomeOf(results);
  const own =
    others.length === 0 ? ownBlock<AnthropicBlock & { type: "tool_result" }>(first, "tool_result") : undefined;
  const isText = own === undefined ? text !== undefined && !parts.some(isGiven) : !Array.isArray(own.content);
  const content = isText ? text : parts.flatMap(userBlocksOf);
  if (own?.tool_use_id === id && isSameContent(own.content, content)) {
    return [own];
  }
  const { content: _, ...about } = own ?? {};
  const isEmpty = content === undefined || (typeof content === "string" ? isBlank(content) : content.length === 0);
  return [
    {
      ...about,
      type: "tool_result",
      tool_use_id: id,
      ...(isEmpty ? {} : { content }),
      ...(isError ? { is_error: true } : {}),
    },
  ];
}

/** True if a part of a tool's result is a block of Anthropic's with more than its text. */
const isGiven = (piece: Piece): boolean => Object.keys(ownBlock(piece, "text") ?? {}).length > 2;

function isSameContent(given: unknown, made: unknown): boolean {
  if (Array.isArray(given) && Array.isArray(made)) {
    return given.length > 0 && given.length === made.length && given.every((block, at) => block === made[at]);
  }
  return given === made ? typeof given !== "string" || !isBlank(given) : given == null && made === "";
}
