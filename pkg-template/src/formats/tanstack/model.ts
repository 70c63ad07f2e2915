// The `ModelMessage` of TanStack AI's server: `role` and `content`, and the assistant's thinking next to it.

import { listFrom } from "../../base/lists.js";
import type { Dialect } from "../../message/dialect.js";
import { recordOf, type UnknownRecord } from "../../message/format.js";
import { required } from "../../message/malformed.js";
import type { ReasoningPart } from "../../message/message.js";
import { mediaForm } from "../../message/parts.js";

/**
 * The provider of every signature. The message doesn't name it, but TanStack AI keeps signatures only for Anthropic.
 */
export const MAKER = "anthropic";

/** Reads a thought at its place. */
export function thoughtOf({ content, signature }: UnknownRecord, place: string): ReasoningPart {
  const proof = typeof signature === "string" && signature !== "" ? { signature, provider: MAKER } : {};
  return { type: "reasoning", text: required(content, `${place}.content`), ...proof };
}

export const tanStackModel: Dialect = {
  fields: ["thinking"],
  toolFields: [],
  parts: { video: mediaForm("file") },
  beside: ({ thinking }) =>
    Array.isArray(thinking)
      ? { thoughts: listFrom(thinking).map((thought, at) => placedThought(thought, `.thinking[${at}]`)) }
      : undefined,
};

const placedThought = (thought: unknown, place: string) => ({
  part: thoughtOf(recordOf(thought), place),
  given: undefined,
  place,
});

/** The fields of a `ModelMessage` that are read. */
export interface TanStackModelMessageShape {
  readonly role: "user" | "assistant" | "tool";
  readonly content:
    | string
    | null
    | readonly (
        | { readonly type: "text"; readonly content: string }
        | {
            readonly type: "image" | "audio" | "video" | "document";
            readonly source: { readonly type: "data" | "url"; readonly value: string };
          }
      )[];
}
