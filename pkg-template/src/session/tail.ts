// What builds need of a session's log: its end, its beginning, and single exchanges from between. It is read as builds ask for
// it, and stays in the engine, so that the next turn reads only new messages.

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

/** What a build's transcript consists of. */
export const MESSAGE_TYPES: readonly EntryType[] = ["message", "summary"];

/** Messages read at first, and sequence numbers whose costs and vectors are stored together. */
const BLOCK = 64;
/** What is derived of so many blocks is read and written at once: of vectors that may be megabytes. */
const BLOCKS_AT_ONCE = 32;
const COSTS = "costs";
/** The name of the list of what else there is by block. */
const PREFIXES = "prefixes";
/** How many are read at a time, at least, where a beginning is looked for. */
const PAGE = 16;
/** How many times as long the log's end becomes where a build asks for more. */
const GROWTH = 2;
/** The code that the plan knows an entry by that can't be read as a message. */
const UNREADABLE = ROLES.length;
/** Where so many were appended, what builds no longer need is let go. */
const LARGEST_GROWTH = 4096;
/** Where so many were read for one build or another, they are let go: each recording names what was read. */
const MOST_SINGLES = 256;

/** The calls of a store that a tail makes. */
export type LogStore = Pick<TranscriptStore, "read" | "get" | "sessions" | "holding" | "derived">;

interface LogRow {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  readonly isSummary: boolean;
  readonly latestTimeMs: number;
}

/** What the plan fetches next. A field that it doesn't need is absent, never null. */
type NextFetch = { readonly [Field in keyof Fetch]: NonNullable<Fetch[Field]> };

/** From which sequence number to which everything was read. */
type Stretch = readonly [first: number, last: number];

/** The engine restarted while a log was read: its plan is gone. */
class EngineRestarted extends Error {}

/** A search in a log, and how many messages at most. */
export interface LogQuestion {
  readonly text: string;
  readonly nowMs: number;
  readonly timeZone: string | undefined;
  readonly count: number;
}

