// Old versions of edited messages, and messages of abandoned branches. An edited message changes in its place, so every
// reader of the log gets the current conversation. Rows of the type `left` keep the old versions.

import { isRecord } from "../base/plain-data.js";
import type { Entry, EntryType, JsonValue, NewEntry, RewrittenEntry } from "../stores/contract.js";

/** The old version of an entry, valid until another row of the log. */
export interface LeftEntry {
  /** The sequence number. */
  readonly seq: number;
  /** The sequence number of the row that was appended with the change. */
  readonly until: number;
  readonly entry: NewEntry;
}

/** The types of entries that keep old versions. */
export const LEFT_TYPES: readonly EntryType[] = ["left"];

function factsOf({ type, id, timeMs, pinned, data }: NewEntry): NewEntry {
  return {
    type,
    ...(id === undefined ? {} : { id }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(pinned === undefined ? {} : { pinned }),
    data,
  };
}

/**
 * Returns the row that keeps the old version of an entry. The row has no id and no time, so searches for messages don't
 * find it.
 */
export function leftEntry(entry: Entry, until: number): NewEntry {
  const data = { type: "left", seq: entry.seq, until, entry: factsOf(entry) } as unknown as JsonValue;
  return { type: "left", data };
}

/** Returns the row that records the start of an abandoned branch. */
export function branchEntry(from: number, until: number): NewEntry {
  return { type: "left", data: { type: "left", from, until } };
}

/** Returns the new version of an entry. */
export function rewritten(seq: number, entry: NewEntry): RewrittenEntry {
  return { ...factsOf(entry), seq };
}

/** Reads the old version of an entry from a row. Undefined if the row has none. */
export function leftIn({ data }: Entry): LeftEntry | undefined {
  const { seq, until, entry } = (isRecord(data) ? data : {}) as Partial<Readonly<Record<keyof LeftEntry, unknown>>>;
  return Number.isSafeInteger(seq) && Number.isSafeInteger(until) && isRecord(entry)
    ? ({ seq, until, entry } as unknown as LeftEntry)
    : undefined;
}

/** Returns entries in their state at the time the log ended with `lastSeq`, in order. */
export function asOf(entries: readonly Entry[], left: readonly Entry[], lastSeq: number): readonly Entry[] {
  const before = new Map<number, LeftEntry>();
  for (const row of left) {
    const was = leftIn(row);
    const known = was === undefined ? undefined : before.get(was.seq);
    // The first change after that moment holds the version of the time.
    if (was !== undefined && was.until > lastSeq && was.until < (known?.until ?? Number.POSITIVE_INFINITY)) {
      before.set(was.seq, was);
    }
  }
  const now = entries.filter(({ seq }) => seq <= lastSeq && !before.has(seq));
  const then = [...before.values()].map(({ seq, entry }): Entry => ({ ...entry, seq }));
  return [...now, ...then].filter(({ seq }) => seq <= lastSeq).toSorted((one, other) => one.seq - other.seq);
}
