// Runs the check of prose on small texts: scripts/prose.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOfSubject, habitsIn, limitOf } from "../../scripts/prose.mjs";

const wordsIn = (path, text) => habitsIn(path, text).map(({ words, line }) => `${line}: ${words}`);

test("habits in comments and Markdown are found with their lines, and code isn't prose", () => {
  const markdown =
    "# What is here\n\nIt gives a list,\nwhere it can.\n\n```js\nwhat is(here);\n```\n\n| what is | a table |\n";
  assert.deepEqual(wordsIn("a.md", markdown), ["4: where it", "3: gives"]);
  const code = 'const a = "what is this";\n/// What was here stands\n/// behind the door.\nfn b() {}\n';
  const found = ["2: What", "2: What was", "3: behind", "2: stands"];
  assert.deepEqual(wordsIn("a.rs", code), found);
});

test("a file may have 5 habits per 1,000 words, and an older one as many as recorded", () => {
  const text = `${"word ".repeat(999)}gives\n`;
  assert.equal(limitOf("a.md", text, {}), 5);
  assert.equal(limitOf("a.md", text, { "a.md": 9 }), 9);
  assert.equal(limitOf("a.md", "It gives.\n", {}), 0);
});

test("a subject is short, starts with a capital and has no final period", () => {
  assert.equal(faultOfSubject("Read prices from the table"), undefined);
  assert.match(faultOfSubject("x".repeat(73)) ?? "", /73 characters/);
  assert.match(faultOfSubject("read prices") ?? "", /capital/);
  assert.match(faultOfSubject("Read prices.") ?? "", /period/);
});
