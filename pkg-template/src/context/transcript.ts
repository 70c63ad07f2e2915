// Transcripts: those that callers hold, and those that are remembered behind plain arrays.

import { CoreTranscript } from "#core";
import { ContextError, type ErrorKind } from "../base/errors.js";
import type { Unread } from "../base/generated.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { publicCall, publicMethods } from "../base/public-call.js";
import { call, engineGeneration } from "../engine/engine.js";
import type { AnyMessage } from "../formats/any-message.js";
import { appendColumns, areSame, idIn, type MessageColumns } from "../message/columns.js";
import type { MessageInput } from "../message/message.js";
import { type ParsedMessage, parse, type Surroundings } from "../message/read.js";
import { type ShapeName, shapeNameOf } from "../message/recognise.js";
import { isInstructionRole } from "../message/roles.js";

/** Facts of the log that messages are from. */
export interface LogFacts {
  /** The part of it that was not read. */
  readonly unread?: Unread | undefined;
  /** How many of its rows were no messages. */
  readonly skippedCount?: number;
  /** The sequence numbers of the messages, one each. */
  readonly seqs?: readonly number[];
}

/** The engine's side of a transcript, and the messages that it was made from. */
export interface Source<M> {
  /** The engine's transcript. */
  readonly core: CoreTranscript;
  /** The messages, one a row. They stay as they are while the source is in use. */
  readonly messages: readonly M[];
  /** Facts of the log that they are from. */
  readonly log?: LogFacts | undefined;
  /** The shape of the messages, where it was named. */
  readonly shape?: string | undefined;
  /** Returns what was read of a message, if that is remembered. */
  readonly parsedAt?: ((row: number) => ParsedMessage | undefined) | undefined;
  /** The ids of the messages, as the engine knows them. */
  readonly ids: readonly (string | undefined)[];
  /** The stretches of it that were read. */
  readonly read?: readonly (readonly [first: number, last: number])[] | undefined;
  /**
   * Looks again at messages that counted as unchanged. Gives a new source if any has changed, undefined otherwise.
   */
  readonly lookAgain?: ((rows: readonly number[]) => Source<M> | undefined) | undefined;
}

/** How many of the newest messages are remembered as they were read, for the requests that they are in. */
const REMEMBERED_MESSAGES = 1024;

/** What is remembered of the messages of a list: the ids of all, and the newest as they were read. */
class MessageMemory {
  // A context holds on to the list of ids, so a list that was handed out is only appended to.
  #ids: (string | undefined)[] = [];
  #parsed: ParsedMessage[] = [];

  add({ columns, recent }: ReadMessages): void {
    for (const message of columns) {
      this.#ids.push(idIn(message));
    }
    this.#parsed = [...(recent.length < columns.length ? [] : this.#parsed), ...recent].slice(-REMEMBERED_MESSAGES);
  }

