// Vocabularies that the command line makes from a tokenizer.json: they count the same as slow merging by the file's own
// rules, and unsupported files are named.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, countTokens, loadEncoding } from "windrow";
import { forEachSeed } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

const program = fileURLToPath(new URL("../../../node_modules/.bin/windrow", import.meta.url));

const CONTRACTIONS = "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])";
const GPT4 = String.raw`[^\r\n\p{L}\p{N}]?\p{L}+|`;
const GPT4_END = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const CASED = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`;
const TEKKEN_END = String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const IN_FILE = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const DEEPSEEK = [
  "\\p{N}{1,3}",
  "[一-龥぀-ゟ゠-ヿ]+",
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];

/**
 * The forms of a file's merges: one for each token, one for each way to split it, or the latter with tokens that no
 * merge makes.
 */
const [ONE, ALL, MORE] = ["one", "all", "more"];

/** For each encoding, the patterns as a file has them and as JavaScript reads them, and the form of its merges. */
const FAMILIES = {
  qwen: [[`${IN_FILE}|${GPT4}\\p{N}|${GPT4_END}`], [`${CONTRACTIONS}|${GPT4}\\p{N}|${GPT4_END}`], ONE],
  deepseek_v3: [DEEPSEEK, DEEPSEEK, ONE],
  tekken: [[`${CASED}|\\p{N}|${TEKKEN_END}`], [`${CASED}|\\p{N}|${TEKKEN_END}`], ALL],
  llama3: [[`${IN_FILE}|${GPT4}\\p{N}{1,3}|${GPT4_END}`], [`${CONTRACTIONS}|${GPT4}\\p{N}{1,3}|${GPT4_END}`], MORE],
};

/** Fragments of random texts: words of the vocabularies, and characters that patterns distinguish. */
const BITS = [
  ..."the and ing tion Haus straße der die und Gegend не при ход слово 会議 議事 です カナ مرحبا نعم 한국 हिन्दी e\u0301 \u0301 \u200d \0 \u0001".split(
    " ",
  ),
  ..." |  |   |\t|\n|\r\n|\n\n|\u00a0|.|,|(|);|'|'s|'LL|'re|/|//|--|_|{}|=>|7|42|2026|½|😀|+|、|THE|Th|iPhone|x".split(
    "|",
  ),
];

const letters = (() => {
  let next = 0x100;
  const isSeen = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : next++));
})();
const inLetters = (text) => [...new TextEncoder().encode(text)].map((byte) => letters[byte]);

/** Cuts a text with one pattern after another. Matches and the text between them are pieces. */
function cut(patterns, text) {
  return patterns.reduce(
    (pieces, pattern) =>
      pieces.flatMap((piece) => piece.split(new RegExp(`(${pattern})`, "u")).filter((part) => part !== "")),
    [text],
  );
}

/** Merges a piece by definition: the first merge that applies, at its first position, until none applies. */
function merged(piece, ranks) {
  const parts = inLetters(piece);
  for (;;) {
    let [lowest, at] = [Number.POSITIVE_INFINITY, -1];
    for (let index = 0; index + 1 < parts.length; index += 1) {
      const rank = ranks.get(`${parts[index]} ${parts[index + 1]}`) ?? Number.POSITIVE_INFINITY;
      if (rank < lowest) {
        [lowest, at] = [rank, index];
      }
    }
    if (at < 0) {
      return parts;
    }
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
}

/** Learns a vocabulary from random texts by byte pair encoding. */
function learned(random, patterns, splits) {
  const sample = Array.from({ length: 1500 }, () => random.pick(BITS) + random.pick(BITS)).join(" ");
  const pieces = cut(patterns, sample).map(inLetters);
  const merges = [];
  const tokens = [...letters];
  while (merges.length < 250) {
    const counts = new Map();
    for (const parts of pieces) {
      for (let index = 0; index + 1 < parts.length; index += 1) {
        const pair = `${parts[index]} ${parts[index + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const known = new Set(tokens);
    const candidates = [...counts].filter(([pair]) => !known.has(pair.replace(" ", "")));
    const [best] = candidates.sort(([, one], [, other]) => other - one);
    if (best === undefined) {
      break;
    }
    merges.push(best[0]);
    tokens.push(best[0].replace(" ", ""));
    for (const parts of pieces) {
      for (let index = 0; index + 1 < parts.length; index += 1) {
        if (`${parts[index]} ${parts[index + 1]}` === best[0]) {
          parts.splice(index, 2, parts[index] + parts[index + 1]);
        }
      }
    }
  }
  if (splits === ONE) {
    return { tokens, merges };
  }
  if (splits === MORE) {
    // Some tokens come before their parts.
    tokens.splice(256, 0, ...tokens.splice(tokens.length - 8, 8));
  }
  const known = new Set(tokens);
  const all = tokens.slice(256).flatMap((token) =>
    Array.from({ length: token.length - 1 }, (_, at) => [token.slice(0, at + 1), token.slice(at + 1)])
      .filter(([left, right]) => known.has(left) && known.has(right))
      .map((pair) => pair.join(" ")),
  );
  if (splits === MORE) {
    const others = BITS.flatMap((one) => BITS.flatMap((other) => cut(patterns, one + other)));
    tokens.push(...new Set(others.map((piece) => inLetters(piece).join("")).filter((piece) => !known.has(piece))));
  }
  return { tokens, merges: all };
}

