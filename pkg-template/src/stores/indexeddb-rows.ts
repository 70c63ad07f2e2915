// Operations inside a transaction. They find a log's rows by key ranges and never scan a log.

import type { IDBPObjectStore, IDBPTransaction } from "idb";
import type {
  AppendOptions,
  AppendResult,
  Entry,
  EntryType,
  LogHead,
  LogName,
  NewEntry,
  ReadRange,
  ReadResult,
  RemoveOptions,
  SessionInfo,
  SkippedEntry,
  TrimOptions,
} from "./contract.js";
import type { DatabaseSchema, EntryRow, StoreName } from "./indexeddb-schema.js";
import { admit, checkExpected, flawOf, isInfo, recovered, seqsToRewrite, trimmed } from "./log.js";

export type Transaction = IDBPTransaction<DatabaseSchema, StoreName[], "readwrite">;
type RowStore<Name extends StoreName> = IDBPObjectStore<DatabaseSchema, StoreName[], Name, "readwrite">;

const LOGS: readonly LogName[] = ["transcript", "builds"];

/** The number of rows per read when all are wanted. */
const PAGE = 1000;

/** Upper bound for keys with a given prefix: in the order of keys, lists come last, after any text or number. */
const END: IDBValidKey = [];

/** Upper bound for all texts: binary keys come after texts and before lists. */
const AFTER_TEXTS: IDBValidKey = new Uint8Array(0);

/** Returns the range of all list keys with a prefix. */
function beginningWith(...prefix: readonly string[]): IDBKeyRange {
  return IDBKeyRange.bound([...prefix], [...prefix, END]);
}

/** A source of rows: an object store or an index. */
interface RowSource {
  getAll(range: IDBKeyRange | IDBValidKey[], count?: number): Promise<EntryRow[]>;
  openCursor(range: IDBKeyRange, direction: "prev"): Promise<RowCursor | null>;
}

interface RowCursor {
  readonly value: EntryRow;
  continue(): Promise<RowCursor | null>;
}

interface KeyCursor {
  readonly primaryKey: IDBValidKey[];
  continue(): Promise<KeyCursor | null>;
}

/** Errors of a read whose data the browser has lost. Large values are in separate files. */
export const DATA_LOST: ReadonlySet<unknown> = new Set([
  "NotReadableError",
  "DataError",
  "DataCloneError",
  "EncodingError",
]);

/**
 * An open transaction. In careful mode, rows are read one by one, so a row that the browser lost doesn't take the
 * others with it. The transaction ends with that row anyway, so the row is recorded in `lost` and the next transaction
 * skips it.
 */
export class Work {
  readonly #transaction: Transaction;
  readonly #isCareful: boolean;
  readonly #lost: Set<string>;

  constructor(transaction: Transaction, isCareful: boolean, lost: Set<string>) {
    this.#transaction = transaction;
    this.#isCareful = isCareful;
    this.#lost = lost;
  }

  get sessions(): RowStore<"sessions"> {
    return this.#transaction.objectStore("sessions");
  }

  get entries(): RowStore<"entries"> {
    return this.#transaction.objectStore("entries");
  }

  get derived(): RowStore<"derived"> {
    return this.#transaction.objectStore("derived");
  }

