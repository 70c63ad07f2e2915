// The door of a framework's hook: whatever a framework hands over, a failure is a `ContextError`.

import { publicPromise } from "../../base/public-call.js";

/** Makes a hook whose failures are `ContextError`s. `name` is what the framework calls it. */
export function hook<Given extends unknown[], T>(
  name: string,
  run: (...given: Given) => T | Promise<T>,
): (...given: Given) => Promise<T> {
  return (...given) => publicPromise("context_build_error", name, () => run(...given));
}
