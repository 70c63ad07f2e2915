// Counts messages one by one, each for itself, so that the messages of all packages are counted the same way.

import { countTokens } from "windrow";

export const encoding = "o200k_base";

/** The tokens that start a reply, counted once per prompt. */
export const PRIMING = 3;

const counts = new WeakMap();

/** Returns the cost of a message with its calls. The vocabulary must be loaded. */
export function tokensOf(message) {
  let count = counts.get(message);
  if (count === undefined) {
    count = countTokens([message], { encoding }).tokens - PRIMING;
    counts.set(message, count);
  }
  return count;
}