  /** Returns the rows in the order of their keys or of an index. */
  rows(index?: "byId" | "byOperation" | "byType" | "byPin"): RowSource {
    const plain = index === undefined ? this.entries : this.entries.index(index);
    if (!this.#isCareful) {
      return plain;
    }
    const row = async (key: IDBValidKey[]): Promise<EntryRow> =>
      (await this.#unlessLost(key, () => this.entries.get(key))) ??
      ({ seq: key[2], lost: "the browser has lost it" } as EntryRow);
    const step = async (cursor: KeyCursor | null): Promise<RowCursor | null> =>
      cursor && { value: await row(cursor.primaryKey), continue: async () => step(await cursor.continue()) };
    return {
      getAll: async (range, count) => Promise.all((await plain.getAllKeys(range, count)).map(row)),
      openCursor: async (range, direction) => step(await plain.openKeyCursor(range, direction)),
    };
  }

  /** Returns a derived value. Undefined if it was never written or is lost. */
  async derivedAt(session: string, name: string): Promise<Uint8Array | undefined> {
    const row = await this.#unlessLost([session, name], () => this.derived.get([session, name]));
    return row?.bytes instanceof Uint8Array ? row.bytes : undefined;
  }

  async #unlessLost<T>(key: IDBValidKey[], get: () => Promise<T>): Promise<T | undefined> {
    const name = JSON.stringify(key);
    if (this.#lost.has(name)) {
      return undefined;
    }
    try {
      return await get();
    } catch (cause) {
      if (DATA_LOST.has((cause as { readonly name?: unknown }).name)) {
        this.#lost.add(name);
      }
      throw cause;
    }
  }
}

// ---- A session ----

/** The state of a session. */
export interface SessionStanding {
  readonly info: SessionInfo | undefined;
  /** The fault of its header, if `info` was computed from its entries. */
  readonly flaw?: string;
}

/** Returns a session from its header, or from its entries if the header is missing or damaged. */
export async function standingOf(work: Work, session: string): Promise<SessionStanding> {
  const [header, ...lastSeqs] = await Promise.all([
    work.sessions.get(session),
    ...LOGS.map((log) => lastSeqOf(work, session, log)),
  ]);
  if (header === undefined && lastSeqs.every((lastSeq) => lastSeq === 0)) {
    return { info: undefined };
  }
  // A header that doesn't know the last rows would assign their numbers again.
  if (isInfo(header) && LOGS.every((log, index) => header.logs[log].lastSeq >= (lastSeqs[index] ?? 0))) {
    return { info: header };
  }
  const [transcript, builds] = await Promise.all(LOGS.map((log) => readableRows(work, session, log)));
  const made = recovered(session, { transcript: transcript ?? [], builds: builds ?? [] }, Date.now());
  const heads = LOGS.map((log, index) => {
    const head = made.logs[log];
    // A row that can't be read still has a number.
    return [log, { ...head, lastSeq: Math.max(head.lastSeq, lastSeqs[index] ?? 0) }];
  });
  return {
    info: { ...made, logs: Object.fromEntries(heads) },
    flaw: `the session's header is ${header === undefined ? "missing" : "damaged"}: it was made again from the entries`,
  };
}

/** Returns the number of the last row of any type, or 0 in an empty log. */
async function lastSeqOf(work: Work, session: string, log: LogName): Promise<number> {
  const range = IDBKeyRange.bound([session, log, 1], [session, log, Number.MAX_SAFE_INTEGER]);
  const cursor = await work.entries.openKeyCursor(range, "prev");
  return Math.floor((cursor?.key[2] as number | undefined) ?? 0);
}

async function readableRows(work: Work, session: string, log: LogName): Promise<readonly Entry[]> {
  const found = new RangeReading(Number.POSITIVE_INFINITY, () => true);
  await readUp({ source: work.rows(), prefix: [session, log] }, EVERYTHING, found);
  return found.entries;
}

/** Returns all sessions by key, including those with entries but without a header. */
export async function allSessions(work: Work): Promise<readonly SessionInfo[]> {
  const headers: unknown[] = await work.sessions.getAll(IDBKeyRange.bound("", AFTER_TEXTS, true, true));
  const known = headers.map((header) => (header as SessionInfo).key);
  const lost = await withoutHeader(work, known);
  const made = [...known.filter((_, index) => !isInfo(headers[index])), ...lost].map((session) =>
    standingOf(work, session),
  );
  return [...headers.filter(isInfo), ...(await Promise.all(made)).flatMap(({ info }) => info ?? [])].sort(
    (left, right) => (left.key < right.key ? -1 : 1),
  );
}

/**
 * Returns the sessions that have entries and aren't in the sorted list `known`. Finds them by searching between its
 * keys.
 */
