// Measures sessions in stores: the cost of a build must follow the window, and not the length of the log.
//
// The limits apply to IndexedDB in Chromium. Memory in Node and a Durable Object in workerd are measured for
// comparison.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "windrow";
import { Failure, projectPath, step } from "../scripts/project.mjs";
import { openStorePage } from "../tests/package/support/store-page.mjs";
import * as sessions from "./sessions.mjs";
import { median, shown, Table } from "./table.mjs";
import { startWorker } from "./worker.mjs";

const SIZES = [1000, 100_000];
const KEYS = SIZES.map((size) => `${shown(size)} messages`);
/** The session used for measuring exports. */
const EXPORTED = { key: "exported", count: 10_000 };

const BUILD_ROUNDS = 60;
const OPENING_ROUNDS = 15;
const APPEND_ROUNDS = 50;
const WORKER_ROUNDS = 30;

const MOST_BUILD_RATIO = 1.5;
const MOST_OPENING_RATIO = 3;
/** Opening reads the end until the budget is full, and the beginning with its instructions. */
const MOST_ROWS_OF_OPENING = 600;
/** The new messages since the previous build: a question and its answer. */
const ROWS_OF_EXCHANGE = 2;

/** The number of sequence numbers per block of derived data. Reads begin at blocks. */
const BLOCK = 64;

