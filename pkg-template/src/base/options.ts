// Checks the options of a call: misspelled names and wrong values. Every call reports them in the same words.

import { ContextError, type ErrorKind } from "./errors.js";

/** An option's rule, in words and as a test. Undefined counts as missing. */
export type OptionRule = readonly [expected: string, isRight: (value: unknown) => boolean];
export type OptionRules<Name extends string = string> = Readonly<Record<Name, OptionRule>>;

/** A fault in options. `message` begins with `path`. */
export interface OptionFault {
  readonly path: string;
  readonly message: string;
  readonly nextAction: string;
}

/** Returns the first fault in options, or undefined if they are valid. */
export function faultIn(options: unknown, rules: OptionRules): OptionFault | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    return fault("options", `expected an object, got ${describe(options)}`, "Pass an object, or nothing.");
  }
  let entries: [string, unknown][];
  try {
    entries = Object.entries(options);
  } catch {
    return fault("options", "could not be read", "Pass a plain object.");
  }
  for (const [option, value] of entries) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (rule === undefined) {
      return fault(option, "unknown option", `The options are ${Object.keys(rules).join(", ")}.`);
    }
    if (value !== undefined) {
      const wrong = faultOf(option, value, rule);
      if (wrong !== undefined) {
        return wrong;
      }
    }
  }
  return undefined;
}

/** Throws if an option is misspelled or has a wrong value, or if one of the `required` options is missing. */
export function checkOptions<Name extends string>(
  kind: ErrorKind,
  options: unknown,
  rules: OptionRules<Name>,
  required: readonly Name[] = [],
): void {
  const given = options as Readonly<Record<string, unknown>>;
  const lacking = (): OptionFault | undefined => {
    const name = required.find((option) => given[option] === undefined);
    return name && fault(name, `expected ${rules[name][0]}, got nothing`, `Pass ${rules[name][0]}.`);
  };
  const found = faultIn(options, rules) ?? lacking();
  if (found !== undefined) {
    throw new ContextError({ kind, code: "INVALID_CONFIG", ...found });
  }
}

/** Returns a value's fault, or undefined if it is valid. */
export function faultOf(path: string, value: unknown, [expected, isRight]: OptionRule): OptionFault | undefined {
  return isRight(value)
    ? undefined
    : fault(path, `expected ${expected}, got ${describe(value)}`, `Pass ${expected}, or leave it out.`);
}

function fault(path: string, problem: string, nextAction: string): OptionFault {
  return { path, message: `${path}: ${problem}`, nextAction };
}

/** Describes a value in words, for messages. */
export function describe(value: unknown): string {
  if (value == null) {
    return "nothing";
  }
  if (typeof value === "string") {
    return value.length <= 40 ? `"${value}"` : "a text";
  }
  if (typeof value === "object") {
    return isList(value) ? "a list" : "an object";
  }
  return typeof value === "function" ? "a function" : String(value);
}

/** True if a value is a list. A revoked proxy doesn't count: testing it would throw. */
function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
