// 10,000 random conversations in each shape of messages, built for every provider in turn: see tests/package/providers/shapes.test.mjs.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadEncoding } from "windrow";
import { checkShape, PROVIDERS } from "../package/support/shape-bodies.mjs";
import { SHAPES } from "../package/support/shape-conversations.mjs";

const CONVERSATIONS = 10_000;
/** Other seeds than those of the quick tests. */
const FIRST = 1_000_000;

before(() => loadEncoding("o200k_base"));

for (const [shape, { title }] of Object.entries(SHAPES)) {
  test(`10,000 conversations of ${title}`, () => {
    for (const [at, provider] of PROVIDERS.entries()) {
      const count = CONVERSATIONS / PROVIDERS.length;
      const seeds = Array.from({ length: count }, (_, turn) => FIRST + at + turn * PROVIDERS.length);
      const { built } = checkShape(shape, provider, seeds);
      assert.ok(built > count / 3, `${built} were built for ${provider}`);
    }
  });
}
