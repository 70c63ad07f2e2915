// Compares counts with those of another tokenizer, string by string.

import { Random } from "../package/support/random.mjs";
import { randomString } from "./strings.mjs";

/** Maximum number of differences that are kept with their strings. */
const MOST_SHOWN = 10;

/**
 * Patterns of the classes in crates/encoding/build.rs, by their numbers; a later one wins.
 *
 * @type {[number, RegExp][]}
 */
const CLASSES = [
  [1, /\p{Ll}/u],
  [2, /[\p{Lu}\p{Lt}]/u],
  [3, /[\p{Lm}\p{Lo}]/u],
  [4, /\p{M}/u],
  [5, /\p{N}/u],
  [7, /\s/u],
  [6, /[\r\n]/u],
];
const SYMBOL = /[\p{P}\p{S}]/u;

/**
 * Returns the characters that this Node's regular expressions classify differently from windrow: those of a newer
 * Unicode, and white space that JavaScript defines by itself. Takes the output of the example `classes` of
 * `crates/encoding`.
 */
export function otherwiseClassed(lines) {
  const others = new Set();
  for (const line of lines.trim().split("\n")) {
    const [first, last, own, ownSymbol] = line.split(" ").map(Number);
    for (let codePoint = first; codePoint <= last; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
        continue;
      }
      const character = String.fromCodePoint(codePoint);
      const [found] = CLASSES.findLast(([, pattern]) => pattern.test(character)) ?? [0];
      const isSymbol = found === 0 && SYMBOL.test(character);
      if (found !== own || Number(isSymbol) !== ownSymbol) {
        others.add(character);
      }
    }
  }
  return others;
}

/**
 * Counts random strings by two functions.
 *
 * `tokens` are texts of the vocabulary's tokens. Strings with one of `special` are left out: the other tokenizer reads
 * them as special tokens. A difference that disappears without the characters in `others` is counted separately.
 */
export function compare({ strings, seed, tokens, special, others, count, reference }) {
  const random = new Random(seed);
  const result = { strings: 0, tokens: 0, differences: 0, othersDiffer: 0, shown: [] };
  while (result.strings < strings) {
    const text = randomString(random, tokens);
    if (special.some((token) => text.includes(token))) {
      continue;
    }
    result.strings += 1;
    const expected = reference(text);
    const counted = count(text);
    result.tokens += expected;
    if (counted === expected) {
      continue;
    }
    const rest = [...text].filter((character) => !others.has(character)).join("");
    if (rest !== text && count(rest) === reference(rest)) {
      result.othersDiffer += 1;
      continue;
    }
    result.differences += 1;
    if (result.shown.length < MOST_SHOWN) {
      result.shown.push({ text, counted, expected });
    }
  }
  return result;
}
