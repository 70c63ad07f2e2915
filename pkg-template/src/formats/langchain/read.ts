// LangChain's messages, `@langchain/core` 0.3 and 1: instances of its classes, what `toJSON()` and `toDict()` make of these, and
// plain objects `{ type, content }`. A copy has the form of what it is a copy of; that of an instance is one of the same class.
//
// An assistant's message may say one call in its content, in `tool_calls` and in `additional_kwargs`: it counts once.
//
// Told by: `lc_kwargs`, `lc`, or a type such as `human` with a content.

import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  fieldsWithValue,
  type MessageFormat,
  partsWithText,
  recordOf,
  timeIn,
  type UnknownRecord,
} from "../../message/format.js";
import { list, MalformedMessage, required, text as textAt } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from, originOf } from "../../message/origin.js";
import { hasMedia, lostField, sayingField } from "../../message/substance.js";
import { blockWithText, isOfTool, kindOfBlock, readBlock, readBlocks, readReasoning } from "./blocks.js";

/** What of a message is read, by structure: an instance or a plain object, what `toDict()` gives, and what `toJSON()` gives. */
export type LangChainMessageShape =
  | { readonly type: string; readonly content: string | readonly unknown[] }
  | { readonly type: string; readonly data: { readonly content: string | readonly unknown[] } }
  | { readonly lc: number; readonly type: string; readonly id: readonly string[] };

/** Who speaks in a message, by its type or its class. What `chat` stands for says itself who speaks. */
const SPEAKERS: ReadonlyMap<unknown, PlainMessage["role"] | "chat" | "function" | "remove"> = new Map([
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "developer"],
  ["tool", "tool"],
  ["function", "function"],
  ["generic", "chat"],
  ["chat", "chat"],
  ["remove", "remove"],
]);
const CLASS = /(Human|AI|System|Tool|Function|Chat|Remove)Message(?:Chunk)?$/;
/** Who speaks in a `ChatMessage`, by the role that it names. */
const CHAT_ROLES: ReadonlyMap<unknown, PlainMessage["role"]> = new Map([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["system", "system"],
  ["developer", "developer"],
]);