  truncate(length: number): void {
    const gone = Math.max(this.#ids.length - length, 0);
    if (gone > 0) {
      this.#ids = this.#ids.slice(0, length);
      this.#parsed.length = Math.max(this.#parsed.length - gone, 0);
    }
  }

  /** What a source says of them. */
  get facts(): Pick<Source<unknown>, "ids" | "parsedAt"> {
    return { ids: this.#ids, parsedAt: (row) => this.#parsed[row - (this.#ids.length - this.#parsed.length)] };
  }
}

/** Messages that were read: the columns of all, and the newest of them whole. */
interface ReadMessages {
  readonly columns: MessageColumns[];
  readonly recent: readonly ParsedMessage[];
}

/**
 * A transcript that lives in the engine: a message is read, counted and paired once.
 * Its messages are taken as they are when they are appended.
 */
export class Transcript<M extends AnyMessage = MessageInput> {
  // A context holds on to the list that it was built from, so a list that was handed out is only appended to.
  #messages: M[] = [];
  #core: CoreTranscript | undefined;
  #generation = 0;
  readonly #memory = new MessageMemory();
  #log: LogFacts | undefined;
  readonly #shape: string | undefined;

  /** @internal */
  constructor(shape?: string) {
    publicMethods("transcript_error", Transcript.prototype, "all");
    this.#shape = shape;
  }

  /** How many messages it has. */
  get length(): number {
    return this.#messages.length;
  }

  /** Its messages, oldest first: the caller's own objects. */
  get messages(): readonly M[] {
    return this.#messages;
  }

  /** Appends a message or a list of messages, all or none. Fails with `INVALID_TRANSCRIPT`. */
  append(messages: M | readonly M[]): void {
    const list = messageListOf<M>(messages, "transcript_error", this.length) ?? [messages as M];
    const where = { first: this.length, shape: this.#shape, before: this.#messages.at(-1) };
    this.#append(list, readAll(list, "transcript_error", where));
  }

  /** @internal Appends messages that were read before. */
  appendParsed(messages: readonly ParsedMessage[]): void {
    const columns = messages.map((message) => message.columns);
    const given = messages.map((message) => message.given as M);
    this.#append(given, { columns, recent: messages.slice(-REMEMBERED_MESSAGES) });
  }

  #append(messages: readonly M[], read: ReadMessages): void {
    appendColumns(this.#live(), read.columns, "transcript_error");
    for (const message of messages) {
      this.#messages.push(message);
    }
    this.#memory.add(read);
  }

  /** Puts a message in the place of the last one, for example a reply that is still being written. */
  replaceLast(message: M): void {
    const last = this.length - 1;
    if (last < 0) {
      throw new ContextError({
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: "there is no message to replace",
        nextAction: "Append it.",
      });
    }
    const where = { first: last, shape: this.#shape, before: this.#messages[last - 1] };
    const read = readAll([message], "transcript_error", where);
    this.truncate(last);
    this.#append([message], read);
  }

  /** Keeps the first `length` messages and forgets the rest. */
  truncate(length: number): void {
    if (!Number.isInteger(length) || length < 0) {
      throw new ContextError({
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: `expected a number of messages, got ${describe(length)}`,
        nextAction: "Give a whole number of 0 or more.",
      });
    }
    const core = this.#live();
    // The engine counts in 32 bits.
    call("transcript_error", () => core.truncate(Math.min(length, this.length)));
    this.#messages = this.#messages.slice(0, length);
    this.#memory.truncate(length);
  }

  /** Gives back the engine's memory now rather than when it is collected. The transcript can still be used. */
  free(): void {
    // What an earlier engine held is gone with it.
    if (this.#core !== undefined && this.#generation === engineGeneration()) {
      this.#core.free();
    }
    this.#core = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** @internal */
  source(): Source<M> {
    const { facts } = this.#memory;
    return { core: this.#live(), messages: this.#messages, log: this.#log, shape: this.#shape, ...facts };
  }

  /** @internal Says what the messages are of a log. */
  setLog(log: LogFacts): void {
    this.#log = log;
    setLog(this.#live(), log, "transcript_error");
  }

  #live(): CoreTranscript {
    const generation = engineGeneration();
    if (this.#core === undefined || this.#generation !== generation) {
      this.#core = coreOf(this.#messages, "transcript_error", { log: this.#log, shape: this.#shape });
      this.#generation = generation;
    }
    return this.#core;
  }
}

/** Options of a transcript. */
export interface TranscriptOptions {
  /** The shape of its messages, one of `messageShapes`. Default: each is recognised by what it holds. */
  readonly shape?: ShapeName | undefined;
}

/** Whether there is such a shape is asked where it is looked for. */
const TRANSCRIPT_OPTIONS: OptionRules = { shape: ["the name of a shape", () => true] };

/**
 * Makes a transcript that lives in the engine. Fails with `INVALID_TRANSCRIPT`, and with `INVALID_CONFIG` for a shape that is not
 * known.
 */
export function createTranscript<M extends AnyMessage>(
  messages: readonly M[] = [],
  options: TranscriptOptions = {},
): Transcript<M> {
  return publicCall("transcript_error", "createTranscript", () => {
    checkOptions("transcript_error", options, TRANSCRIPT_OPTIONS);
    const transcript = new Transcript<M>(shapeNameOf(options.shape, "transcript_error"));
    transcript.append(listOf(messages, "transcript_error"));
    return transcript;
  });
}

/**
 * The engine's transcript for a caller's transcript or array. A `Transcript` has its own; an array's is remembered.
 *
 * In an array that was seen before, the newest `reach` messages are compared field by field. An older message counts as
 * unchanged if it is the same object.
 */
export function sourceOf<M extends AnyMessage>(
  transcript: readonly M[] | Transcript<M>,
  kind: ErrorKind,
  reach: number = Number.POSITIVE_INFINITY,
  shape?: string,
): Source<M> {
  const list = messageListOf<M>(transcript, kind);
  if (list === undefined && transcript instanceof Transcript) {
    return transcript.source();
  }
  const messages = list ?? listOf<M>(transcript, kind);
  const first = Math.max(messages.length - reach, 0);
  const { core, known, facts } = recognise(messages, kind, first, shape);
  if (first === 0) {
    return { core, messages, shape, ...facts };
  }
  const were = known.slice(0, first);
  const isAsItWas = (row: number): boolean => {
    const { columns } = parse(messages[row], `messages[${row}]`, kind, { shape, before: messages[row - 1] });
    return areSame(columns, were[row] as MessageColumns);
  };
  const lookAgain = (rows: readonly number[]): Source<M> | undefined =>
    rows.every((row) => row >= first || isAsItWas(row)) ? undefined : sourceOf(messages, kind, undefined, shape);
  return { core, messages, lookAgain, shape, ...facts };
}

/** The messages of a caller's transcript or array, unread. */
export function messagesOf<M extends AnyMessage>(
  transcript: readonly M[] | Transcript<M>,
  kind: ErrorKind,
): readonly M[] {
  return transcript instanceof Transcript ? transcript.messages : listOf<M>(transcript, kind);
}

function listOf<T>(value: unknown, kind: ErrorKind): readonly T[] {
  const list = messageListOf<T>(value, kind);
  if (list === undefined) {
    throw invalid(
      kind,
      `expected a list of messages, got ${describe(value)}`,
      listIn(value) ?? "Pass an array of messages, or the result of createTranscript().",
    );
  }
  return list;
}

/** Where the list is that is meant, if that can be told. */
function listIn(value: unknown): string | undefined {
  if (typeof value === "string") {
    return "Pass JSON.parse(text), or parseTranscript(text).";
  }
  try {
    const { then, json, messages } = Object(value) as { then?: unknown; json?: unknown; messages?: unknown };
    if (typeof then === "function") {
      return "Await the promise, and pass its result.";
    }
    if (typeof json === "function") {
      return "Pass the awaited result of its json().";
    }
    return Array.isArray(messages) ? "Pass its messages." : undefined;
  } catch {
    return undefined; // a proxy that was revoked, for example
  }
}

/** How many messages a list may have. What says that it has more may be nothing but a length. */
const MOST_MESSAGES = 10_000_000;

/**
 * A copy of a list; undefined for anything else. A proxy, or an element's getter, may throw. Its length is believed only as
 * far as there are messages: the first place with nothing in it ends the reading.
 */
export function messageListOf<T>(value: unknown, kind: ErrorKind, first = 0): readonly T[] | undefined {
  let at: number | undefined;
  try {
    if (!Array.isArray(value)) {
      return undefined;
    }
    const { length } = value;
    if (length > MOST_MESSAGES) {
      throw invalid(
        kind,
        `the list says that it has ${length} messages; at most ${MOST_MESSAGES} can be read`,
        "Pass fewer.",
      );
    }
    const list: T[] = [];
    for (at = 0; at < length; at++) {
      const message = value[at] as T | undefined;
      if (message == null) {
        const place = `messages[${first + at}]`;
        throw invalid(kind, `${place}: there is no message here`, "Remove empty elements from the list.", place);
      }
      list.push(message);
    }
    return list;
  } catch (cause) {
    if (cause instanceof ContextError) {
      throw cause;
    }
    const place = at === undefined ? undefined : `messages[${first + at}]`;
    const subject = place === undefined ? "the list of messages" : `${place}: the message`;
    throw invalid(kind, `${subject} could not be read`, "Pass a plain array of messages.", place, cause);
  }
}

function invalid(kind: ErrorKind, message: string, nextAction: string, path?: string, cause?: unknown): ContextError {
  return new ContextError({ kind, code: "INVALID_TRANSCRIPT", message, nextAction, path, cause });
}

/** What is known of messages beside themselves. */
interface MessageFacts {
  /** A message's place in an error. */
  readonly path?: ((index: number) => string) | undefined;
  readonly log?: LogFacts | undefined;
  readonly shape?: string | undefined;
}

/** A transcript of its own in the engine. The caller frees it. */
export function coreOf(
  messages: readonly unknown[],
  kind: ErrorKind,
  { path, log, shape }: MessageFacts = {},
): CoreTranscript {
  const { columns } = readAll(messages, kind, { shape, path });
  const core = call(kind, () => new CoreTranscript());
  appendColumns(core, columns, kind);
  if (log !== undefined) {
    setLog(core, log, kind);
  }
  return core;
}

function setLog(core: CoreTranscript, { unread, skippedCount = 0, seqs = [] }: LogFacts, kind: ErrorKind): void {
  call(kind, () => core.setLog(unread, skippedCount, Float64Array.from(seqs)));
}

/** As `coreOf`, for the time of a call. */
export function withCoreOf<T>(
  messages: readonly unknown[],
  kind: ErrorKind,
  use: (core: CoreTranscript) => T,
  facts?: MessageFacts,
): T {
  const core = coreOf(messages, kind, facts);
  const generation = engineGeneration();
  try {
    return use(core);
  } finally {
    // If the engine failed in between, what it held is gone with it.
    if (generation === engineGeneration()) {
      core.free();
    }
  }
}

/** Where messages are read, and by what. */
interface Place extends Surroundings {
  /** The position of the first. */
  readonly first?: number;
  /** What the message of a position is called in errors. */
  readonly path?: ((index: number) => string) | undefined;
}

function readAll(
  messages: readonly unknown[],
  kind: ErrorKind,
  { first = 0, path = (index) => `messages[${index}]`, shape, before }: Place,
): ReadMessages {
  const columns: MessageColumns[] = [];
  const recent: ParsedMessage[] = [];
  let index = 0;
  const place = (): string => path(first + index);
  for (; index < messages.length; index++) {
    const own = index === 0 ? before : messages[index - 1];
    const parsed = parse(messages[index], place, kind, { shape, before: own });
    columns.push(parsed.columns);
    if (index >= messages.length - REMEMBERED_MESSAGES) {
      recent.push(parsed);
    }
  }
  return { columns, recent };
}

/** The memory of an array: its messages, as the engine saw them, and the engine's transcript of them. */
interface TranscriptMemory {
  readonly core: CoreTranscript;
  readonly generation: number;
  readonly columns: MessageColumns[];
  readonly memory: MessageMemory;
  readonly shape: string | undefined;
  messages: readonly unknown[];
}

/**
 * By the first message of the conversation: it is the same object in the array that an application makes of the last one
 * and more. Not by the instructions before it, which many conversations may share.
 */
const remembered = new WeakMap<object, TranscriptMemory>();
/** The remembered arrays by use, the latest last. Those that the host has collected are gone. */
let latest: WeakRef<TranscriptMemory>[] = [];
const REMEMBERED_ARRAYS = 8;

/** The engine's transcript of a plain array, and its messages as the engine knows them. */
interface KnownTranscript {
  readonly core: CoreTranscript;
  readonly known: readonly MessageColumns[];
  readonly facts: MessageMemory["facts"];
}

/**
 * Recognises a plain array: its unchanged beginning stays in the engine, and the rest is read. The
 * fields of messages from `first` on are compared.
 */
function recognise(
  messages: readonly object[],
  kind: ErrorKind,
  first: number,
  shape: string | undefined,
): KnownTranscript {
  const generation = engineGeneration();
  const key = messages.find((message) => !isInstruction(message)) ?? messages[0];
  const isKey = typeof key === "object" && key !== null;
  const known = isKey ? remembered.get(key) : undefined;
  const entry: TranscriptMemory =
    known?.generation === generation && known.shape === shape
      ? known
      : {
          core: call(kind, () => new CoreTranscript()),
          generation,
          columns: [],
          memory: new MessageMemory(),
          shape,
          messages: [],
        };

  const { core, columns } = entry;
  const { length } = columns;
  const same = countSame(messages, entry, kind, first);
  const added = readAll(messages.slice(same), kind, { first: same, shape, before: messages[same - 1] });
  if (columns.length !== length) {
    // A getter of a message built a context of the same messages meanwhile.
    const own = readAll(messages, kind, { shape });
    const ownCore = call(kind, () => new CoreTranscript());
    appendColumns(ownCore, own.columns, kind);
    const ownMemory = new MessageMemory();
    ownMemory.add(own);
    return { core: ownCore, known: own.columns, facts: ownMemory.facts };
  }
  call(kind, () => core.truncate(same));
  columns.length = same;
  entry.messages = messages;
  appendColumns(core, added.columns, kind);
  for (const message of added.columns) {
    columns.push(message);
  }
  entry.memory.truncate(same);
  entry.memory.add(added);
  if (isKey) {
    remembered.set(key, entry);
    remember(entry);
  }
  return { core, known: columns, facts: entry.memory.facts };
}

function isInstruction(message: unknown): boolean {
  try {
    const role = (message as MessageInput | null | undefined)?.role;
    return isInstructionRole(role);
  } catch {
    return false; // Reading it says what is wrong with it.
  }
}

/** How many messages at the beginning are as they were. Before `first`, whatever is the same object is. */
function countSame(messages: readonly unknown[], known: TranscriptMemory, kind: ErrorKind, first: number): number {
  const limit = Math.min(messages.length, known.columns.length);
  let index = 0;
  const place = (): string => `messages[${index}]`;
  for (; index < limit; index++) {
    const message = messages[index];
    if (index < first && message === known.messages[index]) {
      continue;
    }
    const { columns } = parse(message, place, kind, { shape: known.shape, before: messages[index - 1] });
    if (!areSame(columns, known.columns[index] as MessageColumns)) {
      return index;
    }
  }
  return limit;
}

/** Notes a use, and forgets the arrays that were not used for longest. */
function remember(entry: TranscriptMemory): void {
  latest = latest.filter((reference) => {
    const other = reference.deref();
    return other !== undefined && other !== entry;
  });
  latest.push(new WeakRef(entry));
  while (latest.length > REMEMBERED_ARRAYS) {
    const oldest = latest.shift()?.deref();
    if (oldest !== undefined) {
      // The engine gives the memory back; the next use of that array finds an empty transcript and fills it.
      oldest.columns.length = 0;
      oldest.memory.truncate(0);
      oldest.messages = [];
      if (oldest.generation === engineGeneration()) {
        oldest.core.truncate(0);
      }
    }
  }
}
