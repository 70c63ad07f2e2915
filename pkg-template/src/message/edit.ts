// Copies of messages of any format: with another text, without tool calls, with an origin.

import { ContextError } from "../base/errors.js";
import type { MessageOrigin, UnknownRecord } from "./format.js";
import { formatOf } from "./recognise.js";

/**
 * Returns a marked copy of a message with another text: it stands where the first text stood, and the further ones are gone. Calls
 * keep their results, and images their places.
 */
export function shortenedCopy<M extends object>(
  message: M,
  text: string,
  mark: object = { shortened: true },
  shape?: string,
): M {
  try {
    const row = message as unknown as UnknownRecord;
    return Object.assign(formatOf(row, shape).withText(row, text), mark) as unknown as M;
  } catch (cause) {
    throw new ContextError({
      kind: "context_build_error",
      code: "INVALID_TRANSCRIPT",
      message: "a message that must be shortened cannot be copied",
      nextAction: "Pass messages whose fields can be read as plain data.",
      cause,
    });
  }
}

/** Returns a marked copy of a message without its tool calls and results; the message itself if it has none. */
export function withoutToolCalls<M extends object>(message: M, shape?: string): M {
  const row = message as unknown as UnknownRecord;
  const copy = formatOf(row, shape).withoutToolCalls(row);
  return (copy === row ? message : Object.assign(copy, { shortened: true })) as unknown as M;
}

/** Returns a copy of a message that says where it is from, in the places that its format has for this. */
export function withOrigin(message: UnknownRecord, origin: MessageOrigin): UnknownRecord {
  return formatOf(message).withOrigin?.(message, origin) ?? { ...message, ...origin };
}
