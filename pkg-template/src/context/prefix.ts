// What a prompt repeats of the one that was built before it, and why the rest is new. A provider's cache takes what repeats.

import { checksum } from "../base/checksum.js";
import { counted } from "../base/words.js";
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
  /**
   * The positions of the messages whose thinking was left out, in order, if there are any: something before each has changed, and
   * the model would refuse it.
   */
  readonly invalidThinking?: readonly number[];
}

/** Facts about a prompt's messages, by their positions. */
export interface PrefixFacts {
  /** Says what became of a message. */
  wordsOf(position: number): string | undefined;
  /** True if a message is shown with a shorter text than its own. */
  isShortened(position: number): boolean;
  /** The positions of the messages whose thinking was left out. */
  readonly invalidThinking: readonly number[];
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

/** Compares a prompt with the one before it. */
export function prefixOf(
  outline: PromptOutline,
  previous: PromptOutline,
  total: number,
  facts: PrefixFacts,
): PrefixReport {
  const { invalidThinking } = facts;
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
      ? differenceAt(pieces, outline, previous, facts)
      : outline.tools !== undefined && outline.tools === previous.tools && outline.format === previous.format
        ? "the same tools are defined in another order than before: keep their order"
        : "the definitions of tools, or the form of the prompt, are others than before";
  const [first, ...later] = invalidThinking;
  const invalidates =
    first === undefined
      ? ""
      : `; this invalidates the thinking of message ${first}${later.length === 0 ? "" : ` and of ${counted(later.length, "later message")}`}`;
  return {
    pieces,
    tokens,
    share: total === 0 ? 0 : tokens / total,
    difference: isWhole ? null : { piece: pieces, words: words() + invalidates },
    ...(first === undefined ? {} : { invalidThinking }),
  };
}

/** Why a piece is not what it was, in words. */
function differenceAt(
  at: number,
  outline: PromptOutline,
  previous: PromptOutline,
  { wordsOf, isShortened }: PrefixFacts,
): string {
  const [before, , , undated] = previous.pieces[at] ?? [];
  const [now, , , undatedNow] = outline.pieces[at] ?? [];
  const isRedated = before === now && undated !== undefined && undated === undatedNow;
  const redated = isRedated ? ": nothing but figures in it, such as a date or a time. Say them in a later message" : "";
  const has = (source: number | string | undefined): boolean => outline.pieces.some(([known]) => known === source);
  if (typeof before === "string") {
    return before === now
      ? `the section “${before}” has another text than before${redated}`
      : `the section “${before}” was here; now ${namedOf(now)} is`;
  }
  if (before === -1 || before === undefined) {
    return `the request was here; now ${namedOf(now)} is`;
  }
  if (before === now) {
    return isRedated
      ? `message ${before} has another text than before${redated}`
      : `message ${before} is ${isShortened(before) ? "shortened in another way than" : "not shown as"} before${said(wordsOf(before))}`;
  }
  if (has(before) && typeof now === "number" && now >= 0) {
    return `message ${now} comes before message ${before} now${said(wordsOf(now))}`;
  }
  if (has(before)) {
    return `${namedOf(now)} comes before message ${before} now`;
  }
  return `message ${before} is not in its place any more${said(wordsOf(before))}`;
}

// ---- Checksums ----

/** Parts of a date or a time that are words. */
const DATE_WORDS =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b[ap]m\b/gi;

/** Returns a checksum of a content without its figures, and without the names of days and months. */
export const undatedChecksum = (content: unknown): number =>
  checksum((JSON.stringify(content) ?? "").replace(DATE_WORDS, "0").replace(/\d+/g, "0"));

/** Returns a checksum of texts that is the same in any order. */
export const unorderedChecksum = (texts: readonly string[]): number => checksum([...texts].sort().join("\n"));

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
