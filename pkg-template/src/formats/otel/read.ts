// Messages of OpenTelemetry's conventions for generative AI, from `gen_ai.input.messages` and `gen_ai.output.messages`
// in traces: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
//
// Recognized by: parts such as `tool_call_response`, or `finish_reason`.

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
import { list, required, text, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { callPart, mediaPart } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface OtelMessageShape {
  readonly role: string;
  readonly parts: readonly { readonly type: string }[];
  readonly finish_reason?: string;
}

export const otelShape: MessageFormat = {
  name: "otel",
  title: "OpenTelemetry GenAI message",
  signs: ["parts"],
  fields: new Set(["id", "role", "parts", "name", "finish_reason", "createdAt"]),

  fits: ({ parts, role, info, finish_reason: finish }) =>
    Array.isArray(parts) &&
    info === undefined &&
    typeof role === "string" &&
    parts.length > 0 &&
    (finish !== undefined || listFrom(parts).some(isOwn)) &&
    listFrom(parts).every((part) => typeof recordOf(part).type === "string"),

  read({ id, role, parts, name, createdAt }) {
    const given = list(parts, ".parts").map(recordOf);
    return {
      id: id as string | undefined,
      role: role as PlainMessage["role"],
      name: name as string | undefined,
      createdAt: timeIn(createdAt),
      content: given.flatMap((part, at) => {
        const place = `.parts[${at}]`;
        // Some providers leave out the summary.
        const isEmpty = part.type === "compaction" && part.content == null;
        const isCall = CALL.test(String(part.type));
        return isEmpty ? [] : [from(readPart(part, place), isCall ? part : undefined, place)];
      }),
    };
  },

  withText: (row, own) => ({
    ...row,
    parts: partsWithText(row.parts as readonly UnknownRecord[], own, {
      kindOf,
      rewritten: (part, said) => ({ ...part, [fieldOf(part)]: said }),
      made: (said) => ({ type: "text", content: said }),
    }),
  }),

  withoutToolCalls: (row, isUnwanted = () => true) =>
    withoutSome(row, "parts", (part) => CALL.test(String(part.type)) && isUnwanted(part)),

  withLines(value, next) {
    const line = /^(?:blob|uri|file)$/.test(String(value.type)) ? next() : undefined;
    return line === undefined ? undefined : line === null ? value : { type: "text", content: line };
  },
};

/** True for a part that only these messages have. */
function isOwn(part: unknown): boolean {
  const { type, content, text: said, modality } = recordOf(part);
  return (
    /^(?:blob|uri|compaction)$/.test(String(type)) ||
    (type === "file" && typeof modality === "string") ||
    CALL.test(String(type)) ||
    (type === "reasoning" && content != null && said == null)
  );
}

const CALL = /^(?:server_)?tool_call(?:_response)?$/;
const RESPONSE = /_response$/;

function readPart(part: UnknownRecord, place: string): PartInput {
  const type = String(part.type);
  if (CALL.test(type)) {
    const hosted = type.startsWith("server_") ? { providerExecuted: true } : {};
    if (RESPONSE.test(type)) {
      const output = part[fieldOf(part)] ?? "";
      return { type: "tool-result", toolCallId: text(part.id, `${place}.id`) ?? "", output, ...hosted };
    }
    // An instrumentation may leave out the id, so the name replaces it.
    const id = part.id ?? part.name;
    return {
      ...callPart(
        {},
        { id, name: part.name, input: part.arguments ?? part.server_tool_call, fields: ["id", "name"] },
        place,
      ),
      ...hosted,
    };
  }
  switch (type) {
    case "text":
    case "compaction":
      return { type: "text", text: required(part.content, `${place}.content`) };
    case "reasoning":
      return { type, text: required(part.content, `${place}.content`) };
    case "blob":
    case "uri":
    case "file": {
      const { modality, mime_type: mediaType, content: data, uri: url, file_id: id } = part;
      const kind = kindOfMediaType(mediaType ?? modality);
      return mediaPart({ type: kind, mediaType, data, url, file_id: id }, kind, place);
    }
    default:
      throw unknownType(part.type, place, "part", "the parts of OpenTelemetry's GenAI messages");
  }
}

/** Returns the field with a part's content. */
function fieldOf(part: UnknownRecord): string {
  return RESPONSE.test(String(part.type))
    ? (["response", "result", "server_tool_call_response"].find((name) => part[name] !== undefined) ?? "response")
    : "content";
}

function kindOf({ type }: UnknownRecord): TextKind {
  return type === "text" || type === "compaction" ? "text" : RESPONSE.test(String(type)) ? "result" : undefined;
}
