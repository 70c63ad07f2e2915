// Locks on sessions within one process. A reader holds a session; a call that removes part of it waits for all readers.

interface HoldQueue {
  /** The number of holders. */
  holders: number;
  /** True while a caller has exclusive access. */
  isAlone: boolean;
  /** Callers that wait to hold it, until exclusive access ends. */
  readonly arriving: (() => void)[];
  /** Callers that wait for exclusive access. */
  readonly waiting: (() => void)[];
}

/** Locks by key. Several callers can hold a key at once; exclusive access waits for all of them. */
export class Holds {
  readonly #byKey = new Map<string, HoldQueue>();

  /** Runs a function while no caller has exclusive access to the key. */
  async holding<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const standing = this.#standing(key);
    // A holder may hold again from within, so a hold never waits for a caller that is itself only waiting for exclusive
    // access.
    if (standing.isAlone) {
      await new Promise<void>((resolve) => standing.arriving.push(resolve));
    } else {
      standing.holders += 1;
    }
    try {
      return await run();
    } finally {
      standing.holders -= 1;
      this.#goOn(key, standing);
    }
  }

  /** Runs a function with exclusive access to the key. Waiting callers go first come, first served. */
  async alone<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const standing = this.#standing(key);
    if (standing.isAlone || standing.holders > 0) {
      await new Promise<void>((resolve) => standing.waiting.push(resolve));
    } else {
      standing.isAlone = true;
    }
    try {
      return await run();
    } finally {
      standing.isAlone = false;
      this.#goOn(key, standing);
    }
  }

  #standing(key: string): HoldQueue {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      return known;
    }
    const standing: HoldQueue = { holders: 0, isAlone: false, arriving: [], waiting: [] };
    this.#byKey.set(key, standing);
    return standing;
  }

  #goOn(key: string, standing: HoldQueue): void {
    // Counted now and not when they run, so no exclusive access can start in between.
    const arrived = standing.arriving.splice(0);
    standing.holders += arrived.length;
    for (const enter of arrived) {
      enter();
    }
    if (standing.holders > 0) {
      return;
    }
    const next = standing.waiting.shift();
    if (next === undefined) {
      this.#byKey.delete(key);
    } else {
      standing.isAlone = true;
      next();
    }
  }
}

const holds = new WeakMap<object, Holds>();

/** Returns the locks of a storage. All stores over the same object, for example a database binding, share them. */
export function holdsOf(storage: object): Holds {
  const known = holds.get(storage);
  if (known !== undefined) {
    return known;
  }
  const made = new Holds();
  holds.set(storage, made);
  return made;
}
