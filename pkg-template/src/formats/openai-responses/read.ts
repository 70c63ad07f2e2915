// The items of OpenAI's Responses API, both input and output, as typed by `openai` 7 (`ResponseInputItem` and
// `ResponseItem`).
//
// Recognized by: the type of an item, such as `function_call`.

import { untilHole } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import { type MessageFormat, recordOf, timeIn, type UnknownRecord } from "../../message/format.js";
import { list, MalformedMessage, text as optional, required } from "../../message/malformed.js";
import type { PartInput } from "../../message/message.js";
import {
  callKind,
  callWithResult,
  commonKinds,
  compactionOf,
  contentWithText,
  entriesOutput,
  entriesWithText,
  fieldsOf,
  firstText,
  givenKind,
  type ItemKind,
  type ItemKinds,
  isOfAgents,
  itemWithLine,
  itemWithOrigin,
  itemWithoutCalls,
  json,
  kindIn,
  knownKind,
  mediaPart,
  messageKind,
  type Output,
  placedParts,
  qualified,
  readItem,
  readParts,
  reasoningOf,
  resultKind,
  textsIn,
  unknownPart,
  unshown,
} from "./items.js";

/** A part of a message of the Responses API, as a structural type. */
export type ResponsesPartShape =
  | { readonly type: "input_text" | "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | {
      readonly type: "input_image";
      readonly image_url?: string | null | undefined;
      readonly file_id?: string | null | undefined;
      readonly detail?: string | null | undefined;
    }
  | {
      readonly type: "input_file";
      readonly file_data?: string | null | undefined;
      readonly file_url?: string | null | undefined;
      readonly file_id?: string | null | undefined;
    };

/**
 * The fields of an item of the Responses API that windrow reads, as a structural type. `ResponseInputItem` and
 * `ResponseItem` of `openai` fit it.
 */
export type ResponsesItemShape =
  | {
      readonly type?: "message" | undefined;
      readonly role: "user" | "assistant" | "system" | "developer";
      readonly content: string | readonly ResponsesPartShape[];
    }
  | { readonly type: ResponsesItemType; readonly id?: string | null | undefined }
  | { readonly type?: "item_reference" | null | undefined; readonly id: string; readonly role?: undefined };

type ResponsesItemType =
  | "reasoning"
  | "function_call"
  | "function_call_output"
  | "custom_tool_call"
  | "custom_tool_call_output"
  | "computer_call"
  | "computer_call_output"
  | "local_shell_call"
  | "local_shell_call_output"
  | "shell_call"
  | "shell_call_output"
  | "apply_patch_call"
  | "apply_patch_call_output"
  | "program"
  | "program_output"
  | "tool_search_call"
  | "tool_search_output"
  | "web_search_call"
  | "file_search_call"
  | "code_interpreter_call"
  | "image_generation_call"
  | "mcp_list_tools"
  | "mcp_call"
  | "mcp_approval_request"
  | "mcp_approval_response"
  | "additional_tools"
  | "configuration_update"
  | "compaction"
  | "compaction_trigger";

const PARTS = "input_text, input_image, input_file, output_text and refusal";
const callId = (item: UnknownRecord): string => required(item.call_id, ".call_id");
const itemId = (item: UnknownRecord): string => required(item.id, ".id");

/**
 * The readers by type of item. For a built-in tool, only the content of its item counts. If a search, for example,
 * doesn't list its findings, no count includes them.
 */
