// The `AgentMessage` of pi-agent-core, which OpenClaw has too: messages of pi-ai, and those that the coding agent has beside them.

import { describe } from "../../base/options.js";
import { list, Malformed, required } from "../malformed.js";
import type { PartInput } from "../message.js";
import { mediaPart } from "./ai-sdk-parts.js";
import { type MessageShape, type PlainMessage, partsWithText, type Row, recordOf, timeIn } from "./shape.js";

/** What of an `AgentMessage` is read, by structure: pi's and OpenClaw's fit it, with the messages of the coding agent. */
export interface PiMessageShape {
  readonly role:
    | "system"
    | "user"
    | "assistant"
    | "toolResult"
    | "bashExecution"
    | "custom"
    | "branchSummary"
    | "compactionSummary";
  readonly timestamp: number | string;
  readonly content?: string | readonly { readonly type: string }[];
}

/** Fields of a message in windrow's own form that none of these messages has. */
const OWN_FIELDS = [
  ...["createdAt", "name", "source", "actions", "status", "target", "priority", "ttlSeconds", "summaryOf"],
  ...["toolCalls", "tool_calls", "toolCallId", "tool_call_id"],
] as const;
/** A time in milliseconds is later than this: the year 1973. One in seconds is not. */
const EARLIEST = 1e11;

/** What stands around a summary before the model sees it. */
const SUMMARIES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  compactionSummary: [
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
  ],
  branchSummary: [
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
  ],
};
/** A call, in each of its spellings: OpenClaw takes over those of other agents. */
const CALL = /^(?:toolCall|toolUse|functionCall)$/;
const MEDIA = /^(?:image|audio|video)$/;

export const piShape: MessageShape = {
  name: "pi",
  title: "pi AgentMessage",
  fields: new Set([
    ...["id", "role", "content", "timestamp", "toolCallId", "toolName", "details", "isError", "usage", "stopReason"],
    ...["errorMessage", "errorBody", "diagnostics", "api", "provider", "model", "customType", "display"],
    ...["command", "output", "exitCode", "cancelled", "truncated", "fullOutputPath", "excludeFromContext"],
    ...["summary", "fromId", "tokensBefore", "tokensAfter", "firstKeptEntryId"],
  ]),

  fits(row) {
    switch (row.role) {
      case "toolResult":
        return true;
      case "bashExecution":
        return typeof row.command === "string";
      case "branchSummary":
      case "compactionSummary":
        return typeof row.summary === "string";
      case "custom":
        return typeof row.customType === "string";
      case "system":
      case "user":
        return isTimed(row) && partsIn(row.content).every(isWords);
      case "assistant":
        return isAnswer(row) || partsIn(row.content).some(isCall);
      default:
        return false;
    }
  },

  read(row) {
    const { id, timestamp, toolCallId, excludeFromContext, stopReason } = row;
    return {
      id: id as string | undefined,
      role: roleOf(row),
      // A summary stands where what it sums up stood, and was written later than what stands behind it.
      createdAt: SUMMARIES[String(row.role)] === undefined ? timeIn(timestamp) : undefined,
      ...(row.role === "toolResult" ? { toolCallId: required(toolCallId, ".toolCallId") } : {}),
      status: excludeFromContext === true ? "deleted" : statusOf(stopReason),
      content: readContent(row),
    };
  },

  withText(row, text) {
    const made = { type: "text", text };
    if (writtenOut(row) !== undefined) {
      return asUser(row, [made]);
    }
    if (typeof row.content === "string") {
      return { ...row, content: text };
    }
    const content = partsWithText(list(row.content, ".content").map(recordOf), text, {
      kindOf: ({ type }) => (type === "text" ? "text" : undefined),
      rewritten: (part, own) => ({ ...part, text: own }),
      made: () => made,
    });
    return { ...row, content };
  },

  withOrigin(row, { createdAt, ...named }) {
    const time = new Date(createdAt ?? Number.NaN).getTime();
    // The time of a summary is there, and not read.
    return { ...row, ...named, ...(Number.isNaN(time) || row.timestamp != null ? {} : { timestamp: time }) };
  },

  withoutToolCalls(row) {
    if (row.role === "toolResult") {
      return { ...row, content: [] };
    }
    const parts = partsIn(row.content);
    return parts.some(isCall) ? { ...row, content: parts.filter((part) => !isCall(part)) } : row;
  },
};

