// Parts of the package that not every page needs. Most entries include them from the start. `windrow/slim` fetches each
// one on first use; in workers and the edge runtime, the caller imports them.

import { ContextError } from "./errors.js";

/** A part of the package that is loaded from the start or fetched later. */
export class Part<T> {
  readonly #entry: string;
  readonly #needed: string;
  readonly #nextAction: string;
  #value: T | undefined;
  #import: (() => Promise<unknown>) | undefined;

  /**
   * `entry` is the module that provides the part when imported. `needed` names the feature that needs it, for error
   * messages.
   */
  constructor(entry: string, needed: string) {
    this.#entry = entry;
    this.#needed = needed;
    this.#nextAction = `Import "${entry}" next to "windrow/slim".`;
  }

  /** True once the part is loaded. */
  get isThere(): boolean {
    return this.#value !== undefined;
  }

  /** True if a call failed because this part wasn't loaded, and it still isn't. */
  isMissing(failure: unknown): boolean {
    return !this.isThere && isPartMissing(failure) && failure.nextAction === this.#nextAction;
  }

  provide(value: T): void {
    this.#value = value;
  }

  /** Sets the import that provides this part. */
  provideLater(importPart: () => Promise<unknown>): void {
    this.#import = importPart;
  }

  /** Returns the part. Fails with `PART_NOT_LOADED` if it isn't loaded yet. */
  get(): T {
    if (this.#value === undefined) {
      throw this.#missing(`${this.#needed} needs "${this.#entry}", which is not loaded`);
    }
    return this.#value;
  }

  /** Fetches the part unless it is loaded. Fails with `PART_NOT_LOADED`. */
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

/** True if a call failed because a part wasn't loaded. */
export function isPartMissing(failure: unknown): failure is ContextError {
  return failure instanceof ContextError && failure.code === "PART_NOT_LOADED";
}

/**
 * Unwraps a dynamic import. Rollup's `inlineDynamicImports` can run the module after the code that awaits it at the top
 * level, and then the import yields undefined. The error names `entry`, which includes the module from the start.
 */
export function inTime<T>(fetched: T | undefined, what: string, entry: string): T {
  if (fetched === undefined) {
    throw new Error(`the bundle runs the module of ${what} too late: import "${entry}", which includes it`);
  }
  return fetched;
}