export const responsesKinds: ItemKinds = {
  ...commonKinds("call_id", "result"),
  message: messageKind(readPart),
  reasoning: {
    says: ["summary", "content", "encrypted_content"],
    read: ({ id, summary, content, encrypted_content: encrypted }) =>
      reasoningOf(
        [...textsIn(summary, ".summary", "summary_text"), ...textsIn(content, ".content", "reasoning_text")],
        optional(encrypted, ".encrypted_content"),
        id,
      ),
  },
  function_call_output: outputKind(),
  custom_tool_call: callKind({
    says: ["input"],
    id: callId,
    name: ({ namespace, name }) => qualified(namespace, required(name, ".name")),
    input: ({ input }) => required(input, ".input"),
    isCustom: true,
  }),
  custom_tool_call_output: outputKind(),
  computer_call_output: resultKind({
    says: ["output"],
    id: callId,
    output: ({ output }) => [screenshotOf(recordOf(output))],
  }),
  local_shell_call: callKind({
    says: ["action"],
    id: callId,
    name: () => "local_shell",
    input: ({ action }) => action,
  }),
  local_shell_call_output: resultKind({
    says: ["output"],
    // The types name it `id`, and the tool's guide `call_id`. Both are the id of the call.
    id: (item) => optional(item.call_id, ".call_id") ?? itemId(item),
    output: ({ output }) => required(output, ".output"),
    withText: (item, text) => ({ ...item, output: text }),
  }),
  // The query, and the addresses found. The item doesn't have the content of the pages.
  web_search_call: {
    says: ["action"],
    isOfTool: true,
    // Codex doesn't store the id.
    read: (item) => callWithResult(firstText(item.id) ?? "web_search", "web_search", item.action, ""),
  },
  // The query, and the findings if the item has them: their texts and their sources.
  file_search_call: {
    says: ["queries", "results"],
    isOfTool: true,
    read(item) {
      const { text, unshown: results } = entriesOutput(item.results, ".results", ["text"]);
      const queries = list(item.queries, ".queries");
      return callWithResult(
        itemId(item),
        "file_search",
        { queries, ...(results === undefined ? {} : { results }) },
        text,
      );
    },
    withText: (item, text) => ({ ...item, results: entriesWithText(item.results, ["text"], text) }),
  },
  code_interpreter_call: codeInterpreterKind(),
  // The image that the assistant shows, and its prompt. It isn't a call that could be left out without the image.
  image_generation_call: {
    says: ["action", "result", "revised_prompt", "error"],
    read({ result, revised_prompt: prompt, error, output_format: format }) {
      const words = optional(prompt, ".revised_prompt") ?? "";
      const image = optional(result, ".result") ?? "";
      const mediaType = `image/${format == null ? "png" : String(format)}`;
      return {
        role: "assistant",
        content: [
          ...(words === "" ? [] : [{ type: "text", text: words } as const]),
          ...(image === "" ? [] : [mediaPart("image", { mediaType }, { data: image }, ".result")]),
          ...unshown(error),
        ],
      };
    },
    withText: (item, text) => ({ ...item, revised_prompt: text }),
  },
  mcp_list_tools: givenKind("assistant", ["tools", "error"], ["server_label"]),
  mcp_call: {
    says: ["arguments", "output", "error"],
    isOfTool: true,
    read: (item) =>
      callWithResult(itemId(item), mcpName(item), required(item.arguments, ".arguments"), mcpOutput(item)),
    withText: mcpWithText,
  },
  mcp_approval_request: callKind({
    says: ["arguments"],
    id: itemId,
    name: mcpName,
    input: (item) => required(item.arguments, ".arguments"),
  }),
  mcp_approval_response: resultKind({
    says: ["approve", "reason"],
    id: (item) => required(item.approval_request_id, ".approval_request_id"),
    output: ({ approve, reason }) =>
      optional(reason, ".reason") || (approve === true ? "The call is approved." : "The call is denied."),
    withText: (item, text) => ({ ...item, reason: text }),
  }),
  additional_tools: givenKind("developer", ["tools"]),
  configuration_update: givenKind("developer", ["reasoning", "text"]),
  compaction: {
    says: ["encrypted_content"],
    read: (item) => compactionOf(item.encrypted_content, ".encrypted_content"),
  },
  // A request to the provider, without content.
  compaction_trigger: givenKind("developer", []),
};

