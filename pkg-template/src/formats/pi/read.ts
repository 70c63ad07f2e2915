// The `AgentMessage` of pi-agent-core, which OpenClaw uses too: messages of pi-ai, and those that only the coding agent
// has.
//
// Recognized by: a role such as `toolResult`, or `stopReason`.

import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  type MessageFormat,
  partsWithText,
  recordOf,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, MalformedMessage, required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage, Provenance } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { mediaPart } from "../tool-parts.js";

/**
 * The fields of an `AgentMessage` that windrow reads, as a structural type. pi's and OpenClaw's fit it, including the
 * coding agent's messages.
 */
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

/** Fields of windrow's own form that none of these messages has. */
const OWN_FIELDS = [
  ...["createdAt", "name", "source", "actions", "status", "target", "priority", "ttlSeconds", "summaryOf"],
  ...["toolCalls", "tool_calls", "toolCallId", "tool_call_id"],
] as const;
/** The smallest time in milliseconds, in the year 1973. A time in seconds is smaller. */
const EARLIEST = 1e11;

/** The texts before and after a summary, as the model sees it. */
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
/** The types of calls. OpenClaw uses the spellings of several agents. */
const CALL = /^(?:toolCall|toolUse|functionCall)$/;
const MEDIA = /^(?:image|audio|video)$/;

export const piShape: MessageFormat = {
  name: "pi",
  title: "pi AgentMessage",
  signs: ["timestamp", "stopReason"],
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
      // A summary replaces the messages it covers, but was written later than the messages after it.
      createdAt: SUMMARIES[String(row.role)] === undefined ? timeIn(timestamp) : undefined,
      ...(row.role === "toolResult"
        ? {
            toolCallId: required(toolCallId, ".toolCallId"),
            toolName: typeof row.toolName === "string" ? row.toolName : undefined,
            isError: row.isError === true,
          }
        : {}),
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
    // A summary has a time, but it isn't read.
    return { ...row, ...named, ...(Number.isNaN(time) || row.timestamp != null ? {} : { timestamp: time }) };
  },

  withoutToolCalls(row, isUnwanted = () => true) {
    if (row.role === "toolResult") {
      return { ...row, content: [] };
    }
    return withoutSome(row, "content", (part) => isCall(part) && isUnwanted(part));
  },
};

const partsIn = (content: unknown): readonly UnknownRecord[] => listFrom(content).map(recordOf);
const isCall = ({ type }: UnknownRecord): boolean => CALL.test(String(type));
const isAnswer = ({ api, stopReason, content }: UnknownRecord): boolean =>
  Array.isArray(content) && typeof api === "string" && typeof stopReason === "string";

/** True if a message has pi's time and nothing of windrow's own form. */
function isTimed(row: UnknownRecord): boolean {
  const { timestamp, content } = row;
  return (
    typeof timestamp === "number" &&
    timestamp > EARLIEST &&
    (typeof content === "string" || Array.isArray(content)) &&
    OWN_FIELDS.every((field) => row[field] === undefined)
  );
}

/** True if a part is one that a user message may have. */
function isWords({ type, text, data, mimeType }: UnknownRecord): boolean {
  return type === "text"
    ? typeof text === "string"
    : MEDIA.test(String(type)) && typeof data === "string" && typeof mimeType === "string";
}

function roleOf({ role }: UnknownRecord): PlainMessage["role"] {
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
      throw new MalformedMessage(
        ".role",
        `unknown role ${describe(role)}`,
        "Turn the message into one of pi's own, as convertToLlm does, or leave it out.",
      );
  }
}

/** Returns the state of a turn that didn't end normally. */
function statusOf(stopReason: unknown): string | undefined {
  return stopReason === "error" ? "failed" : stopReason === "aborted" ? "aborted" : undefined;
}

function readContent(row: UnknownRecord): readonly PartInput[] {
  const text = writtenOut(row);
  if (text !== undefined) {
    return [{ type: "text", text, origin: "file" }]; // a command's output or a summary, under the user's role
  }
  return typeof row.content === "string"
    ? [{ type: "text", text: row.content }]
    : list(row.content, ".content", "a text or a list of parts").flatMap((part, at) =>
        readPart(recordOf(part), `.content[${at}]`, makerOf(row)),
      );
}

