// The place that a canonical part was read from, and the caller's own part: its provider gets that back as it was.

import type { PlainPart } from "./message.js";

/** Where a part was read. */
export interface Origin {
  /** The caller's part, call or item; undefined for a text, or a field of the message. */
  readonly given: unknown;
  /** Its place in the message: `.content[2]`. */
  readonly place: string;
}

/** A canonical part and its origin. */
export interface PlacedPart extends Origin {
  readonly part: PlainPart;
}

/** The origins of parts that formats return, and of parts inside of what tools returned. Nothing that compares parts sees them. */
const origins = new WeakMap<object, Origin>();

/** Notes the origin of a part, and returns the part. */
export function from<Part extends object>(part: Part, given: unknown, place: string): Part {
  origins.set(part, { given, place });
  return part;
}

/** Returns the origin of a part that was noted. */
export function originOf(part: object): Origin | undefined {
  return origins.get(part);
}
