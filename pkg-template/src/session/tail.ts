// What builds need of a session's log: its end, its beginning, and single exchanges from between. It is read as builds ask for
// it, and stays in the engine, so that the next turn reads only new messages.

import type { CoreTranscript } from "#core";
import type { Unread, UnreadStretch } from "../base/generated.js";
import { zoneOffsets } from "../config/zones.js";
import type { OlderNeed, Reader } from "../context/build.js";
import { type Source, Transcript } from "../context/transcript.js";
import { call, engineGeneration } from "../engine/engine.js";
import { needSelection } from "../engine/selection.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { ParsedMessage } from "../message/read.js";
import { beginsExchange, isInstructionRole } from "../message/roles.js";
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
/** How many are read at a time where a beginning is looked for. */
const STEP = 16;
const LONGEST_STEP = 1024;
/** Where so many were appended, what builds no longer need is let go. */
const LARGEST_GROWTH = 4096;
/** Where so many were read for one build or another, they are let go: each recording names what was read. */
const MOST_SINGLES = 256;

interface LogRow {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  readonly isSummary: boolean;
  readonly latestTimeMs: number | undefined;
}

/** From which sequence number to which everything was read. */
type Stretch = readonly [first: number, last: number];

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
  readonly #store: TranscriptStore;
  readonly #sessionKey: string;
  /** Tells of rows that are no messages. */
  readonly #onSkipped: (skipped: SkippedEntry) => void;
  /** Reads an entry as a message of the session. */
  readonly #read: (entry: Entry) => EntryMessage;
  readonly #readings = new WeakMap<Entry, EntryMessage>();
  /** The messages that were read, by sequence number. */
  #rows: LogRow[] = [];
  #stretches: Stretch[] = [];
  /** The messages that were read for themselves, and are in no stretch. */
  readonly #singles = new Set<number>();
  #info: SessionInfo | undefined;
  #lastSeq = 0;
  /** The rows that are no messages, each once however often it was met. */
  readonly #skipped = new Set<number | undefined>();
  /** How many were appended since it was read from the end. */
  #growth = 0;
  #isOpen = false;
  #isHeadRead = false;
  #isPinnedRead = false;
  #lookedUp: string[] = [];
  /** What is in the engine, and what was read for it: it changes at once, when all that it needs was read. */
  #transcript = new Transcript<M>();
  #shown: readonly Stretch[] = [];
  /** Whether the log is the one that the engine's index is of. */
  #isSameLog = false;
  /** By part of the index: up to how many messages it is in the store. */
  #savedParts: number[] = [];
  readonly #costs = costs();
  /** The vectors of the model that builds ask, where they ask one, and whether those that are in the store were loaded. */
  #vectors: DerivedValues | undefined;
  #isLoaded = true;
  /** The engine that they are in. */
  #generation = 0;
  /** Reads and writes happen one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    store: TranscriptStore,
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
    this.#info = info;
    this.#lastSeq = headOf(info)?.lastSeq ?? 0;
    this.#add(entries);
    if (this.#singles.size > MOST_SINGLES) {
      this.#rows = this.#rows.filter(({ seq }) => !this.#singles.has(seq));
      this.#singles.clear();
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
      const isThere = wanted.kind === "seqs" ? await this.#readSingles(wanted.value) : index !== undefined;
      if (wanted.kind === "id") {
        this.#lookedUp.push(wanted.value);
        await this.#readExchanges(await this.#find(wanted.value));
      } else if (!isThere) {
        const count = wanted.kind === "more" ? Math.max(this.#rows.length, BLOCK) : Number.POSITIVE_INFINITY;
        await this.#readBefore(this.#firstOfTail, count);
      }
      await this.#rebuild(index);
      this.#isOpen = true;
    });
  }

  /** Searches the log by its index, which is read first. Without an index the whole log is read. */
  search(question: LogQuestion): Promise<FoundInLog> {
    return this.#reading(async () => {
      await needSelection();
      await this.#refresh();
      let found = this.#found(question);
      if (found === undefined && !(this.#isWhole && this.#rows.length === 0)) {
        await this.#readOlder({ kind: "index" });
        found = this.#found(question);
      }
      return found ?? { messageCount: 0, words: [], hits: [], timeRange: null };
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
        await put(partName(part), bytes, () => {
          this.#savedParts[part] = end;
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

  /** As `#inTurn`. A log that was read in part is read anew the next time. */
  #reading<T>(run: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await run();
      } catch (failure) {
        this.#forget();
        throw failure;
      }
    });
  }

  /** The messages in the engine stay, until they are replaced. */
  #forget(): void {
    this.#rows = [];
    this.#stretches = [];
    this.#info = undefined;
    this.#lastSeq = 0;
    this.#skipped.clear();
    this.#growth = 0;
    this.#isOpen = false;
    this.#isHeadRead = false;
    this.#isPinnedRead = false;
    this.#lookedUp = [];
    this.#singles.clear();
    this.#isSameLog = false;
    this.#savedParts = [];
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
    this.#isOpen = true;
  }

  /** The messages that have an id. One that was kept without any is named by its place. */
  async #find(id: string): Promise<readonly Entry[]> {
    const found = await this.#store.get(this.#sessionKey, [id]);
    const seq = Number(/^#(\d+)$/.exec(id)?.[1]);
    const placed =
      seq > 0 ? (await this.#readRange({ after: seq - 1, before: seq + 1, types: MESSAGE_TYPES })).entries : [];
    return [...found.filter(({ type }) => MESSAGE_TYPES.includes(type)), ...placed];
  }

  async #readEnd(): Promise<void> {
    this.#forget();
    const { info } = await this.#readBefore(Number.POSITIVE_INFINITY, BLOCK);
    this.#info = info;
    this.#lastSeq = headOf(info)?.lastSeq ?? 0;
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

  /** Reads backwards: at least `count` messages, and to where a block begins, so that the costs of whole blocks are known. */
  async #readBefore(before: number, count: number): Promise<ReadResult> {
    const types = MESSAGE_TYPES;
    const range =
      count === Number.POSITIVE_INFINITY
        ? { before, types }
        : { before, types, limit: count, order: "descending" as const };
    const result = await this.#readRange(range);
    let entries = range.order === undefined ? [...result.entries] : result.entries.toReversed();
    let first = 0;
    if (range.limit !== undefined && entries.length === count) {
      first = (entries[0] as Entry).seq;
      const start = first - (first % BLOCK);
      if (start < first) {
        const { entries: rest } = await this.#readRange({ after: Math.max(start, 1) - 1, before: first, types });
        entries = [...rest, ...entries];
      }
      first = start;
    }
    this.#take(entries, [[first, before === Number.POSITIVE_INFINITY ? before : before - 1]]);
    return result;
  }

  /** Reads each of these messages with the exchange that it is of. */
  async #readExchanges(entries: readonly Entry[]): Promise<void> {
    const types = MESSAGE_TYPES;
    const tail = this.#firstOfTail;
    // Added all at once: one by one, each would go through all that was read before.
    const found: Entry[] = [];
    const stretches: Stretch[] = [];
    for (const entry of entries.toSorted((left, right) => left.seq - right.seq)) {
      // Of the log's beginning an exchange may be there in part; all else was read by exchanges.
      const isRead = ([first, last]: Stretch): boolean => first > 0 && first <= entry.seq && entry.seq <= last;
      if (entry.seq >= tail || entry.seq <= (stretches.at(-1)?.[1] ?? 0) || this.#stretches.some(isRead)) {
        continue;
      }
      let exchange = [entry];
      let first = entry.seq;
      // Most exchanges are short, and of a long one no more than twice as much is read.
      let limit = STEP;
      for (; first > 0 && !this.#isBeginning(exchange[0]); limit = Math.min(limit * 2, LONGEST_STEP)) {
        const range = { before: first, types, limit, order: "descending" } as const;
        const { entries: page } = await this.#readRange(range);
        const user = page.findIndex((entry) => this.#isBeginning(entry));
        exchange = [...page.slice(0, user < 0 ? undefined : user + 1).reverse(), ...exchange];
        first = page.length < limit && user < 0 ? 0 : (exchange[0] as Entry).seq;
      }
      let last = entry.seq;
      limit = STEP;
      for (let isEnd = false; !isEnd; limit = Math.min(limit * 2, LONGEST_STEP)) {
        // No further than to the tail: it goes on there.
        const { entries: page } = await this.#readRange({ after: last, before: tail, types, limit });
        const user = page.findIndex((entry) => this.#isBeginning(entry));
        const rest = page.slice(0, user < 0 ? undefined : user);
        exchange = [...exchange, ...rest];
        isEnd = user >= 0 || page.length < limit;
        const end = user < 0 ? (rest.at(-1)?.seq ?? last) : (page[user] as Entry).seq - 1;
        last = isEnd && user < 0 ? tail - 1 : end;
      }
      for (const each of exchange) {
        found.push(each);
      }
      stretches.push([first, last]);
    }
    this.#take(found, stretches);
  }

  /** Returns what was read of an entry; each is read once. */
  #messageOf(entry: Entry): EntryMessage {
    const reading = this.#readings.get(entry) ?? this.#read(entry);
    this.#readings.set(entry, reading);
    return reading;
  }

  #roleOf(entry: Entry): unknown {
    return this.#messageOf(entry).parsed?.message.role;
  }

  #isBeginning(entry: Entry | undefined): boolean {
    return entry !== undefined && beginsExchange(this.#roleOf(entry));
  }

  /** Reads messages for themselves, and says whether they are all there. */
  async #readSingles(seqs: readonly number[]): Promise<boolean> {
    const { entries } = await this.#readRange({ seqs, types: MESSAGE_TYPES });
    for (const { seq } of this.#addRows(entries)) {
      this.#singles.add(seq);
    }
    const read = new Set(entries.map(({ seq }) => seq));
    return seqs.every((seq) => read.has(seq) && !this.#skipped.has(seq));
  }

  /** Adds the messages of stretches that were read. */
  #take(entries: readonly Entry[], stretches: readonly Stretch[]): void {
    this.#addRows(entries);
    this.#stretches = merged([...this.#stretches, ...stretches]);
    for (const { seq } of entries) {
      this.#singles.delete(seq);
    }
  }

  /** Adds messages, and gives those that were not there. */
  #addRows(entries: readonly Entry[]): readonly LogRow[] {
    const known = new Set(this.#rows.map(({ seq }) => seq));
    const added = this.#rowsOf(entries.filter(({ seq }) => !known.has(seq) && known.add(seq)));
    this.#rows = [...this.#rows, ...added].sort((left, right) => left.seq - right.seq);
    return added;
  }

  #rowsOf(entries: readonly Entry[]): LogRow[] {
    return entries.flatMap((entry) => {
      const { seq, latestTimeMs, type } = entry;
      const { parsed, flaw } = this.#messageOf(entry);
      if (flaw !== undefined) {
        this.#skip({ seq, reason: flaw });
        return [];
      }
      return [{ seq, parsed, isSummary: type === "summary", latestTimeMs }];
    });
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
        const summaries = rows.slice(first).filter(({ isSummary }) => isSummary);
        rows.length = first;
        for (const summary of summaries) {
          rows.push(summary);
        }
      }
      for (const row of this.#rowsOf([entry])) {
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
    transcript.setLog({ unread: this.#unread(), skippedCount: this.#skipped.size, seqs });
    this.#transcript = transcript;
    this.#shown = this.#covered.map(([first, last]) => [first, Math.min(last, this.#lastSeq)]);
  }

  /** Puts all messages that were read into the engine, with their costs, and with `index` if it was loaded. */
  async #rebuild(index?: Transcript<M>): Promise<void> {
    if (!this.#isWhole) {
      await this.#readHead();
      await this.#readPinned();
    }
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

  /** Reads the log's beginning past its instructions. */
  async #readHead(): Promise<void> {
    for (let after = 0; !this.#isHeadRead; ) {
      const range = { after, before: this.#lastSeq + 1, types: MESSAGE_TYPES, limit: STEP };
      const { entries } = await this.#readRange(range);
      const last = entries.at(-1)?.seq ?? after;
      this.#take(entries, [[after === 0 ? 0 : after + 1, last]]);
      this.#isHeadRead = entries.length < STEP || !entries.every((entry) => isInstructionRole(this.#roleOf(entry)));
      after = last;
    }
  }

  async #readPinned(): Promise<void> {
    const first = this.#firstOfTail;
    if (!this.#isPinnedRead && (headOf(this.#info)?.pinnedCount ?? 1) > 0) {
      const { entries } = await this.#readRange({ before: first, types: MESSAGE_TYPES, pinned: true });
      await this.#readExchanges(entries);
    }
    this.#isPinnedRead = true;
  }

  /** From which sequence number on all was read. */
  get #firstOfTail(): number {
    return this.#stretches.at(-1)?.[0] ?? 0;
  }

  /** From which sequence number to which everything was read, with what was read for itself. */
  get #covered(): readonly Stretch[] {
    return merged([...this.#stretches, ...[...this.#singles].map((seq): Stretch => [seq, seq])]);
  }

  get #isWhole(): boolean {
    return this.#stretches.length === 1 && (this.#stretches[0] as Stretch)[0] <= 1;
  }

  /** The unread stretches, as the engine is told of them. */
  #unread(): Unread | undefined {
    const head = headOf(this.#info);
    const total = MESSAGE_TYPES.reduce((sum, type) => sum + (head?.counts[type] ?? 0), 0);
    if (this.#isWhole || this.#rows.length >= total) {
      return undefined;
    }
    const count = Math.max(total - this.#rows.length - this.#skipped.size, 1);
    const gaps: UnreadStretch[] = [];
    let row = 0;
    for (const [first] of this.#covered) {
      while (row < this.#rows.length && (this.#rows[row] as LogRow).seq < first) {
        row += 1;
      }
      // Of a stretch nothing may be readable.
      if (first > 1 && gaps.at(-1)?.row !== row) {
        gaps.push({ row, latest: this.#rows[row]?.latestTimeMs ?? null });
      }
    }
    return { gaps, count, hasUntimed: (head?.untimedCount ?? 1) > 0, lookedUp: this.#lookedUp };
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
    const first = this.#firstOfTail;
    if (first > last + 1) {
      const { entries } = await this.#readRange({ after: last, before: first, types: MESSAGE_TYPES });
      this.#take(entries, [[last + 1, first - 1]]);
    }
    return index;
  }

  /** Which parts of the index are to be saved, each with how many messages it ends behind: the last one by and by. */
  #partsToSave(core: CoreTranscript): [part: number, end: number][] {
    const ends = this.#isSameLog ? [...call("session_error", () => core.indexParts())] : [];
    return [...ends.entries()].filter(([part, end]) => {
      const saved = this.#savedParts[part] ?? ends[part - 1] ?? 0;
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

/** Stretches in order, none beside another. */
function merged(stretches: readonly Stretch[]): Stretch[] {
  const apart: Stretch[] = [];
  for (const [first, last] of stretches.toSorted(([left], [right]) => left - right)) {
    const [begin, end] = apart.at(-1) ?? [0, Number.NEGATIVE_INFINITY];
    if (first <= end + 1) {
      apart[apart.length - 1] = [begin, Math.max(end, last)];
    } else {
      apart.push([first, last]);
    }
  }
  return apart;
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
async function prefixesIn({ derived }: TranscriptStore, sessionKey: string): Promise<readonly string[]> {
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
