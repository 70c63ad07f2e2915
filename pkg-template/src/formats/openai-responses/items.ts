// What the items of OpenAI's Responses API and those of its Agents SDK have in common. An item is a message, a part of what the
// model put out, or what a tool gave for a call.

import { jsonOf, listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import { type MessageOrigin, partsWithText, recordOf, type UnknownRecord } from "../../message/format.js";
import { list, MalformedMessage, text as optional, required, unknownType } from "../../message/malformed.js";
import type { MediaFacts, PartInput, PlainMessage } from "../../message/message.js";
import { from, originOf } from "../../message/origin.js";
import { hasMedia } from "../../message/substance.js";

/** What is read of an item. */
export type ItemContent = Pick<PlainMessage, "role" | "content" | "joinsNext" | "status">;

/** How items of one type are read. */
export interface ItemKind {
  /** The fields that hold what it says. */
  readonly says: readonly string[];
  read(item: UnknownRecord): ItemContent;
  /** A copy with another text. Where it is left out, an item has no text that could be another. */
  withText?(item: UnknownRecord, text: string): UnknownRecord;
  /** Whether it is a call or what a call gave, so that nothing of it is left without tools. */
  readonly isOfTool?: boolean;
  /** What is left of an item that is of a tool, where something is. */
  withoutCall?(item: UnknownRecord): UnknownRecord;
}

/** The types of items, each with how it is read. */
export type ItemKinds = Readonly<Record<string, ItemKind>>;

/** The name of the field that pairs a call with what it gave. */
export type CallField = "call_id" | "callId";

/** The kind of a type of items; undefined for one that is not known. */
export function kindIn(kinds: ItemKinds, type: unknown): ItemKind | undefined {
  return typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** The kind of an item by its type; one without a type is a message. Throws `MalformedMessage` where there is none of it; `whose` are the items. */
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

/** The fields that items of any kind hold something in. */
export function fieldsOf(kinds: ItemKinds): readonly string[] {
  return Object.values(kinds).flatMap(({ says }) => says);
}

/**
 * Reads an item of a kind. A field in which items of other kinds say something, and this kind does not, is refused. `given` is the
 * item as the Responses API takes it back, where there is one.
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
      from(part, given, originOf(part)?.place ?? ""); // The parts of what the assistant said are one item.
    }
  }
  return read;
}

/** An item without its calls and results: the item itself where it has none. */
export function itemWithoutCalls(item: UnknownRecord, kind: ItemKind): UnknownRecord {
  if (kind.withoutCall !== undefined) {
    return kind.withoutCall(item);
  }
  return kind.isOfTool === true ? { type: "message", role: "assistant", content: [] } : item;
}

/**
 * An item that says where it is from. Only a message is given an id: the API refuses a call or a result whose id has another
 * beginning than its own have, and pairs some by it.
 */
export function itemWithOrigin(item: UnknownRecord, { id, ...beside }: MessageOrigin): UnknownRecord {
  const isNamed = id !== undefined && item.id == null && typeof item.role === "string";
  return { ...item, ...(isNamed ? { id } : {}), ...beside };
}

/** A value as JSON. */
export const json = (value: unknown): string => jsonOf(value) ?? "";

/** The first of some values that is a text with something in it. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** What a model is given and nobody reads: it counts, and is in no text that could be shortened. */
export const unshown = (data: unknown): readonly PartInput[] =>
  data == null ? [] : [{ type: "redacted_thinking", data: typeof data === "string" ? data : json(data) }];

/** A part of a message that is no text and no media that is known. */
export function unknownPart(part: UnknownRecord, place: string, known: string): MalformedMessage {
  return unknownType(part.type, place, "content part", known);
}

/** The parts of a list, each read at its place. */
export function readParts<Part>(
  parts: unknown,
  place: string,
  readPart: (part: UnknownRecord, place: string) => Part,
): readonly Part[] {
  return list(parts, place).map((part, at) => readPart(recordOf(part), `${place}[${at}]`));
}

/** Parts of content as they are read, each with where it is from: a part of the Responses API is taken back as it is. */
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

/** An image, audio or a file, with the facts of it that a part gives. `media` says where it is, in one of several fields. */
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

/** Parts with one text in the place of all that they say. Citations of the old text go with it. */
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

/** A message, of which parts are read in the way of its package. */
export function messageKind(readPart: (part: UnknownRecord, place: string) => PartInput): ItemKind {
  return {
    says: ["content"],
    read({ id, role, content, status }) {
      if (content == null) {
        throw new MalformedMessage(".content", "the message has no content", 'Give it a text, a list of parts, or "".');
      }
      const parts =
        typeof content === "string"
          ? [from({ type: "text", text: content } as const, undefined, ".content")]
          : placedParts(content, ".content", readPart);
      // What the assistant said goes back by the id of its item.
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

/** A part with further fields, from where the part is. */
function withFields(part: PartInput, more: UnknownRecord): PartInput {
  const { given, place } = originOf(part) ?? { given: undefined, place: "" };
  return from({ ...part, ...more }, given, place);
}

/**
 * Reasoning: the texts, and what is encrypted; its id alone where nothing else is given. It belongs to the item behind it, and without
 * that a provider refuses it.
 */
export function reasoningOf(texts: readonly string[], encrypted: unknown, id: unknown): ItemContent {
  const named = typeof id === "string" ? { id } : {};
  const thoughts = texts.map((text): PartInput => ({ type: "reasoning", text, ...named }));
  const sealed = unshown(encrypted).map((part): PartInput => ({ ...part, ...named }));
  const said = [...thoughts, ...sealed];
  const content: PartInput[] = said.length > 0 ? said : [{ type: "reasoning", text: "", ...named }];
  return { role: "assistant", content, joinsNext: true };
}

/** The texts of a list of parts of one type. */
export function textsIn(parts: unknown, place: string, type: string): readonly string[] {
  return readParts(parts, place, (part, at) => {
    if (part.type !== type) {
      throw unknownPart(part, at, type);
    }
    return required(part.text, `${at}.text`);
  });
}

/**
 * A call of a tool. What it gave is an item of its own. Calls that were made at once stand one behind the other, before what any
 * of them gave: so a call belongs to what is behind it.
 */
export function callKind({
  says,
  id,
  name,
  input,
}: {
  readonly says: readonly string[];
  readonly id: (item: UnknownRecord) => string;
  readonly name: (item: UnknownRecord) => string;
  readonly input: (item: UnknownRecord) => unknown;
}): ItemKind {
  return {
    says,
    isOfTool: true,
    read: (item) => ({
      role: "assistant",
      content: [
        ...ownerOf(item),
        { type: "tool-call", toolCallId: id(item), toolName: name(item), input: input(item), ...itemIdOf(item) },
      ],
      joinsNext: true,
    }),
  };
}

/** What the provider calls a call's item, beside the id that pairs it with its result. */
const itemIdOf = ({ id, type }: UnknownRecord): { readonly id?: string } =>
  typeof id === "string" && /^(?:function|custom_tool)_call$/.test(String(type)) ? { id } : {};

/**
 * The program that a call is from, if it is from one: without the program nobody made the call. The call counts as something
 * that the program gave, so that they stay together.
 */
function ownerOf({ caller }: UnknownRecord): readonly PartInput[] {
  const owner = recordOf(caller);
  if (owner.type !== "program") {
    return [];
  }
  const field = "callerId" in owner ? "callerId" : "caller_id";
  return [{ type: "tool-result", toolCallId: required(owner[field], `.caller.${field}`), output: "" }];
}

/** What a tool gave for a call that is an item of its own. */
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

/** What a tool gave: a text, or parts; and what of it counts without being shown. */
export type Output = string | readonly PartInput[] | { readonly text: string; readonly unshown: unknown };

function resultOf(toolCallId: string, output: Output): readonly PartInput[] {
  if (typeof output === "string") {
    return [{ type: "tool-result", toolCallId, output }];
  }
  return "text" in output
    ? [{ type: "tool-result", toolCallId, output: output.text }, ...unshown(output.unshown)]
    : [{ type: "tool-result", toolCallId, output: { type: "content", value: output } }];
}

/** A call of a tool of the provider's own, with what it gave, in one item. */
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
 * What is given to the model beside the conversation: definitions of tools, and settings. It counts, and is not shown. `named` are
 * fields that say what it is of.
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

/** The name of a tool with what it belongs to before it, where it belongs to something. */
export const qualified = (owner: unknown, name: string): string =>
  typeof owner === "string" && owner !== "" ? `${owner}.${name}` : name;

/**
 * What a list of entries gives: the words in some fields of each, with a line end between them. What is in its other fields counts
 * beside them, but for those that are left `out`.
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

/** Entries with one text in the place of all that is in these fields. */
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

/** An entry's fields but for some; undefined where it has no others. */
function without(entry: UnknownRecord, fields: readonly string[]): UnknownRecord | undefined {
  const rest = Object.entries(entry).filter(([field, value]) => !fields.includes(field) && value != null);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The kinds that are spelled alike in both, but for the name of the field that pairs a call with its result. */
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
      // The first of several actions is in `action` too.
      input: ({ action, actions }) =>
        Array.isArray(actions) && actions.length > 0 ? { actions } : action && { action },
    }),
    shell_call: callKind({ says: ["action"], id, name: named("shell"), input: ({ action }) => action }),
    shell_call_output: resultKind({
      says: ["output"],
      id,
      // What the commands wrote; how each ended counts beside it.
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

/** What pairs a search for tools with what it found. One that the provider made has no id: then its name stands for it. */
function toolSearchId({ providerData, call_id, callId }: UnknownRecord): string {
  const given = recordOf(providerData);
  return firstText(given.call_id, given.callId, call_id, callId) ?? "tool_search";
}

/** Reads an encrypted summary of a conversation, which replaces everything before it. An empty one says nothing. */
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

/** Whether an item has what only those of the Agents SDK have, of the types that both know. */
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
