// Logic shared by the items of OpenAI's Responses API and its Agents SDK. An item is a message, a part of the model's
// output, or the result of a tool call.

import { jsonOf } from "../../base/json.js";
import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  type MessageFormat,
  type MessageOrigin,
  type NextLine,
  partsWithText,
  recordOf,
  type UnknownRecord,
} from "../../message/format.js";
import { list, MalformedMessage, text as optional, required, unknownType } from "../../message/malformed.js";
import { lineInstead } from "../../message/media-lines.js";
import type { MediaFacts, PartInput, PlainMessage } from "../../message/message.js";
import { from, originOf } from "../../message/origin.js";
import { hasMedia } from "../../message/substance.js";

/** The fields of a message that an item has. */
export type ItemContent = Pick<PlainMessage, "role" | "content" | "joinsNext" | "status">;

/** The reader for items of one type. */
export interface ItemKind {
  /** The fields that hold its content. */
  readonly says: readonly string[];
  read(item: UnknownRecord): ItemContent;
  /** Returns a copy with another text. Undefined for items whose text can't be replaced. */
  withText?(item: UnknownRecord, text: string): UnknownRecord;
  /** True for calls and results, which disappear when tools are left out. */
  readonly isOfTool?: boolean;
  /** Returns the remaining item without the tool call, for items that have more. */
  withoutCall?(item: UnknownRecord): UnknownRecord;
}

/** The readers by type of item. */
export type ItemKinds = Readonly<Record<string, ItemKind>>;

/** The name of the field that pairs a call with its result. */
export type CallField = "call_id" | "callId";

