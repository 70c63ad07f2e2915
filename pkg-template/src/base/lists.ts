// Reads the caller's lists. A sparse list can claim any length: `list.length = 1e9` costs nothing, but walking it takes
// a minute. So each list is read from its beginning and ends at its first hole.

/**
 * Returns the path of the first hole in a list, at any depth of a value: `entries[0].data[7]`. Returns undefined if no
 * list has one. Looks only at lists and objects, each once.
 */
export function holeIn(value: unknown, path = ""): string | undefined {
  const seen = new Set<object>();
  const open: [value: unknown, path: string][] = [[value, path]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [holder, place] = next;
    if (typeof holder !== "object" || holder === null || ArrayBuffer.isView(holder) || seen.has(holder)) {
      continue;
    }
    seen.add(holder);
    if (Array.isArray(holder)) {
      const { length } = holder;
      for (let index = 0; index < length; index++) {
        const inner: unknown = holder[index];
        if (inner === undefined) {
          return `${place}[${index}]`;
        }
        if (typeof inner === "object") {
          open.push([inner, `${place}[${index}]`]);
        }
      }
    } else {
      for (const [name, inner] of Object.entries(holder)) {
        if (typeof inner === "object") {
          open.push([inner, place === "" ? name : `${place}.${name}`]);
        }
      }
    }
  }
  return undefined;
}

/** Returns the index of a list's first hole, or -1. `indexOf` would skip holes. */
export function firstHole(list: readonly unknown[]): number {
  for (let index = 0; index < list.length; index++) {
    if (list[index] === undefined) {
      return index;
    }
  }
  return -1;
}

/**
 * True if a value is a list without a hole, and all of its items fit. Alone, `every` would walk the whole length of a
 * sparse list.
 */
export function isListOf<T>(value: unknown, fits: (item: unknown) => boolean): value is readonly T[] {
  return Array.isArray(value) && firstHole(value) < 0 && value.every(fits);
}

/** True for a list of two finite numbers. */
export function isPair(value: unknown): boolean {
  return isListOf(value, Number.isFinite) && value.length === 2;
}

/** Returns a list up to its first hole. */
export function untilHole<T>(list: readonly T[]): readonly T[] {
  const hole = firstHole(list);
  return hole < 0 ? list : list.slice(0, hole);
}

/** Returns a value that is a list, up to its first hole, and an empty list for any other value. */
export function listFrom(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? untilHole(value) : [];
}
