// How much of a file is read, for a host that shows it while `parseTranscript` runs.

type ReadProgress = (fraction: number) => void;

let progress: ReadProgress | undefined;
/** The current pass over the file: the fractions done before and after it, and its number of rows. */
let pass = { from: 0, to: 1, rows: 0 };

/** Sets the function that receives the fraction read, from 0 to 1. `undefined` removes it. */
export function provideReadProgress(given: ReadProgress | undefined): void {
  progress = given;
}

/** Starts a pass. Nothing is reported during a pass over 0 rows. */
export function beginPass([from, to]: readonly [from: number, to: number], rows: number): void {
  pass = { from, to, rows };
  progress?.(from);
}

/** Reports the number of rows read in this pass. */
export function reportRead(done: number): void {
  const { from, to, rows } = pass;
  if (progress !== undefined && rows > 0) {
    progress(from + ((to - from) * Math.min(done, rows)) / rows);
  }
}
