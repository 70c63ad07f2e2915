// Checks shapes in a thread of their own: `workerData` has their names, how many conversations of each, and how long they are.

import { parentPort, workerData } from "node:worker_threads";
import { loadEncoding } from "windrow";
import { checkShape, PROVIDERS } from "./shape-bodies.mjs";

const { shapes, count, first, mostTurns } = workerData;
await loadEncoding("o200k_base");
for (const shape of shapes) {
  let built = 0;
  for (const [at, provider] of PROVIDERS.entries()) {
    const seeds = Array.from({ length: count / PROVIDERS.length }, (_, turn) => first + at + turn * PROVIDERS.length);
    built += checkShape(shape, provider, seeds, mostTurns).built;
  }
  parentPort.postMessage({ shape, built });
}
