// The thread that draws a step's progress on the terminal's current line, ten times a second.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { ENDED, FRACTION, RUNNING, STARTING, STATE, type Step, WHOLE } from "./step.js";

/** Time in milliseconds before the first line. Most steps are shorter. */
const SILENT_MS = 1000;
const REDRAW_MS = 100;
/** The width of the bar in characters. */
const BAR = 24;
/** Least fraction done before the remaining time is estimated. */
const LEAST_KNOWN = 0.02;
/** Returns to the start of the line and clears it. */
const CLEAR = "\r\u001b[2K";

const STANDARD_ERROR = 2;

const { slots, words, columns } = workerData as Step;
const began = performance.now();
let isDrawn = false;

if (Atomics.compareExchange(slots, STATE, STARTING, RUNNING) === STARTING) {
  while (Atomics.wait(slots, STATE, RUNNING, REDRAW_MS) === "timed-out") {
    if (performance.now() - began > SILENT_MS) {
      draw(CLEAR + lineOf(Atomics.load(slots, FRACTION) / WHOLE, (performance.now() - began) / 1000));
      isDrawn = true;
    }
  }
  if (isDrawn) {
    draw(CLEAR);
  }
  Atomics.store(slots, STATE, ENDED);
  Atomics.notify(slots, STATE);
}

function lineOf(fraction: number, seconds: number): string {
  const filled = Math.round(fraction * BAR);
  const bar = fraction > 0 ? ` ${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${Math.floor(fraction * 100)} %` : "";
  const left = (seconds * (1 - fraction)) / fraction;
  const time = fraction >= LEAST_KNOWN ? `, about ${Math.ceil(left)} s left` : `, ${Math.floor(seconds)} s`;
  const rest = bar + time;
  // A line that wraps can't be cleared.
  const most = Math.max(0, columns - 1 - rest.length);
  return `${words.length > most ? `${words.slice(0, Math.max(0, most - 1))}…` : words}${rest}`.slice(0, columns - 1);
}

function draw(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // The terminal is busy or closed. The next line replaces this one.
  }
}
