// The door of a framework's hook: whatever a framework hands over, a failure is a `ContextError`.

import { firstHole } from "../../base/lists.js";
import { publicPromise } from "../../base/public-call.js";

/** Makes a hook whose failures are `ContextError`s. `name` is what the framework calls it. */
export function hook<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
): (...given: Given) => Promise<T> {
  return (...given) => publicPromise("context_build_error", name, () => run(...given));
}

/**
 * A framework's list of messages, which can be walked and copied. It ends with its first place that has nothing, as a list can say that
 * it is longer than any memory: the build then names that place.
 */
export function listed<T>(messages: readonly T[]): readonly T[] {
  if (!Array.isArray(messages)) {
    throw new TypeError("the messages are not a list");
  }
  const hole = firstHole(messages);
  return hole < 0 ? messages : messages.slice(0, hole + 1);
}
