// The items of OpenAI's Agents SDK for JavaScript, in its sessions and inputs: `AgentInputItem` of
// `@openai/agents-core`.
//
// Recognized by: an item with `callId` or `providerData`.

import { describe } from "../../base/options.js";
import { fieldsWithValue, type MessageFormat, recordOf, timeIn, type UnknownRecord } from "../../message/format.js";
import { MalformedMessage, text as optional, required } from "../../message/malformed.js";
import type { PartInput } from "../../message/message.js";
import { from, originOf } from "../../message/origin.js";
import {
  callWithResult,
  commonKinds,
  compactionOf,
  contentWithText,
  fieldsOf,
  firstText,
  type ItemContent,
  type ItemKind,
  type ItemKinds,
  isOfAgents,
  itemWithLine,
  itemWithOrigin,
  itemWithoutCalls,
  kindIn,
  knownKind,
  mediaPart,
  messageKind,
  placedParts,
  readItem,
  reasoningOf,
  resultKind,
  textsIn,
  unknownPart,
} from "../openai-responses/items.js";
import { responsesFields, responsesKinds } from "../openai-responses/read.js";

/** A part of a message of the Agents SDK, as a structural type. */
export type AgentsPartShape =
  | { readonly type: "input_text" | "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | {
      readonly type: "input_image";
      readonly image?: string | { readonly id: string } | undefined;
      readonly detail?: string | undefined;
    }
  | {
      readonly type: "input_file";
      readonly file?: string | { readonly id: string } | { readonly url: string } | undefined;
    }
  | { readonly type: "audio"; readonly audio: string | { readonly id: string } }
  | { readonly type: "image"; readonly image: string };

/**
 * The fields of an item of the Agents SDK that windrow reads, as a structural type. `AgentInputItem` of
 * `@openai/agents-core` fits it.
 */
export type AgentsItemShape =
  | {
      readonly type?: "message" | undefined;
      readonly role: "user" | "assistant" | "system";
      readonly content: string | readonly AgentsPartShape[];
      readonly providerData?: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly type: AgentsItemType;
      readonly id?: string | undefined;
      readonly providerData?: Readonly<Record<string, unknown>> | undefined;
    };

type AgentsItemType =
  | "reasoning"
  | "function_call"
  | "function_call_result"
  | "hosted_tool_call"
  | "computer_call"
  | "computer_call_result"
  | "shell_call"
  | "shell_call_output"
  | "apply_patch_call"
  | "apply_patch_call_output"
  | "program"
  | "program_output"
  | "tool_search_call"
  | "tool_search_output"
  | "compaction"
  | "unknown";

const PARTS =
  "the parts of the Agents SDK, such as input_text, input_image, input_file, audio, output_text and refusal";

const KINDS: ItemKinds = {
  ...commonKinds("callId", "output"),
  message: messageKind(readPart),
  reasoning: {
    says: ["content", "rawContent"],
    read(item) {
      const given = recordOf(item.providerData);
      // The SDK stores a provider's full content in a separate field.
      const [raw, place] =
        item.rawContent == null ? [given.content, ".providerData.content"] : [item.rawContent, ".rawContent"];
      return reasoningOf(
        [...textsIn(item.content, ".content", "input_text"), ...textsIn(raw, place, "reasoning_text")],
        firstText(given.encryptedContent, given.encrypted_content),
        item.id,
      );
    },
  },
  function_call_result: resultKind({
    says: ["output"],
    id: (item) => required(item.callId, ".callId"),
    output: ({ output }) => {
      const { type, text } = recordOf(output);
      if (typeof output === "string") {
        return output;
      }
      if (type === "text") {
        return required(text, ".output.text");
      }
      return Array.isArray(output) ? placedParts(output, ".output", readPart) : [readPart(recordOf(output), ".output")];
    },
    withText: (item, text) => ({ ...item, output: outputWithText(item.output, text) }),
  }),
  computer_call_result: resultKind({
    says: ["output"],
    id: (item) => required(item.callId, ".callId"),
    output({ output }) {
      const { type, data } = recordOf(output);
      if (type !== "computer_screenshot") {
        throw new MalformedMessage(
          ".output.type",
          `unknown output ${describe(type)} of a computer`,
          "Use computer_screenshot, or leave the item out.",
        );
      }
      return [mediaPart("image", recordOf(output), { data }, ".output")];
    },
  }),
  compaction: {
    says: ["encrypted_content", "encryptedContent"],
    read: (item) => compactionOf(item.encrypted_content ?? item.encryptedContent, ".encrypted_content"),
  },
  hosted_tool_call: hostedKind(),
  unknown: unknownKind(),
};

