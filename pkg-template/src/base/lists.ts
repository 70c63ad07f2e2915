// Lists of the caller's. A list says how long it is, and may have nothing in it: `list.length = 1e9` costs nothing, and walking
// it costs a minute. So a list is looked at from its beginning, and the first place with nothing in it ends that.

/**
 * Where a list, or one anywhere in a value, has nothing at a place: `entries[0].data[7]`; undefined where no list has. Looks
 * at lists and objects alone, each once.
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

/** The first place of a list that has nothing, or -1. `indexOf` would pass over it. */
export function firstHole(list: readonly unknown[]): number {
  for (let index = 0; index < list.length; index++) {
    if (list[index] === undefined) {
      return index;
    }
  }
  return -1;
}

/** A list up to its first place with nothing. */
export function untilHole<T>(list: readonly T[]): readonly T[] {
  const hole = firstHole(list);
  return hole < 0 ? list : list.slice(0, hole);
}

/** The list that a value is, up to its first place with nothing; an empty one if the value isn't a list. */
export function listFrom(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? untilHole(value) : [];
}

/** A value as JSON; undefined where it has none. Fails where it contains itself, or a list has nothing at a place. */
export function jsonOf(
  value: unknown,
  replacer?: (this: Record<string, unknown>, key: string, value: unknown) => unknown,
): string | undefined {
  const hole = holeIn(value);
  if (hole !== undefined) {
    throw new RangeError(`${hole} has nothing`);
  }
  return JSON.stringify(value, replacer);
}
