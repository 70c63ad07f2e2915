// Meanings of expected keys that are the same in every document.
//
// For each build, a document returns an outcome: `text` (the whole text of the context), `includedIds`, `messages`
// (role and content), `hash`. These checks compare an outcome with the expectations of a case.

import { isDeepStrictEqual } from "node:util";
import { checkChoice, checkCount, checkKeys, checkList, NotUnderstood } from "./shape.mjs";

/** The result of one expectation. `tier` 2 means wording or order that no document specifies. */
export function check(passed, expected, actual, tier = 1) {
  return { passed, expected, actual, tier };
}

export function equal(actual, expected, tier = 1) {
  return check(isDeepStrictEqual(actual, expected), expected, actual, tier);
}

/** Compares only the expected keys of an object; others are allowed. */
export function equalWhereGiven(actual, expected) {
  return equal(Object.fromEntries(Object.keys(expected).map((key) => [key, actual?.[key]])), expected);
}

/** Expected keys shared by all documents. Each returns its checks of one outcome. */
export const common = {
  included_ids: (outcome, expected, { wording }) => {
    const ids = checkList(expected, "expected.included_ids");
    return wording.order
      ? [equal(sorted(outcome.includedIds), sorted(ids)), equal(outcome.includedIds, ids, 2)]
      : [equal(outcome.includedIds, ids)];
  },
  included_set: (outcome, expected) => [
    equal(sorted(outcome.includedIds), sorted(checkList(expected, "expected.included_set"))),
  ],
  count: (outcome, expected) => [equal(outcome.includedIds.length, checkCount(expected, "expected.count"))],
  rendered: (outcome, expected, { wording }) => [equal(outcome.text, expected, wording.rendered ? 2 : 1)],
  contains: (outcome, expected) =>
    texts(expected, "contains").map((part) => check(outcome.text.includes(part), part, outcome.text)),
  absent: (outcome, expected) =>
    texts(expected, "absent").map((part) => check(!outcome.text.includes(part), { without: part }, outcome.text)),
  rendered_order_contains: (outcome, expected) => {
    const parts = texts(expected, "rendered_order_contains");
    return [check(hasInOrder(outcome.text, parts), parts, outcome.text)];
  },
  endsWith: (outcome, expected) =>
    texts(expected, "endsWith").map((end) => check(outcome.text.endsWith(end), { end }, outcome.text)),
  max_run_of: (outcome, expected) => {
    checkKeys(expected, "expected.max_run_of", ["char", "max"]);
    const longest = longestRun(outcome.text, expected.char);
    return [check(longest <= expected.max, { atMost: expected.max }, longest)];
  },
};

/** Expected keys shared by all documents that compare all builds of a case. */
export const commonOverall = {
  identical: (outcomes, expected) =>
    checkList(expected, "expected.identical").map((name) => {
      checkChoice(name, "expected.identical", ["context", "contextHash"]);
      const values = outcomes.map(({ text, messages, hash }) => (name === "context" ? { text, messages } : hash));
      return check(outcomes.length > 1 && differing(values).length === 1, `one ${name}`, differing(values));
    }),
};

/** The distinct values. */
export function differing(values) {
  return values.filter((value, position) => values.findIndex((other) => isDeepStrictEqual(other, value)) === position);
}

/** Returns a copy in an order that doesn't depend on the input's. */
export function sorted(values) {
  return values
    .map((value) => JSON.stringify(value))
    .sort()
    .map((text) => JSON.parse(text));
}

/** One or several texts. An empty text would match everything. */
export function texts(value, key) {
  const list = checkList(typeof value === "string" ? [value] : value, `expected.${key}`);
  if (list.length === 0 || !list.every((text) => typeof text === "string" && text !== "")) {
    throw new NotUnderstood(`expected.${key}: expected texts that are not empty`);
  }
  return list;
}

function hasInOrder(text, parts) {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

function longestRun(text, character) {
  if (typeof character !== "string" || Array.from(character).length !== 1) {
    throw new NotUnderstood("expected.max_run_of.char: expected one character");
  }
  let longest = 0;
  let length = 0;
  for (const current of text) {
    length = current === character ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}
