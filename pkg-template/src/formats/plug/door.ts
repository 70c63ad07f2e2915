// The door of a framework's hook: whatever a framework hands over, a failure is a `ContextError`.

import { ContextError } from "windrow";

/** Makes a hook whose failures are `ContextError`s. `name` is what the framework calls it. */
export function hook<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
): (...given: Given) => Promise<T> {
  return async (...given) => {
    try {
      return await run(...given);
    } catch (failure) {
      throw isContextError(failure) ? failure : unusable(name, failure);
    }
  };
}

function unusable(name: string, cause: unknown): ContextError {
  return new ContextError({
    kind: "context_build_error",
    code: "INVALID_CONFIG",
    message: `${name} could not use what the framework passed`,
    nextAction:
      "Pass the hook to the framework that it is for, in a version that the docs name; the cause says what failed.",
    cause,
  });
}

/** Whether a failure is one. A thrown proxy may throw when it is looked at. */
function isContextError(failure: unknown): boolean {
  try {
    return failure instanceof ContextError;
  } catch {
    return false;
  }
}
