// Listeners to changes of sessions, within one process.

import type { StoreChange } from "./contract.js";

/**
 * Calls a listener. If it or its promise fails, the failure goes to the host's `reportError`, if there is one, and to
 * no caller.
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

  /** Adds a listener. Returns a function that removes it and may be called again. */
  subscribe(key: string, listener: (change: StoreChange) => void): () => void {
    // A separate function, so a listener added twice is called twice and removed one at a time.
    const own = (change: StoreChange): unknown => listener(change);
    const known = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, known.add(own));
    return () => {
      if (known.delete(own) && known.size === 0 && this.#byKey.get(key) === known) {
        this.#byKey.delete(key);
      }
    };
  }

  /**
   * Reports a durable change in a microtask. So if a listener appends, that change doesn't reach the others before this
   * one.
   */
  tell(key: string, change: StoreChange): void {
    queueMicrotask(() => {
      const told = this.#byKey.get(key);
      for (const listener of [...(told ?? [])]) {
        // One listener may have removed another.
        if (told?.has(listener)) {
          tellListener(() => listener({ ...change }));
        }
      }
    });
  }

  /** Removes all listeners. */
  clear(): void {
    this.#byKey.clear();
  }
}
