// Who wants to know what happens to a session. Within one process.

import type { StoreChange } from "./contract.js";

/**
 * Calls a listener. Its failure, or the failure of its promise, stays its own: the host shows it where it can show
 * such things.
 */
export function tellListener(call: () => unknown): void {
  const report = (failure: unknown): void => globalThis.reportError?.(failure);
  try {
    Promise.resolve(call()).catch(report);
  } catch (failure) {
    report(failure);
  }
}

/** Listeners by key. */
export class Listeners {
  readonly #byKey = new Map<string, Set<(change: StoreChange) => unknown>>();

  /** Adds a listener; what it gives ends it, and may be called again. */
  subscribe(key: string, listener: (change: StoreChange) => void): () => void {
    // A function of its own, so that a listener that was given twice is called twice, and ended one at a time.
    const own = (change: StoreChange): unknown => listener(change);
    const known = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, known.add(own));
    return () => {
      if (known.delete(own) && known.size === 0 && this.#byKey.get(key) === known) {
        this.#byKey.delete(key);
      }
    };
  }

  /** Tells of a change that is durable, soon: a listener that appends does not overtake what the others are told first. */
  tell(key: string, change: StoreChange): void {
    queueMicrotask(() => {
      const told = this.#byKey.get(key);
      for (const listener of [...(told ?? [])]) {
        // One may have ended another.
        if (told?.has(listener)) {
          tellListener(() => listener({ ...change }));
        }
      }
    });
  }

  /** Ends all of them. */
  clear(): void {
    this.#byKey.clear();
  }
}
