// The part of a session's log that builds need: its end, its beginning, and single exchanges in between. It is read on
// demand and stays in the engine, so the next turn reads only new messages.

import { CoreReadPlan, type CoreTranscript } from "#core";
import { type Fetch, ROLES, type Unread } from "../base/generated.js";
import { zoneOffsets } from "../config/zones.js";
import type { OlderNeed, Reader } from "../context/build.js";
import { lastingIn } from "../context/statements.js";
import { type Source, Transcript } from "../context/transcript.js";
import { call, engineGeneration } from "../engine/engine.js";
import { needSelection } from "../engine/selection.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { ParsedMessage } from "../message/read.js";
import type {
  Entry,
  EntryType,
  LogHead,
  ReadResult,
  SessionInfo,
  SkippedEntry,
  TranscriptStore,
} from "../stores/contract.js";
import type { EntryMessage } from "./log.js";

/** The types of entries that form a build's transcript. */
export const MESSAGE_TYPES: readonly EntryType[] = ["message", "summary"];

/** The number of messages in a first read, and of sequence numbers whose costs and vectors are stored together. */
const BLOCK = 64;
/** The number of blocks of derived data per read or write. Vectors may be megabytes. */
const BLOCKS_AT_ONCE = 32;
const COSTS = "costs";
/** The name of the list of further kinds of data per block. */
const PREFIXES = "prefixes";
/** Minimum number of entries per read while searching for a beginning. */
const PAGE = 16;
/** The growth factor of the read end of the log when a build asks for more. */
const GROWTH = 2;
/** The plan's code for an entry that can't be read as a message. */
const UNREADABLE = ROLES.length;
/**
 * After this many appended messages, or read ones that one build needed, the tail drops the messages that builds no
 * longer need.
 */
const LARGEST_GROWTH = 4096;
/**
 * The number of individually read messages after which they are dropped, because each recording lists them.
 */
const MOST_SINGLES = 256;

/** The methods of a store that a tail uses. */
export type LogStore = Pick<TranscriptStore, "read" | "get" | "sessions" | "holding" | "derived">;

interface LogRow {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  readonly isSummary: boolean;
  readonly latestTimeMs: number;
}

/** The next fetch of the plan. An unneeded field is missing, never null. */
type NextFetch = { readonly [Field in keyof Fetch]: NonNullable<Fetch[Field]> };

/** A stretch of the log that was read completely, as sequence numbers. */
type Stretch = readonly [first: number, last: number];

/** The engine restarted during a read, so its plan is gone. */
class EngineRestarted extends Error {}

/** A query for a log, and the most messages to return. */
export interface LogQuestion {
  readonly text: string;
  readonly nowMs: number;
  readonly timeZone: string | undefined;
  readonly count: number;
}

/** The result of a search in a log, in the engine's form (`Found` in `src/recall/rank/search.rs`). */
export interface FoundInLog {
  readonly messageCount: number;
  readonly words: readonly { readonly text: string; readonly count: number }[];
  readonly hits: readonly {
    readonly seq: number;
    readonly share: number;
    readonly weights: readonly number[];
    readonly similar: number;
    readonly reason: string;
  }[];
  readonly timeRange: readonly [first: number, last: number] | null;
}