/** Returns the reader for a type of items. Undefined for an unknown type. */
export function kindIn(kinds: ItemKinds, type: unknown): ItemKind | undefined {
  return typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/**
 * Returns the reader for an item by its type. An item without a type is a message. Throws `MalformedMessage` for an
 * unknown type. `whose` names the owner of the items.
 */
export function knownKind(kinds: ItemKinds, type: unknown, whose: string): ItemKind {
  const kind = kindIn(kinds, type ?? "message");
  if (kind === undefined) {
    throw new MalformedMessage(
      ".type",
      `unknown item ${describe(type)}`,
      `Use the items of ${whose}, or leave the item out.`,
    );
  }
  return kind;
}

/** Returns the fields that hold the content of items of any kind. */
export function fieldsOf(kinds: ItemKinds): readonly string[] {
  return Object.values(kinds).flatMap(({ says }) => says);
}

/**
 * Reads an item. Fails for a field that holds content in items of other kinds but not in this one. `given` is the item
 * in the form that the Responses API accepts back, if there is one.
 */
export function readItem(
  item: UnknownRecord,
  kind: ItemKind,
  saying: ReadonlySet<string>,
  given: unknown,
): ItemContent {
  for (const field of Object.keys(item)) {
    const value = item[field];
    const isEmpty = value == null || value === "" || (Array.isArray(value) && value.length === 0);
    if (saying.has(field) && !kind.says.includes(field) && !isEmpty) {
      throw new MalformedMessage(
        `.${field}`,
        `an item of the type ${describe(item.type)} has no \`${field}\``,
        "Put it in an item that has this field, or leave it out.",
      );
    }
  }
  const read = kind.read(item);
  for (const part of read.content) {
    if (originOf(part) === undefined) {
      from(part, given, "");
    } else if (given !== undefined && read.role === "assistant") {
      from(part, given, originOf(part)?.place ?? ""); // all parts of the assistant's message are one item
    }
  }
  return read;
}

/** Returns an item without its calls and results. The item itself if it has none. */
export function itemWithoutCalls(item: UnknownRecord, kind: ItemKind): UnknownRecord {
  if (kind.withoutCall !== undefined) {
    return kind.withoutCall(item);
  }
  return kind.isOfTool === true ? { type: "message", role: "assistant", content: [] } : item;
}

/**
 * Returns an item with its origin. Only messages get an id: the API refuses a call or a result whose id has an
 * unexpected prefix, and pairs some by it.
 */
export function itemWithOrigin(item: UnknownRecord, { id, ...beside }: MessageOrigin): UnknownRecord {
  const isNamed = id !== undefined && item.id == null && typeof item.role === "string";
  return { ...item, ...(isNamed ? { id } : {}), ...beside };
}

/** Returns a value as JSON. */
export const json = (value: unknown): string => jsonOf(value) ?? "";

/** Returns the first value that is a non-empty text. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/**
 * Returns data that the model receives but nobody reads. It counts, and isn't part of any text that could be shortened.
 */
export const unshown = (data: unknown): readonly PartInput[] =>
  sealed(data).map((part) => ({ ...part, note: "other" }));

/** Returns reasoning that the provider has encrypted. */
const sealed = (data: unknown): readonly (PartInput & { readonly type: "redacted_thinking" })[] =>
  data == null ? [] : [{ type: "redacted_thinking", data: typeof data === "string" ? data : json(data) }];

/** Returns the error for a part that is neither a text nor known media. */
export function unknownPart(part: UnknownRecord, place: string, known: string): MalformedMessage {
  return unknownType(part.type, place, "content part", known);
}

/** Returns the parts of a list, each read with its place. */
export function readParts<Part>(
  parts: unknown,
  place: string,
  readPart: (part: UnknownRecord, place: string) => Part,
): readonly Part[] {
  return list(parts, place).map((part, at) => readPart(recordOf(part), `${place}[${at}]`));
}

/** Returns parts of content with their origins. A part of the Responses API goes back unchanged. */
export function placedParts(
  parts: unknown,
  place: string,
  readPart: (part: UnknownRecord, place: string) => PartInput,
): readonly PartInput[] {
  return readParts(parts, place, (part, at) => {
    const read = readPart(part, at);
    return originOf(read) === undefined ? from(read, part, at) : read;
  });
}

/**
 * Returns an image, audio or a file, with the facts in its part. `media` has the location, in one of several fields.
 */
export function mediaPart(
  type: "image" | "audio" | "file",
  part: UnknownRecord,
  media: UnknownRecord,
  place: string,
  nextAction = "Add its data, or leave the part out.",
): PartInput {
  const given = Object.entries(media).filter(([, value]) => hasMedia(value));
  if (given.length === 0) {
    throw new MalformedMessage(place, `the ${type} part has no data, url or id`, nextAction);
  }
  const detail = optional(part.detail, `${place}.detail`);
  const facts = FACTS.filter((fact) => part[fact] != null).map((fact) => [fact, part[fact]]);
  return { type, ...Object.fromEntries([...facts, ...given]), ...(detail === undefined ? {} : { detail }) };
}

const FACTS: readonly (keyof MediaFacts)[] = ["mediaType", "width", "height", "pages", "seconds", "bytes"];

/** Returns parts with one text instead of all their texts. Citations of the old text are dropped. */
export function contentWithText(parts: unknown, text: string, made: "input_text" | "output_text"): UnknownRecord[] {
  return partsWithText(parts as readonly UnknownRecord[], text, {
    kindOf: ({ type }) => (TEXTS.has(String(type)) ? "text" : undefined),
    rewritten: ({ logprobs, ...part }, own) => ({
      ...part,
      [part.type === "refusal" ? "refusal" : "text"]: own,
      ...("annotations" in part ? { annotations: [] } : {}),
    }),
    made: (own) => ({ type: made, text: own, ...(made === "output_text" ? { annotations: [] } : {}) }),
  });
}

const TEXTS: ReadonlySet<string> = new Set(["input_text", "output_text", "text", "refusal"]);

/** Returns the reader for messages. `readPart` reads the parts of its package. */
export function messageKind(readPart: (part: UnknownRecord, place: string) => PartInput): ItemKind {
  return {
    says: ["content"],
    read({ id, role, content, status }) {
      if (content == null) {
        throw new MalformedMessage(".content", "the message has no content", 'Pass a text, a list of parts, or "".');
      }
      const parts =
        typeof content === "string"
          ? [from({ type: "text", text: content } as const, undefined, ".content")]
          : placedParts(content, ".content", readPart);
      // The assistant's words go back under the id of their item.
      const named = role === "assistant" && typeof id === "string" ? { id } : {};
      return {
        role: role as ItemContent["role"],
        content: parts.map((part) => withFields(part, named)),
        status: optional(status, ".status"),
      };
    },
    withText: (item, text) => ({
      ...item,
      content:
        typeof item.content === "string"
          ? text
          : contentWithText(item.content ?? [], text, item.role === "assistant" ? "output_text" : "input_text"),
    }),
  };
}

/** Adds fields to a part and keeps its origin. */
function withFields(part: PartInput, more: UnknownRecord): PartInput {
  const { given, place } = originOf(part) ?? { given: undefined, place: "" };
  return from({ ...part, ...more }, given, place);
}

/**
 * Returns reasoning: the texts and the encrypted content, or only the id if there is nothing else. It belongs to the
 * next item, and a provider refuses it without that.
 */
export function reasoningOf(texts: readonly string[], encrypted: unknown, id: unknown): ItemContent {
  const named = typeof id === "string" ? { id } : {};
  const thoughts = texts.map((text): PartInput => ({ type: "reasoning", text, ...named }));
  const said = [...thoughts, ...sealed(encrypted).map((part): PartInput => ({ ...part, ...named }))];
  const content: PartInput[] = said.length > 0 ? said : [{ type: "reasoning", text: "", ...named }];
  return { role: "assistant", content, joinsNext: true };
}

/** Returns the texts of a list of parts of one type. */
export function textsIn(parts: unknown, place: string, type: string): readonly string[] {
  return readParts(parts, place, (part, at) => {
    if (part.type !== type) {
      throw unknownPart(part, at, type);
    }
    return required(part.text, `${at}.text`);
  });
}

/**
 * Returns the reader for calls whose results are separate items. Parallel calls come one after another, before any of
 * their results. So a call belongs to the item after it.
 */
export function callKind({
  says,
  id,
  name,
  input,
  isCustom,
}: {
  readonly says: readonly string[];
  readonly id: (item: UnknownRecord) => string;
  readonly name: (item: UnknownRecord) => string;
  readonly input: (item: UnknownRecord) => unknown;
  readonly isCustom?: true;
}): ItemKind {
  return {
    says,
    isOfTool: true,
    read: (item) => ({
      role: "assistant",
      content: [
        ...ownerOf(item),
        {
          type: "tool-call",
          toolCallId: id(item),
          toolName: name(item),
          input: input(item),
          ...itemIdOf(item),
          ...(isCustom === undefined ? {} : { isCustom }),
        },
      ],
      joinsNext: true,
    }),
  };
}

/** Returns the provider's id of a call's item, which differs from the id that pairs the call with its result. */
const itemIdOf = ({ id, type }: UnknownRecord): { readonly id?: string } =>
  typeof id === "string" && /^(?:function|custom_tool)_call$/.test(String(type)) ? { id } : {};

/**
 * Returns the program that made a call, if there is one. A call needs its program, so the call counts as a result of
 * the program, and they stay together.
 */
function ownerOf({ caller }: UnknownRecord): readonly PartInput[] {
  const owner = recordOf(caller);
  if (owner.type !== "program") {
    return [];
  }
  const field = "callerId" in owner ? "callerId" : "caller_id";
  return [{ type: "tool-result", toolCallId: required(owner[field], `.caller.${field}`), output: "" }];
}

/** Returns the reader for results of calls that are separate items. */
export function resultKind({
  says,
  id,
  output,
  withText,
}: {
  readonly says: readonly string[];
  readonly id: (item: UnknownRecord) => string;
  readonly output: (item: UnknownRecord) => Output;
  readonly withText?: (item: UnknownRecord, text: string) => UnknownRecord;
}): ItemKind {
  return {
    says,
    isOfTool: true,
    ...(withText && { withText }),
    read: (item) => ({ role: "tool", content: resultOf(id(item), output(item)) }),
  };
}

/** The result of a tool: a text, parts, or a text with data that counts without being shown. */
export type Output = string | readonly PartInput[] | { readonly text: string; readonly unshown: unknown };

function resultOf(toolCallId: string, output: Output): readonly PartInput[] {
  if (typeof output === "string") {
    return [{ type: "tool-result", toolCallId, output }];
  }
  return "text" in output
    ? [{ type: "tool-result", toolCallId, output: output.text }, ...unshown(output.unshown)]
    : [{ type: "tool-result", toolCallId, output: { type: "content", value: output } }];
}

/** Returns a call of the provider's own tool together with its result, both from one item. */
export function callWithResult(
  toolCallId: string,
  toolName: string,
  input: unknown,
  output: Output,
): Pick<ItemContent, "role" | "content"> {
  return {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName, input }, ...resultOf(toolCallId, output)],
  };
}

