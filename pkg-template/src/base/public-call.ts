// The boundary of the package. Every public function and method goes through it, so any failure inside, such as a
// throwing getter of the caller's or a value of the wrong type, reaches the caller as a `ContextError`.

import { ContextError, type ContextErrorFields, type ErrorKind } from "./errors.js";

/** The code for a failure that has none yet, by the kind of call. */
const UNNAMED: Readonly<Record<ErrorKind, ContextErrorFields["code"]>> = {
  context_build_error: "INVALID_CONFIG",
  transcript_error: "INVALID_TRANSCRIPT",
  encoding_error: "INVALID_ENCODING",
  token_count_error: "INVALID_TRANSCRIPT",
  session_error: "STORE_FAILED",
  store_error: "STORE_FAILED",
  load_error: "INVALID_CORE",
};

/** Runs a synchronous public call. */
export function publicCall<T>(kind: ErrorKind, name: string, run: () => T): T {
  try {
    return run();
  } catch (failure) {
    throw errorOf(kind, name, failure);
  }
}

/** Runs an asynchronous public call. A failure rejects the promise and is never thrown. */
export async function publicPromise<T>(kind: ErrorKind, name: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (failure) {
    throw errorOf(kind, name, failure);
  }
}

/** Wraps a function as a synchronous public call. */
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
 * Turns every method of a class into a public call, once. They return promises, except those listed in `immediate`.
 * `check` inspects each call's arguments. A class calls this when its first object is created, not in a static block:
 * bundlers keep an unused class that has one. Returns true if this call did the work.
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

/** Returns a failure as a `ContextError`. Any other failure becomes the cause of a new one. */
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

/** True if a failure is a `ContextError`. The thrown value may be a proxy that throws when inspected. */
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
