// Measures time and memory of the first exact count and the first context, in a fresh process and in a fresh page, for
// windrow and other packages.
//
//   npm run bench -- cold [--write FILE]

import { execFileSync } from "node:child_process";
import { Failure, projectPath, step } from "../scripts/project.mjs";
import { measureColdPages, printColdPages } from "./cold-page.mjs";
import { installPeers, PEERS } from "./peers.mjs";
import { describeRun, optionOf, spreadOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";

const ROUNDS = 7;
const GOALS = { coldMs: { must: 45, reach: 20 }, memoryMb: { must: 25, reach: 15 } };

export async function run(options = []) {
  await step("peers", installPeers);
  const run = describeRun(Object.keys(PEERS));
  const record = { ...run, figures: {}, ratios: undefined, page: undefined };
  const names = ["bare", "windrow", ...Object.keys(PEERS)];
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const output = execFileSync(process.execPath, [projectPath("benches", "cold-process.mjs"), name], {
        encoding: "utf8",
      });
      runs[name].push(JSON.parse(output));
    }
  }
  const counts = new Set(names.slice(1).map((name) => runs[name][0].tokens));
  const bareBytes = spreadOf(runs.bare.map(({ residentBytes }) => residentBytes)).median;
  const parts = ["importMs", "vocabularyMs", "countMs", "buildMs", "totalMs", "processorMs", "memoryMb"];
  const table = new Table(
    "fresh processes: median (middle half)",
    ...parts.map((part) => part.replace("Ms", " ms").replace("Mb", " MB")),
    "times windrow's total",
  );
  for (const name of names.slice(1)) {
    const figure = {};
    for (const part of parts) {
      const values = runs[name].map((one) =>
        part === "memoryMb" ? (one.residentBytes - bareBytes) / 1e6 : part === "totalMs" ? totalOf(one) : one[part],
      );
      figure[part] = values[0] === undefined ? undefined : spreadOf(values);
    }
    record.figures[name] = figure;
    table.add(
      name,
      ...parts.map((part) => figure[part] && cellOf(figure[part])),
      figure.totalMs.median / record.figures.windrow.totalMs.median,
    );
  }
  console.log(`\n${table.text()}\n\nEach of ${ROUNDS} rounds. Memory is after the first count, above a bare process.`);
  const own = record.figures.windrow;
  const peer = record.figures["gpt-tokenizer"];
  const ratios = {
    time: own.totalMs.median / peer.totalMs.median,
    processor: own.processorMs && own.processorMs.median / peer.processorMs.median,
    memory: own.memoryMb.median / peer.memoryMb.median,
  };
  record.ratios = ratios;
  console.log(
    `windrow takes ${ratios.time.toFixed(2)} of gpt-tokenizer's time, its first build included, ${ratios.processor?.toFixed(2)} of its main thread's processor time, and ${ratios.memory.toFixed(2)} of its memory.`,
  );
  console.log(`Goals: ${JSON.stringify(GOALS)}`);
  await step("fresh pages in Chromium", async () => {
    record.page = await measureColdPages();
  });
  printColdPages(record.page);
  for (const { tokens } of Object.values(record.page.figures)) {
    if (tokens !== undefined) {
      counts.add(tokens);
    }
  }
  writeRecord("cold", record, optionOf(options, "write"));
  if (counts.size !== 1) {
    throw new Failure(`the sides count ${[...counts].join(", ")} tokens in the same text`);
  }
}

function cellOf({ median, from, to }) {
  return `${median.toFixed(1)} (${from.toFixed(1)}–${to.toFixed(1)})`;
}

function totalOf({ importMs, vocabularyMs, countMs, buildMs = 0 }) {
  return importMs + vocabularyMs + countMs + buildMs;
}
