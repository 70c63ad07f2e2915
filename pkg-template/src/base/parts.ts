// Parts of the package that not every page needs. Most entries have them from the start; `windrow/slim` fetches each when it is first needed,
// and in workers and the edge runtime leaves it to what these import.

import { ContextError } from "./errors.js";

/** A part of the package: there from the start, or fetched. */
export class Part<T> {
  readonly #entry: string;
  readonly #needed: string;
  readonly #nextAction: string;
  #value: T | undefined;
  #import: (() => Promise<unknown>) | undefined;

  /** `entry` provides the part where it is imported; `needed` says in words what needs it. */
  constructor(entry: string, needed: string) {
    this.#entry = entry;
    this.#needed = needed;
    this.#nextAction = `Import "${entry}" next to "windrow/slim".`;
  }

  /** Whether it is there. */
  get isThere(): boolean {
    return this.#value !== undefined;
  }

  /** Whether something failed as this part was not there, and it is not there yet. */
  isMissing(failure: unknown): boolean {
    return !this.isThere && isPartMissing(failure) && failure.nextAction === this.#nextAction;
  }

  provide(value: T): void {
    this.#value = value;
  }

  /** Says where to get it from: what is imported there provides it. */
  provideLater(importPart: () => Promise<unknown>): void {
    this.#import = importPart;
  }

  /** The part. Fails with `PART_NOT_LOADED` where it is not there yet. */
  get(): T {
    if (this.#value === undefined) {
      throw this.#missing(`${this.#needed} needs "${this.#entry}", which is not loaded`);
    }
    return this.#value;
  }

  /** Fetches the part where it is not there yet. Fails with `PART_NOT_LOADED`. */
  async load(): Promise<void> {
    if (this.#value !== undefined) {
      return;
    }
    try {
      await this.#import?.();
    } catch (cause) {
      throw this.#missing(`"${this.#entry}" could not be loaded`, cause);
    }
    this.get();
  }

  #missing(message: string, cause?: unknown): ContextError {
    return new ContextError({
      kind: "load_error",
      code: "PART_NOT_LOADED",
      message,
      nextAction: this.#nextAction,
      cause,
    });
  }
}

/** Whether something failed as a part was not there. */
export function isPartMissing(failure: unknown): failure is ContextError {
  return failure instanceof ContextError && failure.code === "PART_NOT_LOADED";
}

/**
 * What an `import()` gave. With `inlineDynamicImports` Rollup runs the module behind the code that waits for it at the top level: then it
 * gives nothing, and `entry` has the module from the start.
 */
export function inTime<T>(fetched: T | undefined, what: string, entry: string): T {
  if (fetched === undefined) {
    throw new Error(`the bundle runs the module of ${what} too late: import "${entry}", which has it from the start`);
  }
  return fetched;
}
