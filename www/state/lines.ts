// The lines of the conversation: a message each, and one for a run of messages that were left out.

import type { Picture } from "./picture.js";

export interface Line {
  readonly first: number;
  readonly last: number;
  /** True if the line is a run of messages. An unfolded run has its messages below it. */
  readonly isRun: boolean;
}

/** Neighboring messages that look alike. */
interface Stretch {
  /** The index of its first line. */
  line: number;
  readonly first: number;
  last: number;
  /** The line for the whole of it, and the lines of its messages. */
  hasHead: boolean;
  hasEach: boolean;
}

/** All lines, in stretches. A line is created only when it is needed. */
export class Lines {
  readonly length: number;
  readonly #stretches: readonly Stretch[];

  /** True if all pictures leave a message out. */
  constructor(pictures: readonly Picture[], count: number, unfolded: ReadonlySet<number>) {
    this.#stretches = stretchesOf(pictures, count);
    let line = 0;
    for (const stretch of this.#stretches) {
      const { first, last, hasEach } = stretch;
      stretch.hasHead = !hasEach && last > first;
      stretch.hasEach ||= !stretch.hasHead || unfolded.has(first);
      stretch.line = line;
      line += (stretch.hasHead ? 1 : 0) + (stretch.hasEach ? last - first + 1 : 0);
    }
    this.length = line;
  }

  at(index: number): Line | undefined {
    const stretch = index < 0 || index >= this.length ? undefined : this.#findLast("line", index);
    if (stretch === undefined) {
      return undefined;
    }
    const { line, first, last, hasHead } = stretch;
    if (hasHead && index === line) {
      return { first, last, isRun: true };
    }
    const position = first + index - line - (hasHead ? 1 : 0);
    return { first: position, last: position, isRun: false };
  }

  /** The index of a message's line, or of the run that it is folded into. */
  indexOf(position: number): number {
    const stretch = this.#findLast("first", position);
    if (stretch === undefined) {
      return 0;
    }
    const { line, first, last, hasHead, hasEach } = stretch;
    return hasEach ? line + (hasHead ? 1 : 0) + Math.min(position, last) - first : line;
  }

  /** The last stretch that begins at or before a place, by binary search. */
  #findLast(key: "line" | "first", place: number): Stretch | undefined {
    let low = 0;
    let high = this.#stretches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#stretches[middle] as Stretch)[key] <= place) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return this.#stretches[low];
  }
}

function stretchesOf(pictures: readonly Picture[], count: number): Stretch[] {
  const stretches: Stretch[] = [];
  const walks = pictures.map(({ runs }) => ({ runs, index: 0 }));
  for (let first = 0, last: number; first < count; first = last + 1) {
    // Finds how far all pictures agree on whether messages are in the prompt.
    last = count - 1;
    let isIn = false;
    for (const walk of walks) {
      while ((walk.runs[walk.index]?.last ?? count) < first) {
        walk.index += 1;
      }
      const run = walk.runs[walk.index];
      if (run !== undefined) {
        last = Math.min(last, run.last);
        isIn ||= run.fate !== "left out";
      }
    }
    const before = stretches.at(-1);
    if (before !== undefined && before.hasEach === isIn) {
      before.last = last;
    } else {
      stretches.push({ line: 0, first, last, hasHead: false, hasEach: isIn });
    }
  }
  return stretches;
}
