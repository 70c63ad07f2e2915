// The progress of long steps, on a terminal only. A thread draws it, because reading and building block the main one.

import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { provideReadProgress } from "../files/progress.js";
import { ENDED, FRACTION, RUNNING, SLOTS, STARTING, STATE, STOPPING, type Step, WHOLE } from "./step.js";

/** Maximum time in milliseconds to wait until the thread has cleared its line. */
const CLEARING_MS = 500;

/**
 * Runs a step, and shows its progress on standard error if it takes more than a second: a bar with an estimate while a
 * file is read, and the seconds so far of any other step. Draws nothing if standard error isn't a terminal.
 */
export async function withProgress<T>(words: string, run: () => T | Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) {
    return await run();
  }
  const slots = new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
  const workerData: Step = { slots, words, columns: process.stderr.columns || 80 };
  const thread = new Worker(fileURLToPath(new URL("./cli-bar.js", import.meta.url)), { workerData });
  thread.unref();
  // Without the thread nothing is drawn, and the step runs the same.
  thread.on("error", () => Atomics.store(slots, STATE, ENDED));
  provideReadProgress((fraction) => Atomics.store(slots, FRACTION, Math.round(fraction * WHOLE)));
  try {
    return await run();
  } finally {
    provideReadProgress(undefined);
    stop(slots);
  }
}

/** Stops the thread, and waits until its line is clear. A thread that starts later ends before it draws. */
function stop(slots: Int32Array): void {
  const isStarting = Atomics.compareExchange(slots, STATE, STARTING, ENDED) === STARTING;
  if (!isStarting && Atomics.compareExchange(slots, STATE, RUNNING, STOPPING) === RUNNING) {
    Atomics.notify(slots, STATE);
    Atomics.wait(slots, STATE, STOPPING, CLEARING_MS);
  }
}