export class Tail<M extends AnyMessage> implements Reader<M> {
  readonly #store: LogStore;
  readonly #sessionKey: string;
  /** Reports rows that aren't messages. */
  readonly #onSkipped: (skipped: SkippedEntry) => void;
  /** Reads an entry as a message of the session. */
  readonly #read: (entry: Entry) => EntryMessage;
  readonly #readings = new WeakMap<Entry, EntryMessage>();
  /** The plan in the engine that decides what to read. */
  #plan: { readonly core: CoreReadPlan; readonly generation: number } | undefined;
  /** The messages fetched for the plan, by sequence number. */
  readonly #fetched = new Map<number, LogRow>();
  #rows: readonly LogRow[] = [];
  #firstOfTail = 0;
  #info: SessionInfo | undefined;
  #lastSeq = 0;
  /** The rows that aren't messages, each once. */
  readonly #skipped = new Set<number | undefined>();
  /** The number of messages appended since the tail was read from the end of the log. */
  #growth = 0;
  /**
   * Number of times that the whole log was read for a build. The first time, its derived values are stored. From the
   * second time on, builds are assumed to need all of it.
   */
  #wholeReadCount = 0;
  /**
   * The messages in the engine, and the rows that were read for them. Both change together, once everything has been
   * read.
   */
  #transcript = new Transcript<M>();
  #shown: readonly Stretch[] = [];
  /** True if the engine's index belongs to this log. */
  #isSameLog = false;
  /** The number of messages that each stored part of the index reaches. */
  #savedParts: number[] = [];
  /** The number of messages at the beginning of the log whose meanings are in the store. */
  #savedMeanings = 0;
  readonly #costs = costs();
  /** The vectors of the model that builds use, if any, and whether those in the store were loaded. */
  #vectors: DerivedValues | undefined;
  #isLoaded = true;
  /** The engine that holds them. */
  #generation = 0;
  /** Reads and writes run one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    store: LogStore,
    sessionKey: string,
    read: (entry: Entry) => EntryMessage,
    onSkipped: (skipped: SkippedEntry) => void,
  ) {
    this.#store = store;
    this.#sessionKey = sessionKey;
    this.#read = read;
    this.#onSkipped = onSkipped;
  }

  source(): Source<M> {
    return { ...this.#transcript.source(), read: this.#shown };
  }

  /**
   * Reads the messages since the last time; at first, the end of the log. `model` is the model of vectors, if there is
   * one. With `needsAll`, the build looks at every message, so the tail keeps them.
   */
  refresh(model?: string, needsAll = (): boolean => true): Promise<void> {
    return this.#reading(async () => {
      const generation = engineGeneration();
      if (model !== undefined) {
        await needSelection(); // the ranking module reads vectors
      }
      if (model !== undefined && (this.#vectors?.prefix !== prefixOf(model) || this.#generation !== generation)) {
        this.#generation = generation;
        this.#vectors = vectors(model);
        this.#isLoaded = false;
      }
      await this.#refresh(needsAll);
      if (this.#vectors !== undefined && !this.#isLoaded) {
        await this.#load(this.#vectors, this.#transcript);
        this.#isLoaded = true;
      }
    });
  }

  async #refresh(needsAll = (): boolean => true): Promise<void> {
    const isForOneBuild = this.#wholeReadCount === 1 && this.#rows.length > LARGEST_GROWTH && !needsAll();
    if (!this.#isOpen || this.#growth > LARGEST_GROWTH || isForOneBuild) {
      await this.#open();
      return;
    }
    const { entries, info } = await this.#readRange({ after: this.#lastSeq, types: MESSAGE_TYPES });
    if (this.#isOutdated(info)) {
      await this.#open();
      return;
    }
    this.#note(info);
    this.#add(entries);
    if (this.#planned((plan) => plan.forgetSingles(MOST_SINGLES))) {
      this.#takeRows();
      await this.#rebuild();
    }
  }

  /** Reads more of the log: named messages, all messages, as many again, or its index. */
  older({ wanted }: OlderNeed): Promise<void> {
    return this.#reading(() => this.#readOlder(wanted));
  }

  async #readOlder(wanted: OlderNeed["wanted"]): Promise<void> {
    await this.#store.holding(this.#sessionKey, async () => {
      const [info] = await this.#store.sessions({ keys: [this.#sessionKey] });
      if (!this.#isOpen || this.#isOutdated(info)) {
        await this.#readEnd();
      }
      const index = wanted.kind === "index" ? await this.#loadIndex() : undefined;
      const { kind } = wanted;
      const isFrom = kind === "all" || kind === "index";
      this.#wholeReadCount += isFrom && index === undefined ? 1 : 0;
      const from = index === undefined ? 0 : index.source().core.lastIndexedSeq + 1;
      const id = kind === "id" ? wanted.value : undefined;
      const seqs = Float64Array.from(kind === "seqs" ? wanted.value : []);
      this.#planned((plan) => plan.want(isFrom ? from : undefined, id, seqs));
      await this.#readPlanned();
      await this.#rebuild(index);
    });
  }

  /** Searches the log with its index, which is read first. Without an index, the whole log is read. */
  search(question: LogQuestion): Promise<FoundInLog> {
    return this.#reading(async () => {
      await needSelection();
      await this.#refresh();
      let found = this.#found(question);
      if (found === undefined && !(this.#firstOfTail <= 1 && this.#rows.length === 0)) {
        await this.#readOlder({ kind: "index" });
        found = this.#found(question);
      }
      return found ?? { messageCount: 0, words: [], hits: [], timeRange: null };
    });
  }

  /** Finds a user's messages with lasting statements, with the log's index. */
  lasting(name: string | undefined): Promise<ReturnType<typeof lastingIn>> {
    return this.#reading(async () => {
      await needSelection();
      await this.#refresh();
      const find = (): ReturnType<typeof lastingIn> => lastingIn(this.#transcript.source().core, name, "session_error");
      const found = find();
      if (found === undefined) {
        await this.#readOlder({ kind: "index" });
      }
      return found ?? find();
    });
  }

  #found({ text, nowMs, timeZone, count }: LogQuestion): FoundInLog | undefined {
    const { core } = this.#transcript.source();
    const found = (offsets: readonly number[]): FoundInLog | undefined => {
      const json = call("session_error", () => core.search(text, nowMs, new Float64Array(offsets), count));
      return json === undefined ? undefined : (JSON.parse(json) as FoundInLog);
    };
    const inUtc = found([]);
    if (inUtc?.timeRange == null || timeZone === undefined) {
      return inUtc;
    }
    const [first, last] = inUtc.timeRange;
    return found(zoneOffsets(timeZone, Math.min(first, nowMs), Math.max(last, nowMs), "session_error"));
  }

  /** Stores data derived since the last time: token counts and vectors. */
  save(): Promise<void> {
    return this.#inTurn(async () => {
      const transcript = this.#transcript;
      const firstOfTail = this.#firstOfTail;
      const blocks = this.#blocks(firstOfTail);
      let values = new Map<string, Uint8Array>();
      let notes: (() => void)[] = [];
      const write = async (): Promise<void> => {
        const [written, noted] = [values, notes];
        [values, notes] = [new Map(), []];
        await this.#store.holding(this.#sessionKey, async () => {
          const [info] = await this.#store.sessions({ keys: [this.#sessionKey] });
          // Data about messages trimmed meanwhile would stay forever.
          if (!this.#isOutdated(info)) {
            await this.#store.derived.write(this.#sessionKey, written);
            for (const note of noted) {
              note();
            }
          }
        });
      };
      const put = async (name: string, bytes: Uint8Array, note: () => void): Promise<void> => {
        values.set(name, bytes);
        notes.push(note);
        if (values.size >= BLOCKS_AT_ONCE) {
          await write();
        }
      };
      for (const [part, end] of this.#partsToSave(transcript.source().core)) {
        const { core } = transcript.source(); // another transcript if the engine was restarted meanwhile
        const bytes = call("session_error", () => core.indexPart(part, this.#state));
        const hasMeaning = core.meaningCount >= end;
        await put(partName(part), bytes, () => {
          this.#savedParts[part] = end;
          this.#savedMeanings = hasMeaning ? Math.max(this.#savedMeanings, end) : this.#savedMeanings;
        });
      }
      for (const derived of this.#derived) {
        let isNamed = derived === this.#costs;
        for (const [block, [first, end]] of blocks) {
          const { core } = transcript.source();
          const known = call("session_error", () => derived.count(core, first, end));
          // The store may have more of a block that the tail only has in part.
          const isWhole = block * BLOCK >= firstOfTail || firstOfTail <= 1;
          if (isWhole && known > (derived.saved.get(block) ?? 0)) {
            const bytes = call("session_error", () => derived.bytes(core, first, end, this.#placeOf(first)));
            if (!isNamed) {
              // Stored no later than the first block of its kind, because trims must know the name.
              const prefixes = new Set([...(await prefixesIn(this.#store, this.#sessionKey)), derived.prefix]);
              await put(PREFIXES, new TextEncoder().encode(JSON.stringify([...prefixes])), () => {});
              isNamed = true;
            }
            await put(nameOf(derived, block), bytes, () => derived.saved.set(block, known));
          }
        }
      }
      if (values.size > 0) {
        await write();
      }
    });
  }

  get #derived(): readonly DerivedValues[] {
    return this.#vectors === undefined ? [this.#costs] : [this.#costs, this.#vectors];
  }

  /** Releases the engine's memory. */
  free(): Promise<void> {
    return this.#inTurn(() => {
      this.#forget();
      this.#transcript.free();
      this.#transcript = new Transcript<M>();
      this.#shown = [];
      return Promise.resolve();
    });
  }

  /** The `id` of the session that was read. Undefined if it didn't exist. */
  get sessionId(): string | undefined {
    return this.#info?.id;
  }

  /** Facts about the session at the time of reading, if it exists. */
  get info(): SessionInfo | undefined {
    return this.#info;
  }

  /** The newest known message, if any. */
  get newest(): { readonly seq: number; readonly parsed: ParsedMessage } | undefined {
    const lastMessageSeq = headOf(this.#info)?.lastMessageSeq;
    return this.#rows.findLast(({ seq }) => seq === lastMessageSeq);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(run, run);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Runs as `#inTurn` does. If a log was only partly read, it is read from the start the next time, or at once if the
   * engine restarted.
   */
  #reading<T>(run: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await run();
      } catch (failure) {
        this.#forget();
        if (failure instanceof EngineRestarted) {
          return await run();
        }
        throw failure;
      }
    });
  }

  /** True if the log was read from its end and its plan exists. */
  get #isOpen(): boolean {
    return this.#plan !== undefined && this.#plan.generation === engineGeneration();
  }

  /** Calls the plan. */
  #planned<T>(ask: (plan: CoreReadPlan) => T): T {
    const plan = this.#plan;
    if (plan === undefined || !this.#isOpen) {
      throw new EngineRestarted();
    }
    return call("session_error", () => ask(plan.core));
  }

  /** The messages in the engine stay until they are replaced. */
  #forget(): void {
    if (this.#isOpen) {
      this.#plan?.core.free();
    }
    this.#plan = undefined;
    this.#fetched.clear();
    this.#rows = [];
    this.#firstOfTail = 0;
    this.#info = undefined;
    this.#lastSeq = 0;
    this.#skipped.clear();
    this.#growth = 0;
    this.#wholeReadCount = 0;
    this.#isSameLog = false;
    this.#savedParts = [];
    this.#savedMeanings = 0;
    for (const derived of this.#derived) {
      derived.saved.clear();
      derived.loaded.clear();
    }
  }

  /** True if messages that were read may be gone: entries were trimmed since, or the session was removed. */
  #isOutdated(info: SessionInfo | undefined): boolean {
    return info?.id !== this.#info?.id || headOf(info)?.removals !== headOf(this.#info)?.removals;
  }

  /** Reads the end of the log again; nothing is removed meanwhile. Values of the same log stay. */
  async #open(): Promise<void> {
    await this.#store.holding(this.#sessionKey, async () => {
      const [state, isSameLog] = [this.#state, this.#isSameLog];
      const [parts, meanings, wholeReadCount] = [this.#savedParts, this.#savedMeanings, this.#wholeReadCount];
      await this.#readEnd();
      if (isSameLog && state === this.#state) {
        [this.#isSameLog, this.#savedParts, this.#savedMeanings] = [true, parts, meanings];
        this.#wholeReadCount = wholeReadCount;
      }
      await this.#rebuild();
    });
  }

  /** Returns the messages with an id. A message stored without one is named by its place. */
  async #find(id: string): Promise<readonly Entry[]> {
    const found = await this.#store.get(this.#sessionKey, [id]);
    const seq = Number(/^#(\d+)$/.exec(id)?.[1]);
    const placed =
      seq > 0 ? (await this.#readRange({ after: seq - 1, before: seq + 1, types: MESSAGE_TYPES })).entries : [];
    const all = [...found.filter(({ type }) => MESSAGE_TYPES.includes(type)), ...placed];
    return all.toSorted((left, right) => left.seq - right.seq);
  }

  async #readEnd(): Promise<void> {
    this.#forget();
    const generation = engineGeneration();
    const core = call("session_error", () => new CoreReadPlan(BLOCK, PAGE, GROWTH, BLOCK));
    this.#plan = { core, generation };
    await this.#readPlanned();
    // A log that is older than the count of pinned messages may have pinned ones.
    const hasPinned = (headOf(this.#info)?.pinnedCount ?? 1) > 0;
    this.#planned((plan) => plan.wantFixed(hasPinned));
    await this.#readPlanned();
  }

  #note(info: SessionInfo | undefined): void {
    this.#info = info;
    this.#lastSeq = headOf(info)?.lastSeq ?? 0;
  }

  /** Reads everything that the plan requests. */
  async #readPlanned(): Promise<void> {
    for (;;) {
      const json = this.#planned((plan) => plan.nextFetch());
      if (json === undefined) {
        break;
      }
      const entries = await this.#entriesOf(JSON.parse(json) as NextFetch);
      const rows = entries.map((entry) => this.#rowOf(entry));
      for (const row of rows) {
        if (row !== undefined) {
          this.#fetched.set(row.seq, row);
        }
      }
      const roles = rows.map((row) => (row === undefined ? UNREADABLE : ROLES.indexOf(row.parsed.message.role)));
      const seqs = Float64Array.from(entries, ({ seq }) => seq);
      this.#planned((plan) => plan.take(seqs, Uint8Array.from(roles)));
    }
    this.#takeRows();
  }

  /** Takes the plan's list of messages. */
  #takeRows(): void {
    for (const row of this.#rows) {
      this.#fetched.set(row.seq, row);
    }
    const rows = [...this.#fetched.values()].toSorted((left, right) => left.seq - right.seq);
    this.#fetched.clear();
    const covered = this.#covered;
    let at = 0;
    this.#rows = rows.filter(({ seq }) => {
      while (at < covered.length && (covered[at] as Stretch)[1] < seq) {
        at += 1;
      }
      return at < covered.length && (covered[at] as Stretch)[0] <= seq;
    });
    this.#firstOfTail = covered.at(-1)?.[0] ?? 0;
  }

  /** The stretches that were read completely, in order. */
  get #covered(): Stretch[] {
    const ends = this.#planned((plan) => plan.covered());
    return Array.from({ length: ends.length / 2 }, (_, at) => ends.subarray(2 * at, 2 * at + 2) as unknown as Stretch);
  }

  /** Reads a fetch from the store, in its order. */
  async #entriesOf({ id, newestFirst, pinned, ...range }: NextFetch): Promise<readonly Entry[]> {
    if (id !== undefined) {
      return await this.#find(id);
    }
    const { entries, info } = await this.#readRange({
      ...range,
      types: MESSAGE_TYPES,
      ...(newestFirst ? { order: "descending" } : {}),
      ...(pinned ? { pinned } : {}),
    });
    if (this.#info === undefined) {
      this.#note(info);
    }
    return entries;
  }

  async #readRange(range: Parameters<TranscriptStore["read"]>[1]): Promise<ReadResult> {
    const result = await this.#store.read(this.#sessionKey, range);
    for (const skipped of result.skipped) {
      this.#skip(skipped);
    }
    return result;
  }

  #skip(skipped: SkippedEntry): void {
    this.#skipped.add(skipped.seq);
    this.#onSkipped(skipped);
  }

  /** Returns the parsed form of an entry. Each is parsed once. */
  #messageOf(entry: Entry): EntryMessage {
    const reading = this.#readings.get(entry) ?? this.#read(entry);
    this.#readings.set(entry, reading);
    return reading;
  }

  /** Returns an entry as a message of the log. Undefined if it isn't one. */
  #rowOf(entry: Entry): LogRow | undefined {
    const { seq, type, latestTimeMs = Number.NaN } = entry;
    const { parsed, flaw } = this.#messageOf(entry);
    if (flaw !== undefined) {
      this.#skip({ seq, reason: flaw });
      return undefined;
    }
    return { seq, parsed, isSummary: type === "summary", latestTimeMs };
  }

  /** Adds appended messages after the others, and removes those that they replace. */
  #add(entries: readonly Entry[]): void {
    this.#growth += entries.length;
    const before = this.#rows;
    const rows = [...before];
    for (const entry of entries) {
      const { replacesSeq } = entry;
      if (replacesSeq !== undefined) {
        // Everything from the replaced message on was itself replaced, except summaries.
        const first = rows.findLastIndex(({ seq }) => seq < replacesSeq) + 1;
        rows.push(...rows.splice(first).filter(({ isSummary }) => isSummary));
      }
      const row = this.#rowOf(entry);
      if (row !== undefined) {
        rows.push(row);
      }
    }
    this.#rows = rows;
    const same = before.findIndex((row, index) => row !== rows[index]);
    const length = same < 0 ? before.length : same;
    if (length < before.length || entries.length > 0) {
      this.#transcript.truncate(length);
      this.#transcript.appendParsed(rows.slice(length).map(({ parsed }) => parsed));
      this.#show(this.#transcript);
    }
  }

  /** Makes a transcript the one that builds read from now on. */
  #show(transcript: Transcript<M>): void {
    const seqs = this.#rows.map(({ seq }) => seq);
    transcript.setLog({ unread: this.#unread(seqs), skippedCount: this.#skipped.size, seqs });
    this.#transcript = transcript;
    this.#shown = this.#covered.map(([first, last]) => [first, Math.min(last, this.#lastSeq)]);
  }

  /** Puts all messages that were read into the engine, with their costs, and with `index` if it was loaded. */
  async #rebuild(index?: Transcript<M>): Promise<void> {
    const before = this.#transcript;
    const isSameLog = this.#isSameLog;
    const transcript = new Transcript<M>();
    transcript.appendParsed(this.#rows.map(({ parsed }) => parsed));
    for (const derived of this.#derived) {
      await this.#load(derived, transcript);
      const [{ core: old }, { core }] = [before.source(), transcript.source()];
      call("session_error", () => derived.learn(core, 0, core.length, derived.bytes(old, 0, old.length)));
    }
    this.#isLoaded = true;
    const known = index ?? (isSameLog ? before : undefined);
    if (known !== undefined) {
      const [{ core: owner }, { core }] = [known.source(), transcript.source()];
      call("session_error", () => core.takeIndex(owner));
    }
    index?.free();
    this.#isSameLog = true;
    this.#show(transcript);
    if (isSameLog) {
      const [{ core: old }, { core }] = [before.source(), transcript.source()];
      call("session_error", () => core.takeTotals(old));
    }
    before.free();
  }

  /** Returns the unread stretches in the engine's form. */
  #unread(seqs: readonly number[]): Unread | undefined {
    const head = headOf(this.#info);
    const isUntimed = (head?.untimedCount ?? 1) > 0;
    const latest = Float64Array.from(this.#rows, ({ latestTimeMs }) => latestTimeMs);
    const skipped = this.#skipped.size;
    const json = this.#planned((plan) => plan.unread(Float64Array.from(seqs), latest, this.#total, skipped, isUntimed));
    return json === undefined ? undefined : (JSON.parse(json) as Unread);
  }

  // ---- Derived values ----

  /** The state of the log that an index belongs to: the same log, with nothing removed since. */
  get #state(): string {
    return `${this.#info?.id} ${headOf(this.#info)?.removals ?? 0}`;
  }

  /** Loads the log's index from the store and reads the messages after it. Undefined without a stored index. */
  async #loadIndex(): Promise<Transcript<M> | undefined> {
    await needSelection();
    const index = new Transcript<M>();
    const ends: number[] = [];
    for (let isMore = true; isMore; ) {
      const names = Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => partName(ends.length + place));
      // If it can't be read, it is computed again.
      const none = new Map<string, Uint8Array>();
      const values = await this.#store.derived.read(this.#sessionKey, names).catch(() => none);
      for (const name of names) {
        const bytes = values.get(name);
        const { core } = index.source();
        const end = bytes === undefined ? 0 : call("session_error", () => core.learnIndexPart(bytes, this.#state));
        isMore = end > 0;
        if (!isMore) {
          break;
        }
        ends.push(end);
      }
    }
    const { core } = index.source();
    const last = core.lastIndexedSeq;
    if (last === 0 || last > this.#lastSeq) {
      index.free();
      return undefined;
    }
    this.#savedParts = ends;
    this.#savedMeanings = core.meaningCount;
    return index;
  }

  /**
   * Returns the parts of the index to save, each with the number of messages at its end. The last part is saved only
   * now and then.
   */
  #partsToSave(core: CoreTranscript): [part: number, end: number][] {
    const ends = this.#isSameLog ? [...call("session_error", () => core.indexParts())] : [];
    return [...ends.entries()].filter(([part, end]) => {
      const saved = this.#savedParts[part] ?? ends[part - 1] ?? 0;
      if (saved === end && end > this.#savedMeanings && end <= core.meaningCount) {
        return true; // it was saved without meanings
      }
      return part < ends.length - 1 ? saved !== end : end - saved >= BLOCK;
    });
  }

  /** Names the place of a message in the tail. While the name stays the same, so do the messages before it. */
  #placeOf(row: number): string {
    const { seq } = this.#rows[row] as LogRow;
    const skipped = [...this.#skipped].filter((other = 0) => other >= seq);
    return `${this.#state} ${seq} ${this.#total - (this.#rows.length - row) - skipped.length}`;
  }

  /** The number of messages in the log, including unreadable ones. */
  get #total(): number {
    const head = headOf(this.#info);
    return MESSAGE_TYPES.reduce((sum, type) => sum + (head?.counts[type] ?? 0), 0);
  }

  /** Returns the range of rows in each block, starting at a sequence number. */
  #blocks(from: number): Map<number, [first: number, end: number]> {
    const blocks = new Map<number, [number, number]>();
    for (const [row, { seq }] of this.#rows.entries()) {
      if (seq >= from) {
        const block = Math.floor(seq / BLOCK);
        const known = blocks.get(block);
        blocks.set(block, [known?.[0] ?? row, row + 1]);
      }
    }
    return blocks;
  }

  /** Reads stored costs and vectors of blocks that are new here or whose rows have changed. */
  async #load(derived: DerivedValues, transcript: Transcript<M>): Promise<void> {
    const blocks = this.#blocks(0);
    const isWanted = ([block, [first, end]]: [number, [number, number]]) => derived.loaded.get(block) !== end - first;
    const wanted = [...blocks].filter(isWanted).map(([block]) => block);
    for (let start = 0; start < wanted.length; start += BLOCKS_AT_ONCE) {
      const some = wanted.slice(start, start + BLOCKS_AT_ONCE);
      const names = some.map((block) => nameOf(derived, block));
      // If they can't be read, they are counted or requested again.
      const none = new Map<string, Uint8Array>();
      const values = await this.#store.derived.read(this.#sessionKey, names).catch(() => none);
      const { core } = transcript.source();
      for (const block of some) {
        const bytes = values.get(nameOf(derived, block));
        const [first, end] = blocks.get(block) as [number, number];
        if (bytes !== undefined) {
          call("session_error", () => derived.learn(core, first, end, bytes, this.#placeOf(first)));
        }
        const count = bytes === undefined ? 0 : call("session_error", () => derived.count(core, first, end));
        derived.saved.set(block, count);
        derived.loaded.set(block, end - first);
      }
    }
  }
}

