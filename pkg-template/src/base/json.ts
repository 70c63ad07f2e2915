// Data that JSON can represent.

import { holeIn } from "./lists.js";
import { wellFormed } from "./well-formed.js";

/** A value that JSON can represent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** A lone surrogate in JSON is an escape that begins so. Other texts may too. */
const HALF_ESCAPE = "\\ud";

/**
 * Returns a value as JSON, or undefined if it has no JSON form. Lone surrogates become U+FFFD, as in a request body.
 * Throws if the value contains itself or a list has a hole.
 */
export function jsonOf(
  value: unknown,
  replacer?: (this: Record<string, unknown>, key: string, value: unknown) => unknown,
): string | undefined {
  const hole = holeIn(value);
  if (hole !== undefined) {
    throw new RangeError(`${hole} has nothing`);
  }
  const text = JSON.stringify(value, replacer);
  return text?.includes(HALF_ESCAPE) ? JSON.stringify(wellFormed(value), replacer) : text;
}
