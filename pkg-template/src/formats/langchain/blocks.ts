// The content blocks of LangChain's messages: the standard blocks of its version 1, the earlier ones, and blocks of
// Anthropic, OpenAI, Google and Bedrock that it passes through.

import { jsonOf } from "../../base/json.js";
import { describe } from "../../base/options.js";
import { fieldsWithValue, kindOfMediaType, recordOf, type TextKind, type UnknownRecord } from "../../message/format.js";
import { list, MalformedMessage, required, text as textAt } from "../../message/malformed.js";
import type { PartInput, Provenance } from "../../message/message.js";
import { from, originOf } from "../../message/origin.js";
import { toolChange } from "../../message/parts.js";
import { hasMedia } from "../../message/substance.js";
import { geminiFields, geminiPartWithText, kindOfGeminiPart, readGeminiPart } from "../gemini/read.js";

type Parts = readonly PartInput[];

/** The output of a provider's own call, if nothing in the message has it. */
const NOTHING = { type: "text", value: "" } as const;
/** The tool name for a provider's own call without an id and a name. */
const UNNAMED = "server_tool_call";

/** The types of blocks that are calls. */
const CALL =
  /^(?:(?:server_)?tool_call(?:_chunk)?|invalid_tool_call|input_json_delta|functionCall|toolCall|executableCode|mcp_list_tools|mcp_approval_request)$|(?:^|_)tool_use$|^(?!image_generation)\w+_call$/;
/** The types of blocks that are results. */
const RESULT =
  /(?:^|_)tool_result$|^server_tool_call_result$|_call_output$|^tool_search_output$|^mcp_approval_response$|^(?:functionResponse|toolResponse|codeExecutionResult)$/;

/** Readers of blocks, by type. */
const READERS: Readonly<Record<string, (block: UnknownRecord, place: string) => Parts>> = {
  text: readText,
  input_text: readText,
  output_text: readText,
  refusal: ({ refusal }, place) => [{ type: "text", text: required(refusal, `${place}.refusal`) }],
  citations_content: ({ citationsContent }, place) => [
    { type: "text", text: textsIn(recordOf(citationsContent).content, `${place}.citationsContent.content`).join("") },
  ],
  guard_content({ guardContent }, place) {
    const { text, image } = recordOf(guardContent);
    return image == null
      ? [{ type: "text", text: required(recordOf(text).text, `${place}.guardContent.text.text`) }]
      : mediaOfBedrock("image", recordOf(image), `${place}.guardContent.image`);
  },

  reasoning: readReasoning,
  thinking: ({ thinking, text, signature }, place) => [
    { type: "reasoning", text: required(thinking ?? text, `${place}.thinking`), ...signedBy("anthropic", signature) },
  ],
  redacted_thinking: ({ data }, place) => [{ ...redacted(data, `${place}.data`), provider: "anthropic" }],
  reasoning_content({ reasoningText, redactedContent }, place) {
    if (redactedContent != null) {
      return [{ ...redacted(redactedContent, `${place}.redactedContent`), provider: "anthropic" }];
    }
    const { text, signature } = typeof reasoningText === "string" ? { text: reasoningText } : recordOf(reasoningText);
    const said = required(text, `${place}.reasoningText.text`);
    return [{ type: "reasoning", text: said, ...signedBy("anthropic", signature) }];
  },
  // Anthropic's summary of the messages before it. It goes back unchanged and isn't a text of the message.
  compaction({ content }, place) {
    const data = textAt(content, `${place}.content`) ?? "";
    return data.trim() === ""
      ? [{ type: "text", text: "" }]
      : [{ type: "redacted_thinking", data, provider: "anthropic", note: "compaction" }];
  },

  image: (block, place) => mediaOf("image", block, place),
  image_url({ image_url, detail }, place) {
    const { url, detail: own } = typeof image_url === "string" ? { url: image_url, detail } : recordOf(image_url);
    return [media("image", { url, detail: own }, place)];
  },
  input_image: readImageOfOpenAI,
  computer_screenshot: readImageOfOpenAI,
  image_generation_call: ({ result }) =>
    hasMedia(result) ? [{ type: "image", data: result, mediaType: "image/png" }] : [],
  audio: (block, place) => mediaOf("audio", block, place),
  input_audio: ({ input_audio }, place) => [media("audio", { input_audio }, place)],
  video: (block, place) => mediaOf("video", block, place),
  file: (block, place) => mediaOf("file", block, place),
  input_file: ({ file_data, file_id, file_url }, place) => [
    media("file", { data: file_data, file_id, url: file_url }, place),
  ],
  document: (block, place) => mediaOf("file", block, place),
  media({ mimeType, data, fileUri }, place) {
    const mediaType = textAt(mimeType, `${place}.mimeType`);
    return [media(kindOfMediaType(mediaType), { data, url: fileUri, mediaType }, place)];
  },
  "text-plain"(block, place) {
    const { title, context, text } = block;
    return text == null
      ? mediaOf("file", { mimeType: "text/plain", ...block }, place)
      : written([title, context, required(text, `${place}.text`)]);
  },
  search_result: ({ title, source, content }, place) =>
    written([title, source, ...textsIn(content, `${place}.content`)]),
  container_upload: ({ file_id }, place) => [
    { type: "container_upload", file_id: required(file_id, `${place}.file_id`) },
  ],
  tool_addition: readToolChange,
  tool_removal: readToolChange,

  tool_call: readCall,
  tool_call_chunk: readPieceOfCall,
  invalid_tool_call: readInvalidCall,
  server_tool_call: readServerCall,
  server_tool_call_chunk: readPieceOfCall,
  function_call: ({ call_id, id, name, arguments: input }, place) =>
    readCall({ id: call_id ?? id, name, args: input }, place),
  custom_tool_call: ({ call_id, id, name, input }, place) =>
    readCall({ id: call_id ?? id, name, args: input }, place).map((part) => ({ ...part, isCustom: true })),
  // Pieces of a call's arguments. The message also has the complete arguments.
  input_json_delta: () => [],
  server_tool_call_result: readServerResult,
  // LangChain for Python.
  server_tool_result: readServerResult,
  mcp_approval_response: ({ approval_request_id, reason }, place) => [
    {
      type: "tool-result",
      toolCallId: required(approval_request_id, `${place}.approval_request_id`),
      output: textAt(reason, `${place}.reason`) ?? "",
    },
  ],

  non_standard: ({ value }, place) => readBlock(value, `${place}.value`),
  // Cache points.
  cache_point: () => [],
  cachePoint: () => [],
};

