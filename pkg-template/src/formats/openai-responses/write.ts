// Requests of OpenAI's Responses.
//
// - Instructions at the beginning go into `instructions`, joined by blank lines. Later ones stay in their place, with
//   their role. Only the assistant's words may come between a call and its results.
// - A user's name comes before the text. Other names are left out.
// - Reasoning stays if the provider can accept it back: an item with its id, and encrypted content or the id of the
//   next item. Other reasoning is left out.
// - Each text of the assistant, each call and each result is an item.

import { isRecord } from "../../base/plain-data.js";
import { wellFormed } from "../../base/well-formed.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { MediaPart, ReasoningPart, RedactedPart, SentPart, TextPart } from "../../message/message.js";
import { OWN_FIELDS, type ParsedMessage } from "../../message/read.js";
import {
  argumentsOf,
  customInputOf,
  fitted,
  idsOf,
  type Limit,
  outcomeOf,
  parsedObject,
  wordLimit,
} from "../request/calls.js";
import { compactionFirst, isCompactionOf, withoutCompacted } from "../request/compaction.js";
import { dataUrl, mediaOf, refuse, webAddress, wordsIn } from "../request/media.js";
import type { RequestTarget } from "../request/provider.js";
import { listIn } from "../request/rules.js";
import { type FieldSchema, fields, knownFieldsIn } from "../request/schema.js";
import { withSpeakers } from "../request/speakers.js";
import { isBlank } from "../request/text.js";
import {
  type AnsweredCall,
  callsIn,
  type IsInline,
  type Piece,
  type RequestTurn,
  type SystemTurn,
  textsOf,
  turnsOf,
} from "../request/turns.js";

export interface ResponsesText {
  type: "input_text";
  text: string;
}

export type ResponsesPart =
  | ResponsesText
  | { type: "input_image"; detail: "auto" | "low" | "high"; image_url?: string; file_id?: string }
  | { type: "input_file"; file_data?: string; file_url?: string; file_id?: string; filename?: string };

interface ReasoningItem {
  type: "reasoning";
  id: string;
  summary: { type: "summary_text"; text: string }[];
  encrypted_content?: string;
}

export type ResponsesItem =
  | { role: "system" | "developer" | "user"; content: string | ResponsesPart[] }
  | { role: "assistant"; content: string }
  | ReasoningItem
  | {
      type: "message";
      role: "assistant";
      id: string;
      status: "completed";
      content: ({ type: "output_text"; text: string; annotations: [] } | { type: "refusal"; refusal: string })[];
    }
  | { type: "compaction"; encrypted_content: string; id?: string }
  | { type: "function_call"; call_id: string; name: string; arguments: string; id?: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesPart[] }
  | { type: "custom_tool_call"; call_id: string; name: string; input: string; id?: string }
  | { type: "custom_tool_call_output"; call_id: string; output: string | ResponsesPart[] };

/** The prompt's fields in a request of OpenAI's Responses. */
export interface ResponsesBody {
  instructions?: string;
  input: ResponsesItem[];
  /** The caller's settings. */
  context_management?: { type: string; compact_threshold?: number | null }[];
}

export const ID: Limit = wordLimit(64);
export const NAME: Limit = wordLimit(64);
/** The provider's ids of items, by type. It refuses a request with any other id. */
export const ITEM_ID: RegExp = /^(?=.{1,64}$)[a-z]+_[A-Za-z0-9_]+$/;
const ITEM_ID_BEGINNINGS: Readonly<Record<string, string>> = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
};

/** True if an id looks like one that the provider assigns to items of this type. */
export function isItemId(id: unknown, type: string): id is string {
  return typeof id === "string" && ITEM_ID.test(id) && id.startsWith(ITEM_ID_BEGINNINGS[type] ?? "");
}