/** The fields of items that don't count by themselves: names, ids, states and limits. */
const SILENT = [
  ...["id", "type", "role", "status", "phase", "call_id", "name", "namespace", "server_label", "caller", "async"],
  ...["execution", "environment", "container_id", "max_output_length", "fingerprint", "created_by", "createdAt"],
  ...["pending_safety_checks", "acknowledged_safety_checks", "approval_request_id"],
  ...["background", "output_format", "quality", "size", "svg_usage", "parsed_arguments"],
];
/** The fields that hold content in at least one type of item. */
export const responsesFields: ReadonlySet<string> = new Set(fieldsOf(responsesKinds));

export const openaiResponsesShape: MessageFormat = {
  name: "openai-responses",
  title: "OpenAI Responses item",
  signs: ["type"],
  maker: "openai",
  fields: new Set([...SILENT, ...responsesFields]),

  fits(row) {
    const { type, role, content } = row;
    if (role === undefined || type === "additional_tools") {
      return (type === "item_reference" || isItem(row)) && !isOfAgents(row);
    }
    if (typeof role !== "string" || !Array.isArray(content) || (type !== undefined && type !== "message")) {
      return false;
    }
    const types = untilHole(content).map((part) => recordOf(part).type);
    // A message with only texts is also valid in windrow's own format. Only its type distinguishes them.
    const isFound = type === "message" ? types.length > 0 && types.every(isPartType) : types.some(isOwnPartType);
    return isFound && !isOfAgents(row);
  },

  read(row) {
    const { id, type, createdAt } = row;
    return {
      // The answer to a local shell call has the call's id.
      id: type === "local_shell_call_output" ? undefined : optional(id, ".id"),
      createdAt: timeIn(createdAt),
      ...readItem(row, kindOf(row), responsesFields, isPlainMessage(row) ? undefined : row),
    };
  },

  withText: (row, text) => kindOf(row).withText?.(row, text) ?? row,

  withLines: (value, next) => itemWithLine(value, next, openaiResponsesShape),

  withoutToolCalls: (row) => itemWithoutCalls(row, kindOf(row)),

  withOrigin: itemWithOrigin,
};

/**
 * True for a message whose parts go back one by one. The assistant's messages go back as items, and other items have
 * other types.
 */
const isPlainMessage = ({ type, role }: UnknownRecord): boolean =>
  (type == null || type === "message") && role !== "assistant";

const OWN_PART_TYPES: ReadonlySet<unknown> = new Set(["input_image", "input_file"]);
const PART_TYPES: ReadonlySet<unknown> = new Set([...OWN_PART_TYPES, "input_text", "output_text", "refusal"]);
const isOwnPartType = (type: unknown): boolean => OWN_PART_TYPES.has(type);
const isPartType = (type: unknown): boolean => PART_TYPES.has(type);

/**
 * True if a value without a role is an item. Entries of other logs have some of the same types, but with other fields.
 */
function isItem(row: UnknownRecord): boolean {
  switch (row.type) {
    case "message":
      return false;
    case "reasoning":
    case "compaction":
      return "encrypted_content" in row || Array.isArray(row.summary) || Array.isArray(row.content);
    default:
      return kindIn(responsesKinds, row.type) !== undefined;
  }
}

/** Returns the reader for an item. An item without a type is a message, or a reference to an item. */
function kindOf({ type, role, content }: UnknownRecord): ItemKind {
  if (type === "item_reference" || (type == null && role === undefined && content === undefined)) {
    throw new MalformedMessage(
      ".id",
      "a reference to an item has no content to count",
      "Replace it with the item itself, as the API returned it in `output` or lists it as an input item, or leave it out.",
    );
  }
  return knownKind(responsesKinds, type, "OpenAI's Responses API");
}

/** Reads a part of a message, or of a tool's result. */
function readPart(part: UnknownRecord, place: string): PartInput {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: required(part.text, `${place}.text`) };
    case "refusal":
      return { type: "text", text: required(part.refusal, `${place}.refusal`) };
    case "input_image":
      return mediaPart(
        "image",
        part,
        { image_url: part.image_url, file_id: part.file_id },
        place,
        'Ask the API for it, with include: ["message.input_image.image_url"], or leave the part out.',
      );
    case "input_file":
      return mediaPart("file", part, { data: part.file_data, url: part.file_url, file_id: part.file_id }, place);
    default:
      throw unknownPart(part, place, PARTS);
  }
}

