// The boundary of a framework's hook: whatever the framework passes, a failure is a `ContextError`.

import { firstHole } from "../../base/lists.js";
import { publicPromise } from "../../base/public-call.js";

/** Creates a hook whose failures are `ContextError`s. `name` is the framework's name for it. */
export function hook<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
): (...given: Given) => Promise<T> {
  return (...given) => publicPromise("context_build_error", name, () => run(...given));
}

/**
 * Returns a framework's list of messages in a form that can be walked and copied. It ends at the first hole, because a
 * list may claim to be longer than memory. The build then names that place.
 */
export function listed<T>(messages: readonly T[]): readonly T[] {
  if (!Array.isArray(messages)) {
    throw new TypeError("the messages are not a list");
  }
  const hole = firstHole(messages);
  return hole < 0 ? messages : messages.slice(0, hole + 1);
}
