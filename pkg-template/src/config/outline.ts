// The outline of a built prompt. The next build compares itself with it to find the repeated prefix.

import type { Format } from "../base/generated.js";
import { isListOf, isPair } from "../base/lists.js";

/**
 * The pieces of a built prompt that the next build needs to find the repeated prefix. It is plain data, so
 * another process can receive it as `previous`.
 */
export interface PromptOutline {
  /** The form of the prompt. */
  readonly format: Format;
  /** A checksum of the tool definitions, which come before every piece. */
  readonly head: number;
  /**
   * The pieces in order. In the format `messages`, each is one of `context.messages`. A piece has its source (the
   * position of a message, -1 for the request, or the id of the section that made it), a checksum of the text sent, and
   * its tokens. Instructions also have a checksum without their figures.
   */
  readonly pieces: readonly (readonly [source: number | string, checksum: number, tokens: number, undated?: number])[];
  /** A checksum of the tool definitions in any order. Undefined if there are fewer than two. */
  readonly tools?: number | undefined;
  /**
   * The digests that thinking in the prompt and in the reply is bound to. Undefined if the model doesn't bind thinking.
   */
  readonly bound?: BoundThinking | undefined;
}

/** Digests of everything before each block of thinking in a prompt. */
export interface BoundThinking {
  /** The model that produced the thinking. */
  readonly model: string;
  /** The digest of the whole prompt. The reply is bound to it. */
  readonly end: number;
  /** Each block sent, with the digest of everything before it. */
  readonly sent: readonly (readonly [proof: number, before: number])[];
  /**
   * The quotes in the prompt, which later thinking is bound to: the message before each quote, the quoted messages, and
   * its text. Messages are named by their ids, or by their positions if they have none.
   */
  readonly quotes?: readonly (readonly [after: MessageKey, quoted: readonly MessageKey[], text: string])[];
}

/** The id of a message, or its position. */
export type MessageKey = string | number;

/** True if a value is the outline of a prompt. */
export function isOutline(value: unknown): value is PromptOutline {
  const { format, head, pieces, bound } = (value ?? {}) as Partial<Record<keyof PromptOutline, unknown>>;
  const isPiece = (piece: unknown): boolean =>
    Array.isArray(piece) &&
    (typeof piece[0] === "number" || typeof piece[0] === "string") &&
    Number.isFinite(piece[1]) &&
    Number.isFinite(piece[2]);
  const isWhole = typeof format === "string" && Number.isFinite(head) && isListOf(pieces, isPiece);
  return isWhole && (bound === undefined || isBound(bound));
}

function isBound(value: unknown): value is BoundThinking {
  const { model, end, sent, quotes = [] } = (value ?? {}) as Partial<Record<keyof BoundThinking, unknown>>;
  const isKey = (key: unknown): boolean => typeof key === "string" || Number.isInteger(key);
  const isQuote = (quote: unknown): boolean =>
    Array.isArray(quote) && isKey(quote[0]) && isListOf(quote[1], isKey) && typeof quote[2] === "string";
  const isSent = isListOf(sent, isPair);
  return typeof model === "string" && Number.isFinite(end) && isSent && isListOf(quotes, isQuote);
}
