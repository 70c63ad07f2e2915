// Measures the speed of counting tokens against other packages, on texts that are new to all of them, in this process.
//
//   npm run bench -- tokens [--english FILE] [--code FILE] [--multilingual FILE] [--write FILE]
//
// A text comes from a seed or a file. It is cut into one part per round, and each side counts each part once,
// alternating. So a side's word cache helps it, but no part repeats. All sides are warm: each has counted, and windrow
// has built, as many other messages as a round of the build row has.

import { readFileSync } from "node:fs";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { Failure, step } from "../scripts/project.mjs";
import { Random } from "../tests/package/support/random.mjs";
import { installPeers, PEERS } from "./peers.mjs";
import { describeRun, optionOf, spreadOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";
import { chatMessages, codeText, englishText, multilingualText } from "./texts.mjs";

const BYTES = 1 << 20;
const ROUNDS = 8;
const MESSAGES = 20_000;
const MESSAGE_BYTES = 100;
/**
 * In the build row, each round has all the messages. With fewer, a build would spend more of its time on fixed costs.
 */
const BUILD_ROUNDS = 5;
const BUILD_WARM_UPS = 3;
const OWN = "windrow";

/** The goals: a multiple of the best peer's speed, and a share of the speed for English. */
const GOALS = {
  English: { must: 6, reach: 10 },
  code: { must: 8, reach: 10 },
  multilingual: { must: 5, reach: 10 },
  "chat messages, one call each": { must: 3, reach: 6 },
  "chat messages, one build": { must: 5, reach: 8 },
};
const LEAST_SHARE = { must: 1 / 10, reach: 1 / 4 };

const sizes = new TextEncoder();
const sizeOf = (text) => sizes.encode(text).length;

export async function run(options = []) {
  await step("peers", installPeers);
  const record = { ...describeRun(Object.keys(PEERS)), figures: [] };
  await loadEncoding("o200k_base");
  const sides = { [OWN]: (text) => countTokens(text).tokens };
  for (const [name, peer] of Object.entries(PEERS)) {
    sides[name] = await peer.load();
  }
  const given = (name, make) => {
    const file = optionOf(options, name);
    return file === undefined ? make() : readFileSync(file, "utf8");
  };
  const texts = {
    English: given("english", () => englishText(BYTES, 1)),
    code: given("code", () => codeText(BYTES, 2)),
    multilingual: given("multilingual", () => multilingualText(BYTES, 3)),
  };
  for (const count of Object.values(sides)) {
    for (const make of [englishText, codeText, multilingualText]) {
      count(make(100_000, 99)); // the engine compiles
    }
  }
  const wrong = [];
  for (const [what, text] of Object.entries(texts)) {
    const parts = partsOf(text, ROUNDS).map((part) => [part]);
    measure({ what, parts, sides, record, wrong });
  }
  const messages = chatMessages(MESSAGES, MESSAGE_BYTES, 4);
  measure({ what: "chat messages, one call each", parts: partsOf(messages, ROUNDS), sides, record, wrong });
  for (let round = 1; round <= BUILD_WARM_UPS; round++) {
    countByBuild(chatMessages(MESSAGES, MESSAGE_BYTES, 500 + round))();
  }
  measure({
    what: "chat messages, one build",
    parts: Array.from({ length: BUILD_ROUNDS }, (_, round) => chatMessages(MESSAGES, MESSAGE_BYTES, 50 + round)),
    sides: { ...sides, [OWN]: undefined },
    whole: { [OWN]: countByBuild },
    record,
    wrong,
  });
  const english = record.figures[0].sides[OWN].speed.median;
  for (const [what, text] of [
    ["1 MB of one letter", "a".repeat(BYTES)],
    ["1 MB of spaces", " ".repeat(BYTES)],
    ["1 MB of random letters", randomLetters(BYTES, 6)],
  ]) {
    measureWorst({ what, text, english, record });
  }
  print(record);
  writeRecord("tokens", record, optionOf(options, "write"));
  if (wrong.length > 0) {
    throw new Failure(wrong.join("; "));
  }
}

/** Splits a text or a list into `count` parts of about equal length. */
function partsOf(whole, count) {
  const length = Math.ceil(whole.length / count);
  return Array.from({ length: count }, (_, index) => whole.slice(index * length, (index + 1) * length));
}

function randomLetters(bytes, seed) {
  const random = new Random(seed);
  return Array.from({ length: bytes }, () => String.fromCharCode(97 + random.integer(0, 25))).join("");
}

/** Returns a function that counts messages' contents with one build that keeps them all. */
function countByBuild(texts) {
  const messages = texts.map((content) => ({ role: "user", content }));
  return () => {
    const context = buildContextSync(messages, { encoding: "o200k_base", budget: { maxTokens: 1e9 } });
    return context.messages.length === messages.length;
  };
}

/** Measures all sides over the parts alternately, and reports an exact side whose count differs. */
function measure({ what, parts, sides, whole = {}, record, wrong }) {
  const speeds = {};
  const totals = {};
  for (const texts of parts) {
    const bytes = texts.reduce((sum, text) => sum + sizeOf(text), 0);
    for (const [name, count] of Object.entries(sides)) {
      const prepared = whole[name]?.(texts);
      const started = performance.now();
      let tokens = 0;
      if (prepared !== undefined) {
        if (!prepared()) {
          wrong.push(`${what}: the build left messages out`);
        }
      } else {
        for (const text of texts) {
          tokens += count(text);
        }
      }
      const took = performance.now() - started;
      speeds[name] = [...(speeds[name] ?? []), bytes / took / 1000];
      totals[name] = (totals[name] ?? 0) + tokens;
    }
  }
  const figure = { what, megabytesPerSecond: true, sides: {} };
  for (const name of Object.keys(sides)) {
    figure.sides[name] = { speed: spreadOf(speeds[name]), tokens: whole[name] ? undefined : totals[name] };
  }
  record.figures.push(figure);
  const reference = totals.tiktoken;
  for (const name of Object.keys(sides)) {
    const isExact = PEERS[name]?.isExact ?? true;
    if (isExact && whole[name] === undefined && totals[name] !== reference) {
      wrong.push(`${what}: ${name} counts ${totals[name]} tokens, tiktoken ${reference}`);
    }
  }
}

/** Measures only windrow on a text that is one piece. Other packages take minutes. */
function measureWorst({ what, text, english, record }) {
  const speeds = [];
  let tokens = 0;
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    tokens = countTokens(text).tokens;
    speeds.push(text.length / (performance.now() - started) / 1000);
  }
  const speed = spreadOf(speeds);
  record.figures.push({ what, sides: { [OWN]: { speed, tokens } }, ofEnglish: speed.median / english });
}

