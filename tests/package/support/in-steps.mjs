// Windrow's own form of a message whose parts hold a call and its result each.

/** Stands for the border of a step among parts. */
export const STEP = { type: "step" };

/**
 * Returns parts in the order of a request: all calls of a step that have no text between them, and then their results.
 */
export function inSteps(parts) {
  const done = [];
  const results = [];
  for (const part of parts) {
    if (part.type === "tool-result") {
      results.push(part);
      continue;
    }
    if (!["tool-call", "reasoning", "redacted_thinking"].includes(part.type)) {
      done.push(...results.splice(0));
    }
    done.push(...(part === STEP ? [] : [part]));
  }
  return [...done, ...results];
}
