// Pydantic AI's message history, from `all_messages_json()`: a Python back end passes it to its front end. A request
// has the words of the user and the tools, and a response has those of the model.
//
// A request may have a system prompt next to the user's words. Both become one message here, so the prompt becomes a
// user's text that names its author. That lowers its authority and never raises it.
//
// Recognized by: `kind`, and parts with `part_kind`.

import { jsonOf } from "../../base/json.js";
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
import { list, MalformedMessage, required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { callPart, mediaPart } from "../../message/parts.js";
import { INSTRUCTIONS_MARK, withoutMark } from "../instructions-mark.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface PydanticAiMessageShape {
  readonly kind: "request" | "response" | (string & {});
  readonly parts: readonly { readonly part_kind: string }[];
}

export const pydanticAiShape: MessageFormat = {
  name: "pydantic-ai",
  title: "Pydantic AI ModelMessage",
  signs: ["parts"],
  fields: new Set(["id", "kind", "parts", "instructions", "timestamp", "createdAt"]),

  fits: ({ kind, parts }) => (kind === "request" || kind === "response") && Array.isArray(parts),

  read({ id, kind, parts, timestamp, createdAt }) {
    const given = list(parts, ".parts").map(recordOf);
    const isOnly = given.length > 0 && given.every(isSystem);
    const role: PlainMessage["role"] = kind === "response" ? "assistant" : isOnly ? "system" : "user";
    return {
      id: id as string | undefined,
      role,
      createdAt: timeIn(createdAt, timestamp, given[0]?.timestamp),
      content: given.flatMap((part, at) => {
        const place = `.parts[${at}]`;
        const isMarked = isSystem(part) && !isOnly;
        const marked = isMarked ? { ...part, content: `${INSTRUCTIONS_MARK}\n${part.content}` } : part;
        const read = readPart(marked, place);
        return (role === "user" && !isMarked ? read.map(guarded) : read).map((it) => from(it, part, place));
      }),
    };
  },

  withText: (row, text) => ({
    ...row,
    parts: partsWithText(row.parts as readonly UnknownRecord[], text, {
      kindOf,
      rewritten: (part, content) => ({ ...part, content }),
      made: (content) => ({ part_kind: row.kind === "response" ? "text" : "user-prompt", content }),
    }),
  }),

  withoutToolCalls: (row, isUnwanted = () => true) =>
    withoutSome(row, "parts", (part) => isOfTool(part) && isUnwanted(part)),

  withLines(value, next) {
    const line = MEDIA_KIND.test(String(value.kind)) ? next() : undefined;
    return line === undefined ? undefined : (line ?? value);
  },
};

/** The kinds of images, audio, videos and files in a prompt. */
const MEDIA_KIND = /^(?:binary|uploaded-file|(?:image|audio|video|document)-url)$/;

/** Guards a user's text, so that no line looks like the application's. */
const guarded = (part: PartInput): PartInput =>
  part.type === "text" ? { ...part, text: withoutMark(part.text) } : part;

const isSystem = ({ part_kind: kind }: UnknownRecord): boolean => kind === "system-prompt";
const isOfTool = ({ part_kind: kind, tool_name: name }: UnknownRecord): boolean =>
  /^(?:builtin-)?tool-(?:call|return)$/.test(String(kind)) || (kind === "retry-prompt" && name != null);

function kindOf(part: UnknownRecord): TextKind {
  const { part_kind: kind, content } = part;
  if (isOfTool(part)) {
    return /call$/.test(String(kind)) ? undefined : "result";
  }
  const isText =
    kind === "text" ||
    kind === "compaction" ||
    kind === "retry-prompt" ||
    kind === "system-prompt" ||
    kind === "user-prompt";
  return isText && typeof content === "string" ? "text" : undefined;
}

function readPart(part: UnknownRecord, place: string): readonly PartInput[] {
  const { part_kind: kind, content, tool_name: name, tool_call_id: id, args } = part;
  const hosted = String(kind).startsWith("builtin-") ? { providerExecuted: true } : {};
  switch (kind) {
    case "system-prompt":
    case "text":
      return [{ type: "text", text: required(content, `${place}.content`) }];
    case "user-prompt":
      return typeof content === "string"
        ? [{ type: "text", text: content }]
        : list(content, `${place}.content`, "a text or a list").flatMap((item, at) =>
            // A cache point has no content.
            recordOf(item).kind === "cache-point" ? [] : [readItem(item, `${place}.content[${at}]`)],
          );
    case "thinking":
      return [{ type: "reasoning", text: required(content ?? "", `${place}.content`), ...proofOf(part) }];
    // Some providers leave out the summary.
    case "compaction":
      return content == null ? [] : [{ type: "text", text: required(content, `${place}.content`) }];
    case "file":
      return [readItem(content, `${place}.content`)];
    case "tool-call":
    case "builtin-tool-call":
      return [{ ...callPart({}, { id, name, input: args, fields: ["tool_call_id", "tool_name"] }, place), ...hosted }];
    case "tool-return":
    case "builtin-tool-return": {
      const failed = part.outcome === "failed" || part.outcome === "denied" ? { isError: true } : {};
      const toolCallId = required(id, `${place}.tool_call_id`);
      return [{ type: "tool-result", toolCallId, output: content ?? "", ...hosted, ...failed }];
    }
    case "retry-prompt": {
      const text = typeof content === "string" ? content : (jsonOf(content) ?? "");
      return name == null
        ? [{ type: "text", text }]
        : [{ type: "tool-result", toolCallId: required(id, `${place}.tool_call_id`), output: text, isError: true }];
    }
    default:
      throw unknownType(kind, place, "part_kind", "the parts of Pydantic AI's messages");
  }
}

/** Returns the provider of reasoning, if the message names it. */
function proofOf({ signature, provider_name: provider }: UnknownRecord): object {
  const maker = /^(?:anthropic|bedrock)$/.test(String(provider))
    ? "anthropic"
    : /^google/.test(String(provider))
      ? "google"
      : undefined;
  return typeof signature === "string" && maker !== undefined ? { signature, provider: maker } : {};
}

/** Reads an item of the user's content: a text, an address or bytes. */
function readItem(item: unknown, place: string): PartInput {
  if (typeof item === "string") {
    return { type: "text", text: item };
  }
  const { kind, url, data, file_id, content, media_type: mediaType } = recordOf(item);
  if (kind === "text-content" || kind === "text") {
    return { type: "text", text: required(content, `${place}.content`) };
  }
  const type = kindOfMediaType(mediaType ?? String(kind).replace("-url", ""));
  if (!MEDIA_KIND.test(String(kind))) {
    throw new MalformedMessage(
      `${place}.kind`,
      "unknown content of a prompt",
      "Use the parts of Pydantic AI's messages.",
    );
  }
  return mediaPart({ type, mediaType, data, url, file_id }, type, place);
}
