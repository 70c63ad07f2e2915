// Measures how fast each vocabulary counts, in relation to `o200k_base`, in one run.
//
//   npm run bench -- vocabularies [--write FILE]
//
// Each text is cut into parts. All encodings count a part in turns, in another order each time, so that a busy machine
// slows all alike. The vocabularies are those of tests/tokenizers.

import { readFileSync } from "node:fs";
import { countTokens, loadEncoding } from "windrow";
import { Failure } from "../scripts/project.mjs";
import { makeVocabularies } from "../scripts/tokenizers.mjs";
import { REFERENCES } from "../tests/tokenizers/references.mjs";
import { describeRun, optionOf, spreadOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";
import { chatMessages, codeText, englishText, multilingualText } from "./texts.mjs";

const BYTES = 4 << 20;
const ROUNDS = 48;
const REFERENCE = "o200k_base";
const PACKAGED = [REFERENCE, "cl100k_base"];

/** The minimum speed, as a share of that of `o200k_base`. */
const LEAST = 0.8;

export async function run(options = []) {
  const folder = await makeVocabularies(Object.keys(REFERENCES));
  for (const name of /** @type {("o200k_base" | "cl100k_base")[]} */ (PACKAGED)) {
    await loadEncoding(name);
  }
  const others = /** @type {("qwen" | "deepseek_v3" | "llama3" | "tekken")[]} */ (Object.keys(REFERENCES));
  for (const name of others) {
    await loadEncoding({ name, bytes: readFileSync(`${folder}/${name}.bin`) });
  }
  const names = [...PACKAGED, ...others];
  for (const encoding of names) {
    for (const make of [englishText, codeText, multilingualText]) {
      count([make(100_000, 99)], encoding); // the engine compiles
    }
  }
  const texts = {
    English: [...partsOf(englishText(BYTES, 1))].map((part) => [part]),
    code: [...partsOf(codeText(BYTES, 2))].map((part) => [part]),
    multilingual: [...partsOf(multilingualText(BYTES, 3))].map((part) => [part]),
    "chat messages": [...partsOf(chatMessages(BYTES / 100, 100, 4))],
  };
  const record = { ...describeRun([]), figures: [] };
  for (const [what, parts] of Object.entries(texts)) {
    record.figures.push({ what, ratios: ratiosOf(parts, names) });
  }
  const table = new Table("of the speed of o200k_base: median (middle half)", ...names.slice(1));
  for (const { what, ratios } of record.figures) {
    const cell = ({ median, from, to }) => `${median.toFixed(2)} (${from.toFixed(2)}–${to.toFixed(2)})`;
    table.add(what, ...names.slice(1).map((name) => cell(ratios[name])));
  }
  console.log(`\n${table.text()}\n`);
  writeRecord("vocabularies", record, optionOf(options, "write"));
  const slow = record.figures.flatMap(({ what, ratios }) =>
    others.filter((name) => ratios[name].median < LEAST).map((name) => `${name} in ${what}`),
  );
  if (slow.length > 0) {
    throw new Failure(`less than ${LEAST} of the speed of ${REFERENCE}: ${slow.join(", ")}`);
  }
}

/** The parts of a text or of a list. */
function* partsOf(whole) {
  const length = Math.ceil(whole.length / ROUNDS);
  for (let at = 0; at < whole.length; at += length) {
    yield whole.slice(at, at + length);
  }
}

function count(texts, encoding) {
  for (const text of texts) {
    countTokens(text, { encoding });
  }
}

/** For each encoding, its speed on each part, relative to the reference. */
function ratiosOf(parts, names) {
  const ratios = Object.fromEntries(names.map((name) => [name, []]));
  for (const [round, part] of parts.entries()) {
    const took = {};
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length];
      const started = performance.now();
      count(part, name);
      took[name] = performance.now() - started;
    }
    for (const name of names) {
      ratios[name].push(took[REFERENCE] / took[name]);
    }
  }
  return Object.fromEntries(names.map((name) => [name, spreadOf(ratios[name])]));
}
