// Who reads a session holds it; who takes something away from it waits until nobody does. Within one process.

interface HoldQueue {
  /** How many hold it. */
  holders: number;
  /** Whether somebody is alone with it. */
  isAlone: boolean;
  /** Who wants to hold it, and waits for the one who is alone. */
  readonly arriving: (() => void)[];
  /** Who wants to be alone with it. */
  readonly waiting: (() => void)[];
}

/** Holds by key: several at once hold a key, and one who wants to be alone with it waits for all of them. */
export class Holds {
  readonly #byKey = new Map<string, HoldQueue>();

  /** Runs something while nobody is alone with the key. */
  async holding<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const standing = this.#standing(key);
    // Who holds already may hold again from within: so a hold never waits for one who only waits to be alone.
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

  /** Runs something while nobody holds the key and nobody else is alone with it; who came first goes first. */
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
    // Counted here and not when they run: until then nobody else may come in between.
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

/** The holds of a storage: all stores over the same object, a database binding for example, share them. */
export function holdsOf(storage: object): Holds {
  const known = holds.get(storage);
  if (known !== undefined) {
    return known;
  }
  const made = new Holds();
  holds.set(storage, made);
  return made;
}
