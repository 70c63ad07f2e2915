// Counts the processor instructions per byte of counting tokens. The result is the same on a busy machine as on an idle
// one.
//
//   npm run bench -- instructions [--write FILE]
//
// The counting loops run natively under valgrind, on texts from seeds: once only to load a vocabulary, once with one
// pass over a text, and once with two. The difference that a pass makes is its cost.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, projectPath, run as runProgram, step } from "../scripts/project.mjs";
import { Random } from "../tests/package/support/random.mjs";
import { describeRun, optionOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";
import { codeText, englishText, multilingualText } from "./texts.mjs";

const BYTES = 100_000;
const NAME = "o200k_base";

/** The most instructions per byte for a first and a second pass: a sixth above the measurements with rustc 1.95. */
const MOST = {
  English: [56.5, 33],
  code: [77.5, 44.5],
  multilingual: [191, 66],
  "one letter": [35.5, 35],
  spaces: [33.5, 33.5],
  "random letters": [296, 296],
};
/** The number of tokens in the vocabulary, and the most instructions to load each. */
const TOKENS = 199_998;
const MOST_A_TOKEN = 100;
/** The limit for a text that is one piece, as a multiple of English in the first pass. */
const MOST_OF_ENGLISH = 6;

export async function run(options = []) {
  const record = { ...describeRun([]), figures: {} };
  await step("counting, natively", () =>
    runProgram("cargo", ["build", "--release", "--package", "windrow-encoding", "--example", "count"]),
  );
  const folder = projectPath(".cache", "benches", "texts");
  mkdirSync(folder, { recursive: true });
  const random = new Random(8);
  const letter = () => String.fromCharCode(97 + random.integer(0, 25));
  const texts = {
    English: englishText(BYTES, 1),
    code: codeText(BYTES, 2),
    multilingual: multilingualText(BYTES, 3),
    "one letter": "a".repeat(BYTES),
    spaces: " ".repeat(BYTES),
    "random letters": Array.from({ length: BYTES }, letter).join(""),
  };
  const empty = join(folder, "empty.txt");
  writeFileSync(empty, "");
  const loading = instructionsOf(empty, 0) / TOKENS;
  const table = new Table("instructions a byte", "first pass", "second pass", "to English");
  for (const [what, text] of Object.entries(texts)) {
    const file = join(folder, `${what.replaceAll(" ", "-")}.txt`);
    writeFileSync(file, text);
    const bytes = Buffer.byteLength(text);
    const [none, one, two] = [0, 1, 2].map((rounds) => instructionsOf(file, rounds));
    record.figures[what] = { first: (one - none) / bytes, second: (two - one) / bytes };
  }
  const english = record.figures.English.first;
  const wrong = [];
  for (const [what, { first, second }] of Object.entries(record.figures)) {
    table.add(what, first, second, first / english);
    const most = MOST[what];
    if (most !== undefined && (first > most[0] || second > most[1])) {
      wrong.push(`${what}: ${first.toFixed(1)} and ${second.toFixed(1)}, most ${most.join(" and ")}`);
    }
    if (first > MOST_OF_ENGLISH * english) {
      wrong.push(`${what}: ${(first / english).toFixed(1)} times English, most ${MOST_OF_ENGLISH}`);
    }
  }
  console.log(`\n${table.text()}\n\n${loading.toFixed(1)} to load a token of the vocabulary`);
  if (loading > MOST_A_TOKEN) {
    wrong.push(`${loading.toFixed(1)} to load a token of the vocabulary, most ${MOST_A_TOKEN}`);
  }
  writeRecord("instructions", { ...record, loading }, optionOf(options, "write"));
  if (wrong.length > 0) {
    throw new Failure(`instructions a byte: ${wrong.join("; ")}`);
  }
}

/** Returns the instructions for loading a vocabulary and counting a file `rounds` times. */
function instructionsOf(file, rounds) {
  const program = projectPath("target", "release", "examples", "count");
  const asset = projectPath("pkg-template", "dist", "encodings", `${NAME}.bin`);
  const valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, NAME, asset, String(rounds), file];
  const { error, stderr } = spawnSync("valgrind", valgrind, { encoding: "utf8" });
  const collected = /Collected : (\d+)/.exec(stderr ?? "")?.[1];
  if (collected === undefined) {
    throw new Failure(
      `valgrind did not run (${error?.message ?? stderr}): where it is missing, install it, on Debian with \`apt-get install valgrind\``,
    );
  }
  return Number(collected);
}
