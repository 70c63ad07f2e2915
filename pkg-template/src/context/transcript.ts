// Transcripts: those that callers hold, and those that windrow remembers for plain arrays.

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

/** Facts about the log that messages come from. */
export interface LogFacts {
  /** The unread part of the log. */
  readonly unread?: Unread | undefined;
  /** The number of its rows that weren't messages. */
  readonly skippedCount?: number;
  /** The sequence numbers of the messages, one for each. */
  readonly seqs?: readonly number[];
}

/** The engine's side of a transcript, and the messages it was made from. */
export interface Source<M> {
  /** The engine's transcript. */
  readonly core: CoreTranscript;
  /** The messages, one per row. They stay unchanged while the source is in use. */
  readonly messages: readonly M[];
  /** Facts about the log that they come from. */
  readonly log?: LogFacts | undefined;
  /** The shape of the messages, if the caller named it. */
  readonly shape?: string | undefined;
  /** Returns the parsed form of a message, if it is remembered. */
  readonly parsedAt?: ((row: number) => ParsedMessage | undefined) | undefined;
  /** The ids of the messages, as the engine knows them. */
  readonly ids: readonly (string | undefined)[];
  /** The stretches of the log that were read. */
  readonly read?: readonly (readonly [first: number, last: number])[] | undefined;
  /** Rechecks messages that counted as unchanged. Returns a new source if any has changed, undefined otherwise. */
  readonly lookAgain?: ((rows: readonly number[]) => Source<M> | undefined) | undefined;
}

/** The number of newest messages whose parsed form is remembered, for requests that include them. */
const REMEMBERED_MESSAGES = 1024;

/** The memory of a list's messages: the ids of all, and the parsed form of the newest. */
class MessageMemory {
  // A context keeps the list of ids that it received, so such a list is only ever appended to.
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

  /** The facts that a source has from it. */
  get facts(): Pick<Source<unknown>, "ids" | "parsedAt"> {
    return { ids: this.#ids, parsedAt: (row) => this.#parsed[row - (this.#ids.length - this.#parsed.length)] };
  }
}

/** Parsed messages: the columns of all, and the full form of the newest. */
interface ReadMessages {
  readonly columns: MessageColumns[];
  readonly recent: readonly ParsedMessage[];
}

/**
 * A transcript that lives in the engine. Each message is read, counted and paired once, in the state it has when it is
 * appended.
 */
export class Transcript<M extends AnyMessage = MessageInput> {
  // A context keeps the list that it was built from, so such a list is only ever appended to.
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

  /** The number of its messages. */
  get length(): number {
    return this.#messages.length;
  }

  /** The messages, oldest first: the caller's own objects. */
  get messages(): readonly M[] {
    return this.#messages;
  }

  /** Appends a message or a list of messages: all of them or none. Fails with `INVALID_TRANSCRIPT`. */
  append(messages: M | readonly M[]): void {
    const list = messageListOf<M>(messages, "transcript_error", this.length) ?? [messages as M];
    const where = { first: this.length, shape: this.#shape, before: this.#messages.at(-1) };
    this.#append(list, readAll(list, "transcript_error", where));
  }

  /** @internal Appends parsed messages. */
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

  /** Replaces the last message, for example a reply that is still being written. */
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
        nextAction: "Pass an integer of 0 or more.",
      });
    }
    const core = this.#live();
    // The engine counts in 32 bits.
    call("transcript_error", () => core.truncate(Math.min(length, this.length)));
    this.#messages = this.#messages.slice(0, length);
    this.#memory.truncate(length);
  }

  /** Releases the engine's memory now instead of at garbage collection. The transcript can still be used. */
  free(): void {
    // Memory of an earlier engine is already gone.
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

  /** @internal Sets the facts about the log that the messages come from. */
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
  /**
   * The shape of its messages, one of `messageShapes`. Default: each message's format is recognized from its fields.
   */
  readonly shape?: ShapeName | undefined;
}