async function withoutHeader(work: Work, known: readonly string[]): Promise<readonly string[]> {
  const between = [...known, AFTER_TEXTS].map(async (next, index) => {
    const found: string[] = [];
    for (;;) {
      const after = found.at(-1) ?? known[index - 1] ?? "";
      const key = await work.entries.getKey(IDBKeyRange.bound([after, END], [next], true, true));
      if (key === undefined) {
        return found;
      }
      found.push(key[0] as string);
    }
  });
  return (await Promise.all(between)).flat();
}

// ---- Appending ----

/** An append, with the fields that distinguish it from others. */
export interface Append {
  readonly session: string;
  readonly entries: readonly NewEntry[];
  readonly options: AppendOptions;
  /** A name for this call. */
  readonly attempt: string;
  /** The result of an earlier try of this call, if it finished. */
  tried?: AppendResult;
}

/** Writes the rows and the header of an append. A repeated operation returns its earlier result. */
export async function append(work: Work, call: Append): Promise<AppendResult> {
  const { session, options, attempt, tried } = call;
  const { log = "transcript", operationId, replacesSeq } = options;
  const rowAt = async (seq: number | undefined): Promise<EntryRow | undefined> =>
    Number.isFinite(seq) ? (await work.rows().getAll([session, log, seq as number])).at(0) : undefined;
  if (tried !== undefined && (await rowAt(tried.firstSeq))?.attempt === attempt) {
    return tried;
  }
  const [earlier, replaced, { info }, ...found] = await Promise.all([
    operationId === undefined ? [] : work.rows("byOperation").getAll([session, log, operationId]),
    rowAt(replacesSeq),
    standingOf(work, session),
    ...seqsToRewrite(options).map(rowAt),
  ]);
  const [first] = earlier;
  if (first !== undefined) {
    const [firstSeq, lastSeq] = first.span ?? [first.seq, (earlier.at(-1) ?? first).seq];
    return { firstSeq, lastSeq, isRepeated: true };
  }
  const rewritten = found.filter((row) => row !== undefined && flawOf(row) === undefined) as EntryRow[];
  const standing = { info, replaced: flawOf(replaced) === undefined ? replaced : undefined, rewritten };
  const admitted = admit(session, standing, call.entries, options, Date.now());
  const appended: AppendResult = {
    firstSeq: admitted.rows.at(0)?.seq ?? 0,
    lastSeq: admitted.rows.at(-1)?.seq ?? 0,
    isRepeated: false,
  };
  await Promise.all([
    work.sessions.put(admitted.info),
    replacesSeq === undefined ? undefined : work.entries.delete([session, log, replacesSeq]),
    ...admitted.rewritten.map(async (entry) => {
      await work.entries.put({ ...entry, session, log, ...(entry.pinned === true ? { pinnedSeq: entry.seq } : {}) });
    }),
    // If one throws, the others are still awaited.
    ...admitted.rows.map(async (entry, index) => {
      await work.entries.add({
        ...entry,
        session,
        log,
        ...(entry.pinned === true ? { pinnedSeq: entry.seq } : {}),
        ...(index === 0 ? { attempt } : {}),
        ...(operationId === undefined ? {} : { span: [appended.firstSeq, appended.lastSeq] as const }),
      });
    }),
  ]);
  call.tried = appended;
  return appended;
}

// ---- Reading ----

/** Rows in the order of a key that starts with `prefix` and ends with the sequence number. */
interface Series {
  readonly source: RowSource;
  readonly prefix: readonly string[];
}

/** The range of sequence numbers to read. Without a bound, rows with a broken number are read too. */
interface Bounds {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const EVERYTHING: Bounds = { from: undefined, to: undefined };

function rangeOf({ prefix }: Series, { from, to }: Bounds): IDBKeyRange {
  return IDBKeyRange.bound(from === undefined ? [...prefix] : [...prefix, from], [...prefix, to ?? END]);
}

/** Collects rows. */
class RangeReading {
  readonly entries: Entry[] = [];
  readonly skipped: SkippedEntry[] = [];
  readonly #limit: number;
  readonly #isWanted: (entry: Entry) => boolean;