export const PARTS: Readonly<Record<string, FieldSchema>> = {
  input_text: fields("type text prompt_cache_breakpoint"),
  input_image: fields("type image_url file_id detail prompt_cache_breakpoint"),
  input_file: fields("type file_data file_id file_url filename detail prompt_cache_breakpoint"),
  output_text: fields("type text annotations logprobs"),
  refusal: fields("type refusal"),
  summary_text: fields("type text"),
  reasoning_text: fields("type text"),
};
const MESSAGE = fields("type role content phase id status");
const OUTPUT = fields("type call_id output id status name namespace caller");
const REASONING = fields("type id summary content encrypted_content");
/** The fields of an item that hold parts. */
export const HOLDERS: ReadonlyMap<FieldSchema | undefined, readonly string[]> = new Map([
  [MESSAGE, ["content"]],
  [OUTPUT, ["output"]],
  [REASONING, ["summary", "content"]],
]);
/** The items whose fields are known. Other items, of the many tools that the provider runs, are sent unchanged. */
export const ITEMS: Readonly<Record<string, FieldSchema>> = {
  message: MESSAGE,
  function_call: fields("type call_id name arguments id status namespace caller async"),
  function_call_output: OUTPUT,
  custom_tool_call: fields("type call_id name input id namespace caller async"),
  custom_tool_call_output: OUTPUT,
  reasoning: REASONING,
  image_generation_call: fields("type id result status"),
};
/**
 * An item of a tool that the provider runs, including its result, or data that the model receives outside the
 * conversation.
 */
const HOSTED =
  /^(?:web_search|file_search|image_generation|code_interpreter|mcp)_call$|^mcp_list_tools$|^compaction$|^additional_tools$|^configuration_update$/;
/**
 * An item that calls a provider's tool which the application runs or approves, and an item with the result of such a
 * call.
 */
export const CALLED: RegExp =
  /^(?:computer|local_shell|shell|apply_patch|tool_search)_call$|^program$|^mcp_approval_request$/;
export const GAVE: RegExp =
  /^(?:computer_call|local_shell_call|shell_call|apply_patch_call|tool_search|program)_output$|^mcp_approval_response$/;

/** Returns the parts of a request that hold messages. */
export function writeResponses(
  messages: readonly ParsedMessage[],
  namesInTexts: boolean,
  { store }: RequestTarget = {},
): ResponsesBody {
  const sent = withoutCompacted(messages, MAKER, false);
  const turns = compactionFirst(withSpeakers(turnsOf(sent, isInline), namesInTexts), MAKER);
  const begin = turns.findIndex(({ kind }) => kind !== "system");
  // A conversation with nothing but instructions sends them as messages, because the input can't be empty.
  const leading = turns.slice(0, Math.max(begin, 0)) as readonly SystemTurn[];
  const ids = idsOf(callsIn(turns), ID);
  const input = turns.slice(leading.length).flatMap((turn) => itemsOf(turn, ids));
  const instructions = leading.flatMap(textsOf).map(({ part }) => part.text);
  return wellFormed({
    ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n\n") }),
    input: taken(input, store === false),
  });
}

/** The provider whose compactions the API accepts back. xAI's have the same form. */
const MAKER = "openai";

/** Returns the caller's own item, if it is one of the provider's. */
function ownItem({ given }: Pick<Piece, "given">): Readonly<Record<string, unknown>> | undefined {
  return isRecord(given) ? given : undefined;
}

const isInline: IsInline = (piece) => HOSTED.test(String(ownItem(piece)?.type));

/** An item, or a marker for reasoning that is left out. */
type ItemOrGap = ResponsesItem | typeof LEFT_OUT;
const LEFT_OUT = "reasoning that is left out";

const typeOf = (item: object): string => String((item as { readonly type?: unknown }).type);
const isReasoning = (item: ItemOrGap): boolean => item !== LEFT_OUT && typeOf(item) === "reasoning";

/** True if an item is the assistant's and not reasoning. */
function isOfAssistant(item: ItemOrGap | undefined): item is ResponsesItem {
  if (item === undefined || item === LEFT_OUT || isReasoning(item)) {
    return false;
  }
  const type = typeOf(item);
  return "role" in item && type !== "additional_tools"
    ? item.role === "assistant"
    : !/_output$/.test(type) && !GAVE.test(type);
}

/**
 * Returns the items that the provider accepts. It accepts reasoning only directly before the item it led to and,
 * without encrypted content, only if that item has its id. If the reasoning is left out, that item loses its id,
 * because the provider would look for the reasoning. For a request that isn't stored (`isStateless`), the provider
 * finds nothing by id, so all reasoning needs its encrypted content.
 */