/** Data about messages that the engine remembers and the store keeps by block. It may be lost. */
interface DerivedValues {
  /** The prefix of its names in the store. */
  readonly prefix: string;
  /** The amount in the store, by block, if known. */
  readonly saved: Map<number, number>;
  /** The number of rows that each block was read with. */
  readonly loaded: Map<number, number>;
  /** Returns how much is known about rows. */
  count(core: CoreTranscript, first: number, end: number): number;
  /** `place` names the place of the first row in the log. */
  bytes(core: CoreTranscript, first: number, end: number, place?: string): Uint8Array;
  /** Reads the values of rows from bytes, and skips those that no longer match. */
  learn(core: CoreTranscript, first: number, end: number, bytes: Uint8Array, place?: string): void;
}

function costs(): DerivedValues {
  return {
    prefix: COSTS,
    saved: new Map(),
    loaded: new Map(),
    count: (core, first, end) => core.knownCosts(first, end),
    bytes: (core, first, end, place) => core.costs(first, end, place),
    learn: (core, first, end, bytes, place) => core.learnCosts(first, end, bytes, place),
  };
}

function vectors(model: string): DerivedValues {
  return {
    prefix: prefixOf(model),
    saved: new Map(),
    loaded: new Map(),
    count: (core, first, end) => core.knownVectors(first, end, model),
    bytes: (core, first, end) => core.vectors(first, end, model),
    learn: (core, first, end, bytes) => core.learnVectors(first, end, model, bytes),
  };
}

