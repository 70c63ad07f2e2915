// The memory that the command line shares with the thread that draws a step's progress.

/** A step, as the thread receives it. */
export interface Step {
  readonly slots: Int32Array;
  /** Its name, such as `Reading chat.json`. */
  readonly words: string;
  /** The width of the terminal. */
  readonly columns: number;
}

/** Number of slots. */
export const SLOTS = 2;

/** The slot for the thread's state. */
export const STATE = 0;
export const STARTING = 0;
export const RUNNING = 1;
export const STOPPING = 2;
export const ENDED = 3;

/** The slot for the fraction that is done, in units of 1 / `WHOLE`. 0 if it isn't known. */
export const FRACTION = 1;
export const WHOLE = 1_000_000;
