// The outline of a built prompt, by which the next build says what it repeats.

import type { Format } from "../base/generated.js";

/**
 * A built prompt, piece by piece, as far as the next build must know it to say what it repeats. Plain data: it can be kept, and given as
 * `previous` in another process.
 */
export interface PromptOutline {
  /** The form of the prompt. */
  readonly format: Format;
  /** A checksum of what stands before every piece: the definitions of tools. */
  readonly head: number;
  /**
   * The pieces in order, in the format `messages` each of `context.messages`: where it comes from (the position of a message, -1 for
   * the request, the id of the section that made it), a checksum of what is sent, and its tokens; of instructions a checksum without
   * their figures too.
   */
  readonly pieces: readonly (readonly [source: number | string, checksum: number, tokens: number, undated?: number])[];
  /** A checksum of the definitions of tools in any order; undefined if there are fewer than two. */
  readonly tools?: number | undefined;
  /** The digests that the prompt's thinking and that of the reply are bound to; undefined if the model binds none. */
  readonly bound?: BoundThinking | undefined;
}

/** Digests of everything before each block of thinking in a prompt. */
export interface BoundThinking {
  /** The model that thought it. */
  readonly model: string;
  /** The whole prompt, which the reply is bound to. */
  readonly end: number;
  /** Each block that was sent, and what stood before it. */
  readonly sent: readonly (readonly [proof: number, before: number])[];
  /**
   * The quotes in the prompt, which later thinking is bound to: the message before each, the messages that it quotes, and its
   * text. Messages are named by their ids, or by their positions if they have none.
   */
  readonly quotes?: readonly (readonly [after: MessageKey, quoted: readonly MessageKey[], text: string])[];
}

/** The id of a message, or its position. */
export type MessageKey = string | number;

/** Whether something is the outline of a prompt. */
export function isOutline(value: unknown): value is PromptOutline {
  const { format, head, pieces, bound } = (value ?? {}) as Partial<Record<keyof PromptOutline, unknown>>;
  const isPiece = (piece: unknown): boolean =>
    Array.isArray(piece) &&
    (typeof piece[0] === "number" || typeof piece[0] === "string") &&
    Number.isFinite(piece[1]) &&
    Number.isFinite(piece[2]);
  const isWhole = typeof format === "string" && Number.isFinite(head) && Array.isArray(pieces) && pieces.every(isPiece);
  return isWhole && (bound === undefined || isBound(bound));
}

function isBound(value: unknown): value is BoundThinking {
  const { model, end, sent, quotes = [] } = (value ?? {}) as Partial<Record<keyof BoundThinking, unknown>>;
  const isPair = (pair: unknown): boolean => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  const isKey = (key: unknown): boolean => typeof key === "string" || Number.isInteger(key);
  const isQuote = (quote: unknown): boolean =>
    Array.isArray(quote) &&
    isKey(quote[0]) &&
    Array.isArray(quote[1]) &&
    quote[1].every(isKey) &&
    typeof quote[2] === "string";
  const isSent = Array.isArray(sent) && sent.every(isPair);
  return typeof model === "string" && Number.isFinite(end) && isSent && Array.isArray(quotes) && quotes.every(isQuote);
}