/**
 * Returns the reader for data that the model receives outside the conversation: tool definitions and settings. It
 * counts, and isn't shown. `named` lists the fields that describe the data.
 */
export function givenKind(role: ItemContent["role"], says: readonly string[], named: readonly string[] = []): ItemKind {
  return {
    says,
    read(item) {
      const given = [...named, ...says].filter((field) => item[field] != null).map((field) => [field, item[field]]);
      return { role, content: unshown(given.length === 0 ? undefined : Object.fromEntries(given)) };
    },
  };
}

/** Returns a tool's name, preceded by its owner if it has one. */
export const qualified = (owner: unknown, name: string): string =>
  typeof owner === "string" && owner !== "" ? `${owner}.${name}` : name;

/**
 * Returns the output in a list of entries: the words in some fields of each, on separate lines. Other fields count too,
 * except those in `out`.
 */
export function entriesOutput(
  value: unknown,
  place: string,
  fields: readonly string[],
  out: readonly string[] = [],
): { readonly text: string; readonly unshown: unknown } {
  const entries = list(value, place).map((entry, at) => {
    if (typeof entry !== "object" || entry === null) {
      throw new MalformedMessage(
        `${place}[${at}]`,
        `expected an object, got ${describe(entry)}`,
        "Pass it as OpenAI returned it.",
      );
    }
    return entry as UnknownRecord;
  });
  const words = entries.flatMap((entry, at) =>
    fields.map((field) => optional(entry[field], `${place}[${at}].${field}`) ?? ""),
  );
  const rest = entries.flatMap((entry) => without(entry, [...fields, ...out]) ?? []);
  return { text: words.filter((it) => it !== "").join("\n"), unshown: rest.length === 0 ? undefined : rest };
}

