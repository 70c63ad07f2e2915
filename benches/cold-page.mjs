// Times the first context in a fresh page of Chromium, at a quarter of the processor's speed: an application's bundle,
// from its import to the context. Also times a peer's first count.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Failure, projectPath } from "../scripts/project.mjs";
import { chromiumOptions, serveStorePage } from "../tests/package/support/store-page.mjs";
import { COLD_TEXT } from "./cold-text.mjs";
import { spreadOf } from "./record.mjs";
import { Table } from "./table.mjs";

const ROUNDS = 7;
/** The factor by which the processor is slowed down. */
const SLOWDOWN = 4;
const GOALS = { totalMs: { must: 150, reach: 80 } };

const peer = projectPath("benches", "peers", "node_modules", "gpt-tokenizer", "esm", "encoding", "o200k_base.js");

/**
 * Makes V8 compile the whole core in the background instead of each function on its first call. A page can't request
 * this.
 */
const COMPILES_AHEAD = "--js-flags=--no-wasm-lazy-compilation";

/** The run that is also measured with this flag. It does the least work besides compiling. */
const BOUNDS = "windrow/slim, bounds";

/**
 * Applications, each in its own page: a module that imports only the names it needs, so its bundler drops the rest.
 * `run` receives the time at which the import of the module began, and returns the time of each part in milliseconds.
 */
const RUNS = {
  // A typical application: only the call.
  windrow: `
    import { buildContext, countTokens } from "windrow";
    export async function run(started) {
      const imported = clock();
      const context = await buildContext(messages, config);
      const built = clock();
      return { importMs: imported - started, buildMs: built - imported, tokens: tokensOf(context, countTokens) };
    }`,
  // The same in separate steps.
  "windrow, in parts": `
    import { buildContextSync, countTokens, loadEncoding } from "windrow";
    export async function run(started) {
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
      };
    }`,
  // The core and the vocabulary as files next to the page, fetched in parallel with the JavaScript.
  "windrow/slim": `
    import { buildContext, countTokens, init, loadEncoding } from "windrow/slim";
    export async function run(started, { core, vocabulary }) {
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
      };
    }`,
  // The same without a vocabulary, because everything fits by its byte length.
  [BOUNDS]: `
    import { buildContext, init } from "windrow/slim";
    export async function run(started, { core }) {
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
      };
    }`,
  "gpt-tokenizer, a count": `
    import { countTokens } from ${JSON.stringify(peer)};
    export async function run(started) {
      const imported = clock();
      const tokens = countTokens(text);
      return { importMs: imported - started, countMs: clock() - imported, tokens };
    }`,
};

/** Code shared by the runs. */
const SHARED = `
  const text = ${JSON.stringify(COLD_TEXT)};
  const messages = [{ role: "user", content: text }];
  const config = { encoding: "o200k_base", budget: { maxTokens: 1000 } };
  const clock = () => performance.now();
  /** The tokens of the text, from a context with nothing else in it. */
  const tokensOf = ({ tokens }, countTokens) =>
    tokens.exact ? tokens.total - countTokens([{ role: "user", content: "" }], config).tokens : NaN;
`;

/** The files that a run starts to fetch before its own import. */
const FETCHED = { core: ["windrow/slim", BOUNDS], vocabulary: ["windrow/slim"] };

/** Serves the page of a run as a separate application. */
async function serveRun(name) {
  const fetches = {
    core: 'fetch("/windrow.wasm")',
    vocabulary: 'fetch("/o200k_base.bin").then((answer) => answer.arrayBuffer())',
  };
  const fetched = Object.keys(FETCHED).filter((file) => FETCHED[file].includes(name));
  const script = `
    globalThis.measure = async () => {
      const started = performance.now();
      const files = { ${fetched.map((file) => `${file}: ${fetches[file]}`).join(", ")} };
      const { run } = await import("application");
      return await run(started, files);
    };`;
  const fileOf = (file) => readFileSync(projectPath("pkg-template", "dist", file));
  return await serveStorePage({
    script,
    modules: { application: SHARED + RUNS[name] },
    assets: {
      "/windrow.wasm": ["application/wasm", fileOf("windrow.wasm")],
      "/o200k_base.bin": ["application/octet-stream", fileOf(join("encodings", "o200k_base.bin"))],
    },
    minify: true,
  });
}

/** Measures each run in its own pages, alternating between runs. */
export async function measureColdPages() {
  const served = {};
  for (const name of Object.keys(RUNS)) {
    served[name] = await serveRun(name);
  }
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
        times[name].push(await measureOne(own, served[run].address));
      }
    }
    return { chromium: browser.version(), slowdown: SLOWDOWN, figures: figuresOf(times) };
  } finally {
    await browser.close();
    await ahead.close();
    await Promise.all(Object.values(served).map((page) => page.close()));
  }
}

/** Opens a page with no data from another, which has loaded nothing except the calling script. */
async function measureOne(browser, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto(address);
  const found = await page.evaluate(() => globalThis.measure());
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