/** Fields of `additional_kwargs` that are read, and those that say nothing which the model does not see elsewhere. */
const KWARGS: ReadonlySet<string> = new Set([
  ...["tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "refusal", "audio"],
  ...["tool_outputs", "__openai_role__", "__openai_function_call_ids__", "__raw_response", "parsed"],
  ...["signatures", "__gemini_function_call_thought_signatures__", "originalTextContentBlock"],
  ...["lc_source", "lc_data", "citations", "documents", "groundingMetadata", "safetyRatings", "stop_details"],
]);
/** Fields that hold once more what a message said, as it came: a copy with other words is without them. */
const ORIGINALS = {
  additional_kwargs: ["refusal", "originalTextContentBlock"],
  response_metadata: ["output"],
} as const;
/** Fields that hold calls. */
const CALL_FIELDS = ["tool_calls", "invalid_tool_calls", "tool_call_chunks"] as const;
const CALL_KWARGS = ["tool_calls", "function_call", "tool_outputs"] as const;

export const langChainMessageShape: MessageFormat = {
  name: "langchain",
  title: "LangChain message",
  fields: new Set([
    ...["id", "name", "type", "role", "content", "content_blocks", "contentBlocks", "createdAt"],
    ...["lc", "kwargs", "data", "graph", "lc_kwargs", "lc_namespace", "lc_serializable", "lc_direct_tool_output"],
    ...["tool_calls", "invalid_tool_calls", "tool_call_chunks", "tool_call_id", "additional_kwargs"],
    ...["response_metadata", "usage_metadata", "metadata", "artifact", "status", "example"],
  ]),

  fits(row) {
    if ("lc_kwargs" in row || typeof row._getType === "function") {
      return true;
    }
    if (row.lc === 1) {
      return row.type === "constructor" && Array.isArray(row.id) && isObject(row.kwargs);
    }
    if (typeof row.type !== "string" || speakerOf(row.type) === undefined) {
      return false;
    }
    // A line of a log of sessions has a type too, and an id of its own.
    const isPlain = row.role === undefined || speakerOf(row.type) === "chat";
    return isObject(row.data)
      ? "content" in row.data || "content_blocks" in row.data
      : isPlain && !("uuid" in row) && ("content" in row || row.type === "remove");
  },

  read(row) {
    const opened = open(row);
    const { fields, place } = opened;
    const { role, toolCallId } = roleIn(opened);
    const kwargs = recordOf(fields.additional_kwargs);
    const inKwargs = `${place}.additional_kwargs`;
    const field = contentFieldOf(fields);
    const blocks = readBlocks(fields[field], `${place}.${field}`);
    const content = proven(
      [
        ...withCalls([...thoughtsIn(kwargs, inKwargs, blocks), ...blocks], fields, place),
        ...saidBeside(kwargs, fields[field]),
      ],
      fields,
    );
    checkAllIsRead(kwargs, KWARGS, inKwargs, content);
    if (fields !== row) {
      checkAllIsRead(fields, langChainMessageShape.fields, place, content);
    }
    return {
      id: fields.id as string | undefined,
      role,
      // Of a tool's result it is the tool's: the call has it.
      name: role === "tool" ? undefined : textAt(fields.name, `${place}.name`),
      createdAt: timeIn(fields.createdAt, row.createdAt),
      toolCallId,
      ...(role === "tool"
        ? {
            toolName: textAt(fields.name, `${place}.name`),
            isError: fields.status === "error",
          }
        : {}),
      content,
    };
  },

  withText(row, text) {
    const { fields } = open(row);
    const field = contentFieldOf(fields);
    const content = fields[field];
    const made = Array.isArray(content)
      ? partsWithText<unknown>(content, text, {
          kindOf: kindOfBlock,
          rewritten: blockWithText,
          made: (own) => ({ type: "text", text: own }),
        })
      : text;
    return copyOf(row, { ...contentIn(fields, made), ...withoutOriginals(fields) });
  },

  withOrigin(row, { id, ...beside }) {
    return { ...(id === undefined ? row : copyOf(row, { id })), ...beside };
  },

  withoutToolCalls(row, isUnwanted = () => true) {
    const { fields } = open(row);
    const content = fields[contentFieldOf(fields)];
    const isGone = (block: unknown): boolean => isOfTool(block) && isUnwanted(recordOf(block));
    const isInContent = Array.isArray(content) && content.some(isGone);
    const kwargs = recordOf(fields.additional_kwargs);
    const held = CALL_FIELDS.filter((field) => Array.isArray(fields[field]) && fields[field].length > 0);
    if (!isInContent && held.length === 0 && !CALL_KWARGS.some((name) => kwargs[name] != null)) {
      return row;
    }
    const others = isInContent ? content.filter((block) => !isGone(block)) : content;
    const left = (field: string): readonly unknown[] =>
      listFrom(fields[field]).filter((call) => !isUnwanted(recordOf(call)));
    const originals = withoutOriginals(fields, CALL_KWARGS);
    // The calls as they came say them alone in some messages.
    const asTheyCame = listFrom(kwargs.tool_calls).filter((call) => !isUnwanted(recordOf(call)));
    return copyOf(row, {
      ...(isInContent ? contentIn(fields, others) : {}),
      ...Object.fromEntries(held.map((field) => [field, left(field)])),
      ...originals,
      ...(asTheyCame.length > 0
        ? { additional_kwargs: { ...recordOf(originals.additional_kwargs), tool_calls: asTheyCame } }
        : {}),
    });
  },
};

/** Whose reasoning is in a message, by what it says of its model. */
const MAKERS = [
  [/anthropic|bedrock/, "anthropic"],
  [/google|gemini|vertex/, "google"],
  [/openai|azure/, "openai"],
] as const;

/** Parts with what proves to the maker of the model that they are its own, which is beside the content. */
function proven(parts: readonly PartInput[], fields: UnknownRecord): readonly PartInput[] {
  const kwargs = recordOf(fields.additional_kwargs);
  const signatures = recordOf(kwargs.__gemini_function_call_thought_signatures__);
  const named = String(recordOf(fields.response_metadata).model_provider ?? "");
  const isGoogles = kwargs.__gemini_function_call_thought_signatures__ !== undefined;
  const maker = MAKERS.find(([pattern]) => pattern.test(named))?.[1] ?? (isGoogles ? "google" : undefined);
  const item = recordOf(kwargs.reasoning);
  const { id } = item;
  return parts.map((part) => {
    const { given, place } = originOf(part) ?? { given: undefined, place: "" };
    if (part.type === "tool-call") {
      const signature = signatures[part.toolCallId];
      return typeof signature === "string" ? from({ ...part, provider: "google", signature }, given, place) : part;
    }
    if (part.type !== "reasoning" && part.type !== "redacted_thinking") {
      return part;
    }
    if (part.signature === undefined && part.id === undefined && typeof id === "string") {
      // OpenAI's reasoning stands in the content as its text, and whole beside it.
      return from(
        { ...part, provider: "openai", id },
        Array.isArray(item.summary) ? kwargs.reasoning : undefined,
        place,
      );
    }
    return maker === "google" && part.signature !== undefined ? from({ ...part, provider: maker }, given, place) : part;
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Who speaks in a message of a type, or of a class. */
function speakerOf(type: unknown): ReturnType<typeof SPEAKERS.get> {
  return SPEAKERS.get(type) ?? SPEAKERS.get(CLASS.exec(String(type))?.[1]?.toLowerCase());
}

/** A message's fields, wherever its form has them, and where that is. */
interface OpenMessage {
  readonly fields: UnknownRecord;
  readonly place: string;
  readonly type: unknown;
  /** Where it says what it is. */
  readonly typePlace: string;
}

function open(row: UnknownRecord): OpenMessage {
  if (row.lc === 1 && isObject(row.kwargs)) {
    const type = Array.isArray(row.id) ? row.id.at(-1) : undefined;
    return { fields: row.kwargs as UnknownRecord, place: ".kwargs", type, typePlace: ".id" };
  }
  if (isObject(row.data) && row.content === undefined) {
    return { fields: row.data as UnknownRecord, place: ".data", type: row.type, typePlace: ".type" };
  }
  // Before version 1 only a method says the type of an instance.
  const type = row.type ?? (typeof row._getType === "function" ? row._getType() : undefined);
  return { fields: row, place: "", type, typePlace: ".type" };
}

function roleIn({ fields, place, type, typePlace }: OpenMessage): Pick<PlainMessage, "role" | "toolCallId"> {
  const speaker = speakerOf(type);
  switch (speaker) {
    case undefined:
      throw new MalformedMessage(
        typePlace,
        `unknown type ${describe(type)} of a message`,
        "Use the messages of LangChain, such as HumanMessage, AIMessage and ToolMessage.",
      );
    case "remove":
      throw new MalformedMessage(
        typePlace,
        "a RemoveMessage isn't a message: it tells a store to remove one",
        "Remove the message that it names from the list, and leave the RemoveMessage out.",
      );
    case "chat": {
      const role = CHAT_ROLES.get(fields.role);
      if (role === undefined) {
        const known = [...CHAT_ROLES.keys()].join(", ");
        throw new MalformedMessage(
          `${place}.role`,
          `unknown role ${describe(fields.role)} of a ChatMessage`,
          `Use one of the roles ${known}, or the class of message that fits.`,
        );
      }
      return { role };
    }
    case "tool":
      return { role: speaker, toolCallId: required(fields.tool_call_id, `${place}.tool_call_id`) };
    case "function":
      return { role: "tool", toolCallId: required(fields.name, `${place}.name`) };
    case "system":
      return { role: recordOf(fields.additional_kwargs).__openai_role__ === "developer" ? "developer" : speaker };
    default:
      return { role: speaker };
  }
}

/** The field that has the content. A message of version 1 may have it in its content blocks when it is serialized. */
function contentFieldOf(fields: UnknownRecord): "content" | "content_blocks" | "contentBlocks" {
  if (fields.content == null && Array.isArray(fields.content_blocks)) {
    return "content_blocks";
  }
  return fields.content == null && Array.isArray(ownBlocks(fields)) ? "contentBlocks" : "content";
}

/** The blocks that a plain object has; those of an instance are made of its content. */
const ownBlocks = (fields: UnknownRecord): unknown =>
  Object.hasOwn(fields, "contentBlocks") ? fields.contentBlocks : undefined;

/** A content, in every field that has it. */
function contentIn(fields: UnknownRecord, content: unknown): UnknownRecord {
  const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return {
    [contentFieldOf(fields)]: content,
    ...(fields.content_blocks == null ? {} : { content_blocks: blocks }),
    ...(ownBlocks(fields) == null ? {} : { contentBlocks: blocks }),
  };
}

/** A copy of a message with some fields changed, in its own form. */
function copyOf(row: UnknownRecord, change: UnknownRecord): UnknownRecord {
  const { fields, place } = open(row);
  if (place !== "") {
    return { ...row, [place.slice(1)]: { ...fields, ...change } };
  }
  const copy = Object.assign(Object.create(Object.getPrototypeOf(row)) as object, row, change);
  if (!isObject(row.lc_kwargs)) {
    return copy;
  }
  // What an instance was made from: it is serialized by that.
  const made = row.lc_kwargs as UnknownRecord;
  const blocks = made.contentBlocks != null && Array.isArray(change.content) ? { contentBlocks: change.content } : {};
  return Object.assign(copy, { lc_kwargs: { ...made, ...change, ...blocks } });
}

function without(fields: UnknownRecord, names: readonly string[]): UnknownRecord {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The fields of a message that hold what it said as it came, without that, and without `others` of the same. */
function withoutOriginals(fields: UnknownRecord, others: readonly string[] = []): UnknownRecord {
  const changed = Object.entries(ORIGINALS).filter(([field]) => isObject(fields[field]));
  return Object.fromEntries(
    changed.map(([field, names]) => [field, without(recordOf(fields[field]), [...names, ...others])]),
  );
}

type CallInput = Extract<PartInput, { readonly type: "tool-call" }>;
const isCall = (part: PartInput): part is CallInput => part.type === "tool-call";
const isNamedOnly = ({ toolCallId, toolName }: CallInput): boolean => toolCallId === toolName;

/** What a message calls beside its content: put where the content says the same call, otherwise behind it. */
function withCalls(parts: readonly PartInput[], fields: UnknownRecord, place: string): PartInput[] {
  const kwargs = recordOf(fields.additional_kwargs);
  const inKwargs = `${place}.additional_kwargs`;
  const calls = callsIn(fields.tool_calls, `${place}.tool_calls`);
  const invalid = callsIn(fields.invalid_tool_calls, `${place}.invalid_tool_calls`, INVALID);
  const original = callsIn(kwargs.tool_calls, `${inKwargs}.tool_calls`);
  // LangChain sends what came from the provider only where it made nothing of it.
  const sent = calls.length > 0 ? original.filter((call) => !holds(invalid, call)) : original;
  const read = [...parts];
  const paired = new Set<number>();
  for (const call of [...calls, ...sent.filter((it) => !holds(calls, it))]) {
    const find = (fits: (part: CallInput, call: CallInput) => boolean): number =>
      read.findIndex((part, index) => !paired.has(index) && isCall(part) && fits(part, call));
    const byId = find(hasSameId);
    const found = byId < 0 ? find(hasSameName) : byId;
    const at = found < 0 ? read.length : found;
    paired.add(at);
    // What `tool_calls` says is whole, and it has the id that the result has.
    const { toolCallId } = isNamedOnly(call) && found >= 0 ? (read[at] as CallInput) : call;
    read[at] = from({ ...call, toolCallId }, undefined, originOf(call)?.place ?? "");
  }
  // A call that could not be read is not sent, and so nothing has to answer it.
  for (const call of invalid.filter((it) => !holds(read, it))) {
    read.push(call, { type: "tool-result", toolCallId: call.toolCallId, output: "" });
  }
  if (kwargs.function_call != null) {
    read.push(callOf(kwargs.function_call, `${inKwargs}.function_call`));
  }
  for (const [at, item] of list(kwargs.tool_outputs, `${inKwargs}.tool_outputs`).entries()) {
    const done = readBlock(item, `${inKwargs}.tool_outputs[${at}]`);
    read.push(...done.filter((part) => !isCall(part) || !holds(read, part)));
  }
  return read;
}

/** The name of a call of which not even that could be read. */
const INVALID = "invalid_tool_call";

function callsIn(value: unknown, place: string, unnamed?: string): readonly CallInput[] {
  return list(value, place).map((call, at) => callOf(call, `${place}[${at}]`, unnamed));
}

/** A call as LangChain has it, or as it came from OpenAI. */
function callOf(value: unknown, place: string, unnamed?: string): CallInput {
  const call = recordOf(value);
  const [inner, at] = isObject(call.function)
    ? [call.function as UnknownRecord, `${place}.function`]
    : isObject(call.custom)
      ? [call.custom as UnknownRecord, `${place}.custom`]
      : [call, place];
  const toolName = required(inner.name || unnamed || inner.name, `${at}.name`);
  const toolCallId = textAt(call.id, `${place}.id`) || toolName;
  const input = inner.args ?? inner.arguments ?? inner.input;
  return from({ type: "tool-call", toolCallId, toolName, input }, undefined, place);
}

const holds = (parts: readonly PartInput[], call: CallInput): boolean =>
  parts.some((part) => isCall(part) && hasSameId(part, call));

const hasSameId = (one: CallInput, other: CallInput): boolean => one.toolCallId === other.toolCallId;
/** Whether two may be the same call although one of them has no id. */
const hasSameName = (one: CallInput, other: CallInput): boolean =>
  (isNamedOnly(one) || isNamedOnly(other)) && one.toolName === other.toolName;

/** What the assistant thought, where it stands beside the content and says something else than that. */
function thoughtsIn(kwargs: UnknownRecord, place: string, blocks: readonly PartInput[]): readonly PartInput[] {
  const { reasoning_content, reasoning } = kwargs;
  const details = list(kwargs.reasoning_details, `${place}.reasoning_details`).flatMap((detail) => {
    const { text, summary, data } = recordOf(detail);
    const thought = text ?? summary;
    return typeof thought === "string" ? [thoughtOf(thought)] : typeof data === "string" ? [hiddenOf(data)] : [];
  });
  // The details say in pieces what `reasoning_content` says as one.
  const isTold = details.some(({ type }) => type === "reasoning");
  const thoughts = [
    ...details,
    ...(typeof reasoning_content === "string" && !isTold ? [thoughtOf(reasoning_content)] : []),
    ...(typeof reasoning === "string" && !isTold ? [thoughtOf(reasoning)] : []),
    ...(isItem(reasoning) ? readReasoning(reasoning, `${place}.reasoning`) : []),
  ];
  const saidOf = (part: PartInput): string =>
    part.type === "reasoning" ? part.text : part.type === "redacted_thinking" ? part.data : "";
  const known = new Set(["", ...blocks.map(saidOf)]);
  return thoughts.filter((thought) => !known.has(saidOf(thought)) && known.add(saidOf(thought)));
}

const thoughtOf = (text: string): PartInput => ({ type: "reasoning", text });
const hiddenOf = (data: string): PartInput => ({ type: "redacted_thinking", data });
const isItem = (value: unknown): value is UnknownRecord =>
  ["summary", "content", "encrypted_content"].some((field) => recordOf(value)[field] != null);

/** What the assistant said beside the content: that it refuses, and audio. */
function saidBeside({ refusal, audio }: UnknownRecord, content: unknown): readonly PartInput[] {
  const isInContent = listFrom(content).some((block) => recordOf(block).type === "refusal");
  const { data, id } = recordOf(audio);
  return [
    ...(typeof refusal === "string" && !isInContent ? [{ type: "text", text: refusal } as const] : []),
    ...(hasMedia(data) || hasMedia(id) ? [{ type: "audio", ...fieldsWithValue({ data, id }) } as PartInput] : []),
  ];
}

/** Fails where a field that is not read holds what a message says: all of it, or parts, calls and media beside what was read. */
function checkAllIsRead(
  fields: UnknownRecord,
  known: ReadonlySet<string>,
  place: string,
  parts: readonly PartInput[],
): void {
  const texts = parts.flatMap(({ type, ...part }) => Object.values(part)).filter((value) => typeof value === "string");
  const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
  const field = isEmpty ? sayingField(fields, known, false) : lostField(fields, known, () => texts.join("\n"));
  if (field !== undefined) {
    throw new MalformedMessage(
      `${place}.${field}`,
      `\`${field}\` holds a part of the message that windrow doesn't read`,
      "Put it into the content, or under `metadata` to keep it from the model.",
    );
  }
}