/**
 * Returns the reader for a tool's result: a text, or texts, images and files. A result with a tool's name instead of a
 * call's id has no call.
 */
function outputKind(): ItemKind {
  const outputOf = (output: unknown): Output =>
    typeof output === "string" ? output : placedParts(output, ".output", readPart);
  const called = resultKind({ says: ["output"], id: callId, output: ({ output }) => outputOf(output) });
  return {
    ...called,
    read(item) {
      if (item.call_id != null || item.name == null) {
        return called.read(item);
      }
      const output = outputOf(item.output);
      return {
        role: "tool",
        content: typeof output === "string" ? [{ type: "text", text: output }] : (output as readonly PartInput[]),
      };
    },
    withText: (item, text) => ({
      ...item,
      output: typeof item.output === "string" ? text : contentWithText(item.output, text, "input_text"),
    }),
  };
}

function screenshotOf(output: UnknownRecord): PartInput {
  if (output.type !== "computer_screenshot") {
    throw new MalformedMessage(
      ".output.type",
      `unknown output ${describe(output.type)} of a computer`,
      "Use computer_screenshot, or leave the item out.",
    );
  }
  return mediaPart(
    "image",
    output,
    { image_url: output.image_url, file_id: output.file_id },
    ".output",
    'Ask the API for it, with include: ["computer_call_output.output.image_url"], or leave the item out.',
  );
}

/**
 * Returns the reader for code runs: the code, its output, and its images. The images remain when calls are left out.
 */
function codeInterpreterKind(): ItemKind {
  const isImage = (output: unknown): boolean => recordOf(output).type === "image";
  return {
    says: ["code", "outputs"],
    isOfTool: true,
    read(item) {
      const code = optional(item.code, ".code");
      const outputs = readParts(item.outputs, ".outputs", codeOutputOf);
      const logs = outputs.flatMap((output) => (output.type === "text" && output.text !== "" ? [output.text] : []));
      const images = outputs.filter(isImage);
      if (code === undefined && logs.length === 0) {
        return { role: "assistant", content: images };
      }
      const { role, content } = callWithResult(itemId(item), "code_interpreter", code, logs.join("\n"));
      return { role, content: [...content, ...images] };
    },
    withText: (item, text) => ({ ...item, outputs: entriesWithText(item.outputs, ["logs"], text) }),
    withoutCall: (item) => ({ ...item, code: null, outputs: list(item.outputs, ".outputs").filter(isImage) }),
  };
}

function codeOutputOf(output: UnknownRecord, place: string): PartInput {
  switch (output.type) {
    case "logs":
      return { type: "text", text: required(output.logs, `${place}.logs`) };
    case "image":
      return mediaPart("image", output, { url: output.url }, place);
    default:
      throw new MalformedMessage(
        `${place}.type`,
        `unknown output ${describe(output.type)} of code`,
        "Use logs or image.",
      );
  }
}

function mcpName(item: UnknownRecord): string {
  return qualified(item.server_label, required(item.name, ".name"));
}

/**
 * Returns the output and the error of a server's tool. The tool's own error becomes its words, and any other error
 * becomes JSON.
 */
function mcpOutput({ output, error }: UnknownRecord): string {
  const { type, content } = recordOf(error);
  const isOfTool = type === TOOL_ERROR && typeof content === "string";
  const failure = isOfTool ? content : typeof error === "string" ? error : json(error ?? undefined);
  return [optional(output, ".output") ?? "", failure].filter((it) => it !== "").join("\n");
}

function mcpWithText(item: UnknownRecord, text: string): UnknownRecord {
  return item.output == null && item.error != null
    ? { ...item, error: { type: TOOL_ERROR, content: text } }
    : { ...item, output: text, error: null };
}

const TOOL_ERROR = "mcp_tool_execution_error";
