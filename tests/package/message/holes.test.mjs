// A list may claim to be longer than any memory. `list.length = 4e9` costs nothing, and walking it costs a minute. In
// any field of a message of any format, such a list is refused or skipped at its first hole.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, plainMessage, providers, requestOf } from "windrow";
import { forEachSeed } from "../support/property.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";

/** Fields that some format reads. */
const FIELDS = [
  ..."content parts kwargs toolInvocations attachments tool_calls toolCalls summary output providerData id type state".split(
    " ",
  ),
  ..."experimental_attachments source value role reasoning_details metadata".split(" "),
];
/** A walk over the whole list takes longer. */
const MOST_MS = 10_000;

const longList = () => {
  const list = [];
  list.length = 2 ** 32 - 1;
  return list;
};
const isHolder = (value) => typeof value === "object" && value !== null && !ArrayBuffer.isView(value);

/** A copy of a value with the long list in one of its fields, at a random depth. */
function withLongList(random, value, depth = 0) {
  const copy = Array.isArray(value) ? [...value] : Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  const held = Object.keys(copy).filter((name) => isHolder(copy[name]));
  if (held.length > 0 && depth < 6 && random.chance(0.7)) {
    const name = random.pick(held);
    copy[name] = withLongList(random, copy[name], depth + 1);
  } else {
    copy[random.pick([...Object.keys(copy), ...(Array.isArray(copy) ? [] : FIELDS)])] = longList();
  }
  return copy;
}

describe("a list that is longer than memory ends at its first hole", () => {
  for (const [shape, { write, thoughtsOf = [], has }] of Object.entries(SHAPES)) {
    test(shape, () => {
      forEachSeed((random) => {
        const messages = write(randomTurns(random, { thoughtsOf, has, mostTurns: 3 }).turns, random);
        const at = random.integer(0, messages.length - 1);
        const changed = withLongList(random, messages[at]);
        const list = messages.with(at, changed);
        const provider = random.pick(providers).name;
        for (const run of [
          () => plainMessage(changed),
          () => buildContextSync(list, { encoding: "estimate", budget: { maxTokens: 300 } }),
          () => buildContextSync(list, { encoding: "estimate", filter: { excludeToolCalls: true } }),
          () => countTokens(list, { encoding: "estimate" }),
          () => requestOf(provider, list),
        ]) {
          const start = performance.now();
          try {
            run();
          } catch (failure) {
            assert.equal(failure.name, "ContextError", failure.stack);
          }
          assert.ok(performance.now() - start < MOST_MS, `${run} takes ${performance.now() - start} ms`);
        }
      });
    });
  }
});