function taken(entries: readonly ItemOrGap[], isStateless: boolean): ResponsesItem[] {
  let isProven = true;
  return entries.flatMap((entry, at): ResponsesItem[] => {
    const next = entries[at + 1];
    if (entry === LEFT_OUT || isReasoning(entry)) {
      const { encrypted_content: encrypted } = entry as { readonly encrypted_content?: unknown };
      const isNamed = !isStateless && entry !== LEFT_OUT && "id" in entry && isOfAssistant(next) && "id" in next;
      isProven = entry !== LEFT_OUT && isOfAssistant(next) && (!!encrypted || isNamed);
      return isProven ? [entry as ResponsesItem] : [];
    }
    if (!isOfAssistant(entry)) {
      isProven = true;
      return [entry];
    }
    return [isProven && !isStateless ? entry : withoutId(entry)];
  });
}

/** Returns an item without its id. An item of a tool that the provider runs keeps it. */
function withoutId(item: ResponsesItem): ResponsesItem {
  if (!("id" in item) || HOSTED.test(typeOf(item)) || CALLED.test(typeOf(item))) {
    return item;
  }
  const { id, ...others } = item;
  return others as ResponsesItem;
}

function itemsOf(turn: RequestTurn, ids: ReadonlyMap<AnsweredCall, string>): ItemOrGap[] {
  switch (turn.kind) {
    case "system":
      return [{ role: turn.role, content: contentOf(textsOf(turn)) }];
    case "user": {
      const pieces = turn.pieces.filter(({ part }) => part.type !== "text" || !isBlank(part.text));
      return pieces.length === 0 ? [] : [{ role: "user", content: contentOf(pieces) }];
    }
    case "assistant":
      return saidOf(turn.pieces, ids);
    default:
      return turn.orphan === undefined
        ? turn.calls.flatMap((call) => (isUnsaid(call) ? [] : resultsOf(call.results, ids.get(call) as string, call)))
        : resultsOf([turn.orphan], fitted(turn.orphan.part.toolCallId, ID));
  }
}

/** Returns a single text as a string. Several pieces, and the caller's own part, become a list. */
function contentOf(pieces: readonly Piece[]): string | ResponsesPart[] {
  const [first, ...others] = pieces;
  const isText = others.length === 0 && first?.part.type === "text" && ownPart(first) === undefined;
  return isText ? (first.part as SentPart & { type: "text" }).text : pieces.map(partOf);
}

function ownPart(piece: Piece): ResponsesPart | undefined {
  const given = ownItem(piece);
  const type = String(given?.type);
  const isOwn = type === "input_text" || type === "input_image" || type === "input_file";
  return given !== undefined && isOwn
    ? (knownFieldsIn(given, PARTS[type] as FieldSchema) as unknown as ResponsesPart)
    : undefined;
}

function partOf(piece: Piece): ResponsesPart {
  const own = ownPart(piece);
  if (own !== undefined) {
    return own;
  }
  const { part } = piece;
  return part.type === "text" ? { type: "input_text", text: part.text } : mediaPartOf(piece as Piece<MediaPart>);
}

const TAKEN = "images and files by data, address or id";

function mediaPartOf(piece: Piece<MediaPart>): ResponsesPart {
  const media = mediaOf(piece);
  const { kind, mediaType, base64, id, text, part } = media;
  const url = webAddress(media);
  if (text !== undefined) {
    return { type: "input_text", text };
  }
  if (kind === "image") {
    const address = url ?? (base64 && mediaType && dataUrl({ mediaType, base64 }));
    const detail = part.detail === "low" || part.detail === "high" ? part.detail : "auto";
    if (address) {
      return { type: "input_image", detail, image_url: address };
    }
    if (id !== undefined) {
      return { type: "input_image", detail, file_id: id };
    }
  }
  if (kind === "file") {
    const named = part.filename === undefined ? {} : { filename: part.filename };
    if (base64 !== undefined && mediaType !== undefined) {
      const filename = part.filename ?? `file.${mediaType.replace(/^.*[/+]/, "")}`;
      return { type: "input_file", filename, file_data: dataUrl({ mediaType, base64 }) };
    }
    if (url !== undefined) {
      return { type: "input_file", file_url: url, ...named };
    }
    if (id !== undefined) {
      return { type: "input_file", file_id: id };
    }
  }
  return refuse(media, "OpenAI's Responses", TAKEN);
}