/** Measures, prints, and fails if a figure exceeds its limit. */
export async function run() {
  const report = new Report();
  mkdirSync(projectPath(".cache"), { recursive: true });
  const folder = mkdtempSync(projectPath(".cache", "bench-store-"));
  try {
    await inChromium(report, join(folder, "chromium"));
    await inNode(report);
    await inWorkerd(report, join(folder, "workerd"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report.print();
}

/** The figures of both sessions in columns, and the list of faults. */
class Report {
  #table = new Table("", "unit", ...KEYS, "ratio", "limit");
  #wrong = [];

  title(text) {
    this.#table.title(text);
  }

  /** Adds a figure of each session. Their ratio must be at most `mostRatio`, if set. */
  ratio(name, unit, [small, large], mostRatio) {
    const ratio = large / small;
    this.#table.add(name, unit, small, large, ratio.toFixed(2), mostRatio === undefined ? "" : `ratio ≤ ${mostRatio}`);
    if (mostRatio !== undefined && !(ratio <= mostRatio)) {
      this.#wrong.push(`${name}: the ratio is ${ratio.toFixed(2)}, and at most ${mostRatio} is allowed`);
    }
  }

  /** Adds figures that must be equal and pass a test. */
  same(name, unit, [small, large], isRight, limit) {
    this.#table.add(name, unit, small, large, small === large ? "same" : "differ", limit);
    if (small !== large || !isRight(small)) {
      this.#wrong.push(`${name}: ${shown(small)} and ${shown(large)} ${unit}, expected the same, ${limit}`);
    }
  }

  /** Adds a figure without a limit. */
  single(name, unit, value) {
    this.#table.add(name, unit, "", value, "", "");
  }

  print() {
    console.log(this.#table.text());
    if (this.#wrong.length > 0) {
      throw new Failure(`over the limit: ${this.#wrong.join("; ")}`);
    }
  }
}

/** Measures both sessions, one after another. */
async function bothOf(measure) {
  const found = [];
  for (const key of KEYS) {
    found.push(await measure(key));
  }
  return found;
}

// ---- IndexedDB in Chromium ----

async function inChromium(report, folder) {
  // With a folder, the browser writes to the disk. Without one, it keeps everything in memory.
  const site = await openStorePage({ script: 'import "../../../benches/store-page.mjs";', folder });
  try {
    report.title("IndexedDB in Chromium, budget 4,000 tokens, no window, no recall");
    const page = await site.page();
    const run = (name, ...given) => page.evaluate(([name, given]) => globalThis.bench[name](...given), [name, given]);

    const mean = await run("meanTokens");
    let bytes;
    await step(
      `Chromium: filling sessions of ${KEYS.join(" and ")}, of ${mean.toFixed(1)} tokens in the mean`,
      async () => {
        const before = await run("usage");
        for (const [index, key] of KEYS.entries()) {
          await run("fill", key, SIZES[index]);
        }
        bytes = ((await run("usage")) - before) / SIZES.reduce((sum, size) => sum + size, 0);
        await run("fill", EXPORTED.key, EXPORTED.count);
      },
    );

    await step(`Chromium: ${BUILD_ROUNDS} builds in each session, opened once`, async () => {
      await run("builds", KEYS, 10); // the page has executed all of its code
      const times = await run("builds", KEYS, BUILD_ROUNDS);
      const of = (name) => times.map((each) => median(each[name]));
      report.ratio(`build after an exchange, median of ${BUILD_ROUNDS}`, "ms", of("build"), MOST_BUILD_RATIO);
      report.ratio("what goes on behind it", "ms", of("after"));
      report.ratio("append of the exchange, strict", "ms", of("append"));
    });

    let warmUps;
    await step(`Chromium: opening each session in ${OPENING_ROUNDS} fresh pages`, async () => {
      const openings = KEYS.map(() => []);
      warmUps = [];
      for (let round = 0; round < OPENING_ROUNDS; round += 1) {
        const turns = [...KEYS.entries()];
        for (const [index, key] of round % 2 === 0 ? turns : turns.toReversed()) {
          const fresh = await site.page();
          warmUps.push(await fresh.evaluate(() => globalThis.bench.warmUp()));
          openings[index].push(await fresh.evaluate((key) => globalThis.bench.opening(key), key));
          await fresh.close();
        }
      }
      const name = `opening and first build in a fresh page, median of ${OPENING_ROUNDS}`;
      report.ratio(name, "ms", openings.map(median), MOST_OPENING_RATIO);
    });

    await step("Chromium: counting what is read", async () => {
      // From here on, both sessions end the same way: at the same place in a block, with the same messages.
      const [small, large] = SIZES.map((size) => size % BLOCK);
      await run("appendCommon", KEYS[1], 7, small - large);
      for (const key of KEYS) {
        await run("appendCommon", key, 8, 256);
      }
      const begin = async (key) => {
        await run("calls", key);
        return await run("calls", key);
      };
      const found = await bothOf(begin);
      const of = (part, name) => found.map((each) => each[part][name]);
      const isBounded = (rows) => rows > 0 && rows <= MOST_ROWS_OF_OPENING;
      const bounded = `≤ ${MOST_ROWS_OF_OPENING}`;
      report.same("entries read by an opening", "rows", of("opening", "rowsRead"), isBounded, bounded);
      report.same(
        "entries read by the next build",
        "rows",
        of("next", "rowsRead"),
        (rows) => rows === ROWS_OF_EXCHANGE,
        `= ${ROWS_OF_EXCHANGE}`,
      );
      const rows = found.map(({ rowCount }) => rowCount);
      report.same("rows that the database gave for all of that", "rows", rows, isBounded, bounded);
      const calls = found.map(({ opening, next }) => opening.calls + next.calls);
      report.same("calls of the store for all of that", "calls", calls, () => true, "");

      // The stored counts exist: reopening reads them and adds nothing.
      report.same(
        "kept counts read by an opening",
        "blocks",
        of("opening", "derivedRead"),
        (count) => count > 0,
        "> 0",
      );
      report.same(
        "counts that an opening adds",
        "blocks",
        of("opening", "derivedWritten"),
        (count) => count === 0,
        "= 0",
      );
      const forgotten = await bothOf((key) => run("forgetDerived", key));
      const again = await bothOf((key) => run("calls", key));
      report.same(
        "counts that an opening adds where they were lost",
        "blocks",
        again.map(({ opening }) => opening.derivedWritten),
        (count) => count > 0 && count === forgotten[0],
        `= ${forgotten[0]}`,
      );
    });

    await step("Chromium: appends, export and import", async () => {
      const [strict, relaxed] = await run("appends", ["strict", "relaxed"], APPEND_ROUNDS);
      report.single(`append of one message, strict, median of ${strict.length}`, "ms", median(strict));
      report.single(`append of one message, relaxed, median of ${relaxed.length}`, "ms", median(relaxed));
      const { messageCount, exportMs, importMs } = await run("exporting", EXPORTED.key);
      report.single(`export, of ${shown(messageCount)}`, "rows/s", (messageCount / exportMs) * 1000);
      report.single(`import, of ${shown(messageCount)}`, "rows/s", (messageCount / importMs) * 1000);
      report.single("room on the disk for a message", "bytes", bytes);
      report.single("engine, vocabulary and 5 builds in a fresh page", "ms", median(warmUps));
    });
    if (site.complaints.length > 0) {
      throw new Failure(`the page complained: ${site.complaints.join("; ")}`);
    }
  } finally {
    await site.close();
  }
}

// ---- Hosts without limits ----

async function inNode(report) {
  report.title("Memory in Node");
  await step("Node: sessions in memory", async () => {
    await sessions.warmUp();
    const places = KEYS.map((key) => [memoryStore(), key]);
    for (const [index, [store, key]] of places.entries()) {
      await sessions.fill(store, key, SIZES[index]);
    }
    await sessions.measureBuilds(places, 10);
    const times = await sessions.measureBuilds(places, BUILD_ROUNDS);
    report.ratio(
      `build after an exchange, median of ${BUILD_ROUNDS}`,
      "ms",
      times.map(({ build }) => median(build)),
    );
    const openings = places.map(() => []);
    for (let round = 0; round < OPENING_ROUNDS; round += 1) {
      for (const [index, [store, key]] of places.entries()) {
        openings[index].push(await sessions.measureOpening(store, key));
      }
    }
    report.ratio(`opening and first build, median of ${OPENING_ROUNDS}`, "ms", openings.map(median));
  });
}

async function inWorkerd(report, folder) {
  report.title("A Durable Object in workerd, as a request to it sees it");
  await step("workerd: sessions in Durable Objects", async () => {
    const worker = await startWorker(folder);
    try {
      for (const [index, key] of KEYS.entries()) {
        await worker.ask(key, "fill", SIZES[index]);
        await worker.ask(key, "warmUp");
      }
      const times = KEYS.map(() => []);
      const idle = KEYS.map(() => []);
      const openings = KEYS.map(() => []);
      for (let round = 0; round < WORKER_ROUNDS; round += 1) {
        for (const [index, key] of KEYS.entries()) {
          await worker.ask(key, "exchange");
          times[index].push(await worker.time(key, "build"));
          await worker.ask(key, "settled");
          idle[index].push(await worker.time(key, "settled"));
          openings[index].push(await worker.time(key, "opening"));
        }
      }
      report.ratio(`build after an exchange, median of ${WORKER_ROUNDS}`, "ms", times.map(median));
      report.ratio(`opening and first build, median of ${WORKER_ROUNDS}`, "ms", openings.map(median));
      report.ratio("a request that does nothing", "ms", idle.map(median));
    } finally {
      await worker.dispose();
    }
  });
}
