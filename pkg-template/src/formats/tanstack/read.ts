// The `UIMessage` of TanStack AI's client, whose parts have `content`. An assistant message includes its tool calls and
// their results.
//
// Recognized by: parts with `content`, or the state of a result.

import { listFrom } from "../../base/lists.js";
import {
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  timeIn,
  type UnknownRecord,
  withoutSome,
} from "../../message/format.js";
import { list, required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { blocksOrText, blocksWithText, DENIED, mediaPart } from "../../message/parts.js";
import { callParts, inSteps } from "../tool-parts.js";
import { MAKER, thoughtOf } from "./model.js";

/** The fields of a `UIMessage` that windrow reads, as a structural type. */
export interface TanStackMessageShape {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
  readonly createdAt?: Date | string;
}

const MEDIA: ReadonlySet<unknown> = new Set(["image", "audio", "video", "document"]);
/** The states of calls whose arguments are still streaming. They don't count yet. */
const STREAMING: ReadonlySet<unknown> = new Set(["awaiting-input", "input-streaming"]);

/** The states of a result. A tool of the AI SDK may be called `result`, but its parts have other states. */
const RESULT_STATES: ReadonlySet<unknown> = new Set(["streaming", "complete", "error"]);

export const tanStackShape: MessageFormat = {
  name: "tanstack",
  title: "TanStack AI UIMessage",
  signs: ["parts"],
  maker: MAKER,
  fields: new Set(["id", "role", "parts", "name", "metadata", "createdAt"]),

  fits: ({ parts, role, info }) => info === undefined && typeof role === "string" && listFrom(parts).some(isOwn),

  read({ id, role, parts, name, createdAt }) {
    const given = list(parts, ".parts").map(recordOf);
    const answered = new Set(given.map(({ type, toolCallId }) => type === "tool-result" && toolCallId));
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      name: name as string | undefined,
      createdAt: timeIn(createdAt),
      content: inSteps(given.flatMap((part, at) => readPart(part, `.parts[${at}]`, answered))),
    };
  },

  withText: (row, text) => ({
    ...row,
    parts: partsWithText(row.parts as readonly UnknownRecord[], text, {
      kindOf,
      rewritten: (part, own) => withContent(part, own),
      made: (own) => ({ type: "text", content: own }),
    }),
  }),

  withoutToolCalls(row, isUnwanted = () => true) {
    return withoutSome(row, "parts", (part) => /^tool-(?:call|result)$/.test(String(part.type)) && isUnwanted(part));
  },

  withLines(value, next) {
    const line = MEDIA.has(value.type) ? next() : undefined;
    return line === undefined ? undefined : line === null ? value : { type: "text", content: line };
  },
};

/** True for a part that only TanStack's messages have. */
function isOwn(part: unknown): boolean {
  const { type, content, text, id, name, source, raw, state } = recordOf(part);
  const isMedia = MEDIA.has(type) && /^(?:data|url)$/.test(String(recordOf(source).type));
  return (
    ((type === "text" || type === "thinking") && typeof content === "string" && text === undefined) ||
    (type === "tool-call" && typeof id === "string" && typeof name === "string") ||
    (type === "tool-result" && RESULT_STATES.has(state)) ||
    (type === "structured-output" && raw !== undefined) ||
    (isMedia && "value" in recordOf(source))
  );
}

function readPart(part: UnknownRecord, place: string, answered: ReadonlySet<unknown>): readonly PartInput[] {
  const { type, content } = part;
  switch (type) {
    case "text":
      return [from({ type, text: required(content, `${place}.content`) }, undefined, place)];
    case "thinking":
      return [from(thoughtOf(part, place), undefined, place)];
    case "tool-call":
      return STREAMING.has(part.state) && part.output === undefined ? [] : readCall(part, place, answered);
    case "tool-result": {
      const output = blocksOrText(resultOf(part), `${place}.content`);
      const isError = part.state === "error" ? { isError: true } : {};
      return part.state === "streaming"
        ? []
        : [
            from(
              { type, toolCallId: required(part.toolCallId, `${place}.toolCallId`), output, ...isError },
              part,
              place,
            ),
          ];
    }
    case "structured-output": {
      const text = part.raw || JSON.stringify(part.data) || "";
      return part.status === "complete" ? [from({ type: "text", text: String(text) }, undefined, place)] : [];
    }
    case "ui-resource":
      return []; // shown by the page only
    default:
      if (MEDIA.has(type)) {
        const kind = type === "image" || type === "audio" ? type : "file";
        return [from(mediaPart(part, kind, place), undefined, place)];
      }
      throw unknownType(type, place, "part", "the parts of TanStack AI's UIMessage");
  }
}

/** Returns a tool's content, or its error if it has none. */
function resultOf({ content, error }: UnknownRecord): unknown {
  return Array.isArray(content)
    ? listFrom(content).map((block) => ("text" in recordOf(block) ? block : textBlock(recordOf(block))))
    : (content ?? error ?? "");
}

const textBlock = (block: UnknownRecord): UnknownRecord =>
  block.type === "text" && typeof block.content === "string" ? { ...block, text: block.content } : block;

/** Returns a call, and its result if no other part of the message has it. */
function readCall(part: UnknownRecord, place: string, answered: ReadonlySet<unknown>): readonly PartInput[] {
  const { id, name, input, arguments: text, output } = part;
  return callParts({ ...part, toolCallId: id }, place, {
    toolName: name,
    input: text ?? input,
    output: answered.has(id) ? undefined : (output ?? (isDenied(part) ? DENIED : undefined)),
    isError: isDenied(part) || part.state === "error",
  });
}

const isDenied = ({ approval }: UnknownRecord): boolean => recordOf(approval).approved === false;

function kindOf(part: UnknownRecord): TextKind {
  const { type, output, status } = part;
  if (type === "text" || (type === "structured-output" && status === "complete")) {
    return "text";
  }
  return type === "tool-result" || (type === "tool-call" && (output !== undefined || isDenied(part)))
    ? "result"
    : undefined;
}

function withContent(part: UnknownRecord, text: string): UnknownRecord {
  switch (part.type) {
    case "tool-call":
      return { ...part, output: text };
    case "tool-result":
      return { ...part, content: blocksWithText(part.content, text) };
    case "structured-output":
      return { type: "text", content: text };
    default:
      return { ...part, content: text };
  }
}
