// The first context in a fresh page of Chromium, at a fourth of the processor's speed: a bundle as an application has it, from its import
// to the context. Beside it the first count of a peer.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Failure, projectPath } from "../scripts/project.mjs";
import { chromiumOptions, serveStorePage } from "../tests/package/support/store-page.mjs";
import { COLD_TEXT } from "./cold-text.mjs";
import { spreadOf } from "./record.mjs";
import { Table } from "./table.mjs";

const ROUNDS = 7;
/** By how much the processor is slowed down. */
const SLOWDOWN = 4;
const GOALS = { totalMs: { must: 150, reach: 80 } };

const peer = projectPath("benches", "peers", "node_modules", "gpt-tokenizer", "esm", "encoding", "o200k_base.js");

/** Compiles all of the core beside the page's thread, and not each function when it is first called. A page cannot ask for it. */
const COMPILES_AHEAD = "--js-flags=--no-wasm-lazy-compilation";

/** The run that is measured compiled ahead too: of all runs it has the least beside compiling. */
const BOUNDS = "windrow/slim, bounds";

/** What a page does: each in a page of its own, with times of each part in milliseconds. */
const RUNS = {
  // As an application does it: nothing but the call.
  windrow: `
    const { buildContext, countTokens } = await import("windrow");
    const imported = clock();
    const context = await buildContext(messages, config);
    const built = clock();
    return { importMs: imported - started, buildMs: built - imported, tokens: tokensOf(context, countTokens) };`,
  // The same in parts.
  "windrow, in parts": `
    const { buildContextSync, countTokens, loadEncoding } = await import("windrow");
    const imported = clock();
    countTokens("", { encoding: "estimate" });
    const compiled = clock();
    await loadEncoding("o200k_base");
    const loaded = clock();
    const context = buildContextSync(messages, config);
    const built = clock();
    return {
      importMs: imported - started,
      compileMs: compiled - imported,
      vocabularyMs: loaded - compiled,
      buildMs: built - loaded,
      tokens: tokensOf(context, countTokens),
    };`,
  // With the core and the vocabulary as files beside the page, which are fetched while the JavaScript is.
  "windrow/slim": `
    const core = fetch("/windrow.wasm");
    const vocabulary = fetch("/o200k_base.bin").then((answer) => answer.arrayBuffer());
    const { buildContext, countTokens, init, loadEncoding } = await import("windrow/slim");
    const imported = clock();
    await init(core);
    const compiled = clock();
    await loadEncoding({ name: "o200k_base", bytes: await vocabulary });
    const loaded = clock();
    const context = await buildContext(messages, config);
    const built = clock();
    return {
      importMs: imported - started,
      compileMs: compiled - imported,
      vocabularyMs: loaded - compiled,
      buildMs: built - loaded,
      tokens: tokensOf(context, countTokens),
    };`,
  // The same without a vocabulary, as all fits by its bytes.
  [BOUNDS]: `
    const core = fetch("/windrow.wasm");
    const { buildContext, init } = await import("windrow/slim");
    const imported = clock();
    await init(core);
    const compiled = clock();
    const context = await buildContext(messages, { ...config, budget: { ...config.budget, counting: "whenNeeded" } });
    const built = clock();
    return {
      importMs: imported - started,
      compileMs: compiled - imported,
      buildMs: built - compiled,
      isKept: context.messages.length === messages.length && !context.tokens.exact,
    };`,
  "gpt-tokenizer, a count": `
    const { countTokens } = await import(${JSON.stringify(peer)});
    const imported = clock();
    const tokens = countTokens(text);
    return { importMs: imported - started, countMs: clock() - imported, tokens };`,
};

const script = `
  const text = ${JSON.stringify(COLD_TEXT)};
  const messages = [{ role: "user", content: text }];
  const config = { encoding: "o200k_base", budget: { maxTokens: 1000 } };
  const clock = () => performance.now();
  /** How many tokens the text has, by a context with nothing else in it. */
  const tokensOf = ({ tokens }, countTokens) =>
    tokens.exact ? tokens.total - countTokens([{ role: "user", content: "" }], config).tokens : NaN;
  const runs = {
    ${Object.entries(RUNS)
      .map(([name, code]) => `${JSON.stringify(name)}: async (started) => {${code}\n},`)
      .join("\n")}
  };
  globalThis.measure = (name) => runs[name](performance.now());
`;

/** Measures each run in pages of its own, in turns. */
export async function measureColdPages() {
  const fileOf = (name) => readFileSync(projectPath("pkg-template", "dist", name));
  const assets = {
    "/windrow.wasm": ["application/wasm", fileOf("windrow.wasm")],
    "/o200k_base.bin": ["application/octet-stream", fileOf(join("encodings", "o200k_base.bin"))],
  };
  const served = await serveStorePage({ script, assets, minify: true });
  const browser = await chromium.launch(chromiumOptions());
  const ahead = await chromium.launch(chromiumOptions({ args: [COMPILES_AHEAD] }));
  const measured = [
    ...Object.keys(RUNS).map((run) => ({ name: run, run, browser })),
    { name: `${BOUNDS}, compiled ahead`, run: BOUNDS, browser: ahead },
  ];
  const times = Object.fromEntries(measured.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { name, run, browser: own } of measured) {
        times[name].push(await measureOne(own, served.address, run));
      }
    }
    return { chromium: browser.version(), slowdown: SLOWDOWN, figures: figuresOf(times) };
  } finally {
    await browser.close();
    await ahead.close();
    await served.close();
  }
}

/** A page with no data of another one, which has loaded nothing but the script that calls. */
async function measureOne(browser, address, name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto(address);
  const found = await page.evaluate((run) => globalThis.measure(run), name);
  await context.close();
  return found;
}

function figuresOf(times) {
  return Object.fromEntries(
    Object.entries(times).map(([name, rounds]) => {
      const { tokens, isKept = true, ...parts } = rounds[0];
      if (!isKept) {
        throw new Failure(`${name}: the context is not the one that was to be measured`);
      }
      const figure = tokens === undefined ? {} : { tokens };
      for (const part of Object.keys(parts)) {
        figure[part] = spreadOf(rounds.map((round) => round[part]));
      }
      const total = (round) => Object.keys(parts).reduce((sum, part) => sum + round[part], 0);
      figure.totalMs = spreadOf(rounds.map(total));
      return [name, figure];
    }),
  );
}

export function printColdPages({ chromium: version, figures }) {
  const parts = ["importMs", "compileMs", "vocabularyMs", "countMs", "buildMs", "totalMs"];
  const table = new Table(
    `a fresh page of Chromium ${version}, ${SLOWDOWN} times slower`,
    ...parts.map((part) => part.replace("Ms", " ms")),
    "times windrow's total",
  );
  for (const [name, figure] of Object.entries(figures)) {
    const cell = ({ median, from, to }) => `${median.toFixed(0)} (${from.toFixed(0)}–${to.toFixed(0)})`;
    const ratio = figure.totalMs.median / figures.windrow.totalMs.median;
    table.add(name, ...parts.map((part) => figure[part] && cell(figure[part])), ratio);
  }
  console.log(`\n${table.text()}\n`);
  console.log(`Goals: ${JSON.stringify(GOALS)}`);
}
