// The result of a build, as callers see it.

import { ContextError } from "./errors.js";
import type {
  Fate,
  Format,
  Reason,
  Recording,
  Role,
  Snapshot,
  StageName,
  TokenReport,
  Trace,
  TraceRange,
} from "./generated.js";
import { describe, type MessageInput, type PartInput, shortenedCopy } from "./messages.js";

/** A message that windrow made: the request that was given as a text, or the shortened copy of a message. */
export interface ContextMessage {
  readonly role: Role;
  /** The text; a list where the message has more than text, such as a tool call or an image. */
  readonly content: string | readonly (PartInput | string)[];
  /** Set on a shortened copy. */
  readonly shortened?: true;
}

/** Why one message is in the context, or not. */
export interface Explanation {
  /** The message's id, if it has one. */
  readonly id: string | undefined;
  /** Its position in the transcript, from 0. */
  readonly position: number;
  /** What became of it. */
  readonly fate: Fate;
  /** The stage that decided. */
  readonly stage: StageName;
  /** Why, as a stable code. */
  readonly reason: Reason;
  /** Why, in words, with the figures of the config. */
  readonly words: string;
  /** What it costs in the context in tokens, or would cost in the same form. */
  readonly tokens: number;
  /** The text that stands for its own, where it was shortened. */
  readonly shortenedText: string | undefined;
}

/** What the engine gives back. */
export interface Finished {
  readonly rows: Uint32Array;
  readonly costs: Uint32Array;
  readonly shortened: readonly (readonly [row: number | null, text: string])[];
  readonly text: string | null;
  readonly tokens: TokenReport;
  readonly charCount: number | null;
  readonly trimmed: boolean;
  readonly trace: Trace;
  readonly snapshot: Snapshot;
  readonly recording: Recording;
}

/** A built context. */
export class BuiltContext<M extends MessageInput = MessageInput, F extends Format = "messages"> {
  /**
   * What to send, in order, in the format `messages`: the caller's own objects, marked copies of shortened ones, and the
   * request last. Undefined in the text formats.
   */
  readonly messages: F extends "messages" ? readonly (M | ContextMessage)[] : undefined;
  /** What to send, in the formats `text` and `xml`. Undefined in the format `messages`. */
  readonly text: F extends "messages" ? undefined : string;
  /** The messages of the transcript that are in the context, oldest first: the caller's own objects. */
  readonly kept: readonly M[];
  /** What the context costs. */
  readonly tokens: TokenReport;
  /** Its length in code points: of the text, or of all contents. Null in the format `messages` without `maxChars`. */
  readonly charCount: number | null;
  /** Whether the budget left out or shortened anything. */
  readonly trimmed: boolean;
  /** What became of every message. */
  readonly trace: Trace;
  /** The small record of this turn. */
  readonly snapshot: Snapshot;
  /** All that is needed, with the transcript, to build this context again: see `replay`. */
  readonly recording: Recording & { readonly request?: MessageInput };

  readonly #source: readonly M[];
  readonly #shortened: ReadonlyMap<number | null, string>;
  readonly #costs: ReadonlyMap<number, number>;
  readonly #measure: (message: M, position: number) => number;
  #positions: Map<string, number> | undefined;

  /** @internal */
  constructor(
    finished: Finished,
    source: readonly M[],
    request: MessageInput | undefined,
    measure: (message: M, position: number) => number,
  ) {
    const length = finished.recording.transcript.length;
    const rows = Array.from(finished.rows);
    this.#shortened = new Map(finished.shortened);
    this.#source = source.length === length ? source : source.slice(0, length);
    this.#costs = new Map(rows.map((row, index) => [row, finished.costs[index] ?? 0]));
    this.#measure = measure;
    this.kept = rows.map((row) => source[row] as M);

    const piece = (message: M | MessageInput, row: number | null): M | ContextMessage => {
      const cut = this.#shortened.get(row);
      return (cut === undefined ? message : shortenedCopy(message, cut)) as M | ContextMessage;
    };
    const messages = rows.map((row) => piece(source[row] as M, row));
    if (request !== undefined) {
      messages.push(piece(request, null));
    }
    const isList = finished.text === null;
    this.messages = (isList ? messages : undefined) as typeof this.messages;
    this.text = (isList ? undefined : finished.text) as typeof this.text;
    this.tokens = finished.tokens;
    this.charCount = finished.charCount;
    this.trimmed = finished.trimmed;
    this.trace = finished.trace;
    this.snapshot = finished.snapshot;
    this.recording = request === undefined ? finished.recording : { ...finished.recording, request };
  }

  /**
   * Says what became of a message and why, by its id or its position in the transcript: a number is a position, so an id
   * that is a number is passed as text. Of several messages with one id it speaks of the newest. Fails with `INVALID_TRANSCRIPT` where there is no such message.
   */
  explain(idOrPosition: string | number): Explanation {
    const position = this.#positionOf(idOrPosition);
    const message = this.#source[position];
    const range = this.#rangeAt(position);
    if (message === undefined || range === undefined) {
      throw new ContextError({
        kind: "context_build_error",
        code: "INVALID_TRANSCRIPT",
        message: `there is no message ${describe(idOrPosition)} in the transcript`,
        nextAction: "Pass the id of a message, or its position from 0.",
      });
    }
    const { fate, stage, reason } = range;
    const words = this.trace.reasons.find((entry) => entry.reason === reason)?.words ?? reason;
    return {
      id: message.id == null ? undefined : String(message.id),
      position,
      fate,
      stage,
      reason,
      words: fate === "shortened" ? `${words}; cut to fit the budget` : words,
      tokens: this.#costs.get(position) ?? this.#measure(message, position),
      shortenedText: this.#shortened.get(position),
    };
  }

  #positionOf(idOrPosition: string | number): number {
    if (typeof idOrPosition === "number") {
      return idOrPosition;
    }
    // The list may have grown since: what came later is not of this context.
    const source = this.#source.slice(0, this.recording.transcript.length);
    this.#positions ??= new Map(
      source.flatMap((message, position) => (message.id == null ? [] : [[String(message.id), position] as const])),
    );
    return this.#positions.get(idOrPosition) ?? -1;
  }

  /** The run that a position is in, by halving: runs are in order and leave no gap. */
  #rangeAt(position: number): TraceRange | undefined {
    const ranges = this.trace.ranges;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle] as TraceRange).last < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const range = ranges[low];
    return range !== undefined && range.first <= position ? range : undefined;
  }
}