/** The fields of items that don't count by themselves: names, ids, states and limits. */
const SILENT = [
  ...["id", "type", "role", "status", "phase", "callId", "call_id", "name", "namespace", "caller", "providerData"],
  ...["execution", "maxOutputLength", "fingerprint", "created_by", "createdAt"],
  ...["toolSearchAgentName", "toolSearchMcpToolNames"],
];
const FIELDS: ReadonlySet<string> = new Set(fieldsOf(KINDS));

export const openaiAgentsShape: MessageFormat = {
  name: "openai-agents",
  title: "OpenAI Agents AgentInputItem",
  signs: ["type", "providerData"],
  maker: "openai",
  fields: new Set([...SILENT, ...FIELDS]),

  fits(row) {
    const { type, role, content } = row;
    const isKnown =
      role === undefined
        ? kindIn(KINDS, type) !== undefined
        : typeof role === "string" &&
          (type === undefined || type === "message") &&
          (typeof content === "string" || Array.isArray(content));
    return isKnown && isOfAgents(row);
  },

  read: (row) => ({
    id: idOf(row),
    createdAt: timeIn(row.createdAt),
    ...readItem(row, kindOf(row), FIELDS, itemOf(row)),
  }),

  withText: (row, text) => kindOf(row).withText?.(row, text) ?? row,

  withLines: (value, next) => itemWithLine(value, next, openaiAgentsShape),

  withoutToolCalls: (row) => itemWithoutCalls(row, kindOf(row)),

  withOrigin: itemWithOrigin,
};

/**
 * Returns an item's id. For a chat completions model, all items of a response have the response's id or a placeholder.
 * So a call only has an id if it is the call's own.
 */
function idOf({ id, type }: UnknownRecord): string | undefined {
  const given = optional(id, ".id");
  const isShared = given === "FAKE_ID" || (type === "function_call" && given?.startsWith("fc") === false);
  return isShared ? undefined : given;
}

const kindOf = ({ type }: UnknownRecord): ItemKind => knownKind(KINDS, type, "the Agents SDK");

/** The types of items that differ from the API's only in the spelling of their fields. */
const ALIKE: ReadonlySet<unknown> = new Set([
  ...["computer_call", "shell_call", "shell_call_output", "apply_patch_call", "apply_patch_call_output"],
  ...["program", "program_output", "tool_search_call", "tool_search_output", "compaction"],
]);

/** Returns an item in the form of the Responses API. Undefined if that form is built from the fields that are read. */
function itemOf(row: UnknownRecord): UnknownRecord | undefined {
  const { providerData, output, ...own } = row;
  if (row.type === "computer_call_result") {
    const { data, image_url = data, file_id } = inSnakeCase(recordOf(output));
    const screenshot = { type: "computer_screenshot", ...fieldsWithValue({ image_url, file_id }) };
    return { type: "computer_call_output", call_id: row.callId, output: screenshot };
  }
  if (!ALIKE.has(row.type)) {
    return undefined;
  }
  const held = row.type === "program_output" ? { result: output } : output === undefined ? {} : { output };
  const item = inSnakeCase({ ...recordOf(providerData), ...own, ...held });
  const named = DEEP.filter((field) => item[field] !== undefined).map((field) => [field, snakeCased(item[field])]);
  return { ...item, ...Object.fromEntries(named) };
}

/** Fields with the API's names at all levels. Other fields may hold a tool's own names. */
const DEEP = ["action", "actions", "operation", "output"] as const;

/** Returns a value with all its names in the API's spelling. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(snakeCased);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(inSnakeCase(value as UnknownRecord)).map(([name, held]) => [name, snakeCased(held)]),
      )
    : value;
}

/** Returns a part of a message, or of a tool's result, with its place. */
function readPart(part: UnknownRecord, place: string): PartInput {
  const read = partOf(part, place);
  return originOf(read) === undefined ? from(read, undefined, place) : read;
}

