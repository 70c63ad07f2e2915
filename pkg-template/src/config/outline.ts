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
   * the request, the id of the section that made it), a checksum of what is sent, and its tokens.
   */
  readonly pieces: readonly (readonly [source: number | string, checksum: number, tokens: number])[];
}

/** Whether something is the outline of a prompt. */
export function isOutline(value: unknown): value is PromptOutline {
  const { format, head, pieces } = (value ?? {}) as Partial<Record<keyof PromptOutline, unknown>>;
  const isPiece = (piece: unknown): boolean =>
    Array.isArray(piece) &&
    (typeof piece[0] === "number" || typeof piece[0] === "string") &&
    Number.isFinite(piece[1]) &&
    Number.isFinite(piece[2]);
  return typeof format === "string" && Number.isFinite(head) && Array.isArray(pieces) && pieces.every(isPiece);
}