const partsIn = (content: unknown): readonly Row[] => (Array.isArray(content) ? content.map(recordOf) : []);
const isCall = ({ type }: Row): boolean => CALL.test(String(type));
const isAnswer = ({ api, stopReason, content }: Row): boolean =>
  Array.isArray(content) && typeof api === "string" && typeof stopReason === "string";

/** Whether a message has pi's time, and nothing of windrow's own form. */
function isTimed(row: Row): boolean {
  const { timestamp, content } = row;
  return (
    typeof timestamp === "number" &&
    timestamp > EARLIEST &&
    (typeof content === "string" || Array.isArray(content)) &&
    OWN_FIELDS.every((field) => row[field] === undefined)
  );
}

/** Whether a part is one that a user's message has. */
function isWords({ type, text, data, mimeType }: Row): boolean {
  return type === "text"
    ? typeof text === "string"
    : MEDIA.test(String(type)) && typeof data === "string" && typeof mimeType === "string";
}

function roleOf({ role }: Row): PlainMessage["role"] {
  switch (role) {
    case "system":
    case "user":
    case "assistant":
      return role;
    case "toolResult":
      return "tool";
    case "bashExecution":
    case "custom":
    case "branchSummary":
    case "compactionSummary":
      return "user";
    default:
      throw new Malformed(
        ".role",
        `unknown role ${describe(role)}`,
        "Turn the message into one of pi's own, as convertToLlm does, or leave it out.",
      );
  }
}

/** How the turn ended, where it did not end well. */
function statusOf(stopReason: unknown): string | undefined {
  return stopReason === "error" ? "failed" : stopReason === "aborted" ? "aborted" : undefined;
}

function readContent(row: Row): readonly PartInput[] {
  const text = writtenOut(row) ?? row.content;
  return typeof text === "string"
    ? [{ type: "text", text }]
    : list(text, ".content", "a text or a list of parts").flatMap((part, at) =>
        readPart(recordOf(part), `.content[${at}]`),
      );
}

function readPart(part: Row, place: string): readonly PartInput[] {
  const { type } = part;
  if (type === "text") {
    return [{ type, text: required(part.text, `${place}.text`) }];
  }
  if (type === "thinking") {
    return readThinking(part, place);
  }
  if (MEDIA.test(String(type))) {
    return [mediaPart(part, { data: required(part.data, `${place}.data`) })];
  }
  if (isCall(part)) {
    const [toolCallId, toolName] = [required(part.id, `${place}.id`), required(part.name, `${place}.name`)];
    return [{ type: "tool-call", toolCallId, toolName, input: part.arguments ?? part.input }];
  }
  throw new Malformed(
    `${place}.type`,
    `unknown part ${describe(type)}`,
    "Use text, thinking, image or toolCall, or leave the part out.",
  );
}

/** A thought. Where nothing of it may be read, its signature is what the provider is given back. */
function readThinking({ thinking, thinkingSignature, redacted }: Row, place: string): readonly PartInput[] {
  const text = required(thinking, `${place}.thinking`);
  const isSealed = redacted === true || text.trim() === "";
  return isSealed && typeof thinkingSignature === "string" && thinkingSignature !== ""
    ? [{ type: "redacted_thinking", data: thinkingSignature }]
    : [{ type: "reasoning", text }];
}

/** What the model is shown of a message that has no content of its own: a command and what it gave, or a summary. */
function writtenOut(row: Row): string | undefined {
  const around = SUMMARIES[String(row.role)];
  if (around !== undefined) {
    return around[0] + required(row.summary, ".summary") + around[1];
  }
  return row.role === "bashExecution" ? commandAndOutput(row) : undefined;
}

function commandAndOutput({ command, output, exitCode, cancelled, truncated, fullOutputPath }: Row): string {
  const said = output == null || output === "" ? "(no output)" : `\`\`\`\n${required(output, ".output")}\n\`\`\``;
  const hasFailed = exitCode != null && exitCode !== 0;
  const end =
    cancelled === true ? "\n\n(command cancelled)" : hasFailed ? `\n\nCommand exited with code ${exitCode}` : "";
  const rest =
    truncated === true && typeof fullOutputPath === "string"
      ? `\n\n[Output truncated. Full output: ${fullOutputPath}]`
      : "";
  return `Ran \`${required(command, ".command")}\`\n${said}${end}${rest}`;
}

/** The message as the user's, which is how the model is shown what is written out. */
function asUser(row: Row, content: unknown): Row {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath, ...other } = row;
  const { summary, fromId, tokensBefore, tokensAfter, firstKeptEntryId, ...rest } = other;
  return { ...rest, role: "user", content };
}
