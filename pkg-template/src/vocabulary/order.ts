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
  const { steps, followers } = constraintsOf(merges);
  const heights = heightsOf(steps, followers);
  const waitsFor = steps.map(() => 0);
  for (const step of followers.flat()) {
    waitsFor[step] = (waitsFor[step] ?? 0) + 1;
  }
  const highest = heights.reduce((most, height) => Math.max(most, height), 0);
  const places = Array.from({ length: SINGLE_BYTES + merges.length }, (_, token) => token);
  const ordered: MergePair[] = [];
  // Steps too low for the current run, by height. They wait for no other step.
  const tooLow: number[][] = Array.from({ length: highest + 1 }, () => []);
  for (const [step, merge] of steps.entries()) {
    if (merge !== undefined && waitsFor[step] === 0) {
      tooLow[heights[step] ?? 0]?.push(step);
    }
  }
  const partsOf = (step: number): MergePair => {
    const [left, right] = merges[steps[step] ?? 0] ?? [0, 0];
    return [places[left] ?? 0, places[right] ?? 0];
  };
  const keyOf = (step: number): number => {
    const [left, right] = partsOf(step);
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
      for (const step of tooLow[height] ?? []) {
        run.push(keyOf(step), step);
      }
      tooLow[height] = [];
    }
    for (let first = run.pop(); first !== undefined; first = run.pop()) {
      const { key, step } = first;
      const parts = partsOf(step);
      places[SINGLE_BYTES + (steps[step] ?? 0)] = SINGLE_BYTES + ordered.length;
      ordered.push(parts);
      const done = [step];
      for (let last = done.pop(); last !== undefined; last = done.pop()) {
        for (const follower of followers[last] ?? []) {
          waitsFor[follower] = (waitsFor[follower] ?? 0) - 1;
          const height = heights[follower] ?? 0;
          if (waitsFor[follower] !== 0) {
            continue;
          }
          if (steps[follower] === undefined) {
            done.push(follower);
          } else if (height < lowest) {
            tooLow[height]?.push(follower);
          } else {
            const next = keyOf(follower);
            (next > key ? run : nextRun).push(next, follower);
          }
        }
      }
    }
  }
  return ordered;
}

/** The steps of an order: merges, and joints, which are done as soon as all steps before them are. */
interface Constraints {
  /** The merge of each step. Undefined for a joint. */
  readonly steps: readonly (number | undefined)[];
  /** For each step, the later steps that must come after it. */
  readonly followers: readonly number[][];
}

/** The merges so far that have one token as the same part. */
interface Sharers {
  /** The joint that comes after all merges but those of `since`. */
  joint: number | undefined;
  /** The merges since that joint. */
  since: number[];
}

/**
 * Returns the steps of merges. A merge comes after all earlier ones whose right part is its left part, or whose left
 * part is its right part. Each merge may have as many of these as there are merges, so they share joints.
 */
function constraintsOf(merges: readonly MergePair[]): Constraints {
  const steps: (number | undefined)[] = [];
  const followers: number[][] = [];
  const add = (merge: number | undefined, before: readonly (number | undefined)[]): number => {
    const step = steps.push(merge) - 1;
    followers.push([]);
    for (const earlier of before) {
      if (earlier !== undefined) {
        followers[earlier]?.push(step);
      }
    }
    return step;
  };
  const jointOf = (sharers: Sharers): number | undefined => {
    if (sharers.since.length > 0) {
      sharers.joint = add(undefined, [sharers.joint, ...sharers.since]);
      sharers.since = [];
    }
    return sharers.joint;
  };
  const tokens = SINGLE_BYTES + merges.length;
  const ofToken = (): Sharers => ({ joint: undefined, since: [] });
  const asLeft: readonly Sharers[] = Array.from({ length: tokens }, ofToken);
  const asRight: readonly Sharers[] = Array.from({ length: tokens }, ofToken);
  /** The step of each merge. */
  const stepOf: number[] = [];
  for (const [merge, [left, right]] of merges.entries()) {
    const makers = [left, right].map((token) => stepOf[token - SINGLE_BYTES]);
    const sharers = [asRight[left] as Sharers, asLeft[right] as Sharers].map(jointOf);
    const step = add(merge, [...makers, ...sharers]);
    stepOf.push(step);
    asLeft[left]?.since.push(step);
    asRight[right]?.since.push(step);
  }
  return { steps, followers };
}

/** Returns for each step the longest chain of merges that must come after it. */
function heightsOf(steps: Constraints["steps"], followers: Constraints["followers"]): number[] {
  const heights = followers.map(() => 0);
  for (let step = followers.length - 1; step >= 0; step -= 1) {
    heights[step] = (followers[step] ?? []).reduce(
      (most, it) => Math.max(most, (heights[it] ?? 0) + (steps[it] === undefined ? 0 : 1)),
      0,
    );
  }
  return heights;
}

/** The step of a merge with its key. */
interface KeyedMerge {
  readonly key: number;
  readonly step: number;
}

/** A binary heap: returns the merge with the lowest key first. */
class Heap {
  readonly #items: KeyedMerge[] = [];

  push(key: number, step: number): void {
    const items = this.#items;
    const item = { key, step };
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