/** Reads a part. Earlier versions of the SDK spell some fields differently. */
function partOf(part: UnknownRecord, place: string): PartInput {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: required(part.text, `${place}.text`) };
    case "refusal": {
      const refusal = required(part.refusal, `${place}.refusal`);
      return from({ type: "text", text: refusal }, { type: "refusal", refusal }, place);
    }
    case "input_image":
    case "image":
      return mediaPart("image", factsWith(part, part.image), imageOf(part), place);
    case "input_file":
    case "file":
      return mediaPart("file", factsWith(part, part.file), fileOf(part), place);
    case "audio":
      return audioOf(part, place);
    default:
      throw unknownPart(part, place, PARTS);
  }
}

/** Returns the fields of a part, with the media type that its content may state. */
function factsWith(part: UnknownRecord, held: unknown): UnknownRecord {
  const mediaType = firstText(recordOf(held).mediaType, part.mediaType, part.mimeType);
  return { ...part, mediaType };
}

function imageOf({ image, imageUrl, fileId, data }: UnknownRecord): UnknownRecord {
  const held = recordOf(image);
  return {
    image: typeof image === "string" ? image : undefined,
    data: held.data ?? data,
    url: held.url ?? imageUrl,
    file_id: held.id ?? held.fileId ?? fileId,
  };
}

function fileOf({ file, fileData, fileUrl, fileId, id }: UnknownRecord): UnknownRecord {
  const held = recordOf(file);
  return {
    file: typeof file === "string" ? file : undefined,
    data: held.data ?? fileData,
    url: held.url ?? fileUrl,
    file_id: held.id ?? held.fileId ?? fileId ?? id,
  };
}

/** Returns audio, or its transcript if it has no sound. */
function audioOf(part: UnknownRecord, place: string): PartInput {
  const { audio, format, transcript, mediaType } = part;
  if ((audio == null || audio === "") && typeof transcript === "string") {
    return { type: "text", text: transcript };
  }
  const kind = mediaType ?? (typeof format === "string" ? `audio/${format}` : undefined);
  const held = { audio: typeof audio === "string" ? audio : undefined, file_id: recordOf(audio).id };
  return mediaPart("audio", { ...part, mediaType: kind }, held, place);
}

function outputWithText(output: unknown, text: string): unknown {
  if (Array.isArray(output)) {
    return contentWithText(output, text, "input_text");
  }
  return typeof output === "string" ? text : { ...recordOf(output), text };
}

// Reads items that the SDK has no own type for. `providerData` holds them as items of the Responses API.

/** An item of the Responses API inside another item. */
interface InnerItem {
  readonly kind: ItemKind;
  readonly item: UnknownRecord;
}

/** The provider's own tools whose calls are `hosted_tool_call`. */
const HOSTED: ReadonlySet<string> = new Set([
  ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"],
  ...["mcp_list_tools", "mcp_call", "mcp_approval_request", "mcp_approval_response"],
]);

/**
 * Reads a call of a provider's own tool as the original item. Any other call has only a name, arguments and an output.
 */
function hostedKind(): ItemKind {
  return {
    says: ["arguments", "output"],
    read(item) {
      const held = hostedIn(item);
      if (held !== undefined) {
        return readHeld(item, held);
      }
      const name = required(item.name, ".name");
      return callWithResult(firstText(item.id) ?? name, name, inputOf(item), optional(item.output, ".output") ?? "");
    },
    withText(item, text) {
      const held = hostedIn(item);
      return held === undefined ? { ...item, output: text } : put(item, held, held.kind.withText?.(held.item, text));
    },
    withoutCall(item) {
      const held = hostedIn(item);
      return held === undefined ? EMPTY : withoutHeldCall(item, held);
    },
  };
}

/** Replaces an item whose only content was the removed call. */
const EMPTY: UnknownRecord = { type: "message", role: "assistant", status: "completed", content: [] };

/** Returns a call's arguments, and the provider's other data about it. */
function inputOf({ arguments: given, providerData }: UnknownRecord): unknown {
  if (providerData === undefined) {
    return given;
  }
  return given == null ? providerData : { arguments: given, ...recordOf(providerData) };
}

