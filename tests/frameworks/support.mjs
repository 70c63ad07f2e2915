// What the tests of frameworks share: long chats, and what a model was sent.

import assert from "node:assert/strict";
import { countTokens, loadEncoding } from "windrow";
import { Random } from "../package/support/random.mjs";

await loadEncoding("o200k_base");

const WORDS = "harbour violin garden invoice lantern copper orchard ticket bridge kettle letter marble".split(" ");

/** A text of so many words. */
export function words(random, count) {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
}

/** Turns of a long chat: what the user says, and what the assistant replies, with a call of a tool now and then. */
export function longChat(seed, turnCount = 60) {
  const random = new Random(seed);
  return Array.from({ length: turnCount }, (_, at) => ({
    said: `Question ${at}: ${words(random, random.integer(3, 25))}?`,
    reply: `Reply ${at}: ${words(random, random.integer(5, 60))}.`,
    call: random.chance(0.3)
      ? { id: `call_${at}`, name: "look_up", input: { term: words(random, 1) }, output: `Found ${words(random, 12)}.` }
      : undefined,
  }));
}

/** The texts of a value: every string in it that is said, not those that name kinds and ids. */
export function textsIn(value, name = "") {
  if (typeof value === "string") {
    return /^(?:role|type|id|toolCallId|tool_call_id|call_id|callId|status|state)$/.test(name) ? [] : [value];
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, Array.isArray(value) ? name : key));
}

/** How many tokens the texts of a value have, at the least that they can count as. */
export function tokensIn(...values) {
  const texts = values.flatMap((value) => textsIn(value));
  return texts.reduce((sum, text) => sum + countTokens(text, { encoding: "o200k_base" }).tokens, 0);
}

/** That every call has its result and every result its call, each given by their ids in order. */
export function assertPaired(calls, results) {
  assert.deepEqual([...calls].sort(), [...results].sort(), "calls and results are there together");
}
