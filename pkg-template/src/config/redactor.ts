// What a build asks of a redactor. `windrow/redact` makes one: a page that redacts nothing carries none of it.

import type { Recording } from "../base/generated.js";

/** A place of a message that was replaced: in which of its texts, from where to where, and what stands there instead. */
export type RecordedEdit = readonly [slot: number, start: number, end: number, placeholder: string];

/** The places of a message that were replaced, by the message's position. */
export type RecordedRedaction = readonly [position: number, edits: readonly RecordedEdit[]];

/** Puts secrets back into a text that arrives in pieces. */
export interface Restorer {
  /** Takes the next piece, and returns the text that is certain. The beginning of a placeholder is held back. */
  push(piece: string): string;
  /** Returns the text that was held back, at the end. */
  end(): string;
}

/** Keeps secrets out of what is sent. `windrow/redact` has a ready one, and makes others. */
export interface Redactor {
  /**
   * Returns messages without secrets: copies of those that have some, in their own format, and the others themselves. A message is
   * copied once. From `first` on, a message that was seen before is looked at again, as it may have changed.
   */
  messages<M extends object>(messages: readonly M[], first: number, shape?: string): readonly M[];
  /** Returns any other value without secrets. What a model made of redacted texts may have placeholders, which stay. */
  value<T>(value: T, isModels?: boolean): T;
  /** Returns what was replaced in messages that `messages` returned. It shows no secret. */
  recorded(messages: readonly object[]): readonly RecordedRedaction[];
  /** Returns messages with the same places replaced as in a recording. */
  replayed<M extends object>(
    messages: readonly M[],
    recorded: readonly RecordedRedaction[],
    shape?: string,
  ): readonly M[];
  /** Returns a value with its secrets back: those that a context replaced and sent. */
  restored<T>(value: T, context: RedactedContext): T;
  /** Returns what does the same for a text that arrives in pieces. */
  restorer(context: RedactedContext): Restorer;
}

/** What a redactor must know of a context. */
export interface RedactedContext {
  readonly messages: unknown;
  readonly text: unknown;
  readonly recording: Pick<Recording, "config" | "answers" | "largeAnswers"> & {
    readonly redactions?: readonly RecordedRedaction[];
    readonly request?: unknown;
  };
}

/** Whether a value is a redactor. */
export const isRedactor = (value: unknown): value is Redactor =>
  typeof value === "object" && typeof (value as Redactor | null)?.restorer === "function";
