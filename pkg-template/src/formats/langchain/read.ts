// LangChain's messages, `@langchain/core` 0.3 and 1: instances of its classes, the results of their `toJSON()` and
// `toDict()`, and plain objects `{ type, content }`. A copy has the form of its original. The copy of an instance has
// the same class.
//
// An assistant message may have the same call in its content, in `tool_calls` and in `additional_kwargs`. It counts
// once.
//
// Recognized by: `lc_kwargs`, `lc`, or a type such as `human` with `content`.

import { FreePlaces } from "../../base/free-places.js";
import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import { sameClass } from "../../base/plain-data.js";
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

/**
 * The fields of a message that windrow reads, as a structural type: of an instance or a plain object, of `toDict()`,
 * and of `toJSON()`.
 */
export type LangChainMessageShape =
  | { readonly type: string; readonly content: string | readonly unknown[] }
  | { readonly type: string; readonly data: { readonly content: string | readonly unknown[] } }
  | { readonly lc: number; readonly type: string; readonly id: readonly string[] };

/** The speaker of a message, by its type or class. A `chat` message names its speaker itself. */
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
/** The speaker of a `ChatMessage`, by its role. */
const CHAT_ROLES: ReadonlyMap<unknown, PlainMessage["role"]> = new Map([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["system", "system"],
  ["developer", "developer"],
]);

