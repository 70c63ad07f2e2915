// The stored order of a vocabulary's merges, the same as in crates/encoding/src/order.rs, which explains why counts
// don't change.

/** The single bytes, which come before the tokens made by merges. */
export const SINGLE_BYTES = 256;

/** A number above every rank. */
const MORE_THAN_A_RANK = 2 ** 18;

/** The number of heights that each run reaches below the previous one. */
const HEIGHTS_A_RUN = 2;

/** The left and right part of a token. */
export type MergePair = readonly [left: number, right: number];

/**
 * Returns merges, passed in order of rank, in the stored order. A token is 256 plus the index of the merge that makes
 * it.
 */
export function storedOrder(merges: readonly MergePair[]): MergePair[] {
  const { waitsFor, followers } = constraintsOf(merges);
  const heights = heightsOf(followers);
  const highest = heights.reduce((most, height) => Math.max(most, height), 0);
  const places = Array.from({ length: SINGLE_BYTES + merges.length }, (_, token) => token);
  const ordered: MergePair[] = [];
  // Merges too low for the current run, by height. They wait for no other merge.
  const tooLow: number[][] = Array.from({ length: highest + 1 }, () => []);
  for (const merge of merges.keys()) {
    if (waitsFor[merge] === 0) {
      tooLow[heights[merge] ?? 0]?.push(merge);
    }
  }
  const partsOf = (merge: number): MergePair => {
    const [left, right] = merges[merge] ?? [0, 0];
    return [places[left] ?? 0, places[right] ?? 0];
  };
  const keyOf = (merge: number): number => {
    const [left, right] = partsOf(merge);
    return right * MORE_THAN_A_RANK + left;
  };
  let nextRun = new Heap();
  let lowest = highest + 1;
  while (ordered.length < merges.length) {
    const run = nextRun;
    nextRun = new Heap();
    const lowestBefore = lowest;
    lowest = Math.max(0, lowest - HEIGHTS_A_RUN);
    for (let height = lowest; height < lowestBefore; height += 1) {
      for (const merge of tooLow[height] ?? []) {
        run.push(keyOf(merge), merge);
      }
      tooLow[height] = [];
    }
    for (let first = run.pop(); first !== undefined; first = run.pop()) {
      const { key, merge } = first;
      const parts = partsOf(merge);
      places[SINGLE_BYTES + merge] = SINGLE_BYTES + ordered.length;
      ordered.push(parts);
      for (const follower of followers[merge] ?? []) {
        waitsFor[follower] = (waitsFor[follower] ?? 0) - 1;
        const height = heights[follower] ?? 0;
        if (waitsFor[follower] !== 0) {
          continue;
        }
        if (height < lowest) {
          tooLow[height]?.push(follower);
        } else {
          const next = keyOf(follower);
          (next > key ? run : nextRun).push(next, follower);
        }
      }
    }
  }
  return ordered;
}

/** Returns for each merge the number that must come before it, and the merges that must come after it. */
function constraintsOf(merges: readonly MergePair[]): { waitsFor: number[]; followers: number[][] } {
  const waitsFor = merges.map(() => 0);
  const followers: number[][] = merges.map(() => []);
  const tokens = SINGLE_BYTES + merges.length;
  // By token, the merges so far that have it as their left part, and as their right part.
  const asLeft: number[][] = Array.from({ length: tokens }, () => []);
  const asRight: number[][] = Array.from({ length: tokens }, () => []);
  for (const [merge, [left, right]] of merges.entries()) {
    const makers = [left - SINGLE_BYTES, right - SINGLE_BYTES].filter((maker) => maker >= 0);
    for (const earlier of [...makers, ...(asRight[left] ?? []), ...(asLeft[right] ?? [])]) {
      followers[earlier]?.push(merge);
      waitsFor[merge] = (waitsFor[merge] ?? 0) + 1;
    }
    asLeft[left]?.push(merge);
    asRight[right]?.push(merge);
  }
  return { waitsFor, followers };
}

/** Returns for each merge the longest chain of merges that must come after it. */
function heightsOf(followers: readonly (readonly number[])[]): number[] {
  const heights = followers.map(() => 0);
  for (let merge = followers.length - 1; merge >= 0; merge -= 1) {
    heights[merge] = (followers[merge] ?? []).reduce((most, it) => Math.max(most, (heights[it] ?? 0) + 1), 0);
  }
  return heights;
}

/** A merge with its key. */
interface KeyedMerge {
  readonly key: number;
  readonly merge: number;
}

/** A binary heap: returns the merge with the lowest key first. */
class Heap {
  readonly #items: KeyedMerge[] = [];

  push(key: number, merge: number): void {
    const items = this.#items;
    const item = { key, merge };
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = items[above] as KeyedMerge;
      if (other.key <= key) {
        break;
      }
      items[at] = other;
      at = above;
    }
    items[at] = item;
  }

  pop(): KeyedMerge | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) {
      return first;
    }
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const right = items[below + 1];
      if (right !== undefined && right.key < (items[below] as KeyedMerge).key) {
        below += 1;
      }
      const other = items[below];
      if (other === undefined || other.key >= last.key) {
        break;
      }
      items[at] = other;
      at = below;
    }
    items[at] = last;
    return first;
  }
}
