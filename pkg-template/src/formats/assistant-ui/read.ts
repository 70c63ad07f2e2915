// assistant-ui's `ThreadMessage`: the messages that a runtime shows, one branch of the thread. An assistant message
// includes its tool calls and their results. A user's attachments are in a separate field, and the model receives them
// after the content.
//
// Recognized by: `attachments`, or a `status` that is an object.

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
import {
  callParts,
  inSteps,
  mediaPart,
  ofFile,
  outputWithText,
  reasoningParts,
  STEP,
  type StepPart,
  textPart,
} from "../tool-parts.js";

/** The fields of a `ThreadMessage` that windrow reads, as a structural type. */
export interface AssistantUiMessageShape {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly content: readonly { readonly type: string }[];
  readonly createdAt?: Date | string;
  readonly status?: { readonly type: string };
  readonly attachments?: readonly { readonly content?: readonly { readonly type: string }[] }[];
  readonly metadata: { readonly custom: Readonly<Record<string, unknown>> };
}

/** The state of a message. */
const STATUS = /^(?:running|requires-action|complete|incomplete)$/;
/** Parts that no model sees: links of a page, the application's own data, and components. */
const UNSEEN = /^(?:source|data|data-.*|generative-ui)$/;

export const assistantUiShape: MessageFormat = {
  name: "assistant-ui",
  title: "assistant-ui ThreadMessage",
  signs: ["attachments"],
  // The page's state of a message repeats the content as `parts`, and has the user's draft as `composer`.
  fields: new Set(["id", "role", "content", "createdAt", "status", "attachments", "metadata", "parts", "composer"]),

  fits: ({ role, content, status, attachments, metadata }) =>
    typeof role === "string" &&
    Array.isArray(content) &&
    (STATUS.test(String(recordOf(status).type)) ||
      (Array.isArray(attachments) && typeof recordOf(metadata).custom === "object")),

  read(row) {
    const { id, role, createdAt, status } = row;
    if (!Array.isArray(row.content)) {
      throw new MalformedMessage(
        ".content",
        `expected a list of parts, got ${describe(row.content)}`,
        "Pass the messages of the thread, as the runtime returns them.",
      );
    }
    const ended = recordOf(status).type;
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      createdAt: timeIn(createdAt),
      status: ended === "complete" ? "completed" : (ended as string | undefined),
      content: inSteps(placedParts(row).flatMap(steppedParts)),
    };
  },

  withText(row, text) {
    const parts = partsWithText<ThreadPart>(placedParts(row), text, {
      kindOf: ({ part }) => kindOf(part),
      rewritten: (placed, own) => ({ ...placed, part: rewritten(placed.part, own) }),
      made: (own) => ({ part: { type: "text", text: own }, place: "" }),
    });
    const of = (attachment: number | undefined): readonly UnknownRecord[] =>
      parts.filter((placed) => placed.attachment === attachment).map(({ part }) => part);
    const attachments = list(row.attachments, ".attachments").map((it, at) => ({ ...recordOf(it), content: of(at) }));
    return { ...row, content: of(undefined), ...(row.attachments == null ? {} : { attachments }) };
  },

  withoutToolCalls(row, isUnwanted = () => true) {
    return withoutSome(row, "content", (part) => isCall(part) && isUnwanted(part));
  },
};

/** A part, its place, and the attachment it belongs to. */
interface ThreadPart {
  readonly part: UnknownRecord;
  readonly place: string;
  readonly attachment?: number;
}

/** Returns the parts of a message in the order that the model receives them. */
function placedParts({ content, attachments }: UnknownRecord): readonly ThreadPart[] {
  return [
    ...placed(content, ".content"),
    ...list(attachments, ".attachments").flatMap((attachment, at) =>
      placed(recordOf(attachment).content, `.attachments[${at}].content`).map((it) => ({ ...it, attachment: at })),
    ),
  ];
}

const placed = (parts: unknown, place: string): readonly ThreadPart[] =>
  list(parts, place).map((part, at) => ({ part: recordOf(part), place: `${place}[${at}]` }));

/** Returns the content of a part. Nothing marks the steps of an answer, so each new thought starts one. */
function steppedParts({ part, place, attachment }: ThreadPart): readonly StepPart[] {
  const parts = attachment === undefined ? readPart(part, place) : readPart(part, place).map(ofFile);
  return part.type === "reasoning" ? [STEP, ...parts] : parts;
}

const isCall = (part: unknown): boolean => recordOf(part).type === "tool-call";

function readPart(part: UnknownRecord, place: string): readonly PartInput[] {
  const { type, providerMetadata } = part;
  switch (type) {
    case "text":
      return [textPart(required(part.text, `${place}.text`), providerMetadata, place)];
    case "reasoning":
      return reasoningParts(required(part.text, `${place}.text`), providerMetadata, place);
    case "image": {
      const made = mediaPart(part, { data: required(part.image, `${place}.image`) });
      return [from({ ...made, type } as PartInput, undefined, place)];
    }
    case "file": {
      const data = required(part.data, `${place}.data`);
      const held = part.sourceType === "id" ? { file: { file_id: data } } : { data };
      return [from(mediaPart(part, held), undefined, place)];
    }
    case "audio":
      return [from({ type: "input_audio", input_audio: part.audio }, undefined, place)];
    case "tool-call":
      return readCall(part, place);
    default:
      if (UNSEEN.test(String(type))) {
        return [];
      }
      throw unknownType(type, place, "part", "the parts of assistant-ui's ThreadMessage");
  }
}

/** Returns a call, and its result if it has ended. */
function readCall(part: UnknownRecord, place: string): readonly PartInput[] {
  const { toolName, args, argsText, providerMetadata } = part;
  return callParts(part, place, {
    toolName,
    input: args ?? argsText ?? part.input,
    output: outputOf(part),
    isError: part.isError === true || isDenied(part),
    metadata: providerMetadata,
  });
}

/** True if the user denied a call. */
const isDenied = ({ approval, result }: UnknownRecord): boolean =>
  result === undefined && recordOf(approval).approved === false;

/** Returns the result of a call as the model sees it. Undefined while it is open. */
function outputOf(part: UnknownRecord): unknown {
  const { result, modelContent, isPreliminary, approval } = part;
  if (isDenied(part)) {
    return recordOf(approval).reason ?? DENIED;
  }
  if (isPreliminary === true || result === undefined) {
    return undefined;
  }
  return Array.isArray(modelContent) ? { type: "content", value: modelContent } : (result ?? "");
}

function kindOf(part: UnknownRecord): TextKind {
  return part.type === "text" ? "text" : isCall(part) && outputOf(part) !== undefined ? "result" : undefined;
}

function rewritten(part: UnknownRecord, text: string): UnknownRecord {
  if (!isCall(part)) {
    return { ...part, text };
  }
  if (isDenied(part)) {
    return { ...part, approval: { ...recordOf(part.approval), reason: text } };
  }
  return Array.isArray(part.modelContent)
    ? { ...part, result: text, modelContent: recordOf(outputWithText(outputOf(part), text)).value }
    : { ...part, result: outputWithText(part.result, text) };
}
