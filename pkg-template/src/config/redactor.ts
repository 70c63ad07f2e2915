// The interface between a build and a redactor. `windrow/redact` makes redactors, so a page that redacts nothing
// carries no code of it.

import type { Recording } from "../base/generated.js";

/** An edit of a message: the index of the text among its texts, the range in that text, and the placeholder. */
export type RecordedEdit = readonly [slot: number, start: number, end: number, placeholder: string];

/** The edits of a message, with the position of the message. */
export type RecordedRedaction = readonly [position: number, edits: readonly RecordedEdit[]];

/** Puts secrets back into a text that arrives in pieces. */
export interface Restorer {
  /** Takes the next piece and returns restored text. The beginning of a placeholder is held back. */
  push(piece: string): string;
  /** Returns the text that was held back, at the end. */
  end(): string;
}

/** Keeps secrets out of a prompt. `windrow/redact` has a ready one and makes others. */
export interface Redactor {
  /**
   * Returns messages without secrets: copies of those that have some, in their own format, and the others themselves. A
   * message is copied once. From `first` on, a message that was seen before is looked at again, as it may have changed.
   */
  messages<M extends object>(messages: readonly M[], first: number, shape?: string): readonly M[];
  /**
   * Returns any other value without secrets. `isModels` says that a model wrote it and read placeholders: these aren't
   * escaped.
   */
  value<T>(value: T, isModels?: boolean): T;
  /** Returns the edits of messages that `messages` returned. An edit shows no secret. */
  recorded(messages: readonly object[]): readonly RecordedRedaction[];
  /** Returns messages with the edits of a recording. */
  replayed<M extends object>(
    messages: readonly M[],
    recorded: readonly RecordedRedaction[],
    shape?: string,
  ): readonly M[];
  /** Returns a value with the secrets back that a context replaced and sent. */
  restored<T>(value: T, context: RedactedContext): T;
  /** Returns a restorer for a text that arrives in pieces. */
  restorer(context: RedactedContext): Restorer;
}

/** The fields of a context that a redactor reads. */
export interface RedactedContext {
  readonly messages: unknown;
  readonly text: unknown;
  readonly recording: Pick<Recording, "config" | "answers" | "largeAnswers"> & {
    readonly redactions?: readonly RecordedRedaction[];
    readonly request?: unknown;
  };
}

/** True if a value is a redactor. */
export const isRedactor = (value: unknown): value is Redactor =>
  typeof value === "object" && typeof (value as Redactor | null)?.restorer === "function";