function readServerResult({ toolCallId, tool_call_id: id, output }: UnknownRecord, place: string): Parts {
  const given = textAt(toolCallId ?? id, `${place}.toolCallId`);
  return [{ type: "tool-result", toolCallId: given || UNNAMED, output: json(output) }];
}

/**
 * Returns the blocks of the content; a text is one block. A call that the provider ran always gets a result, even if
 * the content has none.
 */
export function readBlocks(content: unknown, place: string): Parts {
  if (content == null) {
    return [];
  }
  if (typeof content === "string") {
    return [{ type: "text", text: content }];
  }
  const blocks = list(content, place, "a text or a list of content blocks");
  const parts = blocks.flatMap((block, at) => readBlock(block, `${place}[${at}]`));
  const results = parts.filter((part) => part.type === "tool-result");
  const answered = new Set(results.flatMap(({ toolCallId, output }) => (output === NOTHING ? [] : [toolCallId])));
  return parts.filter(
    (part) => part.type !== "tool-result" || part.output !== NOTHING || !answered.has(part.toolCallId),
  );
}

/** Returns a change of Anthropic's tools. */
function readToolChange({ tool }: UnknownRecord): Parts {
  return [toolChange(tool, "anthropic")];
}

/** Returns the proof of reasoning for its provider, if it is signed. */
function signedBy(provider: string, signature: unknown): Provenance {
  return typeof signature === "string" && signature !== "" ? { provider, signature } : {};
}

/** The types of blocks that a provider accepts back unchanged. */
const GIVEN =
  /^(?:text|image|image_url|input_audio|file|document|thinking|redacted_thinking|search_result|tool_addition|tool_removal)$|^server_tool_use$|_tool_result$|^(?:web_search|file_search|image_generation|code_interpreter|mcp)_call$/;

