// Messages of the Model Context Protocol: prompts and sampling. A content is one block, or several:
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
//
// Recognized by: `content` that is one block, or a block `resource` or `resource_link`.

import { listFrom } from "../../base/lists.js";
import {
  kindOfMediaType,
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { blocksOrText, blocksWithText, callPart, mediaPart } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface McpMessageShape {
  readonly role: "user" | "assistant";
  readonly content: { readonly type: string } | readonly { readonly type: string }[];
}

export const mcpShape: MessageFormat = {
  name: "mcp",
  title: "MCP message",
  fields: new Set(["id", "role", "content", "createdAt"]),

  fits: ({ content, role }) =>
    (role === "user" || role === "assistant") &&
    (Array.isArray(content) ? listFrom(content).some(isOwn) : typeof recordOf(content).type === "string"),

  read({ id, role, content, createdAt }) {
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: timeIn(createdAt),
      content: blocksOf(content).map((block, at) => {
        const place = Array.isArray(content) ? `.content[${at}]` : ".content";
        return from(readBlock(block, place), undefined, place);
      }),
    };
  },

  withText(row, text) {
    const blocks = partsWithText(blocksOf(row.content), text, {
      kindOf,
      rewritten: (block, own) =>
        block.type === "tool_result"
          ? { ...block, content: blocksWithText(block.content, own) }
          : { type: "text", text: own },
      made: (own) => ({ type: "text", text: own }),
    });
    return { ...row, content: Array.isArray(row.content) || blocks.length !== 1 ? blocks : blocks[0] };
  },

  withoutToolCalls(row, isUnwanted = () => true) {
    const whole = Array.isArray(row.content) ? row : { ...row, content: [row.content] };
    const copy = withoutSome(whole, "content", (block) => /^tool_/.test(String(block.type)) && isUnwanted(block));
    return copy === whole ? row : copy;
  },
};

const blocksOf = (content: unknown): readonly UnknownRecord[] =>
  (Array.isArray(content) ? listFrom(content) : [content]).map(recordOf);

/** True for a block that only MCP has. */
function isOwn(block: unknown): boolean {
  const { type, toolUseId } = recordOf(block);
  return type === "resource" || type === "resource_link" || (type === "tool_result" && typeof toolUseId === "string");
}

function kindOf({ type, resource }: UnknownRecord): TextKind {
  const isText =
    type === "text" || type === "resource_link" || (type === "resource" && recordOf(resource).blob == null);
  return isText ? "text" : type === "tool_result" ? "result" : undefined;
}

function readBlock(block: UnknownRecord, place: string): PartInput {
  const { type, mimeType } = block;
  switch (type) {
    case "text":
      return { type, text: required(block.text, `${place}.text`) };
    case "image":
    case "audio":
      return mediaPart({ type, data: block.data, mediaType: mimeType }, type, place);
    case "resource": {
      const { text, blob, mimeType: kind } = recordOf(block.resource);
      const media = kindOfMediaType(kind);
      return blob == null
        ? { type: "text", text: required(text, `${place}.resource.text`), origin: "file" }
        : mediaPart({ type: media, data: blob, mediaType: kind }, media, place);
    }
    case "resource_link":
      // The model sees the link. Its target hasn't been read.
      return { type: "text", text: JSON.stringify(block), origin: "file" };
    case "tool_use": {
      const { id, name, input } = block;
      return callPart({}, { id, name, input, fields: ["id", "name"] }, place);
    }
    case "tool_result": {
      const output = blocksOrText(block.content ?? block.structuredContent, `${place}.content`);
      const isError = block.isError === true ? { isError: true } : {};
      return { type: "tool-result", toolCallId: required(block.toolUseId, `${place}.toolUseId`), output, ...isError };
    }
    default:
      throw unknownType(type, place, "block", "the blocks of MCP's messages");
  }
}
