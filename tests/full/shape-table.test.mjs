// The table in docs/providers.md: how close the budget's counts are to those of the bodies, for 300 conversations in
// each format.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { loadEncoding } from "windrow";
import { checkShape, PROVIDERS } from "../package/support/shape-bodies.mjs";
import { SHAPES } from "../package/support/shape-conversations.mjs";

const CONVERSATIONS = 300;

/** The largest excess of the count, as a share. */
const MOST_ERROR = 0.0005;

const paper = new URL("../../docs/providers.md", import.meta.url);
const errors = new Map();

before(() => loadEncoding("o200k_base"));

/** Seeds of each provider. Providers take turns. */
function seedsOf(provider, count) {
  const first = PROVIDERS.indexOf(provider) + 1;
  return Array.from({ length: Math.floor(count / PROVIDERS.length) }, (_, at) => first + at * PROVIDERS.length);
}

for (const [shape, { title }] of Object.entries(SHAPES)) {
  describe(`${title} for every provider`, () => {
    for (const provider of PROVIDERS) {
      test(`${provider}: valid, whole, within the budget by a count of the body, and the same when built again`, () => {
        const { built, error } = checkShape(shape, provider, seedsOf(provider, CONVERSATIONS));
        assert.ok(built > CONVERSATIONS / PROVIDERS.length / 3, `${built} were built`);
        errors.set(`${shape} ${provider}`, error);
        assert.ok(error >= 0 && error <= MOST_ERROR, `the count is ${error} from that of the body`);
      });
    }
  });
}

function tableOf() {
  const rows = Object.entries(SHAPES).map(([shape, { title }]) => {
    const cells = PROVIDERS.map((provider) => `${(100 * errors.get(`${shape} ${provider}`)).toFixed(1)} %`);
    return `| ${title} | ${cells.join(" | ").replaceAll("-0.0 %", "0.0 %").replaceAll("-", "−")} |`;
  });
  const head = `| from | ${PROVIDERS.map((name) => `\`${name}\``).join(" | ")} |`;
  return `${head}\n|---|${"---|".repeat(PROVIDERS.length)}\n${rows.join("\n")}\n`;
}

test("the table of shapes and providers has the measured differences", () => {
  const text = readFileSync(paper, "utf8");
  const [, begin, , end] = /^(.*<!-- shapes: begin.*? -->\n)(.*)(<!-- shapes: end -->\n.*)$/s.exec(text);
  const expected = `${begin}\n${tableOf()}\n${end}`;
  if (process.env.UPDATE) {
    writeFileSync(paper, expected);
  }
  assert.equal(readFileSync(paper, "utf8"), expected, "run: UPDATE=1 node --test tests/full/shape-table.test.mjs");
});