/** Returns the content of a block with its place. */
export function readBlock(block: unknown, place: string): Parts {
  const parts = partsOf(block, place);
  const given = GIVEN.test(String(recordOf(block).type)) ? block : undefined;
  for (const part of parts) {
    if (originOf(part) === undefined) {
      from(part, given, place);
    }
  }
  return parts;
}

function partsOf(block: unknown, place: string): Parts {
  if (typeof block === "string") {
    return [{ type: "text", text: block }];
  }
  if (typeof block !== "object" || block === null || Array.isArray(block)) {
    throw new MalformedMessage(
      place,
      `expected a content block, got ${describe(block)}`,
      "Pass objects with a type, or texts.",
    );
  }
  const row = block as UnknownRecord;
  const type = typeOf(row);
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read !== undefined) {
    return read(row, place);
  }
  if (geminiFields.has(type)) {
    const { thought, videoMetadata, mediaResolution } = row;
    if (row[type] == null) {
      throw new MalformedMessage(`${place}.${type}`, "there is nothing here", "Add its data, or leave the block out.");
    }
    return readGeminiPart({ [type]: row[type], thought, videoMetadata, mediaResolution }, place);
  }
  if (/(?:^|_)tool_use$/.test(type)) {
    const hosted = type === "tool_use" ? {} : { providerExecuted: true };
    return readCall({ id: row.id, name: row.name, args: row.input }, place).map((part) => ({ ...part, ...hosted }));
  }
  if (/(?:^|_)tool_result$/.test(type)) {
    const toolCallId = required(row.tool_use_id, `${place}.tool_use_id`);
    const hosted = type === "tool_result" ? {} : { providerExecuted: true };
    const failed = row.is_error === true ? { isError: true } : {};
    return [
      { type: "tool-result", toolCallId, output: outputOf(row.content, `${place}.content`), ...hosted, ...failed },
    ];
  }
  if (RESULT.test(type)) {
    const { type: _, id, call_id, output, ...rest } = row;
    const toolCallId = required(call_id ?? id, `${place}.call_id`);
    return [
      { type: "tool-result", toolCallId, output: typeof output === "string" ? output : said({ output, ...rest }) },
    ];
  }
  if (CALL.test(type)) {
    return readItem(row, place);
  }
  throw new MalformedMessage(
    `${place}.type`,
    `unknown content block ${describe(row.type)}`,
    "Use the content blocks of LangChain, or leave the block out.",
  );
}

/** Returns a provider's action. If the item has OpenAI's id of a call, it asks the application to act. */
function readItem(item: UnknownRecord, place: string): Parts {
  const { type, id, call_id, name, status, ...input } = item;
  const toolName = typeof name === "string" ? name : String(type);
  const toolCallId = textAt(call_id ?? id, `${place}.id`) || toolName;
  const call: PartInput = { type: "tool-call", toolCallId, toolName, input };
  return call_id == null ? [call, { type: "tool-result", toolCallId, output: NOTHING }] : [call];
}

/** Returns the kind of text in a block. */
export function kindOfBlock(block: unknown): TextKind {
  if (typeof block === "string") {
    return "text";
  }
  const row = recordOf(block);
  const type = typeOf(row);
  if (type === "non_standard") {
    return kindOfBlock(row.value);
  }
  if (RESULT.test(type)) {
    return "result";
  }
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return row.thought === true ? undefined : "text";
    case "refusal":
    case "citations_content":
      return "text";
    case "guard_content":
      return recordOf(row.guardContent).image == null ? "text" : undefined;
    default:
      return geminiFields.has(type) ? kindOfGeminiPart(row) : undefined;
  }
}

/** Returns a block with another text. Drops references to positions in the old text. */
export function blockWithText(block: unknown, text: string): unknown {
  if (typeof block === "string") {
    return text;
  }
  const { annotations, citations, ...row } = recordOf(block);
  const type = typeOf(row);
  switch (type) {
    case "non_standard":
      return { ...row, value: blockWithText(row.value, text) };
    case "refusal":
      return { ...row, refusal: text };
    case "citations_content":
    case "guard_content":
      return { type: "text", text };
    case "mcp_approval_response":
      return { ...row, reason: text };
    default:
      if (geminiFields.has(type)) {
        return geminiPartWithText(row, text);
      }
      if (/(?:^|_)tool_result$/.test(type)) {
        return { ...row, content: outputWithText(row.content, text) };
      }
      return RESULT.test(type) ? { ...row, output: text } : { ...row, text };
  }
}

