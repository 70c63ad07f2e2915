// Runs the comparison with other tokenizers on small input: tests/tokenizers/compare.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../package/support/random.mjs";
import { compare, otherwiseClassed } from "../tokenizers/compare.mjs";
import { randomString } from "../tokenizers/strings.mjs";

const count = (text) => [...text].length;
const given = { strings: 500, seed: 3, tokens: ["word", " the", "<s>"], special: [], others: new Set() };

test("equal counts have no difference, and a wrong one is found with its string", () => {
  const right = compare({ ...given, count, reference: count });
  assert.equal(right.strings, 500);
  assert.equal(right.differences, 0);
  const wrong = compare({ ...given, count: (text) => count(text) + Number(text.includes("word")), reference: count });
  assert.ok(wrong.differences > 50, `${wrong.differences}`);
  assert.equal(wrong.shown.length, 10);
  for (const { text, counted, expected } of wrong.shown) {
    assert.ok(text.includes("word"));
    assert.equal(counted, expected + 1);
  }
});

test("strings with special tokens are left out, and other characters are counted separately", () => {
  const reference = (text) => count(text) + Number(text.includes("<s>"));
  assert.ok(compare({ ...given, count, reference }).differences > 0);
  assert.equal(compare({ ...given, special: ["<s>"], count, reference }).differences, 0);
  const { differences, othersDiffer } = compare({ ...given, others: new Set(["<"]), count, reference });
  assert.equal(differences, 0);
  assert.ok(othersDiffer > 0);
});

test("characters that this Node classifies differently are found", () => {
  assert.deepEqual([...otherwiseClassed("97 122 1 0\n48 57 5 0\n10 10 6 0\n43 43 0 1\n")], []);
  assert.deepEqual([...otherwiseClassed("97 99 2 0\n43 43 0 0\n")], ["a", "b", "c", "+"]);
  // JavaScript counts the byte order mark as white space, but not the next-line character.
  assert.deepEqual([...otherwiseClassed("65279 65279 0 0\n133 133 7 0\n")], ["\ufeff", "\u0085"]);
});

test("random strings have many scripts, emoji, code, white space, long words and tokens", () => {
  const random = new Random(1);
  const strings = Array.from({ length: 3000 }, () => randomString(random, ["token", "字"]));
  const all = strings.join("\n");
  for (const script of "Latin Greek Cyrillic Hebrew Arabic Devanagari Thai Hangul Hiragana Katakana Han".split(" ")) {
    assert.match(all, new RegExp(`\\p{Script=${script}}`, "u"), script);
  }
  for (const part of [/👍🏽/u, /\r\n/, / {9}/, /=> \{/, /\d{7}/, /'ll/, /token/, /[^\s\d!-~]{100}/u, /(token){10}/]) {
    assert.match(all, part);
  }
});