/** The code that looks the shape up checks that it exists. */
const TRANSCRIPT_OPTIONS: OptionRules = { shape: ["the name of a shape", () => true] };

/**
 * Creates a transcript that lives in the engine. Fails with `INVALID_TRANSCRIPT`, and with `INVALID_CONFIG` for an
 * unknown shape.
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
 * Returns the engine's transcript for a caller's transcript or array. A `Transcript` has its own; an array's is
 * remembered.
 *
 * In an array seen before, the newest `reach` messages are compared field by field. An older message counts as
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

/** Returns the messages of a caller's transcript or array, unparsed. */
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

/** Suggests how to pass the list that the caller probably meant. Undefined if nothing fits. */
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
    return Array.isArray(messages) ? "Pass the list in its field messages." : undefined;
  } catch {
    return undefined; // a revoked proxy, for example
  }
}

/** Maximum number of messages in a list. A longer one may be nothing but a claimed length. */
const MOST_MESSAGES = 10_000_000;

/**
 * Copies a list. Undefined for anything else. A proxy or a getter may throw. Its length isn't trusted: reading ends at
 * the first hole.
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
        `the list claims to have ${length} messages; at most ${MOST_MESSAGES} can be read`,
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

/** Facts about messages in addition to the messages themselves. */
interface MessageFacts {
  /** Returns a message's path in an error. */
  readonly path?: ((index: number) => string) | undefined;
  readonly log?: LogFacts | undefined;
  readonly shape?: string | undefined;
}

/** Creates a separate transcript in the engine. The caller frees it. */
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

/** Does the same as `coreOf` for the duration of a call. */
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
    // If the engine failed meanwhile, its memory is already gone.
    if (generation === engineGeneration()) {
      core.free();
    }
  }
}

/** The place of messages that are being read, for errors. */
interface Place extends Surroundings {
  /** The position of the first message. */
  readonly first?: number;
  /** Returns the name of a message in errors, by its position. */
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

/** The memory of an array: its messages as the engine saw them, and the engine's transcript of them. */
interface TranscriptMemory {
  readonly core: CoreTranscript;
  readonly generation: number;
  readonly columns: MessageColumns[];
  readonly memory: MessageMemory;
  readonly shape: string | undefined;
  messages: readonly unknown[];
}

/**
 * Keyed by the first message of the conversation, because an application that copies the array and adds to it keeps
 * that object. Instructions before it don't count: many conversations may share them.
 */
const remembered = new WeakMap<object, TranscriptMemory>();
/** The remembered arrays by use, most recent last. The host may have collected some. */
let latest: WeakRef<TranscriptMemory>[] = [];
const REMEMBERED_ARRAYS = 8;

/** The engine's transcript of a plain array, and its messages as the engine knows them. */
interface KnownTranscript {
  readonly core: CoreTranscript;
  readonly known: readonly MessageColumns[];
  readonly facts: MessageMemory["facts"];
}

/**
 * Recognizes a plain array. Its unchanged beginning stays in the engine, and the rest is read. Compares the fields of
 * messages from `first` on.
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
    // Meanwhile, a getter of a message built a context of the same messages.
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
    return false; // reading it reports the fault
  }
}

/** Counts the unchanged messages at the beginning. Before `first`, the same object counts as unchanged. */
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

/** Records a use, and forgets the arrays that were used least recently. */
function remember(entry: TranscriptMemory): void {
  latest = latest.filter((reference) => {
    const other = reference.deref();
    return other !== undefined && other !== entry;
  });
  latest.push(new WeakRef(entry));
  while (latest.length > REMEMBERED_ARRAYS) {
    const oldest = latest.shift()?.deref();
    if (oldest !== undefined) {
      // The engine releases the memory. The next use of that array finds an empty transcript and fills it.
      oldest.columns.length = 0;
      oldest.memory.truncate(0);
      oldest.messages = [];
      if (oldest.generation === engineGeneration()) {
        oldest.core.truncate(0);
      }
    }
  }
}