/** True if a block is a call or a result. */
export function isOfTool(block: unknown): boolean {
  const row = recordOf(block);
  const type = typeOf(row);
  return type === "non_standard" ? isOfTool(row.value) : CALL.test(type) || RESULT.test(type);
}

/** Returns the type of a block. Without one, returns the name of the field with its content. */
function typeOf(block: UnknownRecord): string {
  if (typeof block.type === "string") {
    return block.type;
  }
  const isTelling = (field: string): boolean => field === "text" || field === "cachePoint" || geminiFields.has(field);
  return Object.keys(block).find((field) => block[field] != null && isTelling(field)) ?? "";
}

function readText({ text, thought }: UnknownRecord, place: string): Parts {
  return [{ type: thought === true ? "reasoning" : "text", text: required(text, `${place}.text`) }];
}

/** Returns reasoning from LangChain's blocks or from an item of OpenAI's. */
export function readReasoning(block: UnknownRecord, place: string): Parts {
  const { id, reasoning, text, summary, content, encrypted_content, signature } = block;
  // An item of OpenAI's has its own id, and a summary or encrypted content.
  const isItem = typeof id === "string" && (Array.isArray(summary) || encrypted_content != null);
  const proof = isItem ? { provider: "openai", id } : signedBy("anthropic", signature);
  const given = isItem && Array.isArray(summary) ? { ...block, type: "reasoning" } : undefined;
  const thoughts = [
    ...(reasoning == null && text == null ? [] : [required(reasoning ?? text, `${place}.reasoning`)]),
    ...textsIn(summary, `${place}.summary`),
    ...textsIn(content, `${place}.content`),
  ];
  if (thoughts.length === 0 && encrypted_content == null && summary == null && content == null) {
    required(reasoning, `${place}.reasoning`);
  }
  const parts: Parts = [
    ...thoughts.map((thought): PartInput => ({ type: "reasoning", text: thought, ...proof })),
    ...(encrypted_content == null ? [] : [{ ...redacted(encrypted_content, `${place}.encrypted_content`), ...proof }]),
  ];
  return parts.map((part) => from(part, given, place));
}

function redacted(data: unknown, place: string): PartInput & { readonly type: "redacted_thinking" } {
  return { type: "redacted_thinking", data: required(data, place) };
}

function textsIn(blocks: unknown, place: string): readonly string[] {
  return list(blocks, place).map((block, at) => required(recordOf(block).text, `${place}[${at}].text`));
}

/** Returns a call. Its name replaces a missing id. */
function readCall({ id, name, args, input }: UnknownRecord, place: string): Parts {
  const toolName = required(name, `${place}.name`);
  return [{ type: "tool-call", toolCallId: textAt(id, `${place}.id`) || toolName, toolName, input: args ?? input }];
}

/** Returns a call that couldn't be parsed. It isn't sent, so it needs no result. */
function readInvalidCall({ id, name, args }: UnknownRecord, place: string): Parts {
  const toolName = textAt(name, `${place}.name`) || "invalid_tool_call";
  const toolCallId = textAt(id, `${place}.id`) || toolName;
  return [
    { type: "tool-call", toolCallId, toolName, input: args },
    { type: "tool-result", toolCallId, output: NOTHING },
  ];
}

/**
 * Returns a piece of a call as the whole call if it has a name. The message itself has the complete call that the other
 * pieces belong to.
 */
function readPieceOfCall(block: UnknownRecord, place: string): Parts {
  const isWhole = typeof block.name === "string" && block.name !== "";
  return isWhole ? (block.type === "tool_call_chunk" ? readCall : readServerCall)(block, place) : [];
}

/**
 * Returns a call of the provider's own tool. No message answers it, so its result is in the content or doesn't exist.
 */
function readServerCall({ id, name, args }: UnknownRecord, place: string): Parts {
  const toolName = textAt(name, `${place}.name`) || UNNAMED;
  const toolCallId = textAt(id, `${place}.id`) || UNNAMED;
  return [
    { type: "tool-call", toolCallId, toolName, input: args },
    { type: "tool-result", toolCallId, output: NOTHING },
  ];
}