  constructor(limit: number, isWanted: (entry: Entry) => boolean) {
    this.#limit = limit;
    this.#isWanted = isWanted;
  }

  get missing(): number {
    return this.#limit - this.entries.length;
  }

  add(row: EntryRow): void {
    const flaw = row.lost ?? flawOf(row);
    if (flaw !== undefined) {
      this.skipped.push({ seq: Number.isSafeInteger(row.seq) ? row.seq : undefined, reason: flaw });
    } else if (this.missing > 0 && this.#isWanted(row)) {
      this.entries.push(entryOf(row));
    }
  }
}

function entryOf({
  session: _,
  log: _log,
  pinnedSeq: _pinnedSeq,
  attempt: _attempt,
  span: _span,
  ...entry
}: EntryRow): Entry {
  return entry;
}

/** Reads the requested rows of a log, and few others. */
export async function read(work: Work, session: string, range: ReadRange): Promise<ReadResult> {
  const { log = "transcript", after, before, pinned, order = "ascending" } = range;
  const { info, flaw } = await standingOf(work, session);
  const noted = flaw === undefined ? [] : [{ seq: undefined, reason: flaw }];
  const limit = Math.max(range.limit ?? Number.POSITIVE_INFINITY, 0);
  const bounds: Bounds = {
    from: after === undefined ? undefined : Math.floor(after) + 1,
    to: before === undefined ? undefined : Math.ceil(before) - 1,
  };
  if (info === undefined || limit === 0 || (bounds.from ?? 1) > (bounds.to ?? Number.POSITIVE_INFINITY)) {
    return { entries: [], info, skipped: noted };
  }
  const types = range.types && [...new Set(range.types)];
  const isDescending = order === "descending";
  // Reading all rows is faster in ascending order, so they are reversed afterwards.
  const isBackward = isDescending && limit < Number.POSITIVE_INFINITY;
  const founds: RangeReading[] = [];
  const begin = (count: number): RangeReading => {
    const found = new RangeReading(
      count,
      (entry) => (types?.includes(entry.type) ?? true) && (!pinned || entry.pinned === true),
    );
    founds.push(found);
    return found;
  };
  let rest: Bounds | undefined = bounds;
  const whole: Series = { source: work.rows(), prefix: [session, log] };
  const share = pinned ? 0 : shareOf(info.logs[log], types);
  if (range.seqs !== undefined) {
    await readSingly(whole, bounds, range.seqs, begin(Number.POSITIVE_INFINITY));
    rest = undefined;
  } else if (share >= 0.5) {
    // Most rows are wanted, so the end is read in one go.
    const found = begin(limit);
    rest = await (isBackward
      ? readEnd(whole, bounds, info.logs[log].lastSeq, Math.ceil(limit / share), found)
      : readStart(whole, bounds, Math.ceil(limit / share), found));
    rest = found.missing > 0 ? rest : undefined;
  }
  if (rest !== undefined) {
    const { missing } = founds[0] ?? { missing: limit };
    const left = rest;
    const readOn = isBackward ? readDown : readUp;
    await Promise.all(narrowed(work, whole, types, pinned).map((series) => readOn(series, left, begin(missing))));
  }
  return {
    entries: founds
      .flatMap((found) => found.entries)
      .sort((left, right) => (isDescending ? right.seq - left.seq : left.seq - right.seq))
      .slice(0, limit),
    info,
    skipped: [...noted, ...founds.flatMap((found) => found.skipped)],
  };
}

/** Returns the share of a log's entries that have these types. */
function shareOf({ counts }: LogHead, types: readonly EntryType[] | undefined): number {
  const countOf = (names: readonly EntryType[]): number => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
  const all = countOf(Object.keys(counts) as EntryType[]);
  return types === undefined || all === 0 ? 1 : countOf(types) / all;
}

/** Returns the indexes that hold the requested rows next to each other. */
function narrowed(
  work: Work,
  whole: Series,
  types: readonly EntryType[] | undefined,
  pinned: true | undefined,
): readonly Series[] {
  if (pinned) {
    return [{ source: work.rows("byPin"), prefix: whole.prefix }];
  }
  const byType = work.rows("byType");
  return types?.map((type) => ({ source: byType, prefix: [...whole.prefix, type] })) ?? [whole];
}

/** Reads the rows with one of these sequence numbers. */
async function readSingly(
  series: Series,
  { from, to }: Bounds,
  seqs: readonly number[],
  found: RangeReading,
): Promise<void> {
  const isWithin = (seq: number): boolean => Number.isSafeInteger(seq) && seq >= (from ?? 1) && seq <= (to ?? seq);
  const wanted = [...new Set(seqs)].filter(isWithin);
  const rows = await Promise.all(wanted.map((seq) => series.source.getAll(rangeOf(series, { from: seq, to: seq }))));
  for (const row of rows.flat()) {
    found.add(row);
  }
}

/** Reads the last `width` sequence numbers and returns the bounds of the rest. */
async function readEnd(
  series: Series,
  { from, to }: Bounds,
  lastSeq: number,
  width: number,
  found: RangeReading,
): Promise<Bounds | undefined> {
  const cut = Math.min(to ?? lastSeq, lastSeq) - width + 1;
  const isAll = cut <= (from ?? 1);
  const rows = await series.source.getAll(rangeOf(series, { from: isAll ? from : cut, to }));
  for (const row of rows.reverse()) {
    found.add(row);
  }
  return isAll ? undefined : { from, to: cut - 1 };
}

/** Reads the first `width` rows and returns the bounds of the rest. */
async function readStart(
  series: Series,
  bounds: Bounds,
  width: number,
  found: RangeReading,
): Promise<Bounds | undefined> {
  if (width === Number.POSITIVE_INFINITY) {
    await readUp(series, bounds, found);
    return undefined;
  }
  const rows = await series.source.getAll(rangeOf(series, bounds), width);
  for (const row of rows) {
    found.add(row);
  }
  const last = rows.at(-1)?.seq;
  if (rows.length < width || typeof last !== "number") {
    return undefined;
  }
  const from = Math.floor(last) + 1;
  return from > (bounds.to ?? from) ? undefined : { ...bounds, from };
}

async function readUp(series: Series, bounds: Bounds, found: RangeReading): Promise<void> {
  let range = rangeOf(series, bounds);
  while (found.missing > 0) {
    const count = Math.min(found.missing, PAGE);
    const rows = await series.source.getAll(range, count);
    for (const row of rows) {
      found.add(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < count || last.seq === bounds.to) {
      return;
    }
    range = IDBKeyRange.bound([...series.prefix, last.seq], range.upper, true);
  }
}

async function readDown(series: Series, bounds: Bounds, found: RangeReading): Promise<void> {
  let cursor = await series.source.openCursor(rangeOf(series, bounds), "prev");
  while (cursor !== null) {
    found.add(cursor.value);
    cursor = found.missing > 0 ? await cursor.continue() : null;
  }
}

/** Returns the transcript's entries with one of these ids. */
export async function get(work: Work, session: string, ids: readonly string[]): Promise<readonly Entry[]> {
  const byId = work.rows("byId");
  // If one throws, the others are still awaited.
  const rows = await Promise.all([...new Set(ids)].map(async (id) => byId.getAll([session, "transcript", id])));
  return rows
    .flat()
    .filter((row) => flawOf(row) === undefined)
    .map(entryOf)
    .sort((left, right) => left.seq - right.seq);
}

// ---- Removing ----

/** Removes the entries before a sequence number, except some, and returns their number. */
export async function trim(
  work: Work,
  session: string,
  beforeSeq: number,
  { log = "transcript", keepSeqs = [], expectedId }: TrimOptions,
): Promise<number> {
  const { info } = await standingOf(work, session);
  checkExpected(info, { expectedId });
  if (info === undefined || !(beforeSeq > 1)) {
    return 0;
  }
  const rows = work.rows();
  const kept = new Set(keepSeqs);
  const removed: Entry[] = [];
  // Deletes neighbors as one range, because deleting row by row is slow.
  let begun: IDBValidKey | undefined;
  let last: IDBValidKey | undefined;
  const end = async (): Promise<void> => {
    if (begun !== undefined && last !== undefined) {
      await work.entries.delete(IDBKeyRange.bound([session, log, begun], [session, log, last]));
      begun = undefined;
    }
  };
  const upper = [session, log, beforeSeq === Number.POSITIVE_INFINITY ? END : beforeSeq];
  let range = IDBKeyRange.bound([session, log], upper, false, true);
  for (;;) {
    const page = await rows.getAll(range, PAGE);
    for (const row of page) {
      if (kept.has(row.seq)) {
        await end();
        continue;
      }
      begun ??= row.seq;
      last = row.seq;
      if (flawOf(row) === undefined) {
        removed.push(row);
      }
    }
    const final = page.at(-1);
    if (final === undefined || page.length < PAGE) {
      break;
    }
    range = IDBKeyRange.bound([session, log, final.seq], upper, true, true);
  }
  await end();
  if (removed.length > 0) {
    const { lastMessageSeq } = info.logs[log];
    const isThere = lastMessageSeq >= beforeSeq || kept.has(lastMessageSeq);
    const newest = isThere ? lastMessageSeq : await newestMessage(work, session, log);
    await work.sessions.put(trimmed(info, log, removed, newest));
  }
  return removed.length;
}

async function newestMessage(work: Work, session: string, log: LogName): Promise<number> {
  const found = new RangeReading(1, () => true);
  const byType = work.rows("byType");
  await readDown({ source: byType, prefix: [session, log, "message"] }, EVERYTHING, found);
  return found.entries[0]?.seq ?? 0;
}

/** A removal, and the findings of its tries. */
export interface Removal {
  readonly session: string;
  readonly expected: RemoveOptions;
  wasThere: boolean;
  /** The id of the session that an earlier try found, if that try finished. */
  tried?: string | undefined;
}

/** Removes the session found first. A session that began after an earlier try is a different one. */
export async function remove(work: Work, call: Removal): Promise<void> {
  const { session, expected, wasThere, tried } = call;
  const header: unknown = await work.sessions.get(session);
  const id = isInfo(header) ? header.id : undefined;
  const isFound = await isThere(work, session);
  if (wasThere && (!isFound || (tried !== undefined && id !== undefined && id !== tried))) {
    return;
  }
  if (expected.expectedId !== undefined || expected.expectedSeq !== undefined) {
    checkExpected((await standingOf(work, session)).info, expected);
  }
  await Promise.all([
    work.sessions.delete(session),
    work.entries.delete(beginningWith(session)),
    work.derived.delete(beginningWith(session)),
  ]);
  call.wasThere = isFound;
  call.tried = id;
}

async function isThere(work: Work, session: string): Promise<boolean> {
  const keys = await Promise.all([work.sessions.getKey(session), work.entries.getKey(beginningWith(session))]);
  return keys.some((key) => key !== undefined);
}

// ---- Derived values ----

/** Returns the derived values that exist for these names. */
export async function readDerived(
  work: Work,
  session: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const values = await Promise.all(names.map(async (name) => [name, await work.derivedAt(session, name)] as const));
  return new Map(values.filter((value): value is [string, Uint8Array] => value[1] !== undefined));
}

/** Writes derived values if the session exists. */
export async function writeDerived(
  work: Work,
  session: string,
  values: ReadonlyMap<string, Uint8Array | undefined>,
): Promise<void> {
  if (await isThere(work, session)) {
    const derived = work.derived;
    await Promise.all(
      [...values].map(async ([name, bytes]) => {
        await (bytes === undefined ? derived.delete([session, name]) : derived.put({ session, name, bytes }));
      }),
    );
  }
}
