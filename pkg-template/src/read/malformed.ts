// The fault of a message, and the checks that all shapes of messages share.

import { firstHole } from "../base/lists.js";
import { describe } from "../base/options.js";

/** The fault of a message, and its place. */
export class Malformed {
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
    throw new Malformed(place, `expected a text, got ${describe(value)}`, "Give a text, or leave the field out.");
  }
  return value;
}

/** A list; an empty one where there is none. */
export function list(value: unknown, place: string, expected = "a list"): readonly unknown[] {
  if (value == null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new Malformed(
      place,
      `expected ${expected}, got ${describe(value)}`,
      `Give ${expected}, or leave the field out.`,
    );
  }
  const hole = firstHole(value);
  if (hole >= 0) {
    throw new Malformed(
      `${place}[${hole}]`,
      "there is nothing here",
      "Leave out places of the list that have nothing.",
    );
  }
  return value;
}
