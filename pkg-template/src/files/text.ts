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
export const isCut = (text: string): boolean => endOfValue(text, 0) === MISSING;

/** True if a text that isn't JSON may be one value, damaged or with its end missing. {@link isMostlyDamaged} decides. */
export const mayBeOneValue = (body: string): boolean => body.trimStart().startsWith("[") || isCut(body);

/** Returns 1 for a line that isn't JSON, -1 for one that is, and 0 for a blank one. */
export const damageOf = (line: string): number =>
  line.trim() === "" ? 0 : tryParse(line).failure === undefined ? -1 : 1;

/**
 * True if the lines of a text aren't a log's, by the sum of their damage: most lines of a log are whole, even if its
 * first one lacks its beginning. If half of the lines are whole, the first sign decides: a value has its beginning.
 */
export const isMostlyDamaged = (body: string, damage: number): boolean =>
  damage > 0 || (damage === 0 && /^\s*[{[]/.test(body));

const MISSING = -1;

/**
 * Returns the end of the first object or list at or after a place. `MISSING` if the text ends before it, and undefined
 * if a string has a line break, which JSON doesn't allow.
 */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (isInString) {
      if (letter === "\n") {
        return undefined;
      }
      at += letter === "\\" ? 1 : 0;
      isInString = letter !== '"';
    } else if (letter === '"') {
      isInString = true;
    } else if (letter === "{" || letter === "[") {
      depth += 1;
    } else if (letter === "}" || letter === "]") {
      depth -= 1;
      if (depth <= 0) {
        return at + 1;
      }
    }
  }
  return MISSING;
}

/** A text within a file that should be one JSON value. */
export interface RowText {
  readonly text: string;
  /** The index of its first line. */
  readonly at: number;
}

/**
 * Returns the values of a file that has several, not one per line: written over several lines, or separated by commas.
 * Undefined if the file's lines are its values.
 */
export function separateValues(body: string): readonly RowText[] | undefined {
  const [first = "{}"] = /\S[^\n]*/.exec(body) ?? [];
  if (isObject(first)) {
    return undefined;
  }
  const found: RowText[] = [];
  let line = 0;
  let counted = 0;
  for (let from = afterBlanks(body, 0); from < body.length; ) {
    const end = "{[".includes(body[from] as string) ? endOfValue(body, from) : undefined;
    if (end === undefined) {
      return undefined;
    }
    for (; counted < from; counted++) {
      line += body[counted] === "\n" ? 1 : 0;
    }
    const to = end === MISSING ? body.length : end;
    found.push({ text: body.slice(from, to), at: line });
    from = afterBlanks(body, to);
  }
  const whole = found.filter(({ text }) => isObject(text)).length;
  // A cut value is one, and a log with a damaged first line has whole lines.
  const isSeparate = whole === found.length || whole > body.split("\n").filter(isObject).length;
  return found.length > 1 && isSeparate ? found : undefined;
}

const isObject = (text: string): boolean => {
  const { value } = tryParse(text);
  return typeof value === "object" && value !== null;
};

/** Returns the next place without white space or a comma. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\s,]/.test(text[at] as string)) {
    at += 1;
  }
  return at;
}

/** Returns the lines of a file. */
export const linesOf = (body: string): readonly RowText[] => body.split("\n").map((text, at) => ({ text, at }));

/** Returns the first values of a file of JSON: its only one, or those of its rows. */
export function valuesOfFile(body: string, most: number): readonly unknown[] {
  const whole = tryParse(body);
  return whole.failure === undefined ? [whole.value] : valuesOfRows(body, most);
}

/** Returns the first values of a file that isn't one JSON value. */
export function valuesOfRows(body: string, most: number): readonly unknown[] {
  const rows = (separateValues(body) ?? linesOf(body)).slice(0, most);
  return rows.flatMap(({ text }) => tryParse(text).value ?? []);
}