function saidOf(pieces: readonly Piece[], ids: ReadonlyMap<AnsweredCall, string>): ItemOrGap[] {
  const items: ItemOrGap[] = [];
  const sent = new Set<unknown>();
  for (const piece of pieces) {
    const { part, call } = piece;
    const given = ownItem(piece);
    if (part.type === "redacted_thinking" && part.note !== undefined && part.provider !== MAKER) {
      items.push(LEFT_OUT);
    } else if (given !== undefined && isWholeItem(given, part)) {
      // Several parts may belong to one item, which is sent once.
      if (!sent.has(given)) {
        sent.add(given);
        items.push(fittedItem(given));
      }
    } else if (call !== undefined) {
      items.push(...(isUnsaid(call) ? [] : [callOf(call, ids.get(call) as string)]));
    } else if (isCompactionOf(part, MAKER)) {
      items.push(compactionItem(part as RedactedPart));
    } else if (part.type === "reasoning" || part.type === "redacted_thinking") {
      addReasoning(items, part);
    } else if (part.type === "text") {
      addText(items, piece as Piece<TextPart>);
    } else if (part.type === "tool-call" || part.type === "tool-result") {
      throw new MalformedMessage(piece.place, "a tool that the provider runs has no item", "Leave it out.");
    } else {
      const content = wordsIn(piece as Piece<MediaPart>, "OpenAI's Responses", "of the assistant text alone");
      items.push({ role: "assistant", content });
    }
  }
  return items;
}

/** True if the caller's own item is one of the assistant's that can be sent unchanged. */
function isWholeItem(given: Readonly<Record<string, unknown>>, part: SentPart): boolean {
  const { type } = given;
  if (type === "message") {
    const texts = listIn(given, "content").map((held) => (isRecord(held) ? (held.text ?? held.refusal) : undefined));
    return (
      given.role === "assistant" && part.type === "text" && !texts.some((it) => typeof it !== "string" || isBlank(it))
    );
  }
  const isProven = isItemId(given.id, "reasoning") || typeof given.encrypted_content === "string";
  return type === "reasoning" ? Array.isArray(given.summary) && isProven : HOSTED.test(String(type));
}

/** Returns the names of windrow's own fields in an item, which files and applications add to it. */
export const ownFieldNames = (item: Readonly<Record<string, unknown>>): readonly string[] =>
  [...OWN_FIELDS, "createdAt"].filter((field) => item[field] !== undefined);

/** Returns an item without windrow's own fields. Its other fields are known only to the provider. */
function withoutOwnFields(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const own = ownFieldNames(item);
  return own.length === 0 ? item : Object.fromEntries(Object.entries(item).filter(([name]) => !own.includes(name)));
}

/** Returns an item with only the known fields. Drops an id that the provider didn't assign. */
function fittedItem(given: Readonly<Record<string, unknown>>): ResponsesItem {
  const type = String(given.type);
  const schema = ITEMS[type];
  const item = fittedParts(schema === undefined ? withoutOwnFields(given) : knownFieldsIn(given, schema), schema);
  if (item.id === undefined || isItemId(item.id, type)) {
    return item as unknown as ResponsesItem;
  }
  const { id, ...others } = item;
  return others as unknown as ResponsesItem;
}

/** Returns an item whose parts have only the known fields. */
function fittedParts(
  item: Readonly<Record<string, unknown>>,
  schema: FieldSchema | undefined,
): Readonly<Record<string, unknown>> {
  const held = HOLDERS.get(schema)?.filter((field) => Array.isArray(item[field])) ?? [];
  const fitted = held.map((field) => [field, listIn(item, field).map(fittedPart)] as const);
  const isSame = fitted.every(([field, parts]) => parts.every((part, at) => part === listIn(item, field)[at]));
  return isSame ? item : { ...item, ...Object.fromEntries(fitted) };
}

function fittedPart(part: unknown): unknown {
  const known = isRecord(part) ? PARTS[String(part.type)] : undefined;
  return known === undefined ? part : knownFieldsIn(part as object, known);
}

type SaidItem = Extract<ResponsesItem, { readonly status: "completed" }>;

/** Adds a text as an item. Texts of one item are joined. */
function addText(items: ItemOrGap[], piece: Piece<TextPart>): void {
  const { part } = piece;
  const { text } = part;
  const id = part.provider === "openai" ? part.id : undefined;
  if (isBlank(text)) {
    return;
  }
  if (!isItemId(id, "message")) {
    items.push({ role: "assistant", content: text });
    return;
  }
  const isRefusal = ownItem(piece)?.type === "refusal";
  const held: SaidItem["content"][number] = isRefusal
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [] };
  const last = items.at(-1);
  if (last !== undefined && last !== LEFT_OUT && typeOf(last) === "message" && (last as SaidItem).id === id) {
    (last as SaidItem).content.push(held);
  } else {
    items.push({ type: "message", role: "assistant", id, status: "completed", content: [held] });
  }
}

