// Old versions of edited messages, and messages of abandoned branches. A message changes in its place, so everyone who reads the log reads
// the current conversation. Rows of the type `left` keep the old versions.

import { isRecord } from "../base/plain-data.js";
import type { Entry, EntryType, JsonValue, NewEntry, RewrittenEntry } from "../stores/contract.js";

/** The old version of an entry, which held until another row of the log. */
export interface LeftEntry {
  /** The sequence number that it had. */
  readonly seq: number;
  /** The sequence number of the row that was appended when it became another. */
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

/** Returns the row that keeps the old version of an entry. It has no id and no time, so nothing that looks for messages finds it. */
export function leftEntry(entry: Entry, until: number): NewEntry {
  const data = { type: "left", seq: entry.seq, until, entry: factsOf(entry) } as unknown as JsonValue;
  return { type: "left", data };
}

/** Returns the row that says where an abandoned branch began. */
export function branchEntry(from: number, until: number): NewEntry {
  return { type: "left", data: { type: "left", from, until } };
}

/** Returns the new version of an entry. */
export function rewritten(seq: number, entry: NewEntry): RewrittenEntry {
  return { ...factsOf(entry), seq };
}

/** Reads the old version of an entry from a row; undefined if the row has none. */
export function leftIn({ data }: Entry): LeftEntry | undefined {
  const { seq, until, entry } = (isRecord(data) ? data : {}) as Partial<Readonly<Record<keyof LeftEntry, unknown>>>;
  return Number.isSafeInteger(seq) && Number.isSafeInteger(until) && isRecord(entry)
    ? ({ seq, until, entry } as unknown as LeftEntry)
    : undefined;
}

/** Returns entries as the log had them when it ended with `lastSeq`, in the order of their places. */
export function asOf(entries: readonly Entry[], left: readonly Entry[], lastSeq: number): readonly Entry[] {
  const before = new Map<number, LeftEntry>();
  for (const row of left) {
    const was = leftIn(row);
    const known = was === undefined ? undefined : before.get(was.seq);
    // The first change after that time says what it was then.
    if (was !== undefined && was.until > lastSeq && was.until < (known?.until ?? Number.POSITIVE_INFINITY)) {
      before.set(was.seq, was);
    }
  }
  const now = entries.filter(({ seq }) => seq <= lastSeq && !before.has(seq));
  const then = [...before.values()].map(({ seq, entry }): Entry => ({ ...entry, seq }));
  return [...now, ...then].filter(({ seq }) => seq <= lastSeq).toSorted((one, other) => one.seq - other.seq);
}
