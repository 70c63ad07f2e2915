// The fault of a message, and the checks that all shapes of messages share.

import { firstHole, holeIn, jsonOf } from "../base/lists.js";
import { describe } from "../base/options.js";

/** The fault of a message, and its place. */
export class MalformedMessage {
  readonly place: string;
  readonly message: string;
  readonly nextAction: string;

  constructor(place: string, message: string, nextAction: string) {
    this.place = place;
    this.message = message;
    this.nextAction = nextAction;
  }
}

/** A text; undefined where there is none. */
export function text(value: unknown, place: string): string | undefined {
  if (value == null) {
    return undefined;
  }
  return required(value, place);
}

/** A text that must be there. */
export function required(value: unknown, place: string): string {
  if (typeof value !== "string") {
    throw new MalformedMessage(
      place,
      `expected a text, got ${describe(value)}`,
      "Give a text, or leave the field out.",
    );
  }
  return value;
}

/** A list; an empty one where there is none. */
export function list(value: unknown, place: string, expected = "a list"): readonly unknown[] {
  if (value == null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new MalformedMessage(
      place,
      `expected ${expected}, got ${describe(value)}`,
      `Give ${expected}, or leave the field out.`,
    );
  }
  const hole = firstHole(value);
  if (hole >= 0) {
    throw new MalformedMessage(`${place}[${hole}]`, "there is nothing here", "Remove empty elements from the list.");
  }
  return value;
}

/** The fault of a part whose type is not known. */
export function unknownType(type: unknown, place: string, what: string, known: string): MalformedMessage {
  return new MalformedMessage(
    `${place}.type`,
    `unknown ${what} ${describe(type)}`,
    `Use ${known}, or leave the part out.`,
  );
}

/** A value as JSON; undefined where it has none. */
export function json(value: unknown, place: string): string | undefined {
  try {
    return jsonOf(value);
  } catch {
    const [inner, problem] = lookedInto(value) ?? ["", "it has no form in JSON"];
    throw new MalformedMessage(place + inner, problem, "Pass plain data that JSON can represent.");
  }
}

/** Where a value holds what JSON cannot say, and what that is; undefined where it cannot be looked into. */
function lookedInto(value: unknown): readonly [place: string, problem: string] | undefined {
  try {
    const hole = holeIn(value);
    return hole === undefined
      ? unsayableIn(value, "", [])
      : [hole.startsWith("[") ? hole : `.${hole}`, "there is nothing here"];
  } catch {
    return undefined;
  }
}

function unsayableIn(
  value: unknown,
  place: string,
  around: readonly object[],
): readonly [place: string, problem: string] | undefined {
  if (typeof value === "bigint") {
    return [place, "a BigInt has no form in JSON"];
  }
  if (typeof value !== "object" || value === null || typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return undefined;
  }
  if (around.includes(value)) {
    return [place, "it contains itself"];
  }
  for (const [name, field] of Object.entries(value)) {
    const inner = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
    const found = unsayableIn(field, inner, [...around, value]);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