/** Fields of `additional_kwargs` that are read, or that only repeat content the model sees elsewhere. */
const KWARGS: ReadonlySet<string> = new Set([
  ...["tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "refusal", "audio"],
  ...["tool_outputs", "__openai_role__", "__openai_function_call_ids__", "__raw_response", "parsed"],
  ...["signatures", "__gemini_function_call_thought_signatures__", "originalTextContentBlock"],
  ...["lc_source", "lc_data", "citations", "documents", "groundingMetadata", "safetyRatings", "stop_details"],
]);
/** Fields that repeat the message's original content. A copy with another text drops them. */
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
  signs: ["type", "lc_kwargs"],
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
    // A line of a session log also has a type and an id.
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
      // On a tool's result, this is the tool's name, which the call already has.
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
    // In some messages, only the original calls are complete.
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

/** Patterns that find the provider of a message's reasoning in its model's name. */
const MAKERS = [
  [/anthropic|bedrock/, "anthropic"],
  [/google|gemini|vertex/, "google"],
  [/openai|azure/, "openai"],
] as const;

/** Returns parts with the proofs for the model's provider, which are outside the content. */
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
      // OpenAI's reasoning is in the content as text, and complete in another field.
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

/** Returns the speaker for a message's type or class. */
function speakerOf(type: unknown): ReturnType<typeof SPEAKERS.get> {
  return SPEAKERS.get(type) ?? SPEAKERS.get(CLASS.exec(String(type))?.[1]?.toLowerCase());
}

/** A message's fields, and the path to them. */
interface OpenMessage {
  readonly fields: UnknownRecord;
  readonly place: string;
  readonly type: unknown;
  /** The path to its type. */
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
  // Before version 1, only a method returns the type of an instance.
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

/** Returns the field with the content. A serialized message of version 1 may have it in its content blocks. */
function contentFieldOf(fields: UnknownRecord): "content" | "content_blocks" | "contentBlocks" {
  if (fields.content == null && Array.isArray(fields.content_blocks)) {
    return "content_blocks";
  }
  return fields.content == null && Array.isArray(ownBlocks(fields)) ? "contentBlocks" : "content";
}

/** Returns the content blocks that a plain object has. An instance computes its blocks from its content. */
const ownBlocks = (fields: UnknownRecord): unknown =>
  Object.hasOwn(fields, "contentBlocks") ? fields.contentBlocks : undefined;

/** Returns the content in every field that holds it. */
function contentIn(fields: UnknownRecord, content: unknown): UnknownRecord {
  const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return {
    [contentFieldOf(fields)]: content,
    ...(fields.content_blocks == null ? {} : { content_blocks: blocks }),
    ...(ownBlocks(fields) == null ? {} : { contentBlocks: blocks }),
  };
}

/** Returns a copy of a message with some fields changed, in the message's own form. */
function copyOf(row: UnknownRecord, change: UnknownRecord): UnknownRecord {
  const { fields, place } = open(row);
  if (place !== "") {
    return { ...row, [place.slice(1)]: { ...fields, ...change } };
  }
  const copy = sameClass(row, { ...row, ...change });
  if (!isObject(row.lc_kwargs)) {
    return copy;
  }
  // The constructor arguments of an instance. Serialization uses them.
  const made = row.lc_kwargs as UnknownRecord;
  const blocks = made.contentBlocks != null && Array.isArray(change.content) ? { contentBlocks: change.content } : {};
  return sameClass(row, { ...copy, lc_kwargs: { ...made, ...change, ...blocks } });
}

function without(fields: UnknownRecord, names: readonly string[]): UnknownRecord {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns the original fields of a message without its content, and without `others` of the same kind. */
function withoutOriginals(fields: UnknownRecord, others: readonly string[] = []): UnknownRecord {
  const changed = Object.entries(ORIGINALS).filter(([field]) => isObject(fields[field]));
  return Object.fromEntries(
    changed.map(([field, names]) => [field, without(recordOf(fields[field]), [...names, ...others])]),
  );
}

type CallInput = Extract<PartInput, { readonly type: "tool-call" }>;
const isCall = (part: PartInput): part is CallInput => part.type === "tool-call";
const isNamedOnly = ({ toolCallId, toolName }: CallInput): boolean => toolCallId === toolName;

/**
 * Adds the calls that are outside the content. A call that the content has too is replaced in place; others come after
 * it.
 */
function withCalls(parts: readonly PartInput[], fields: UnknownRecord, place: string): PartInput[] {
  const kwargs = recordOf(fields.additional_kwargs);
  const inKwargs = `${place}.additional_kwargs`;
  const calls = callsIn(fields.tool_calls, `${place}.tool_calls`);
  const invalid = callsIn(fields.invalid_tool_calls, `${place}.invalid_tool_calls`, INVALID);
  const original = callsIn(kwargs.tool_calls, `${inKwargs}.tool_calls`);
  // LangChain sends the provider's original calls only if it parsed none of them.
  const sent = calls.length > 0 ? original.filter(isMissingIn(invalid)) : original;
  const read = [...parts];
  const open = new FreePlaces();
  for (const [at, part] of parts.entries()) {
    if (isCall(part)) {
      const { toolCallId, toolName } = part;
      open.add(at, [`id ${toolCallId}`, `name ${toolName}`, ...(isNamedOnly(part) ? [`no id ${toolName}`] : [])]);
    }
  }
  for (const call of [...calls, ...sent.filter(isMissingIn(calls))]) {
    // A call without an id may be the one of the same name.
    const kind = isNamedOnly(call) ? "name" : "no id";
    const found = open.first(`id ${call.toolCallId}`) ?? open.first(`${kind} ${call.toolName}`);
    if (found !== undefined) {
      open.take(found);
    }
    // The call in `tool_calls` is complete, and has the id that the result has.
    const { toolCallId } = isNamedOnly(call) && found !== undefined ? (read[found] as CallInput) : call;
    read[found ?? read.length] = from({ ...call, toolCallId }, undefined, originOf(call)?.place ?? "");
  }
  // A call that couldn't be parsed isn't sent, so it needs no result.
  for (const call of invalid.filter(isMissingIn(read))) {
    read.push(call, { type: "tool-result", toolCallId: call.toolCallId, output: "" });
  }
  if (kwargs.function_call != null) {
    read.push(callOf(kwargs.function_call, `${inKwargs}.function_call`));
  }
  const done = list(kwargs.tool_outputs, `${inKwargs}.tool_outputs`).flatMap((item, at) =>
    readBlock(item, `${inKwargs}.tool_outputs[${at}]`),
  );
  const isMissing = isMissingIn(read);
  return [...read, ...done.filter((part) => !isCall(part) || isMissing(part))];
}

/** The name for a call whose name couldn't be parsed. */
const INVALID = "invalid_tool_call";

function callsIn(value: unknown, place: string, unnamed?: string): readonly CallInput[] {
  return list(value, place).map((call, at) => callOf(call, `${place}[${at}]`, unnamed));
}

/** Returns a call in LangChain's form or in OpenAI's original form. */
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
  const isCustom = isObject(call.custom) && inner === call.custom ? { isCustom: true } : {};
  return from({ type: "tool-call", toolCallId, toolName, input, ...isCustom }, undefined, place);
}

/** Returns a function that returns true for a call whose id is in none of the parts. */
function isMissingIn(parts: readonly PartInput[]): (call: CallInput) => boolean {
  const ids = new Set(parts.filter(isCall).map(({ toolCallId }) => toolCallId));
  return ({ toolCallId }) => !ids.has(toolCallId);
}

/** Returns the assistant's thoughts outside the content, if they don't repeat it. */
function thoughtsIn(kwargs: UnknownRecord, place: string, blocks: readonly PartInput[]): readonly PartInput[] {
  const { reasoning_content, reasoning } = kwargs;
  const details = list(kwargs.reasoning_details, `${place}.reasoning_details`).flatMap((detail) => {
    const { text, summary, data } = recordOf(detail);
    const thought = text ?? summary;
    return typeof thought === "string" ? [thoughtOf(thought)] : typeof data === "string" ? [hiddenOf(data)] : [];
  });
  // The details repeat the text of `reasoning_content` in pieces.
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

/** Returns the assistant's words outside the content: a refusal, and audio. */
function saidBeside({ refusal, audio }: UnknownRecord, content: unknown): readonly PartInput[] {
  const isInContent = listFrom(content).some((block) => recordOf(block).type === "refusal");
  const { data, id } = recordOf(audio);
  return [
    ...(typeof refusal === "string" && !isInContent ? [{ type: "text", text: refusal } as const] : []),
    ...(hasMedia(data) || hasMedia(id) ? [{ type: "audio", ...fieldsWithValue({ data, id }) } as PartInput] : []),
  ];
}

/** Fails if an unread field holds content: all of the message's, or parts, calls and media beyond those read. */
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