function prefixOf(model: string): string {
  return `vectors/${model}`;
}

function headOf(info: SessionInfo | undefined): LogHead | undefined {
  return info?.logs.transcript;
}

function partName(part: number): string {
  return `index/${part}`;
}

/** Removes data derived from messages: the costs and vectors of every block that contains one of them. */
export async function forgetBlocks(store: TranscriptStore, sessionKey: string, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) {
    return;
  }
  const blocks = new Set(seqs.map((seq) => Math.floor(seq / BLOCK)));
  const names = [COSTS, ...(await prefixesIn(store, sessionKey))].flatMap((prefix) =>
    [...blocks].map((block) => nameOf({ prefix }, block)),
  );
  await store.derived.write(sessionKey, new Map(names.map((name) => [name, undefined])));
}

/** Returns the name prefixes of stored vectors, one for each model. */
async function prefixesIn(
  { derived }: Pick<TranscriptStore, "derived">,
  sessionKey: string,
): Promise<readonly string[]> {
  const bytes = (await derived.read(sessionKey, [PREFIXES])).get(PREFIXES);
  try {
    const prefixes: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(prefixes) ? prefixes.map(String) : [];
  } catch {
    return []; // there are none, or other software has written them
  }
}

/** Removes the index of a log from its store, so nothing remains of trimmed messages. */
export async function forgetIndex({ derived }: TranscriptStore, sessionKey: string): Promise<void> {
  // If the first of several parts is missing, none of them exists.
  for (let first = 0; (await derived.read(sessionKey, [partName(first)])).size > 0; first += BLOCKS_AT_ONCE) {
    const names = Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => partName(first + place));
    await derived.write(sessionKey, new Map(names.map((name) => [name, undefined])));
  }
}

function nameOf({ prefix }: Pick<DerivedValues, "prefix">, block: number): string {
  return `${prefix}/${block}`;
}
