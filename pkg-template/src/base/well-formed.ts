// Texts without lone surrogates: half of a UTF-16 pair without the other half. No JSON parser accepts one.

import { firstHole } from "./lists.js";

// Written as a range, because a Unicode property makes hosts load a table.
const HALF_CHARACTER = /[\ud800-\udfff]/u;
const HALF_CHARACTERS = /[\ud800-\udfff]/gu;

/** True if a text has a lone surrogate. No JSON parser accepts one. */
export function hasHalfCharacter(text: string): boolean {
  return HALF_CHARACTER.test(text);
}

/** True if a value is an object with fields or a list, and not bytes or a `URL`. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns a value with each lone surrogate in its texts replaced by U+FFFD. The value itself if it has none. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") {
    return (hasHalfCharacter(value) ? value.replace(HALF_CHARACTERS, "\ufffd") : value) as T;
  }
  if (!isPlainObject(value)) {
    return value;
  }
  if (Array.isArray(value)) {
    if (firstHole(value) >= 0) {
      throw new RangeError("a list has an empty element");
    }
    const items = value.map(wellFormed);
    return items.every((item, at) => item === value[at]) ? value : (items as T);
  }
  const entries = Object.entries(value);
  const made = entries.map(([name, field]): [string, unknown] => [wellFormed(name), wellFormed(field)]);
  const isSame = made.every(([name, field], at) => name === entries[at]?.[0] && field === entries[at]?.[1]);
  return isSame ? value : (Object.fromEntries(made) as T);
}
