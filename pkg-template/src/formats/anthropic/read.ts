// Blocks of Anthropic's messages.
//
// Recognized by: the types of blocks, such as `tool_use`.

import type { Dialect, PartForm } from "../../message/dialect.js";
import { fieldsWithValue, type UnknownRecord } from "../../message/format.js";
import { list, required, text } from "../../message/malformed.js";
import type { CallPart, MediaSource } from "../../message/message.js";
import {
  blocksOrText,
  blocksWithText,
  callPart,
  compactionPart,
  containerFile,
  mediaForm,
  mediaPart,
  reasoningForm,
  resultPart,
  toolChange,
} from "../../message/parts.js";

const call: PartForm = {
  fields: new Set(["id", "name", "input", "server_name", "toolset_name", "caller"]),
  read: (block, place, maker) =>
    callPart(block, { id: block.id, name: block.name, input: block.input, fields: ["id", "name"] }, place, maker),
  isOfTool: true,
};

/** A call to a tool that Anthropic or an MCP server runs. */
const hostedCall: PartForm = {
  ...call,
  read(block, place, maker) {
    return { ...(call.read(block, place, maker) as CallPart), providerExecuted: true };
  },
};

/** Results of tools that the application runs, and of those that Anthropic runs. */
const result: PartForm = {
  fields: new Set(["tool_use_id", "content"]),
  read(block, place) {
    // MCP's messages have the id in camel case.
    const id = required(block.tool_use_id ?? block.toolUseId, `${place}.tool_use_id`);
    const output = blocksOrText(block.content, `${place}.content`);
    const hosted = block.type === "tool_result" ? {} : { providerExecuted: true };
    // The content is already read as blocks, so an output that looks like one of the AI SDK's is plain JSON.
    return { ...resultPart(block, id, ["", ".content"], place), output, ...hosted };
  },
  givenOf: (block) => (block.tool_use_id == null ? undefined : block),
  text: "result",
  withText: (block, own) => ({ ...block, content: blocksWithText(block.content, own) }),
  isOfTool: true,
};

/** A note that only Anthropic reads. It counts toward the cost, and is sent back unchanged. */
function ownNote(fields: readonly string[]): PartForm {
  return {
    fields: new Set(fields),
    read: (block) => ({
      type: "redacted_thinking",
      data: JSON.stringify(fieldsWithValue(Object.fromEntries(fields.map((field) => [field, block[field]])))),
      provider: "anthropic",
      note: "other",
    }),
  };
}

const changeOfTools: PartForm = {
  fields: new Set(["tool"]),
  read: ({ tool }) => toolChange(tool, "anthropic"),
};

/**
 * Anthropic's summary of the messages before it. A summary without a text has failed: the API ignores it, and refuses
 * an empty text.
 */
const compaction: PartForm = {
  fields: new Set(["content", "encrypted_content", "tool_changes", "signature"]),
  read({ content, encrypted_content: encrypted, signature }, place) {
    const said = text(content, `${place}.content`);
    const kept = text(encrypted, `${place}.encrypted_content`);
    if (said === undefined && kept) {
      return { type: "redacted_thinking", data: kept, provider: "anthropic", note: "other" };
    }
    return compactionPart("anthropic", said, typeof signature === "string" ? { signature } : {});
  },
};

export const HOSTED_RESULT: RegExp = /^\w+_tool_result$/;

/** Blocks that add or remove tools from that point on. */
export const TOOL_CHANGE: RegExp = /^tool_(?:addition|removal)$/;

export const anthropic: Dialect = {
  fields: ["output_config"],
  toolFields: [],
  parts: {
    thinking: reasoningForm("thinking"),
    document: mediaForm("file"),
    container_upload: { ...mediaForm("file"), read: containerFile },
    compaction,
    tool_addition: changeOfTools,
    tool_removal: changeOfTools,
    fallback: ownNote(["from", "to"]),
    mcp_tool_listing: ownNote(["mcp_server_name", "tools"]),
    search_result: {
      fields: new Set(["title", "source", "content"]),
      read: (block, place) => mediaPart({ type: "document", source: searchResult(block, place) }, "file", place),
    },
    tool_use: call,
    server_tool_use: hostedCall,
    mcp_tool_use: hostedCall,
    tool_result: result,
  },
  partOf: (type) => (HOSTED_RESULT.test(type) ? result : undefined),
  beside({ role, content, output_config: output }) {
    // If there is a text, the output settings are sent back with it and need no separate part.
    const isAlone = content == null || content === "" || (Array.isArray(content) && content.length === 0);
    if (role !== "system" || output == null || !isAlone) {
      return undefined;
    }
    const data = JSON.stringify(fieldsWithValue({ output_config: output }));
    const part = { type: "redacted_thinking", data, provider: "anthropic", note: "output" } as const;
    return { said: [{ part, given: { output_config: output }, place: ".output_config" }] };
  },
};

/** Returns a search result as a document with its title and source. */
function searchResult(block: UnknownRecord, place: string): MediaSource {
  const texts = list(block.content, `${place}.content`).map((inner, at) =>
    required((inner as { text?: unknown } | null)?.text, `${place}.content[${at}].text`),
  );
  const said = [text(block.title, `${place}.title`), text(block.source, `${place}.source`), ...texts];
  return { type: "text", media_type: "text/plain", data: said.filter((it) => it != null).join("\n") };
}
