// Copies values with replaced texts: in every field, key and list, in JSON texts, and in numbers.

import { ContextError } from "../base/errors.js";
import { sameClass } from "../base/plain-data.js";

/** The place of a text in a value. */
export interface TextPlace {
  /** The index among all texts of the value. */
  readonly slot: number;
  /** True within a JSON text that was already visited as a whole. */
  readonly isInside: boolean;
  /** The field that holds it. Undefined for the name of a field, and within a tool's arguments and output. */
  readonly field: string | undefined;
}

/** Returns a replacement for a text. */
export type TextVisit = (text: string, place: TextPlace) => string;

/** Maximum nesting of lists and objects. */
const DEEPEST = 500;
/** The shortest number or field name that is visited. */
const SHORTEST = 6;
/** Objects without fields. */
const NO_DATA =
  /^\[object (?:Date|RegExp|Map|Set|Weak\w+|Promise|URL|Blob|File|\w*Array|\w*ArrayBuffer|DataView|\w*Error)\]$/;
/** Fields with values that a tool takes or returns, or that an app keeps. */
const DATA_FIELD =
  /^(?:arguments|args|input|rawInput|parameters|output|result|response|structuredContent|json|metadata)$/;
/** A text that looks like a placeholder. */
export const PLACEHOLDER: RegExp = /\[[A-Z][A-Z0-9_]{0,30}_[0-9a-hjkmnp-tv-z]{8}\]/g;
const PLACEHOLDER_HERE = new RegExp(PLACEHOLDER.source, "y");

/** Options of a walk. */
interface Walk {
  /** Called if the replacement of a JSON text is dropped, because its values are replaced one by one. */
  readonly undo?: (slot: number) => void;
  /** Signatures and encrypted reasoning. A part that changes loses them. */
  readonly proofs?: ReadonlySet<unknown>;
  /** True if the visit restores secrets. A JSON text then stays one. */
  readonly restores?: boolean;
}

/** Returns a value with replaced texts: the same value if nothing changes, and otherwise a copy of the same class. */
export function mapped(value: unknown, visit: TextVisit, { undo, proofs, restores = false }: Walk = {}): unknown {
  const around = new Set<object>();
  let slot = 0;
  let isInside = false;
  let isData = false;
  let field: string | undefined;

  const text = (given: string): string => {
    const own = slot++;
    const made = visit(given, { slot: own, isInside, field: isData ? undefined : field });
    if (!isJsonList(given)) {
      return made;
    }
    // A secret within one value is replaced there, without escapes. One that covers several values is replaced here.
    const covers = made !== given && skeletonOf(made) !== skeletonOf(given);
    const isWhole = covers && isJsonList(made);
    if (covers && !isWhole && !restores) {
      return made;
    }
    if (made !== given && !isWhole) {
      undo?.(own);
    }
    const [wasInside, wasData] = [isInside, isData];
    isInside ||= isWhole;
    isData = true;
    const kept = withValues(isWhole ? made : given, jsonValue);
    isInside = wasInside;
    isData = wasData;
    return kept;
  };

  const jsonValue = (written: string): string => {
    if (written.length < SHORTEST) {
      return written;
    }
    const value = written.startsWith('"') ? (JSON.parse(written) as string) : written;
    const made = text(value);
    return made === value ? written : JSON.stringify(made);
  };

  const number = (given: number): number | string => {
    const written = String(given);
    if (written.length < SHORTEST) {
      return given;
    }
    const made = visit(written, { slot: slot++, isInside, field: isData ? undefined : field });
    return made === written ? given : made;
  };

  const any = (given: unknown): unknown => {
    if (typeof given === "string") {
      return text(given);
    }
    if (typeof given === "number") {
      return number(given);
    }
    if (typeof given !== "object" || given === null || around.has(given)) {
      return given;
    }
    if (around.size === DEEPEST) {
      throw new ContextError({
        kind: "context_build_error",
        code: "INVALID_TRANSCRIPT",
        message: `a value is nested more than ${DEEPEST} levels deep`,
        nextAction: "Pass messages with fewer levels.",
      });
    }
    around.add(given);
    const made = Array.isArray(given)
      ? list(given)
      : NO_DATA.test(Object.prototype.toString.call(given))
        ? given
        : fields(given);
    around.delete(given);
    return made;
  };

  // Visits the elements that a list has. A sparse list may claim billions.
  const list = (given: readonly unknown[]): readonly unknown[] => {
    const own = Object.entries(given);
    const made = own.map(([at, item]) => [at, any(item)] as const);
    if (made.every(([, item], at) => Object.is(item, own[at]?.[1]))) {
      return given;
    }
    const copy: unknown[] = [];
    copy.length = given.length;
    return Object.assign(copy, Object.fromEntries(made));
  };

  const fields = (given: object): object => {
    const own = Object.entries(given);
    const [outer, wasData] = [field, isData];
    const made = own.map(([name, held]): [string, unknown] => {
      const shown = name.length < SHORTEST ? name : visit(name, { slot: slot++, isInside, field: undefined });
      field = name;
      isData = wasData || DATA_FIELD.test(name);
      return [shown, any(held)];
    });
    field = outer;
    isData = wasData;
    if (made.every(([name, held], at) => name === own[at]?.[0] && Object.is(held, own[at]?.[1]))) {
      return given;
    }
    const copy = sameClass<Record<string, unknown>>(given, Object.fromEntries(made));
    if (proofs !== undefined) {
      dropProofs(copy, proofs);
    }
    return copy;
  };

  return any(value);
}