/** The providers that accept signed content back, by the API of a reply. */
const MAKERS = [
  [/^anthropic|^bedrock/, "anthropic"],
  [/^google/, "google"],
  [/openai.*-responses$/, "openai"],
] as const;

function makerOf({ api, provider }: UnknownRecord): string | undefined {
  const named = typeof api === "string" ? api : provider;
  return MAKERS.find(([pattern]) => pattern.test(String(named)))?.[1];
}

function readPart(part: UnknownRecord, place: string, maker: string | undefined): readonly PartInput[] {
  const { type } = part;
  if (type === "text") {
    return [from({ type, text: required(part.text, `${place}.text`), ...proofOf(part, maker) }, undefined, place)];
  }
  if (type === "thinking") {
    return readThinking(part, place, maker);
  }
  if (MEDIA.test(String(type))) {
    return [from(mediaPart(part, { data: required(part.data, `${place}.data`) }), undefined, place)];
  }
  if (isCall(part)) {
    const [toolCallId, toolName] = [required(part.id, `${place}.id`), required(part.name, `${place}.name`)];
    const input = part.arguments ?? part.input;
    return [from({ type: "tool-call", toolCallId, toolName, input, ...proofOf(part, maker) }, undefined, place)];
  }
  throw unknownType(type, place, "part", "text, thinking, image or toolCall");
}

/** Returns Google's proof of a text or a call, or OpenAI's id for the item of a text. */
function proofOf(
  { textSignature, thoughtSignature = textSignature }: UnknownRecord,
  maker: string | undefined,
): Provenance {
  if (typeof thoughtSignature !== "string" || thoughtSignature === "") {
    return {};
  }
  switch (maker) {
    case "google":
      return { provider: maker, signature: thoughtSignature };
    case "openai": {
      const { id = thoughtSignature } = itemIn(thoughtSignature);
      return textSignature === undefined || typeof id !== "string" ? {} : { provider: maker, id };
    }
    default:
      return {};
  }
}

/** Returns the item of OpenAI's in a signature, which is JSON. */
function itemIn(signature: string): UnknownRecord {
  try {
    return recordOf(JSON.parse(signature));
  } catch {
    return {};
  }
}

/** Reads a thought. The signature of a redacted thought is its encrypted text. */
function readThinking(
  { thinking, thinkingSignature: signature, redacted }: UnknownRecord,
  place: string,
  maker: string | undefined,
): readonly PartInput[] {
  const text = required(thinking, `${place}.thinking`);
  const isSealed = redacted === true || text.trim() === "";
  if (maker === undefined || typeof signature !== "string" || signature === "") {
    const isHidden = isSealed && typeof signature === "string" && signature !== "";
    return [
      from(isHidden ? { type: "redacted_thinking", data: signature } : { type: "reasoning", text }, undefined, place),
    ];
  }
  if (maker !== "openai") {
    const proof: Provenance = { provider: maker };
    return [
      redacted === true
        ? from({ type: "redacted_thinking", data: signature, ...proof }, undefined, place)
        : from({ type: "reasoning", text, signature, ...proof }, undefined, place),
    ];
  }
  // OpenAI's signature is the reasoning item as JSON.
  const item = itemIn(signature);
  const { id, encrypted_content: data } = item;
  const proof = { provider: maker, ...(typeof id === "string" ? { id } : {}) };
  const given = Array.isArray(item.summary) ? item : undefined;
  return [
    isSealed
      ? from({ type: "redacted_thinking", data: typeof data === "string" ? data : signature, ...proof }, given, place)
      : from({ type: "reasoning", text, ...proof, ...(typeof data === "string" ? { data } : {}) }, given, place),
  ];
}

/** Returns the text that the model sees for a message without content: a command with its output, or a summary. */
function writtenOut(row: UnknownRecord): string | undefined {
  const around = SUMMARIES[String(row.role)];
  if (around !== undefined) {
    return around[0] + required(row.summary, ".summary") + around[1];
  }
  return row.role === "bashExecution" ? commandAndOutput(row) : undefined;
}

function commandAndOutput({ command, output, exitCode, cancelled, truncated, fullOutputPath }: UnknownRecord): string {
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

/** Returns a message as the user's, which is how the model sees commands and summaries. */
function asUser(row: UnknownRecord, content: unknown): UnknownRecord {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath, ...other } = row;
  const { summary, fromId, tokensBefore, tokensAfter, firstKeptEntryId, ...rest } = other;
  return { ...rest, role: "user", content };
}