/** Returns the original item of the Responses API for a call of a provider's own tool. Undefined if it wasn't one. */
function hostedIn(row: UnknownRecord): InnerItem | undefined {
  const given = inSnakeCase(recordOf(row.providerData));
  const called = String(given.type ?? row.name);
  const type = HOSTED.has(called) ? called : `${called}_call`;
  const kind = HOSTED.has(type) ? kindIn(responsesKinds, type) : undefined;
  if (kind === undefined || row.providerData === undefined) {
    return undefined;
  }
  const item: UnknownRecord = { ...given, type, id: firstText(given.id, row.id) ?? type };
  switch (type) {
    case "mcp_call":
      return {
        kind,
        item: { ...item, arguments: given.arguments ?? row.arguments, output: row.output ?? given.output },
      };
    case "image_generation_call":
      return { kind, item: { ...item, result: given.result ?? row.output } };
    case "code_interpreter_call": {
      const { results, ...rest } = item;
      return hasOwn(row) ? undefined : { kind, item: { ...rest, outputs: rest.outputs ?? results } };
    }
    default:
      return hasOwn(row) ? undefined : { kind, item };
  }
}

/** True if a call has arguments or an output that its provider's item has no place for. */
const hasOwn = (row: UnknownRecord): boolean => firstText(row.arguments, row.output) !== undefined;

/** Reads items of a provider that the SDK doesn't know. */
function unknownKind(): ItemKind {
  const heldIn = (row: UnknownRecord): InnerItem | undefined => {
    if (row.providerData == null) {
      return undefined;
    }
    const item = inSnakeCase(recordOf(row.providerData));
    const kind = kindIn(responsesKinds, item.type ?? (item.role === undefined ? undefined : "message"));
    if (kind === undefined) {
      throw new MalformedMessage(
        ".providerData.type",
        `unknown item ${describe(item.type)}`,
        "Write its text as a message, or leave the item out.",
      );
    }
    return { kind, item };
  };
  return {
    says: [],
    read(item) {
      const held = heldIn(item);
      return held === undefined ? { role: "assistant", content: [] } : readHeld(item, held);
    },
    withText(item, text) {
      const held = heldIn(item);
      return held === undefined ? item : put(item, held, held.kind.withText?.(held.item, text));
    },
    withoutCall(item) {
      const held = heldIn(item);
      return held === undefined ? item : withoutHeldCall(item, held);
    },
  };
}

/** Reads an item inside another. Errors name the place in the inner item. */
function readHeld(row: UnknownRecord, { kind, item }: InnerItem): ItemContent {
  try {
    return readItem(item, kind, responsesFields, item);
  } catch (failure) {
    if (!(failure instanceof MalformedMessage)) {
      throw failure;
    }
    const field = /^\.(\w+)/.exec(failure.place)?.[1] ?? "";
    const isOwn = FIELDS.has(field) && row[field] !== undefined;
    throw new MalformedMessage((isOwn ? "" : ".providerData") + failure.place, failure.message, failure.nextAction);
  }
}

function withoutHeldCall(row: UnknownRecord, held: InnerItem): UnknownRecord {
  const rest = itemWithoutCalls(held.item, held.kind);
  if (rest === held.item) {
    return row;
  }
  return rest.type === held.item.type ? put(row, held, rest) : EMPTY;
}

/** Returns an item with the changes that a copy of its inner item has. */
function put(row: UnknownRecord, { item }: InnerItem, copy: UnknownRecord | undefined): UnknownRecord {
  if (copy === undefined) {
    return row;
  }
  const { output, ...others } = Object.fromEntries(
    Object.entries(copy).filter(([field, value]) => value !== item[field]),
  );
  const isOwn = output !== undefined && row.type === "hosted_tool_call";
  const given = { ...recordOf(row.providerData), ...others, ...(output === undefined || isOwn ? {} : { output }) };
  return { ...row, ...(isOwn ? { output } : {}), providerData: given };
}

/** Returns fields under their names in the API. The SDK accepts both spellings. */
function inSnakeCase(fields: UnknownRecord): UnknownRecord {
  const entries = Object.entries(fields).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(entries);
}
