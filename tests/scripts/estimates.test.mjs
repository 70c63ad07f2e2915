// Fits shares to small texts whose shares are known: tests/estimates/fit.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { errorsByScript, fitShares } from "../estimates/fit.mjs";
import { Random } from "../package/support/random.mjs";

/** Texts of two scripts, each with its own share. The last kind of cost is an addition. */
function textsWith(shares) {
  const random = new Random(5);
  return Array.from({ length: 60 }, (_, index) => {
    const isFirst = index % 2 === 0;
    const costs = [isFirst ? random.integer(20_000, 60_000) : 0, isFirst ? 0 : random.integer(20_000, 60_000)];
    costs.push(random.integer(1000, 9000), isFirst ? random.integer(0, 9000) : 0);
    const tokens = costs.reduce((sum, cost, kind) => sum + (cost * shares[kind]) / 10_000, 0);
    return { script: isFirst ? "one" : "other", costs, tokens };
  });
}

test("the shares that made the texts are found", () => {
  for (const shares of [
    [130, 80, 100, 20],
    [300, 60, 45, 0],
  ]) {
    const found = fitShares(textsWith(shares), [100, 100, 100, 0]);
    for (const [kind, share] of shares.entries()) {
      // The last share stays closest to its start, because it moves the total least.
      assert.ok(Math.abs(found[kind] - share) <= (kind === 3 ? 15 : 3), `${found}, made with ${shares}`);
    }
  }
});

test("a fixed share stays, and the others make up for it", () => {
  const [first, , fixed] = fitShares(textsWith([130, 80, 100, 0]), [100, 100, 50, 0], new Set([2]));
  assert.equal(fixed, 50);
  assert.ok(first > 130, `${first}`);
});

test("errors are percentages of each script's total", () => {
  const texts = [
    { script: "one", estimate: 90, tokens: 100 },
    { script: "one", estimate: 330, tokens: 300 },
    { script: "other", estimate: 50, tokens: 100 },
  ];
  const rounded = [...errorsByScript(texts)].map(([script, error]) => [script, Math.round(error)]);
  assert.deepEqual(rounded, [
    ["one", 5],
    ["other", -50],
  ]);
});
