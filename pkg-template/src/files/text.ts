// Parses the text of a file as JSON: one value, or one value per line.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { describe } from "../base/options.js";

/** Fails if the text of a file isn't a string. */
export function checkText(text: unknown, kind: ErrorKind): asserts text is string {
  if (typeof text !== "string") {
    throw new ContextError({
      kind,
      code: "INVALID_TRANSCRIPT",
      message: `expected the text of a file, got ${describe(text)}`,
      nextAction: "Pass the file's text.",
    });
  }
}

/** Removes the byte order mark at the beginning of a text. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

export function tryParse(text: string): { readonly value?: unknown; readonly failure?: Error } {
  try {
    return { value: JSON.parse(text) };
  } catch (failure) {
    return { failure: failure as Error };
  }
}

/** Parses a text as JSON. Returns any other value, or a text that isn't JSON, unchanged. */
export const parsedText = (given: unknown): unknown =>
  typeof given === "string" ? (tryParse(given).value ?? given) : given;

/**
 * True if a text is one JSON value with its end missing. Some of its lines may be messages by themselves, but read as
 * JSONL it would be a conversation with holes.
 */
export function isCut(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isInString) {
      if (letter === "\n") {
        return false; // A line cut within a string: JSON strings have no line breaks.
      }
      at += letter === "\\" ? 1 : 0;
      isInString = letter !== '"';
    } else if (letter === '"') {
      isInString = true;
    } else if (letter === "{" || letter === "[") {
      depth += 1;
    } else if (letter === "}" || letter === "]") {
      depth -= 1;
      if (depth === 0) {
        return false;
      }
    }
  }
  return true;
}
