// The AI SDK's `UIMessage`, versions 5 to 7: the messages that `useChat` shows and applications store. An assistant
// message includes its tool calls and their results.

import { listFrom } from "../../base/lists.js";
import { describe } from "../../base/options.js";
import {
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, MalformedMessage, required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { DENIED } from "../../message/parts.js";
import { isCompacted } from "../../message/provenance.js";
import {
  callParts,
  inSteps,
  isOfVersion4,
  mediaPart,
  outputWithText,
  reasoningParts,
  STEP,
  type StepPart,
  sealedIn,
  textPart,
} from "../tool-parts.js";

/**
 * The fields of a `UIMessage` that windrow reads, as a structural type. `UIMessage` of every version from 5 to 7 fits
 * it.
 */
export interface UiMessageShape {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
  readonly metadata?: unknown;
}

/** Parts that the model never sees: the application's own data, step borders, and links of a page. */
const UNSEEN = /^(?:data-.*|step-start|source-url|source-document)$/;
const TOOL = /^(?:tool-.+|dynamic-tool)$/;

export const uiMessageShape: MessageFormat = {
  name: "ai-sdk-ui",
  title: "AI SDK UIMessage",
  signs: ["parts"],
  fields: new Set(["id", "role", "parts", "content", "metadata", "createdAt"]),

  fits: ({ parts, info, role, toolInvocations, experimental_attachments }) =>
    Array.isArray(parts) &&
    info === undefined &&
    typeof role === "string" &&
    role !== "model" &&
    role !== "data" &&
    !Array.isArray(toolInvocations) &&
    !Array.isArray(experimental_attachments) &&
    listFrom(parts).every((part) => typeof recordOf(part).type === "string" && !isOfVersion4(recordOf(part))),

  read({ id, role, parts, content, metadata, createdAt }) {
    if (parts == null) {
      throw new MalformedMessage(".parts", "the message has no parts", "Add a list of parts, which may be empty.");
    }
    const read = inSteps(
      list(parts, ".parts").flatMap((part, at): readonly StepPart[] =>
        recordOf(part).type === "step-start" ? [STEP] : readPart(recordOf(part), `.parts[${at}]`),
      ),
    );
    // Messages stored by earlier versions repeat all of their text here.
    const isSaid =
      typeof content === "string" ? textOf(read).includes(content) : list(content, ".content").length === 0;
    if (!isSaid) {
      throw new MalformedMessage(".content", "it contradicts the parts", "Put it into a part, or leave it out.");
    }
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: timeIn(createdAt, recordOf(metadata).createdAt),
      content: read,
    };
  },

  withText(row, text) {
    const parts = partsWithText(row.parts as readonly UnknownRecord[], text, {
      kindOf,
      rewritten,
      made: (own) => ({ type: "text", text: own }),
    });
    return withParts(row, parts);
  },

  withParts: (row, _path, parts) => withParts(row, parts),

  withoutToolCalls(row, isUnwanted = () => true) {
    return withoutSome(row, "parts", (part) => isTool(part) && isUnwanted(part));
  },
};

/** A copy with other parts. Messages stored by earlier versions repeat the text in `content`. */
function withParts(row: UnknownRecord, parts: readonly unknown[]): UnknownRecord {
  const texts = parts.map(recordOf).filter(({ type }) => type === "text");
  const content = texts.map(({ text }) => text).join("");
  return { ...row, ...(typeof row.content === "string" ? { content } : {}), parts };
}

const textOf = (parts: readonly PartInput[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const isAllowed = ({ state, approval }: UnknownRecord): boolean =>
  state === "approval-responded" && recordOf(approval).approved === true;
const idOfApproval = ({ approval }: UnknownRecord): unknown => recordOf(approval).id;
const isTool = ({ type }: UnknownRecord): boolean => TOOL.test(String(type));

function kindOf(part: UnknownRecord): TextKind {
  if (part.type === "text") {
    return isCompacted(part.providerMetadata) ? undefined : "text";
  }
  if (!isTool(part) || part.state === "input-streaming" || isAllowed(part)) {
    return undefined;
  }
  return outputOf(part, "") === undefined ? undefined : "result";
}

function rewritten(part: UnknownRecord, text: string): UnknownRecord {
  if (!isTool(part)) {
    return { ...part, text };
  }
  switch (part.state) {
    case "output-available":
      return { ...part, output: outputWithText(part.output, text) };
    case "output-error":
      return { ...part, errorText: text };
    default:
      return { ...part, approval: { ...recordOf(part.approval), reason: text } };
  }
}

function readPart(part: UnknownRecord, place: string): readonly PartInput[] {
  const { type, providerMetadata } = part;
  switch (type) {
    case "text":
      return [textPart(required(part.text, `${place}.text`), providerMetadata, place)];
    case "reasoning":
      return reasoningParts(required(part.text, `${place}.text`), providerMetadata, place);
    case "file":
    case "reasoning-file":
      return [from(readFile(part, place), undefined, place)];
    case "custom":
      // A provider-specific part. Only its encrypted data, if any, can be read.
      return sealedIn(providerMetadata, place, part.kind);
    default:
      if (UNSEEN.test(String(type))) {
        return [];
      }
      if (isTool(part)) {
        return readTool(part, place);
      }
      throw unknownType(type, place, "part", "the parts of the AI SDK's UIMessage");
  }
}

/** Returns a file by its address or its provider's reference. */
function readFile(part: UnknownRecord, place: string): PartInput {
  const { url, providerReference: data } = part;
  return data != null && (url == null || url === "")
    ? mediaPart(part, { data })
    : mediaPart(part, { url: required(url, `${place}.url`) });
}

/** Returns a call, and its result if it has ended. A call whose arguments are still streaming doesn't count yet. */
function readTool(part: UnknownRecord, place: string): readonly PartInput[] {
  if (part.state === "input-streaming") {
    return [];
  }
  const toolName = part.type === "dynamic-tool" ? part.toolName : String(part.type).slice(5);
  return callParts(part, place, {
    toolName,
    input: part.input ?? part.rawInput,
    output: outputOf(part, place),
    isError:
      part.state === "output-error" || part.state === "output-denied" || recordOf(part.approval).approved === false,
    providerExecuted: part.providerExecuted,
    metadata: part.callProviderMetadata,
    allowed: isAllowed(part)
      ? { type: "tool-approval-response", approvalId: idOfApproval(part), approved: true }
      : undefined,
  });
}

/**
 * Returns the result of a call as the model sees it. Undefined while it is open. An approved call runs before the model
 * is asked, so its result isn't known yet.
 */
function outputOf({ state, output, errorText, approval }: UnknownRecord, place: string): unknown {
  const { approved, reason } = recordOf(approval);
  switch (state) {
    case "input-available":
    case "approval-requested":
      return undefined;
    case "approval-responded":
      return approved === true ? "" : (reason ?? DENIED);
    case "output-available":
      return output ?? "";
    case "output-error":
      return errorText ?? "";
    case "output-denied":
      return reason ?? DENIED;
    default:
      throw new MalformedMessage(
        `${place}.state`,
        `unknown state ${describe(state)} of a tool's part`,
        "Use the states of the AI SDK's UIMessage, such as output-available.",
      );
  }
}
