// Copies values with replaced texts: in every field, key and list, in JSON texts, and in numbers.

import { ContextError } from "../base/errors.js";

/**
 * Returns a replacement for a text. `slot` is its index among all texts of the value. `inside` is true within a JSON
 * text that was already visited as a whole.
 */
export type TextVisit = (text: string, slot: number, inside: boolean) => string;

/** Options of a walk. */
interface Walk {
  /** Called if a JSON text is kept because its replacement isn't JSON. */
  readonly undo?: (slot: number) => void;
  /** Signatures and encrypted reasoning. A part that changes loses them. */
  readonly proofs?: ReadonlySet<unknown>;
}

/** The deepest nesting of lists and objects. */
const DEEPEST = 500;
/** The shortest number or field name that is visited. */
const SHORTEST = 6;
/** Objects without fields. */
const NO_DATA =
  /^\[object (?:Date|RegExp|Map|Set|Weak\w+|Promise|URL|Blob|File|\w*Array|\w*ArrayBuffer|DataView|\w*Error)\]$/;
const BASE64_URL = /^data:[^,]{0,200};base64,/i;

/** Returns a value with replaced texts: the same value if nothing changes, and otherwise a copy of the same class. */
export function mapped(value: unknown, visit: TextVisit, { undo, proofs }: Walk = {}): unknown {
  const around = new Set<object>();
  let slot = 0;
  let isInside = false;

  const text = (given: string): string => {
    const own = slot++;
    const made = BASE64_URL.test(given) ? given : visit(given, own, isInside);
    const whole = isJsonList(given) ? parsedJson(given) : undefined;
    if (whole === undefined) {
      return made;
    }
    let kept = made;
    let held = made === given ? whole : parsedJson(made);
    if (held === undefined) {
      undo?.(own);
      kept = given;
      held = whole;
    }
    const before = isInside;
    isInside ||= kept !== given;
    const inner = any(held);
    isInside = before;
    return inner === held ? kept : JSON.stringify(inner);
  };

  const number = (given: number): number | string => {
    const written = String(given);
    if (written.length < SHORTEST) {
      return given;
    }
    const made = visit(written, slot++, isInside);
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
        message: `a value lies more than ${DEEPEST} levels deep`,
        nextAction: "Pass messages that are less deep.",
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
    const made = own.map(([name, held]): [string, unknown] => [
      name.length < SHORTEST ? name : visit(name, slot++, isInside),
      any(held),
    ]);
    if (made.every(([name, held], at) => name === own[at]?.[0] && Object.is(held, own[at]?.[1]))) {
      return given;
    }
    const copy = copyWith(given, made);
    if (proofs !== undefined) {
      dropProofs(copy, proofs);
    }
    return copy;
  };

  return any(value);
}

/** True if a text may be the JSON of a list or an object. */
function isJsonList(text: string): boolean {
  const trimmed = text.trim();
  return /^[{[]/.test(trimmed) && /[}\]]$/.test(trimmed);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
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
      const copy = copyWith(held, Object.entries(held));
      dropProofs(copy, proofs);
      part[name] = copy;
    }
  }
}

/** Returns an object of the same class with fields. */
const copyWith = (given: object, fields: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.assign(Object.create(Object.getPrototypeOf(given)), Object.fromEntries(fields)) as Record<string, unknown>;
