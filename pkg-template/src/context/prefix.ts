// What a prompt repeats of the one that was built before it, and why the rest is new. A provider's cache takes what repeats.

import type { PromptOutline } from "../config/outline.js";

/** What a prompt repeats of the one that was built before it. */
export interface PrefixReport {
  /** How many pieces are the same, from the first on: in the format `messages` those of `context.messages`. */
  readonly pieces: number;
  /** How many tokens they have. */
  readonly tokens: number;
  /** Which share of this prompt's tokens that is, from 0 to 1. */
  readonly share: number;
  /** The first difference; null where all of the earlier prompt is repeated. */
  readonly difference: PrefixDifference | null;
}

/** Where a prompt first differs from the one before it. */
export interface PrefixDifference {
  /** The place of the first piece that is not repeated. */
  readonly piece: number;
  /** Why, in words. */
  readonly words: string;
}

/** A place behind which a provider's cache may end. */
export interface CacheBreakpoint {
  /** The place in `context.messages` of the last message before it. */
  readonly position: number;
  /** The tokens up to and with that message. */
  readonly tokens: number;
  /**
   * What ends there: the instructions, what is repeated of the prompt before, the history that stays the same until the cut moves, or
   * the prompt, which the next step of a tool loop repeats.
   */
  readonly after: "instructions" | "repeated" | "history" | "prompt";
}

/** The most breakpoints that a request may have, at Anthropic and at OpenAI. */
const MOST_BREAKPOINTS = 4;

/** Compares a prompt with the one before it. `wordsOf` says what became of a message in the new one. */
export function prefixOf(
  outline: PromptOutline,
  previous: PromptOutline,
  total: number,
  wordsOf: (position: number) => string | undefined,
): PrefixReport {
  const isSameHead = outline.head === previous.head && outline.format === previous.format;
  let pieces = 0;
  let tokens = 0;
  if (isSameHead) {
    for (const [at, [, checksum, cost]] of outline.pieces.entries()) {
      if (previous.pieces[at]?.[1] !== checksum) {
        break;
      }
      pieces = at + 1;
      tokens += cost;
    }
  }
  const isWhole = isSameHead && pieces === previous.pieces.length;
  const words = (): string =>
    isSameHead
      ? differenceAt(pieces, outline, previous, wordsOf)
      : "the definitions of tools, or the form of the prompt, are others than before";
  return {
    pieces,
    tokens,
    share: total === 0 ? 0 : tokens / total,
    difference: isWhole ? null : { piece: pieces, words: words() },
  };
}

/** Why a piece is not what it was, in words. */
function differenceAt(
  at: number,
  outline: PromptOutline,
  previous: PromptOutline,
  wordsOf: (position: number) => string | undefined,
): string {
  const before = previous.pieces[at]?.[0];
  const now = outline.pieces[at]?.[0];
  const has = (source: number | string | undefined): boolean => outline.pieces.some(([known]) => known === source);
  if (typeof before === "string") {
    return before === now
      ? `the section “${before}” has another text than before`
      : `the section “${before}” stood here, and ${namedOf(now)} stands here now`;
  }
  if (before === -1 || before === undefined) {
    return `the request stood here, and ${namedOf(now)} stands here now`;
  }
  if (before === now) {
    return `message ${before} is not shown as before${said(wordsOf(before))}`;
  }
  if (has(before) && typeof now === "number" && now >= 0) {
    return `message ${now} stands before message ${before} now${said(wordsOf(now))}`;
  }
  if (has(before)) {
    return `${namedOf(now)} stands before message ${before} now`;
  }
  return `message ${before} is not in its place any more${said(wordsOf(before))}`;
}

const said = (words: string | undefined): string => (words === undefined ? "" : `: ${words}`);

function namedOf(source: number | string | undefined): string {
  if (source === undefined) {
    return "nothing";
  }
  return typeof source === "string" ? `the section “${source}”` : source < 0 ? "the request" : `message ${source}`;
}

/** Where breakpoints go, from the places where something ends: the last of each place, with as much before it as is cached at all. */
export function breakpointsOf(
  outline: PromptOutline,
  ends: readonly (readonly [after: CacheBreakpoint["after"], count: number])[],
  fixed: number,
  leastCached: number,
): CacheBreakpoint[] {
  const byPosition = new Map<number, CacheBreakpoint>();
  for (const [after, count] of ends) {
    const position = count - 1;
    const tokens = outline.pieces.slice(0, count).reduce((sum, [, , cost]) => sum + cost, fixed);
    if (position >= 0 && tokens >= leastCached && !byPosition.has(position)) {
      byPosition.set(position, { position, tokens, after });
    }
  }
  return [...byPosition.values()].sort((left, right) => left.position - right.position).slice(-MOST_BREAKPOINTS);
}