const skeletonOf = (json: string): string => withValues(json, () => "0");

/** Characters of numbers. Those of `true` and `false` among them do no harm. */
const NUMBER = /[\d.eE+-]/;

/** Returns a JSON text with other strings and numbers. A placeholder in a number's place is a part of the number. */
function withValues(json: string, write: (written: string) => string): string {
  let made = "";
  let done = 0;
  for (let at = 0; at < json.length; ) {
    const end = json[at] === '"' ? stringEnd(json, at) : numberEnd(json, at);
    if (end > at) {
      made += json.slice(done, at) + write(json.slice(at, end));
      done = end;
    }
    at = Math.max(end, at + 1);
  }
  return made + json.slice(done);
}

/** Returns the end of the string that begins at a place. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') {
    at += json[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

/** Returns the end of the number that begins at a place, or the place itself. */
function numberEnd(json: string, start: number): number {
  let at = start;
  for (;;) {
    if (NUMBER.test(json[at] ?? "")) {
      at += 1;
      continue;
    }
    PLACEHOLDER_HERE.lastIndex = at;
    const placeholder = json[at] === "[" ? PLACEHOLDER_HERE.exec(json)?.[0] : undefined;
    if (placeholder === undefined) {
      return at;
    }
    at += placeholder.length;
  }
}

/** True if a text is the JSON of a list or an object. */
function isJsonList(text: string): boolean {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed) || !/[}\]]$/.test(trimmed)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fields that hold signatures. */
const HOLDER =
  /metadata|options|extra_content|kwargs|signatures|providerData|^(?:anthropic|bedrock|google|vertex|googleVertex|openai|azure)$/i;

/** Removes the signatures from a changed part. */
function dropProofs(part: Record<string, unknown>, proofs: ReadonlySet<unknown>): void {
  for (const [name, held] of Object.entries(part)) {
    if (typeof held === "string" && proofs.has(held)) {
      delete part[name];
    } else if (HOLDER.test(name) && typeof held === "object" && held !== null && !Array.isArray(held)) {
      const copy = sameClass<Record<string, unknown>>(held, { ...held });
      dropProofs(copy, proofs);
      part[name] = copy;
    }
  }
}
