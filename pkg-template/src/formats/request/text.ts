// Texts as every provider takes them: none that is blank, none with half a character.

import { firstHole } from "../../base/lists.js";

/** Whether a text says nothing. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

// By their numbers: a property of Unicode's costs the import of the package a look into the host's tables.
const HALF_CHARACTER = /[\ud800-\udfff]/u;
const HALF_CHARACTERS = /[\ud800-\udfff]/gu;

/** Whether a text has half a character: one of a pair of code units without the other. No parser of JSON takes it. */
export function hasHalfCharacter(text: string): boolean {
  return HALF_CHARACTER.test(text);
}

/** Whether a value is an object with fields, or a list, and nothing else: no bytes, no `URL`. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The value with U+FFFD in the place of each lone surrogate in its texts; the value itself where there is none. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") {
    return (hasHalfCharacter(value) ? value.replace(HALF_CHARACTERS, "\ufffd") : value) as T;
  }
  if (!isPlainObject(value)) {
    return value;
  }
  if (Array.isArray(value)) {
    if (firstHole(value) >= 0) {
      throw new RangeError("a list has a place with nothing");
    }
    const items = value.map(wellFormed);
    return items.every((item, at) => item === value[at]) ? value : (items as T);
  }
  const entries = Object.entries(value);
  const made = entries.map(([name, field]): [string, unknown] => [wellFormed(name), wellFormed(field)]);
  const isSame = made.every(([name, field], at) => name === entries[at]?.[0] && field === entries[at]?.[1]);
  return isSame ? value : (Object.fromEntries(made) as T);
}
