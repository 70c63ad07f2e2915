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

/** A `fetch` that answers as Anthropic does: with so many calls of a tool, then with a text. `bodies` are the requests. */
export function anthropicReplies(callCount) {
  const bodies = [];
  const fetch = (_, { body }) => {
    bodies.push(JSON.parse(body));
    const step = bodies.length;
    const isCall = step <= callCount;
    const content = isCall
      ? [{ type: "tool_use", id: `step_${step}`, name: "look_up", input: { term: "lantern" } }]
      : [{ type: "text", text: "Done." }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const stop = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
    const reply = { id: `msg_${step}`, type: "message", role: "assistant", model: "claude", content, ...stop, usage };
    return Promise.resolve(Response.json(reply));
  };
  return { bodies, fetch };
}

/** A body's blocks, each with who says it, and without marks of the cache. */
function blocksOf({ system = [], messages }) {
  const said = [{ role: "system", content: system }, ...messages];
  return said.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.map(({ cache_control: _, ...block }) => JSON.stringify({ role, block }));
  });
}

/** How many places of a body, or of a prompt, are marked for a cache. */
export const markCount = (value) => JSON.stringify(value).split(/"cache_control"|"cacheControl"/).length - 1;

/**
 * The bodies of the steps of a loop: each has marks, and no more than Anthropic takes; and each repeats the one before it, byte for byte
 * but for the marks, unless the cut has moved. Gives how often it has.
 */
export function checkSteps(bodies) {
  let moves = 0;
  for (const [at, body] of bodies.entries()) {
    assert.ok(markCount(body) >= 2 && markCount(body) <= 4, `${markCount(body)} marks`);
    assert.ok(!JSON.stringify(body).includes("windrow"), "nothing of windrow's own is sent");
    const [before, now] = [blocksOf(bodies[at - 1] ?? { messages: [] }), blocksOf(body)];
    moves += at > 0 && before.some((block, place) => block !== now[place]) ? 1 : 0;
  }
  return moves;
}
