// One fresh process of the bench `cold`: loads a package, counts a text exactly, and with windrow builds a context.
// Prints JSON.

import { readFileSync } from "node:fs";
import { COLD_TEXT } from "./cold-text.mjs";

const [, , name] = process.argv;
const clock = () => performance.now();
const result = {};

/**
 * Returns the processor time of the main thread, if the system reports it. Unlike elapsed time, it excludes other work
 * on the machine.
 */
function processorMs() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    return undefined;
  }
}

const processorBefore = processorMs();

if (name === "windrow") {
  const started = clock();
  const { buildContextSync, countTokens, loadEncoding } = await import("windrow");
  const imported = clock();
  await loadEncoding("o200k_base");
  const loaded = clock();
  result.tokens = countTokens(COLD_TEXT).tokens;
  const counted = clock();
  result.residentBytes = process.memoryUsage.rss();
  const before = clock();
  buildContextSync([{ role: "user", content: COLD_TEXT }], { budget: { maxTokens: 1000 } });
  Object.assign(result, {
    importMs: imported - started,
    vocabularyMs: loaded - imported,
    countMs: counted - loaded,
    buildMs: clock() - before,
  });
} else if (name !== "bare") {
  const { PEERS } = await import("./peers.mjs");
  const started = clock();
  const count = await PEERS[name].load();
  const loaded = clock();
  result.tokens = count(COLD_TEXT);
  Object.assign(result, { importMs: loaded - started, vocabularyMs: 0, countMs: clock() - loaded });
  result.residentBytes = process.memoryUsage.rss();
} else {
  result.residentBytes = process.memoryUsage.rss();
}
if (processorBefore !== undefined) {
  result.processorMs = processorMs() - processorBefore;
}
process.stdout.write(JSON.stringify(result));