/** Returns a tool's result from Anthropic's blocks: a text, or a list of texts, images and files. */
function outputOf(content: unknown, place: string): unknown {
  if (!Array.isArray(content)) {
    return json(content);
  }
  const value = list(content, place).flatMap((block, at): Parts => {
    const type = typeOf(recordOf(block));
    const isRead = typeof block === "string" || type === "text" || MEDIA.test(type);
    return isRead ? readBlock(block, `${place}[${at}]`) : [{ type: "text", text: json(block) }];
  });
  return { type: "content", value };
}

const MEDIA = /^(?:image|image_url|audio|file|document)$/;

function outputWithText(content: unknown, text: string): unknown {
  if (!Array.isArray(content)) {
    return text;
  }
  const kept = content.filter((block) => MEDIA.test(typeOf(recordOf(block))));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...kept];
}

type MediaKind = "image" | "audio" | "video" | "file";

/** Returns a part with media. One of its fields has the data or the location. A video counts as a file. */
function media(kind: MediaKind, { mediaType, detail, filename, ...held }: UnknownRecord, place: string): PartInput {
  if (!Object.values(held).some((value) => hasMedia(value))) {
    throw new MalformedMessage(
      place,
      `the ${kind} block has no data, url or id`,
      "Add its data, or leave the block out.",
    );
  }
  const facts = {
    ...held,
    detail: textAt(detail, `${place}.detail`),
    ...(typeof filename === "string" ? { filename } : {}),
    mediaType: mediaType ?? (kind === "video" ? "video/mp4" : undefined),
  };
  return { type: kind === "video" ? "file" : kind, ...fieldsWithValue(facts) } as PartInput;
}

/** Returns media from LangChain's present and earlier blocks, or from those of Anthropic, OpenAI and Bedrock. */
function mediaOf(kind: MediaKind, block: UnknownRecord, place: string): Parts {
  const { type, source_type, url, data, fileId, file_id, id, source, file, text, detail } = block;
  const held = recordOf(block[String(type)]);
  if (held.source !== undefined) {
    return mediaOfBedrock(kind, held, `${place}.${type}`);
  }
  if (source_type === "text") {
    return written([required(text, `${place}.text`)]);
  }
  const mediaType = textAt(block.mimeType ?? block.mime_type, `${place}.mimeType`);
  const named = source_type === "id" ? id : (fileId ?? file_id);
  const { filename, name = filename, title = name } = recordOf(block.metadata);
  return [
    media(kind, { url, data, file_id: named, source, file, detail, mediaType, filename: filename ?? title }, place),
  ];
}

/** Bedrock's formats that are text. */
const TEXT_FORMATS: ReadonlySet<unknown> = new Set(["csv", "html", "md", "txt"]);

function mediaOfBedrock(kind: MediaKind, { format, source }: UnknownRecord, place: string): Parts {
  const { bytes, s3Location, text, content } = recordOf(source);
  if (text != null || content != null) {
    return written(text == null ? textsIn(content, `${place}.source.content`) : [text]);
  }
  const family = kind !== "file" ? kind : TEXT_FORMATS.has(format) ? "text" : "application";
  const mediaType = format == null ? undefined : `${family}/${format}`;
  return [media(kind, { data: bytes, url: recordOf(s3Location).uri, mediaType }, place)];
}

/** Returns a document that consists of text. Nothing if it is blank. */
function written(texts: readonly unknown[]): Parts {
  const data = texts.filter((text) => typeof text === "string" && text.trim() !== "").join("\n");
  return data === "" ? [] : [{ type: "file", source: { type: "text", media_type: "text/plain", data } }];
}

function readImageOfOpenAI({ image_url, file_id, detail }: UnknownRecord, place: string): Parts {
  return [media("image", { url: image_url, file_id, detail }, place)];
}

function json(value: unknown): string {
  return typeof value === "string" ? value : (jsonOf(value) ?? "");
}

/** Returns fields as JSON, without the empty ones. */
function said(fields: UnknownRecord): string {
  return json(fieldsWithValue(fields));
}
