// 10,000 random conversations in each shape of messages, built for every provider in turn: see tests/package/providers/shapes.test.mjs.

import assert from "node:assert/strict";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { SHAPES } from "../package/support/shape-conversations.mjs";

const CONVERSATIONS = 10_000;
/** Other seeds than those of the quick tests, and shorter conversations: there are many. */
const FIRST = 1_000_000;
const MOST_TURNS = 3;

test("10,000 conversations of every shape are valid for every provider, and within the budget by a count of the body", async () => {
  const names = Object.keys(SHAPES);
  const workers = Math.min(availableParallelism(), names.length);
  const built = {};
  await Promise.all(
    Array.from({ length: workers }, async (_, at) => {
      const shapes = names.filter((_, index) => index % workers === at);
      const worker = new Worker(new URL("../package/support/shape-worker.mjs", import.meta.url), {
        workerData: { shapes, count: CONVERSATIONS, first: FIRST, mostTurns: MOST_TURNS },
      });
      worker.on("message", ({ shape, built: count }) => {
        built[shape] = count;
      });
      const [code] = await once(worker, "exit"); // An error of the worker's is thrown here.
      assert.equal(code, 0);
    }),
  );
  for (const shape of names) {
    assert.ok(built[shape] > CONVERSATIONS / 3, `${built[shape]} of ${shape} were built`);
  }
});
