// Shared support for the framework tests: long chats, and the prompts that a model received.

import assert from "node:assert/strict";
import { countTokens, loadEncoding } from "windrow";
import { Random } from "../package/support/random.mjs";

await loadEncoding("o200k_base");

const WORDS = "harbour violin garden invoice lantern copper orchard ticket bridge kettle letter marble".split(" ");

/** A text of `count` words. */
export function words(random, count) {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
}

/** Turns of a long chat: the user's words and the assistant's reply, with a tool call now and then. */
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

/** Every string in a value that is spoken, not those that name kinds and ids. */
export function textsIn(value, name = "") {
  if (typeof value === "string") {
    return /^(?:role|type|id|toolCallId|tool_call_id|call_id|callId|status|state)$/.test(name) ? [] : [value];
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, Array.isArray(value) ? name : key));
}

/** Lower bound for the tokens of a value's texts. */
export function tokensIn(...values) {
  const texts = values.flatMap((value) => textsIn(value));
  return texts.reduce((sum, text) => sum + countTokens(text, { encoding: "o200k_base" }).tokens, 0);
}

/** Asserts that every call has its result and every result its call, by their ids in order. */
export function assertPaired(calls, results) {
  assert.deepEqual([...calls].sort(), [...results].sort(), "calls and results are there together");
}

/**
 * A `fetch` that answers as Anthropic does: first with `callCount` tool calls, then with a text. `bodies` are the
 * requests.
 */
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

/** Blocks of a body, each with its speaker and without cache breakpoints. */
function blocksOf({ system = [], messages }) {
  const said = [{ role: "system", content: system }, ...messages];
  return said.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.map(({ cache_control: _, ...block }) => JSON.stringify({ role, block }));
  });
}

/** Number of cache breakpoints in a body or a prompt. */
export const markCount = (value) => JSON.stringify(value).split(/"cache_control"|"cacheControl"/).length - 1;

/**
 * Checks the bodies of a loop's steps: each has breakpoints, but no more than Anthropic accepts, and each repeats the
 * one before it byte for byte, apart from breakpoints, unless the cut moved. Returns how often it moved.
 */
export function checkSteps(bodies) {
  let moves = 0;
  for (const [at, body] of bodies.entries()) {
    assert.ok(markCount(body) >= 2 && markCount(body) <= 4, `${markCount(body)} marks`);
    assert.ok(!JSON.stringify(body).includes("windrow"), "no field of windrow is sent");
    const [before, now] = [blocksOf(bodies[at - 1] ?? { messages: [] }), blocksOf(body)];
    moves += at > 0 && before.some((block, place) => block !== now[place]) ? 1 : 0;
  }
  return moves;
}

/** A model of the AI SDK that makes `callCount` tool calls and then answers. `seen` has its prompts. */
export function scriptedModel(callCount = 0) {
  const seen = [];
  const answer = (prompt) => {
    seen.push(structuredClone(prompt));
    const step = seen.length;
    return step <= callCount
      ? {
          finishReason: "tool-calls",
          content: [
            { type: "tool-call", toolCallId: `step_${step}`, toolName: "look_up", input: '{"term":"lantern"}' },
          ],
        }
      : { finishReason: "stop", content: [{ type: "text", text: "Done." }] };
  };
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const model = {
    specificationVersion: "v2",
    provider: "scripted",
    modelId: "gpt-4o",
    supportedUrls: {},
    doGenerate: ({ prompt }) => Promise.resolve({ ...answer(prompt), usage, warnings: [] }),
    doStream({ prompt }) {
      const { content, finishReason } = answer(prompt);
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: part.text },
              { type: "text-end", id: "1" },
            ]
          : [part],
      );
      const chunks = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
      return Promise.resolve({ stream: ReadableStream.from(chunks) });
    },
  };
  return { model, seen };
}
