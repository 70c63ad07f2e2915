// Messages of smolagents' tools, from `agent.write_memory_to_messages()`: calls and observations in words. Models get
// them as the assistant's and the user's texts (`tool_role_conversions` in huggingface/smolagents,
// src/smolagents/models.py). Its other messages are in windrow's own form.
//
// Recognized by: the role `tool-call` or `tool-response`.

import { listFrom } from "../../base/lists.js";
import { type MessageFormat, partsWithText, recordOf, timeIn, type UnknownRecord } from "../../message/format.js";
import { list, required, unknownType } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { mediaPart } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface SmolagentsMessageShape {
  readonly role: "tool-call" | "tool-response" | (string & {});
  readonly content: string | readonly { readonly type: string }[];
}

export const smolagentsShape: MessageFormat = {
  name: "smolagents",
  title: "smolagents tool message",
  fields: new Set(["id", "role", "content", "createdAt", "tool_calls", "raw", "token_usage"]),

  fits: ({ role }) => ROLES.has(role),

  read({ id, role, content, createdAt }) {
    const given = typeof content === "string" ? [{ type: "text", text: content }] : list(content, ".content");
    return {
      id: id as string | undefined,
      role: (ROLES.get(role) ?? role) as PlainMessage["role"],
      createdAt: timeIn(createdAt),
      content: given.map(recordOf).map((part, at) => {
        const place = typeof content === "string" ? ".content" : `.content[${at}]`;
        return from(readPart(part, role === RESPONSE, place), undefined, place);
      }),
    };
  },

  withText: (row, said) => ({
    ...row,
    content:
      typeof row.content === "string"
        ? said
        : partsWithText(listFrom(row.content).map(recordOf), said, {
            kindOf: ({ type }) => (type === "text" ? "text" : undefined),
            rewritten: (part, text) => ({ ...part, text }),
            made: (text) => ({ type: "text", text }),
          }),
  }),

  // The calls are words.
  withoutToolCalls: (row) => row,
};

const RESPONSE = "tool-response";
/** The roles as models get them. */
const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["tool-call", "assistant"],
  [RESPONSE, "user"],
]);

/** Reads a part. A tool's observation isn't the user's own text. */
function readPart(part: UnknownRecord, isObserved: boolean, place: string): PartInput {
  const { type, text, image, image_url: url } = part;
  if (type === "text") {
    const said = required(text, `${place}.text`);
    return isObserved ? { type, text: said, origin: "file" } : { type, text: said };
  }
  if (type === "image" || type === "image_url") {
    return mediaPart({ type: "image", ...(type === "image" ? { data: image } : { image_url: url }) }, "image", place);
  }
  throw unknownType(type, place, "part", "texts and images");
}
