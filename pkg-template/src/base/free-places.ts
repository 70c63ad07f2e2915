// Positions in a list by key, for pairing calls with their results: each position can be taken once, and finding the
// next free one costs the same however many were taken.

/** The positions of a key, between the first and the last that may be free. */
interface Places {
  readonly list: number[];
  next: number;
}

export class FreePlaces {
  readonly #places = new Map<unknown, Places>();
  readonly #taken = new Set<number>();

  /** Adds a position, which comes after all earlier ones, with its keys. */
  add(place: number, keys: readonly unknown[]): void {
    for (const key of keys) {
      const known = this.#places.get(key);
      if (known === undefined) {
        this.#places.set(key, { list: [place], next: 0 });
      } else {
        known.list.push(place);
      }
    }
  }

  /** Returns the first free position of a key. */
  first(key: unknown): number | undefined {
    const places = this.#places.get(key);
    while (places !== undefined && this.#taken.has(places.list[places.next] ?? -1)) {
      places.next += 1;
    }
    return places?.list[places.next];
  }

  /** Returns the last free position of a key. */
  last(key: unknown): number | undefined {
    const { list, next } = this.#places.get(key) ?? { list: [], next: 0 };
    while (list.length > next && this.#taken.has(list.at(-1) ?? -1)) {
      list.pop();
    }
    return list.length > next ? list.at(-1) : undefined;
  }

  /** Takes a position, under all of its keys. */
  take(place: number): void {
    this.#taken.add(place);
  }
}
