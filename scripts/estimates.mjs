// Fits the estimates to published tokenizers, and measures them on other texts; installs texts and tokenizers.
//
//   npm run estimates              prints the shares that fit best, and the errors of the present ones
//   npm run estimates -- --write   writes the table of errors into docs/tokens.md too

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { errorsByScript, fitShares } from "../tests/estimates/fit.mjs";
import { texts } from "../tests/estimates/texts.mjs";
import { build } from "./build.mjs";
import { Failure, isProgram, outputOf, projectPath, runProgram } from "./project.mjs";
import { installNpmPackages, setUp } from "./setup.mjs";
import { makeVocabularies } from "./tokenizers.mjs";

const PACKAGES = "tests/estimates";
const FOLDER = projectPath(".cache", "estimates");
const DOCS = projectPath("docs", "tokens.md");
const [START, END] = ["<!-- estimates: written by npm run estimates -- --write -->", "<!-- /estimates -->"];

/** Maximum error of an estimate for a script, in percent. */
const MOST_OFF = 10;

/**
 * For each name in the docs: its exact counts, the place of its estimate in `Tokenizer::ALL`, and the constant that
 * provides the shares that aren't fitted.
 *
 * For Claude and Gemini, the shares of words in Latin letters, Cyrillic and the like were fitted to more texts than
 * these.
 */
const FAMILIES = {
  o200k_base: { exact: "o200k", place: 0 },
  "Claude up to 4.6": { exact: "claude", place: 1, kept: "CLAUDE" },
  "Gemini up to 2.0": { exact: "gemma2", place: 3, kept: "GEMMA_2" },
  "Gemini from 2.5 on": { exact: "gemma3", place: 4, kept: "GEMMA_3" },
  Qwen: { exact: "qwen", place: 5 },
  "Llama 3": { exact: "llama3", place: 6 },
  "DeepSeek V3": { exact: "deepseek_v3", place: 7 },
  Tekken: { exact: "tekken", place: 8 },
};
const ESTIMATES = 9;

/**
 * Kinds whose shares are fitted in families with `kept`: Armenian, Georgian, Indian and South-East Asian scripts,
 * Chinese and its punctuation.
 */
const REFITTED = new Set([7, 8, 11, 12, 13, 14, 16, 17, 18, 19, 23]);

/** Fits and measures all families. Fails if an estimate is off by more than the maximum. */
export async function measureEstimates({ write = false } = {}) {
  await installNpmPackages(PACKAGES, []);
  const all = await texts();
  mkdirSync(FOLDER, { recursive: true });
  const file = `${FOLDER}/texts.txt`;
  writeFileSync(file, all.map(({ text }) => text).join("\x1e"));
  const vocabularies = await makeVocabularies(["qwen", "llama3", "deepseek_v3", "tekken"]);
  const counts = await counted(file, vocabularies);
  const lines = (await outputOf("cargo", ["run", "--quiet", "--example", "estimate_costs", file])).split("\n");
  const figures = lines.map((line) => line.split(" ").map(Number));
  const measured = Object.entries(FAMILIES).map(([name, { exact, place, kept }]) => {
    const rows = all.map((text, index) => ({
      ...text,
      tokens: counts[exact][index],
      estimate: figures[index][place],
      costs: figures[index].slice(ESTIMATES),
    }));
    const { length } = rows[0].costs;
    const start = kept ? sharesOf(kept) : Array.from({ length }, (_, kind) => (kind === length - 1 ? 0 : 100));
    const fixed = start.map((_, kind) => kind).filter((kind) => kept && !REFITTED.has(kind));
    const forFit = rows.filter(({ isHeldOut }) => !isHeldOut);
    console.log(`${name}: ${fitShares(forFit, start, new Set(fixed)).join(", ")}`);
    return { name, errors: errorsByScript(rows.filter(({ isHeldOut }) => isHeldOut)) };
  });
  const table = tableOf(measured);
  console.log(`\n${table}`);
  if (write) {
    const docs = readFileSync(DOCS, "utf8");
    const [before, rest] = docs.split(START);
    const [, after] = rest.split(END);
    writeFileSync(DOCS, `${before}${START}\n${table}\n${END}${after}`);
  }
  const off = measured.flatMap(({ name, errors }) =>
    [...errors].filter(([, error]) => Math.abs(error) > MOST_OFF).map(([script]) => `${name} in ${script}`),
  );
  if (off.length > 0) {
    throw new Failure(`these estimates are off by more than ${MOST_OFF} %: ${off.join(", ")}`);
  }
}

/** The current shares in a constant of the estimate. */
function sharesOf(constant) {
  const [, rest] = readFileSync(projectPath("src", "tokens", "estimate.rs"), "utf8").split(
    `static ${constant}: Shares = [`,
  );
  return rest.slice(0, rest.indexOf("]")).split(",").map(Number).slice(0, -1);
}

/** The exact counts of the texts of a file, by tokenizer. */
async function counted(file, vocabularies) {
  return JSON.parse(await outputOf(process.execPath, [projectPath(PACKAGES, "exact.mjs"), file, vocabularies]));
}

function tableOf(measured) {
  const names = measured.map(({ name }) => name);
  const scripts = [...measured[0].errors.keys()];
  const rows = scripts.map((script) => {
    const cells = measured.map(({ errors }) => percent(errors.get(script)));
    return `| ${[script, ...cells].join(" | ")} |`;
  });
  return [`| script | ${names.join(" | ")} |`, `|${"---|".repeat(names.length + 1)}`, ...rows].join("\n");
}

function percent(error) {
  const text = Math.abs(error).toFixed(1);
  return `${text === "0.0" ? "" : error < 0 ? "−" : "+"}${text} %`;
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const { values } = parseArgs({ options: { write: { type: "boolean" } } });
    await setUp("build");
    await build();
    await measureEstimates(values);
  });
}