function fileOf(patterns, { tokens, merges }, splits, form = (merge) => merge) {
  const split = (Regex) => ({ type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false });
  return {
    version: "1.0",
    added_tokens: [{ id: tokens.length, content: "<|end|>", special: true }],
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [...patterns.map(split), { type: "ByteLevel", add_prefix_space: false, use_regex: false }],
    },
    model: {
      type: "BPE",
      byte_fallback: false,
      ignore_merges: splits !== ONE,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map(form),
    },
  };
}

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "windrow-vocabulary-"));
});
after(() => rmSync(folder, { recursive: true }));

function run(text, ...options) {
  const path = join(folder, "tokenizer.json");
  writeFileSync(path, text);
  return spawnSync(process.execPath, [program, "vocabulary", path, ...options], { encoding: "utf8" });
}

describe("windrow vocabulary", () => {
  for (const name of /** @type {const} */ (["qwen", "deepseek_v3", "tekken", "llama3"])) {
    const [inFile, patterns, splits] = FAMILIES[name];
    test(`counts ${name} by its file`, async () => {
      const vocabulary = learned(new Random(7), patterns, splits);
      const form = name === "qwen" ? (merge) => merge.split(" ") : undefined;
      const path = join(folder, `${name}.bin`);
      const made = run(JSON.stringify(fileOf(inFile, vocabulary, splits, form)), "--write", path);
      assert.equal(made.stdout, `${name}\n`, made.stderr);
      await loadEncoding({ name, bytes: readFileSync(path) });
      const ranks = new Map(vocabulary.merges.map((merge, rank) => [merge, rank]));
      const whole = new Set(splits === ONE ? [] : vocabulary.tokens);
      let shorter = 0;
      let unmerged = 0;
      forEachSeed((random) => {
        const text = Array.from({ length: random.integer(1, 24) }, () => random.pick(BITS)).join("");
        const pieces = cut(patterns, text);
        const tokens = pieces.flatMap((piece) => merged(piece, ranks)).length;
        const expected = pieces.reduce(
          (sum, piece) => sum + (whole.has(inLetters(piece).join("")) ? 1 : merged(piece, ranks).length),
          0,
        );
        assert.equal(countTokens(text, { encoding: name }).tokens, expected, JSON.stringify(text));
        shorter += Number(expected < Buffer.byteLength(text));
        unmerged += Number(expected < tokens);
      });
      assert.ok(shorter > 0);
      assert.equal(unmerged > 0, splits === MORE);
      const context = await buildContext([{ role: "user", content: "the Haus" }], {
        encoding: name,
        model: "qwen3-32b",
      });
      assert.equal(context.tokens.exact, true);
      const other = countTokens("the Haus", { encoding: name, model: "claude-sonnet-4-5" });
      assert.equal(other.exact, false);
    });
  }

  test("names the problem in a file, the place, and the next step", () => {
    const [patterns] = FAMILIES.qwen;
    const vocabulary = { tokens: [...letters, "th", "the"], merges: ["t h", "th e"] };
    const good = fileOf(patterns, vocabulary, ONE);
    const changed = (change) => {
      const file = structuredClone(good);
      change(file);
      return JSON.stringify(file);
    };
    const text = JSON.stringify(good);
    assert.equal(run(text).status, 0);
    const refused = /** @type {[string, RegExp][]} */ ([
      [text.slice(0, -40), /isn't JSON, or is cut off: .*\nDownload tokenizer.json again/],
      ["[1]", /isn't a tokenizer.json: expected an object/],
      [
        '{"tokenizer_class":"Qwen2Tokenizer"}',
        /the settings of a tokenizer \(tokenizer_config.json\).*\nUse the tokenizer.json/,
      ],
      ['{"config":{},"vocab":[]}', /Mistral's own format \(tekken.json\)/],
      [changed(({ model }) => Object.assign(model, { type: "Unigram" })), /model: its type is Unigram/],
      [
        changed(({ model }) => Object.assign(model, { byte_fallback: true })),
        /model.byte_fallback: .*Llama 2 or Gemma/,
      ],
      [changed(({ model }) => model.merges.push("th x9")), /model.merges\[2\]: "x9" isn't in model.vocab/],
      [changed(({ model }) => model.merges.push("th")), /model.merges\[2\]: expected two tokens, got "th"/],
      [
        changed(({ model }) => model.merges.push("t h")),
        /model.merges\[2\]: it makes "th" a second time, after model.merges\[0\]/,
      ],
      [
        changed(({ model }) => model.merges.reverse()),
        /model.merges\[0\]: it merges "th", which only a later merge makes/,
      ],
      [
        changed(({ model }) => Object.assign(model.vocab, { the: 256 })),
        /model.vocab: "th" and "the" have the same id, 256/,
      ],
      [
        changed(({ model }) => Object.assign(model.vocab, { the: "9" })),
        /model.vocab\["the"\]: expected an id, got "9"/,
      ],
      [changed(({ model }) => delete model.vocab.a), /model.vocab: the byte 97, "a", isn't in it/],
      [
        changed((file) => Object.assign(file, { normalizer: { type: "Lowercase" } })),
        /normalizer: it changes texts by Lowercase/,
      ],
      [changed(({ pre_tokenizer }) => pre_tokenizer.pretokenizers.pop()), /pre_tokenizer: it ends with Split/],
      [
        changed((file) => Object.assign(file.pre_tokenizer.pretokenizers[0].pattern, { Regex: "\\w+" })),
        /unknown patterns: \["\\\\w\+"\]/,
      ],
      [changed((file) => Object.assign(file, { pre_tokenizer: { type: "ByteLevel" } })), /splits texts like GPT-2/],
      [
        JSON.stringify(fileOf(patterns, { tokens: [...letters, "tht", "th"], merges: ["th t", "t ht", "t h"] }, ALL)),
        /model.merges\[1\]: "ht" isn't in model.vocab/,
      ],
      [
        JSON.stringify(fileOf(patterns, { tokens: [...letters, "tht", "th"], merges: ["th t", "t h"] }, ALL)),
        /model.merges\[0\]: it merges "th" with "t", one of which has a higher rank/,
      ],
      [
        changed(({ model }) => {
          model.merges = ["t h", "h t", "t ht", "x t", "xt h", "x th"];
          model.vocab = Object.fromEntries(
            [...letters, "th", "ht", "tht", "xt", "xth"].map((token, id) => [token, id]),
          );
        }),
        /model.merges\[2\]: "tht" isn't the token that its bytes merge into/,
      ],
    ]);
    for (const [given, pattern] of refused) {
      const { status, stderr } = run(given);
      assert.match(stderr, pattern);
      assert.equal(status, 2, stderr);
    }
  });

  test("names a vocabulary's encoding, and how to make a missing one", async () => {
    const [patterns] = FAMILIES.qwen;
    const path = join(folder, "other.bin");
    const file = fileOf(patterns, { tokens: [...letters, "th"], merges: ["t h"] }, ONE);
    run(JSON.stringify(file), "--write", path);
    const bytes = readFileSync(path);
    await assert.rejects(loadEncoding({ name: "o200k_base", bytes }), { code: "INVALID_ENCODING" });
    const unknown = /** @type {any} */ ("gpt2");
    await assert.rejects(loadEncoding({ name: unknown, bytes }), /unknown encoding/);
  });
});