function print(record) {
  const names = [OWN, ...Object.keys(PEERS)];
  const table = new Table("MB/s: median (middle half)", ...names, "to the best peer", "must", "reach");
  for (const { what, sides, ofEnglish } of record.figures) {
    const cell = (name) => {
      const speed = sides[name]?.speed;
      return speed ? `${speed.median.toFixed(1)} (${speed.from.toFixed(1)}–${speed.to.toFixed(1)})` : "";
    };
    if (ofEnglish !== undefined) {
      table.add(what, ...names.map(cell), `${ofEnglish.toFixed(2)} of English`, LEAST_SHARE.must, LEAST_SHARE.reach);
      continue;
    }
    const best = Math.max(...names.slice(1).map((name) => sides[name].speed.median));
    const { must, reach } = GOALS[what];
    table.add(what, ...names.map(cell), `${(sides[OWN].speed.median / best).toFixed(1)}x`, must, reach);
  }
  console.log(`\n${table.text()}\n`);
  for (const { what, sides } of record.figures) {
    const off = sides["ai-tokenizer"] && sides["ai-tokenizer"].tokens - sides.tiktoken.tokens;
    if (off) {
      console.log(`${what}: ai-tokenizer is off by ${off} of ${sides.tiktoken.tokens} tokens`);
    }
  }
}
