// The door of the package. Every public function and method goes through it, so that whatever fails within one, a getter of
// the caller's or a value of a wrong type, is a `ContextError` outside.

import { ContextError, type ContextErrorFields, type ErrorKind } from "./errors.js";

/** The code of a failure that nothing within a call has named. */
const UNNAMED: Readonly<Record<ErrorKind, ContextErrorFields["code"]>> = {
  context_build_error: "INVALID_CONFIG",
  transcript_error: "INVALID_TRANSCRIPT",
  encoding_error: "INVALID_ENCODING",
  token_count_error: "INVALID_TRANSCRIPT",
  session_error: "STORE_FAILED",
  store_error: "STORE_FAILED",
  load_error: "INVALID_CORE",
};

/** Runs a public call that gives its result at once. */
export function publicCall<T>(kind: ErrorKind, name: string, run: () => T): T {
  try {
    return run();
  } catch (failure) {
    throw errorOf(kind, name, failure);
  }
}

/** Runs a public call that gives a promise: a failure rejects that promise, and is never thrown. */
export async function publicPromise<T>(kind: ErrorKind, name: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (failure) {
    throw errorOf(kind, name, failure);
  }
}

/** A function as a public call that gives its result at once. */
export function publicFunction<Given extends readonly unknown[], T>(
  kind: ErrorKind,
  name: string,
  run: (...given: Given) => T,
): (...given: Given) => T {
  return (...given) => publicCall(kind, name, () => run(...given));
}

type Method = (this: unknown, ...given: unknown[]) => unknown;

const publicPrototypes = new WeakSet<object>();

/**
 * Makes every method of a class a public call, once. All give promises but those that are named as `immediate`. `check` looks at the
 * arguments of each. A class calls it when its first object is made, and not in a static block: a bundler keeps a class with a static
 * block where nobody uses it. Says whether it was done now.
 */
export function publicMethods(
  kind: ErrorKind,
  prototype: object,
  immediate: readonly string[] | "all" = [],
  check: (given: readonly unknown[], method: string) => void = () => {},
): boolean {
  if (publicPrototypes.has(prototype)) {
    return false;
  }
  publicPrototypes.add(prototype);
  for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof method !== "function" || name === "constructor") {
      continue;
    }
    const isImmediate = immediate === "all" || immediate.includes(name);
    const guarded: Method = isImmediate
      ? function (...given) {
          return publicCall(kind, name, () => {
            check(given, name);
            return method.apply(this, given);
          });
        }
      : function (...given) {
          return publicPromise(kind, name, () => {
            check(given, name);
            return method.apply(this, given);
          });
        };
    Object.defineProperty(prototype, name, { value: guarded, writable: true, configurable: true });
  }
  return true;
}

/** A failure as a `ContextError`. Any other failure becomes the cause of one. */
export function errorOf(kind: ErrorKind, name: string, failure: unknown): ContextError {
  if (isContextError(failure)) {
    return failure;
  }
  return new ContextError({
    kind,
    code: UNNAMED[kind],
    message: `${name} couldn't use its arguments: ${wordsOf(failure)}`,
    nextAction: "Pass arguments of the declared types, as plain data. The cause says what failed.",
    cause: failure,
  });
}

/** Whether a failure is one. What was thrown may be a proxy that throws when it is looked at. */
function isContextError(failure: unknown): failure is ContextError {
  try {
    return failure instanceof ContextError;
  } catch {
    return false;
  }
}

function wordsOf(failure: unknown): string {
  try {
    return failure instanceof Error ? failure.message : String(failure);
  } catch {
    return "the failure itself cannot be read";
  }
}
