// The fault of a message, and the checks that all formats share.

import { jsonOf } from "../base/json.js";
import { firstHole, holeIn } from "../base/lists.js";
import { describe } from "../base/options.js";

/** A fault of a message, and its place. */
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

/** Returns a text. Undefined if it is missing. */
export function text(value: unknown, place: string): string | undefined {
  if (value == null) {
    return undefined;
  }
  return required(value, place);
}

/** Returns a required text. */
export function required(value: unknown, place: string): string {
  if (typeof value !== "string") {
    throw new MalformedMessage(
      place,
      `expected a text, got ${describe(value)}`,
      "Pass a text, or leave the field out.",
    );
  }
  return value;
}

/** Returns a list. Empty if it is missing. */
export function list(value: unknown, place: string, expected = "a list"): readonly unknown[] {
  if (value == null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new MalformedMessage(
      place,
      `expected ${expected}, got ${describe(value)}`,
      `Pass ${expected}, or leave the field out.`,
    );
  }
  const hole = firstHole(value);
  if (hole >= 0) {
    throw new MalformedMessage(`${place}[${hole}]`, "there is nothing here", "Remove empty elements from the list.");
  }
  return value;
}

/** Returns the fault of a part with an unknown type. */
export function unknownType(type: unknown, place: string, what: string, known: string): MalformedMessage {
  return new MalformedMessage(
    `${place}.type`,
    `unknown ${what} ${describe(type)}`,
    `Use ${known}, or leave the part out.`,
  );
}

/** Returns a value as JSON. Undefined if it has no JSON form. */
export function json(value: unknown, place: string): string | undefined {
  try {
    return jsonOf(value);
  } catch {
    const [inner, problem] = lookedInto(value) ?? ["", "it can't be represented in JSON"];
    throw new MalformedMessage(place + inner, problem, "Pass plain data that JSON can represent.");
  }
}

/**
 * Returns the place of something in a value that has no JSON form, and the problem. Undefined if the value can't be
 * examined.
 */
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
    return [place, "a BigInt can't be represented in JSON"];
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