/** What was found in a log, as the engine says it (`Found` in `src/recall/rank/search.rs`). */
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
  /** Tells of rows that are no messages. */
  readonly #onSkipped: (skipped: SkippedEntry) => void;
  /** Reads an entry as a message of the session. */
  readonly #read: (entry: Entry) => EntryMessage;
  readonly #readings = new WeakMap<Entry, EntryMessage>();
  /** The plan of what to read, in the engine. */
  #plan: { readonly core: CoreReadPlan; readonly generation: number } | undefined;
  /** The messages that were fetched for the plan, by sequence number. */
  readonly #fetched = new Map<number, LogRow>();
  #rows: readonly LogRow[] = [];
  #firstOfTail = 0;
  #info: SessionInfo | undefined;
  #lastSeq = 0;
  /** The rows that are no messages, each once however often it was met. */
  readonly #skipped = new Set<number | undefined>();
  /** How many were appended since it was read from the end. */
  #growth = 0;
  /** What is in the engine, and what was read for it: it changes at once, when all that it needs was read. */
  #transcript = new Transcript<M>();
  #shown: readonly Stretch[] = [];
  /** Whether the log is the one that the engine's index is of. */
  #isSameLog = false;
  /** By part of the index: up to how many messages it is in the store. */
  #savedParts: number[] = [];
  /** How many messages at the beginning of the log are in the store with their directions among meanings. */
  #savedMeanings = 0;
  readonly #costs = costs();
  /** The vectors of the model that builds ask, where they ask one, and whether those that are in the store were loaded. */
  #vectors: DerivedValues | undefined;
  #isLoaded = true;
  /** The engine that they are in. */
  #generation = 0;
  /** Reads and writes happen one after the other. */
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

  /** Reads the messages since the last time; at first, the end of the log. `model` is the one that gives vectors, if one does. */
  refresh(model?: string): Promise<void> {
    return this.#reading(async () => {
      const generation = engineGeneration();
      if (model !== undefined) {
        await needSelection(); // it reads vectors
      }
      if (model !== undefined && (this.#vectors?.prefix !== prefixOf(model) || this.#generation !== generation)) {
        this.#generation = generation;
        this.#vectors = vectors(model);
        this.#isLoaded = false;
      }
      await this.#refresh();
      if (this.#vectors !== undefined && !this.#isLoaded) {
        await this.#load(this.#vectors, this.#transcript);
        this.#isLoaded = true;
      }
    });
  }

  async #refresh(): Promise<void> {
    if (!this.#isOpen || this.#growth > LARGEST_GROWTH) {
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

  /** Reads more of the log: messages that are named, all, or as much again as there is; or its index. */
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
      const from = index === undefined ? 0 : index.source().core.lastIndexedSeq + 1;
      const id = kind === "id" ? wanted.value : undefined;
      const seqs = Float64Array.from(kind === "seqs" ? wanted.value : []);
      this.#planned((plan) => plan.want(isFrom ? from : undefined, id, seqs));
      await this.#readPlanned();
      await this.#rebuild(index);
    });
  }

  /** Searches the log by its index, which is read first. Without an index the whole log is read. */
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

  /** Finds the messages with lasting statements of a user, by the log's index. */
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

  /** Writes what was derived since the last time: costs that were counted, vectors that were given. */
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
          // What is derived of messages that were trimmed meanwhile would stay for good.
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
        const { core } = transcript.source(); // an engine that was restarted meanwhile has another
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
          // Of a block that the tail has a part of, there may be more in the store.
          const isWhole = block * BLOCK >= firstOfTail || firstOfTail <= 1;
          if (isWhole && known > (derived.saved.get(block) ?? 0)) {
            const bytes = call("session_error", () => derived.bytes(core, first, end));
            if (!isNamed) {
              // No later than its first block: who trims must know of it.
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

  /** Gives back the engine's memory. */
  free(): Promise<void> {
    return this.#inTurn(() => {
      this.#forget();
      this.#transcript.free();
      this.#transcript = new Transcript<M>();
      this.#shown = [];
      return Promise.resolve();
    });
  }

  /** The `id` of the session that was read; undefined where there was none. */
  get sessionId(): string | undefined {
    return this.#info?.id;
  }

  /** Facts about the session at the time of reading, if it exists. */
  get info(): SessionInfo | undefined {
    return this.#info;
  }

  /** The newest message that is known, if any. */
  get newest(): { readonly seq: number; readonly parsed: ParsedMessage } | undefined {
    const lastMessageSeq = headOf(this.#info)?.lastMessageSeq;
    return this.#rows.findLast(({ seq }) => seq === lastMessageSeq);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(run, run);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** As `#inTurn`. A log that was read in part is read anew the next time, or at once if the engine restarted. */
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

  /** Whether the log was read from its end, and the plan of it is there. */
  get #isOpen(): boolean {
    return this.#plan !== undefined && this.#plan.generation === engineGeneration();
  }

  /** Asks the plan. */
  #planned<T>(ask: (plan: CoreReadPlan) => T): T {
    const plan = this.#plan;
    if (plan === undefined || !this.#isOpen) {
      throw new EngineRestarted();
    }
    return call("session_error", () => ask(plan.core));
  }

  /** The messages in the engine stay, until they are replaced. */
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
    this.#isSameLog = false;
    this.#savedParts = [];
    this.#savedMeanings = 0;
    for (const derived of this.#derived) {
      derived.saved.clear();
      derived.loaded.clear();
    }
  }

  /** Whether messages that were read may be gone: entries were trimmed since, or the session was removed. */
  #isOutdated(info: SessionInfo | undefined): boolean {
    return info?.id !== this.#info?.id || headOf(info)?.removals !== headOf(this.#info)?.removals;
  }

  /** Reads the end of the log anew; nothing is removed meanwhile. */
  async #open(): Promise<void> {
    await this.#store.holding(this.#sessionKey, async () => {
      await this.#readEnd();
      await this.#rebuild();
    });
  }

  /** The messages that have an id. One that was kept without any is named by its place. */
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
    // Of a log that is older than the counts of pinned messages, there may be some.
    const hasPinned = (headOf(this.#info)?.pinnedCount ?? 1) > 0;
    this.#planned((plan) => plan.wantFixed(hasPinned));
    await this.#readPlanned();
  }

  #note(info: SessionInfo | undefined): void {
    this.#info = info;
    this.#lastSeq = headOf(info)?.lastSeq ?? 0;
  }

  /** Reads what the plan wants. */
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

  /** Takes over which messages the plan has. */
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

  /** Where everything was read, in order. */
  get #covered(): Stretch[] {
    const ends = this.#planned((plan) => plan.covered());
    return Array.from({ length: ends.length / 2 }, (_, at) => ends.subarray(2 * at, 2 * at + 2) as unknown as Stretch);
  }

  /** Reads from the store what is to be fetched, in the order that it says. */
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

  /** Returns what was read of an entry; each is read once. */
  #messageOf(entry: Entry): EntryMessage {
    const reading = this.#readings.get(entry) ?? this.#read(entry);
    this.#readings.set(entry, reading);
    return reading;
  }

  /** Reads an entry as a message of the log; undefined if it is none. */
  #rowOf(entry: Entry): LogRow | undefined {
    const { seq, type, latestTimeMs = Number.NaN } = entry;
    const { parsed, flaw } = this.#messageOf(entry);
    if (flaw !== undefined) {
      this.#skip({ seq, reason: flaw });
      return undefined;
    }
    return { seq, parsed, isSummary: type === "summary", latestTimeMs };
  }

  /** Adds what was appended behind all that is there, and takes away what it replaces. */
  #add(entries: readonly Entry[]): void {
    this.#growth += entries.length;
    const before = this.#rows;
    const rows = [...before];
    for (const entry of entries) {
      const { replacesSeq } = entry;
      if (replacesSeq !== undefined) {
        // What has come between in its place was replaced in turn: all from there on, but for summaries.
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

  /** What builds find from now on. */
  #show(transcript: Transcript<M>): void {
    const seqs = this.#rows.map(({ seq }) => seq);
    transcript.setLog({ unread: this.#unread(seqs), skippedCount: this.#skipped.size, seqs });
    this.#transcript = transcript;
    this.#shown = this.#covered.map(([first, last]) => [first, Math.min(last, this.#lastSeq)]);
  }

  /** Puts all messages that were read into the engine, with their costs, and with `index` if it was loaded. */
  async #rebuild(index?: Transcript<M>): Promise<void> {
    const before = this.#transcript;
    const transcript = new Transcript<M>();
    transcript.appendParsed(this.#rows.map(({ parsed }) => parsed));
    for (const derived of this.#derived) {
      await this.#load(derived, transcript);
      const [{ core: old }, { core }] = [before.source(), transcript.source()];
      call("session_error", () => derived.learn(core, 0, core.length, derived.bytes(old, 0, old.length)));
    }
    this.#isLoaded = true;
    const known = index ?? (this.#isSameLog ? before : undefined);
    if (known !== undefined) {
      const [{ core: owner }, { core }] = [known.source(), transcript.source()];
      call("session_error", () => core.takeIndex(owner));
    }
    index?.free();
    this.#isSameLog = true;
    this.#show(transcript);
    before.free();
  }

  /** The unread stretches, as the engine is told of them. */
  #unread(seqs: readonly number[]): Unread | undefined {
    const head = headOf(this.#info);
    const total = MESSAGE_TYPES.reduce((sum, type) => sum + (head?.counts[type] ?? 0), 0);
    const isUntimed = (head?.untimedCount ?? 1) > 0;
    const latest = Float64Array.from(this.#rows, ({ latestTimeMs }) => latestTimeMs);
    const skipped = this.#skipped.size;
    const json = this.#planned((plan) => plan.unread(Float64Array.from(seqs), latest, total, skipped, isUntimed));
    return json === undefined ? undefined : (JSON.parse(json) as Unread);
  }

  // ---- Derived values ----

  /** In which state the log is that an index is of: it is the same log, and nothing was removed since. */
  get #state(): string {
    return `${this.#info?.id} ${headOf(this.#info)?.removals ?? 0}`;
  }

  /** Loads the log's index from the store and reads the messages behind it; undefined without a stored index. */
  async #loadIndex(): Promise<Transcript<M> | undefined> {
    await needSelection();
    const index = new Transcript<M>();
    const ends: number[] = [];
    for (let isMore = true; isMore; ) {
      const names = Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => partName(ends.length + place));
      // Where it cannot be read, it is made again.
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

  /** Which parts of the index are to be saved, each with how many messages it ends behind: the last one by and by. */
  #partsToSave(core: CoreTranscript): [part: number, end: number][] {
    const ends = this.#isSameLog ? [...call("session_error", () => core.indexParts())] : [];
    return [...ends.entries()].filter(([part, end]) => {
      const saved = this.#savedParts[part] ?? ends[part - 1] ?? 0;
      if (saved === end && end > this.#savedMeanings && end <= core.meaningCount) {
        return true; // it was saved without its directions
      }
      return part < ends.length - 1 ? saved !== end : end - saved >= BLOCK;
    });
  }

  /** Which rows are of each block, of those from a sequence number on. */
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

  /** Reads stored costs and vectors of blocks that are new here, or whose rows have changed. */
  async #load(derived: DerivedValues, transcript: Transcript<M>): Promise<void> {
    const blocks = this.#blocks(0);
    const isWanted = ([block, [first, end]]: [number, [number, number]]) => derived.loaded.get(block) !== end - first;
    const wanted = [...blocks].filter(isWanted).map(([block]) => block);
    for (let start = 0; start < wanted.length; start += BLOCKS_AT_ONCE) {
      const some = wanted.slice(start, start + BLOCKS_AT_ONCE);
      const names = some.map((block) => nameOf(derived, block));
      // Where they cannot be read, they are counted or asked for again.
      const none = new Map<string, Uint8Array>();
      const values = await this.#store.derived.read(this.#sessionKey, names).catch(() => none);
      const { core } = transcript.source();
      for (const block of some) {
        const bytes = values.get(nameOf(derived, block));
        const [first, end] = blocks.get(block) as [number, number];
        if (bytes !== undefined) {
          call("session_error", () => derived.learn(core, first, end, bytes));
        }
        const count = bytes === undefined ? 0 : call("session_error", () => derived.count(core, first, end));
        derived.saved.set(block, count);
        derived.loaded.set(block, end - first);
      }
    }
  }
}

/** What the engine remembers of messages and the store keeps by block: it may be lost. */
interface DerivedValues {
  /** What its names in the store begin with. */
  readonly prefix: string;
  /** By block: how much is in the store, as far as is known. */
  readonly saved: Map<number, number>;
  /** By block: of how many rows it was read. */
  readonly loaded: Map<number, number>;
  /** How much is known of rows. */
  count(core: CoreTranscript, first: number, end: number): number;
  bytes(core: CoreTranscript, first: number, end: number): Uint8Array;
  /** Takes the values of rows from bytes, as far as they are true. */
  learn(core: CoreTranscript, first: number, end: number, bytes: Uint8Array): void;
}

function costs(): DerivedValues {
  return {
    prefix: COSTS,
    saved: new Map(),
    loaded: new Map(),
    count: (core, first, end) => core.knownCosts(first, end),
    bytes: (core, first, end) => core.costs(first, end),
    learn: (core, first, end, bytes) => core.learnCosts(first, end, bytes),
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

/** Removes what was derived of messages: the costs and vectors of all that are in a block with one of these. */
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

/** What the names of stored vectors begin with: for each model that gave some. */
async function prefixesIn(
  { derived }: Pick<TranscriptStore, "derived">,
  sessionKey: string,
): Promise<readonly string[]> {
  const bytes = (await derived.read(sessionKey, [PREFIXES])).get(PREFIXES);
  try {
    const prefixes: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(prefixes) ? prefixes.map(String) : [];
  } catch {
    return []; // there are none, or something else has written them
  }
}

/** Removes the index of a log from its store: nothing stays of trimmed messages. */
export async function forgetIndex({ derived }: TranscriptStore, sessionKey: string): Promise<void> {
  // Where the first of some is not there, none of them is.
  for (let first = 0; (await derived.read(sessionKey, [partName(first)])).size > 0; first += BLOCKS_AT_ONCE) {
    const names = Array.from({ length: BLOCKS_AT_ONCE }, (_, place) => partName(first + place));
    await derived.write(sessionKey, new Map(names.map((name) => [name, undefined])));
  }
}

function nameOf({ prefix }: Pick<DerivedValues, "prefix">, block: number): string {
  return `${prefix}/${block}`;
}
