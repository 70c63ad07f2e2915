// The origin of a canonical part: its place, and the caller's own part, which its provider gets back unchanged.

import type { PlainPart } from "./message.js";

/** The origin of a part. */
export interface Origin {
  /** The caller's part, call or item. Undefined for a text or a field of the message. */
  readonly given: unknown;
  /** Its place in the message: `.content[2]`. */
  readonly place: string;
}

/** A canonical part and its origin. */
export interface PlacedPart extends Origin {
  readonly part: PlainPart;
}

/** True if a part is the result of a tool. */
export const isResult = ({ part }: PlacedPart): boolean =>
  part.type === "tool-result" || part.type === "tool-approval-response";

/** True if a part calls a tool, or asks if it may be called. */
export const isCall = ({ part }: PlacedPart): boolean =>
  part.type === "tool-call" || part.type === "tool-approval-request";

/** Splits a place in a message into the names of its path. */
export const pathOf = (place: string): readonly string[] => place.split(/[.[\]]+/).filter((name) => name !== "");

/** Returns a copy of an object, of the same class, with another value for one field. */
export function copyWith<O extends object>(owner: O, name: string, value: unknown): O {
  const copy = Array.isArray(owner) ? [...owner] : Object.assign(Object.create(Object.getPrototypeOf(owner)), owner);
  return Object.assign(copy, { [name]: value });
}

/**
 * The origins of parts that formats return, and of parts inside tools' results. They are stored separately, so
 * comparing parts ignores them.
 */
const origins = new WeakMap<object, Origin>();

/** Records the origin of a part, and returns the part. */
export function from<Part extends object>(part: Part, given: unknown, place: string): Part {
  origins.set(part, { given, place });
  return part;
}

/** Returns the recorded origin of a part. */
export function originOf(part: object): Origin | undefined {
  return origins.get(part);
}
