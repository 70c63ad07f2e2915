// What a conversation no longer has, and its log still does: messages as they were before an edit, and branches that were left. A message
// changes in its place, so whoever reads the log reads the conversation as it is. Rows of the type `left` say what it was before.

import { isRecord } from "../base/plain-data.js";
import type { Entry, EntryType, JsonValue, NewEntry, RewrittenEntry } from "../stores/contract.js";

/** What an entry was until another row of the log. */
export interface LeftEntry {
  /** The sequence number that it had. */
  readonly seq: number;
  /** The sequence number of the row that was appended when it became another. */
  readonly until: number;
  readonly entry: NewEntry;
}

/** The types of entries that say what was. */
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

/** Returns the row of what an entry was. It has no id and no time of its own: it is found by no one who looks for messages. */
export function leftEntry(entry: Entry, until: number): NewEntry {
  const data = { type: "left", seq: entry.seq, until, entry: factsOf(entry) } as unknown as JsonValue;
  return { type: "left", data };
}

/** Returns the row that says from where on a branch was left. */
export function branchEntry(from: number, until: number): NewEntry {
  return { type: "left", data: { type: "left", from, until } };
}

/** Returns what an entry becomes, in its place. */
export function rewritten(seq: number, entry: NewEntry): RewrittenEntry {
  return { ...factsOf(entry), seq };
}

/** Reads what a row says that an entry was; undefined if it says something else. */
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