/** Returns entries with one text instead of all the words in these fields. */
export function entriesWithText(entries: unknown, fields: readonly string[], text: string): UnknownRecord[] {
  let left = text;
  const rewritten = (word: unknown): unknown => {
    if (word == null || word === "") {
      return word;
    }
    const own = left;
    left = "";
    return own;
  };
  return (Array.isArray(entries) ? (entries as UnknownRecord[]) : []).map((entry) => {
    const words = fields.filter((field) => field in entry).map((field) => [field, rewritten(entry[field])]);
    return { ...entry, ...Object.fromEntries(words) };
  });
}

/** Returns an entry without some fields. Undefined if it has no others. */
function without(entry: UnknownRecord, fields: readonly string[]): UnknownRecord | undefined {
  const rest = Object.entries(entry).filter(([field, value]) => !fields.includes(field) && value != null);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/**
 * Returns the readers for types that both packages spell the same way, except for the field that pairs a call with its
 * result.
 */
export function commonKinds(callField: CallField, programResult: "result" | "output"): ItemKinds {
  const id = (item: UnknownRecord): string => required(item[callField], `.${callField}`);
  const named = (name: string) => (): string => name;
  return {
    function_call: callKind({
      says: ["arguments"],
      id,
      name: ({ namespace, name }) => qualified(namespace, required(name, ".name")),
      input: (item) => required(item.arguments, ".arguments"),
    }),
    computer_call: callKind({
      says: ["action", "actions"],
      id,
      name: named("computer"),
      // `action` repeats the first of several actions.
      input: ({ action, actions }) =>
        Array.isArray(actions) && actions.length > 0 ? { actions } : action && { action },
    }),
    shell_call: callKind({ says: ["action"], id, name: named("shell"), input: ({ action }) => action }),
    shell_call_output: resultKind({
      says: ["output"],
      id,
      // The output of the commands. Their exit states also count.
      output: ({ output }) => entriesOutput(output, ".output", STREAMS, ["created_by"]),
      withText: (item, text) => ({ ...item, output: entriesWithText(item.output, STREAMS, text) }),
    }),
    apply_patch_call: callKind({
      says: ["operation"],
      id,
      name: named("apply_patch"),
      input: ({ operation }) => operation,
    }),
    apply_patch_call_output: resultKind({
      says: ["output"],
      id,
      output: ({ output, status }) => optional(output, ".output") ?? optional(status, ".status") ?? "",
      withText: (item, text) => ({ ...item, output: text }),
    }),
    program: callKind({
      says: ["code"],
      id,
      name: named("program"),
      input: ({ code }) => required(code, ".code"),
    }),
    program_output: resultKind({
      says: [programResult],
      id,
      output: (item) => required(item[programResult], `.${programResult}`),
      withText: (item, text) => ({ ...item, [programResult]: text }),
    }),
    tool_search_call: callKind({
      says: ["arguments"],
      id: toolSearchId,
      name: named("tool_search"),
      input: (item) => item.arguments,
    }),
    tool_search_output: {
      says: ["tools"],
      isOfTool: true,
      read: (item) => ({
        role: "tool",
        content: resultOf(toolSearchId(item), { text: "", unshown: list(item.tools, ".tools") }),
      }),
    },
  };
}

const STREAMS = ["stdout", "stderr"] as const;

/**
 * Returns the id that pairs a tool search with its result. A search by the provider has no id, so the name replaces it.
 */
function toolSearchId({ providerData, call_id, callId }: UnknownRecord): string {
  const given = recordOf(providerData);
  return firstText(given.call_id, given.callId, call_id, callId) ?? "tool_search";
}

/** Reads an encrypted summary of a conversation, which replaces everything before it. An empty one has no content. */
export const compactionOf = (encrypted: unknown, place: string): ItemContent => {
  const data = optional(encrypted, place) ?? "";
  return {
    role: "assistant",
    content: [
      data === ""
        ? { type: "text", text: "" }
        : { type: "redacted_thinking", data, provider: "openai", note: "compaction" },
    ],
  };
};

/** True if an item of a type that both packages share has a field that only the Agents SDK uses. */
export function isOfAgents(item: UnknownRecord): boolean {
  const { type, role, content } = item;
  if ("providerData" in item || AGENTS_TYPES.has(type)) {
    return true;
  }
  if (role !== undefined) {
    return listFrom(content).some((part) => isPartOfAgents(recordOf(part)));
  }
  if (type === "reasoning") {
    return "rawContent" in item || (Array.isArray(content) && !("summary" in item) && !("encrypted_content" in item));
  }
  return "callId" in item || "toolSearchAgentName" in item || "encryptedContent" in item;
}

const AGENTS_TYPES: ReadonlySet<unknown> = new Set([
  "function_call_result",
  "computer_call_result",
  "hosted_tool_call",
  "unknown",
]);

function isPartOfAgents(part: UnknownRecord): boolean {
  const { type } = part;
  return (
    (type === "input_image" && ("image" in part || "imageUrl" in part || "fileId" in part)) ||
    (type === "input_file" && ["file", "fileData", "fileUrl", "fileId"].some((field) => field in part)) ||
    "providerData" in part
  );
}

/** Returns an item that is an image, as a message with a line instead, or any other value with its own lines. */
export function itemWithLine(value: UnknownRecord, next: NextLine, format: MessageFormat): unknown {
  if (value.type !== "image_generation_call" && value.type !== "hosted_tool_call") {
    return lineInstead(value, next);
  }
  const content = listFrom(format.read(value).content).map(recordOf);
  const line = content.some(({ type }) => type === "image") ? next() : undefined;
  const texts = content.flatMap(({ type, text }) => (type === "text" ? [text] : []));
  const { id, createdAt } = value;
  return line == null ? value : { id, createdAt, role: "assistant", content: [...texts, line].join(" ") };
}