const compactionItem = ({ data, id }: RedactedPart): ResponsesItem => ({
  type: "compaction",
  encrypted_content: data,
  ...(isItemId(id, "compaction") ? { id } : {}),
});

/** Adds reasoning as an item. Parts of one item are joined. */
function addReasoning(items: ItemOrGap[], part: ReasoningPart | RedactedPart): void {
  const { id, provider, data } = part;
  if (provider !== "openai" || !isItemId(id, "reasoning")) {
    items.push(LEFT_OUT);
    return;
  }
  const summary =
    part.type === "reasoning" && part.text !== "" ? [{ type: "summary_text" as const, text: part.text }] : [];
  const last = items.at(-1);
  if (isReasoning(last ?? LEFT_OUT) && (last as ReasoningItem).id === id) {
    const item = last as ReasoningItem;
    item.summary.push(...summary);
    if (data !== undefined) {
      item.encrypted_content ??= data;
    }
  } else {
    items.push({ type: "reasoning", id, summary, ...(data === undefined ? {} : { encrypted_content: data }) });
  }
}

/**
 * True if a call of OpenAI's own types, such as a shell call, has no result from the caller. No item can say that it
 * was interrupted.
 */
const isUnsaid = (call: AnsweredCall): boolean =>
  CALLED.test(String(ownItem(call)?.type)) && call.results.every(({ place }) => place === call.place);

function callOf(call: AnsweredCall, id: string): ResponsesItem {
  const { part } = call;
  const name = fitted(part.toolName, NAME);
  const given = ownItem(call);
  if (given !== undefined && CALLED.test(String(given.type))) {
    return given.call_id == null ? fittedItem(given) : fittedItem({ ...given, call_id: id });
  }
  if (given?.call_id === id && NAME.pattern.test(String(given.name)) && isWholeCall(given)) {
    return fittedItem(given);
  }
  const custom = customInputOf(part);
  const type = custom === undefined ? "function_call" : "custom_tool_call";
  const itemId = part.provider === "openai" && isItemId(part.id, type) ? { id: part.id } : {};
  return type === "function_call"
    ? { type, call_id: id, name, arguments: argumentsOf(call).text, ...itemId }
    : { type, call_id: id, name, input: custom as string, ...itemId };
}

function isWholeCall({ type, arguments: given, input }: Readonly<Record<string, unknown>>): boolean {
  return type === "custom_tool_call"
    ? typeof input === "string"
    : type === "function_call" && typeof given === "string" && parsedObject(given) !== undefined;
}

function resultsOf(results: AnsweredCall["results"], id: string, call?: AnsweredCall): ResponsesItem[] {
  const [first, ...others] = results;
  if (first === undefined) {
    return [];
  }
  const made = call === undefined ? undefined : callOf(call, id);
  const isCustom = made !== undefined && "type" in made && made.type === "custom_tool_call";
  const type = isCustom ? "custom_tool_call_output" : "function_call_output";
  const given = ownItem(first);
  if (given !== undefined && GAVE.test(String(given.type))) {
    return results.map((result) => {
      const item = ownItem(result) ?? given;
      const fit = fittedItem(item.call_id == null ? item : { ...item, call_id: id });
      // The result of a local shell call has the call's id as its own.
      return item.call_id == null && item.type === "local_shell_call_output" ? { ...fit, id } : fit;
    });
  }
  if (others.length === 0 && given?.type === type && given.call_id === id && isWholeOutput(given.output)) {
    return [fittedItem(given)];
  }
  const { text, parts } = outcomeOf(results);
  const said = parts.filter(({ part }) => part.type !== "text" || !isBlank(part.text));
  const isList = text === undefined || said.some((piece) => ownPart(piece) !== undefined);
  return [{ type, call_id: id, output: isList && said.length > 0 ? said.map(partOf) : (text ?? "") }];
}

/** True if a tool's result can be sent unchanged: a text, or non-empty parts. */
function isWholeOutput(output: unknown): boolean {
  const isHeld = (part: unknown): boolean =>
    isRecord(part) && String(part.type) in PARTS && !(typeof part.text === "string" && isBlank(part.text));
  return typeof output === "string" || (Array.isArray(output) && output.length > 0 && output.every(isHeld));
}
