// The AI SDK's `UIMessage`, versions 5 to 7: what `useChat` shows and applications store. A message of the assistant holds its
// tools' calls and what they gave.

import { describe } from "../../base/options.js";
import { list, Malformed, required } from "../malformed.js";
import type { PartInput } from "../message.js";
import {
  type MessageShape,
  type PlainMessage,
  partsWithText,
  type Row,
  recordOf,
  type TextKind,
  timeIn,
} from "./shape.js";

/** What of a `UIMessage` is read, by structure: `UIMessage` of every version from 5 to 7 fits it. */
export interface UiMessageShape {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
  readonly metadata?: unknown;
}

/** Parts that the model never sees: the application's own data, borders of steps, and what a page links to. */
const UNSEEN = /^(?:data-.*|step-start|source-url|source-document|custom)$/;
const TOOL = /^(?:tool-.+|dynamic-tool)$/;
/** What the model is told of a call that its user did not allow. */
const DENIED = "Tool execution denied.";

export const uiMessageShape: MessageShape = {
  name: "ai-sdk-ui",
  title: "AI SDK UIMessage",
  fields: new Set(["id", "role", "parts", "content", "metadata", "createdAt"]),

  fits: ({ parts, info, role }) =>
    Array.isArray(parts) &&
    info === undefined &&
    typeof role === "string" &&
    role !== "model" &&
    parts.every((part) => typeof recordOf(part).type === "string" && recordOf(part).type !== "tool-invocation"),

  read({ id, role, parts, content, metadata, createdAt }) {
    const read = list(parts, ".parts").flatMap((part, at) => readPart(recordOf(part), `.parts[${at}]`));
    // Stored messages of earlier versions say all of their text here too.
    if (typeof content === "string" && content !== "" && !textOf(read).includes(content)) {
      throw new Malformed(".content", "it says something else than the parts", "Say it in a part, or leave it out.");
    }
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: timeIn(createdAt, recordOf(metadata).createdAt),
      content: read,
    };
  },

  withText: (row, text) => ({
    ...row,
    parts: partsWithText(row.parts as readonly Row[], text, {
      kindOf,
      rewritten,
      made: (own) => ({ type: "text", text: own }),
    }),
  }),

  withoutToolCalls(row) {
    const parts = row.parts as readonly Row[];
    return parts.some(isTool) ? { ...row, parts: parts.filter((part) => !isTool(part)) } : row;
  },
};

const textOf = (parts: readonly PartInput[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const isTool = ({ type }: Row): boolean => TOOL.test(String(type));

function kindOf(part: Row): TextKind {
  if (part.type === "text") {
    return "text";
  }
  return isTool(part) && String(part.state).startsWith("output-") ? "result" : undefined;
}

function rewritten(part: Row, text: string): Row {
  switch (part.state) {
    case "output-available":
      return { ...part, output: text };
    case "output-error":
      return { ...part, errorText: text };
    case "output-denied":
      return { ...part, approval: { ...recordOf(part.approval), reason: text } };
    default:
      return { ...part, text };
  }
}

function readPart(part: Row, place: string): readonly PartInput[] {
  const { type } = part;
  switch (type) {
    case "text":
      return [{ type, text: required(part.text, `${place}.text`) }];
    case "reasoning":
      return [{ type, text: required(part.text, `${place}.text`) }];
    case "file":
    case "reasoning-file": {
      const { url, mediaType } = part;
      const kind = /^(image|audio)\//.exec(String(mediaType))?.[1] ?? "file";
      return [{ ...part, type: kind as "image" | "audio" | "file", url: required(url, `${place}.url`) }];
    }
    default:
      if (UNSEEN.test(String(type))) {
        return [];
      }
      if (isTool(part)) {
        return readTool(part, place);
      }
      throw new Malformed(
        `${place}.type`,
        `unknown part ${describe(type)}`,
        "Use the parts of the AI SDK's UIMessage, or leave the part out.",
      );
  }
}

/** A call, and what it gave, if it is over. One whose arguments are still being written is none yet. */
function readTool(part: Row, place: string): readonly PartInput[] {
  const { state } = part;
  const toolCallId = required(part.toolCallId, `${place}.toolCallId`);
  const toolName =
    part.type === "dynamic-tool" ? required(part.toolName, `${place}.toolName`) : String(part.type).slice(5);
  const call: PartInput = { type: "tool-call", toolCallId, toolName, input: part.input ?? part.rawInput };
  const result = (output: unknown): readonly PartInput[] => [call, { type: "tool-result", toolCallId, output }];
  switch (state) {
    case "input-streaming":
      return [];
    case "input-available":
    case "approval-requested":
    case "approval-responded":
      return [call];
    case "output-available":
      return result(part.output ?? "");
    case "output-error":
      return result(part.errorText ?? "");
    case "output-denied":
      return result(recordOf(part.approval).reason ?? DENIED);
    default:
      throw new Malformed(
        `${place}.state`,
        `unknown state ${describe(state)} of a tool's part`,
        "Use the states of the AI SDK's UIMessage, such as output-available.",
      );
  }
}
