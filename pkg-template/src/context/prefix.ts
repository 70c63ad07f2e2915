// Finds the part of a prompt that repeats the previous one, and the reason why the rest is new. A provider's cache
// covers the repeated part.

import { checksum } from "../base/checksum.js";
import { counted } from "../base/words.js";
import type { PromptOutline } from "../config/outline.js";

/** The part of a prompt that repeats the previous one. */
export interface PrefixReport {
  /**
   * The number of repeated pieces, from the first on. In the format `messages`, these are pieces of `context.messages`.
   */
  readonly pieces: number;
  /** Their tokens. */
  readonly tokens: number;
  /** Their share of this prompt's tokens, from 0 to 1. */
  readonly share: number;
  /** The first difference. Null if all of the earlier prompt is repeated. */
  readonly difference: PrefixDifference | null;
  /**
   * The positions of the messages whose thinking was left out, in order, if there are any. Something before each of
   * them has changed, and the model would refuse it.
   */
  readonly invalidThinking?: readonly number[];
}

/** Facts about a prompt's messages, by their positions. */
export interface PrefixFacts {
  /** Explains the decision about a message. */
  wordsOf(position: number): string | undefined;
  /** True if a message is shown with a shorter text than its own. */
  isShortened(position: number): boolean;
  /** The positions of the messages whose thinking was left out. */
  readonly invalidThinking: readonly number[];
}

/** The first difference between a prompt and the previous one. */
export interface PrefixDifference {
  /** The index of the first piece that isn't repeated. */
  readonly piece: number;
  /** The reason, in words. */
  readonly words: string;
}

/** A place after which a provider's cache may end. */
export interface CacheBreakpoint {
  /** The index in `context.messages` of the last message before it. */
  readonly position: number;
  /** The tokens up to that message, and including it. */
  readonly tokens: number;
  /**
   * The part that ends there: the instructions, the part repeated from the previous prompt, the history that stays the
   * same until the cut moves, or the prompt, which the next step of a tool loop repeats.
   */
  readonly after: "instructions" | "repeated" | "history" | "prompt";
}

/** Maximum number of breakpoints that Anthropic and OpenAI accept in a request. */
const MOST_BREAKPOINTS = 4;

/** Compares a prompt with the previous one. */
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
        ? "the same tools are defined in a different order than before: keep their order"
        : "the tool definitions, or the format of the prompt, have changed";
  const [first, ...later] = invalidThinking;
  const invalidates =
    first === undefined
      ? ""
      : `; this invalidates the thinking of message ${first}${later.length === 0 ? "" : ` and of ${counted(later.length, "later message")}`}`;
  let known: string | undefined;
  const difference: PrefixDifference = {
    piece: pieces,
    // Put into words on first access, because few callers read them.
    get words() {
      known ??= words() + invalidates;
      return known;
    },
  };
  return {
    pieces,
    tokens,
    share: total === 0 ? 0 : tokens / total,
    difference: isWhole ? null : difference,
    ...(first === undefined ? {} : { invalidThinking }),
  };
}

/** Explains in words why a piece has changed. */
function differenceAt(
  at: number,
  outline: PromptOutline,
  previous: PromptOutline,
  { wordsOf, isShortened }: PrefixFacts,
): string {
  const [before, , , undated] = previous.pieces[at] ?? [];
  const [now, , , undatedNow] = outline.pieces[at] ?? [];
  const isRedated = before === now && undated !== undefined && undated === undatedNow;
  const redated = isRedated ? ": only figures in it, such as a date or a time. Put them into a later message" : "";
  const has = (source: number | string | undefined): boolean => outline.pieces.some(([known]) => known === source);
  if (typeof before === "string") {
    return before === now
      ? `the section “${before}” has a different text than before${redated}`
      : `the section “${before}” was here; now ${namedOf(now)} is`;
  }
  if (before === -1 || before === undefined) {
    return `the request was here; now ${namedOf(now)} is`;
  }
  if (before === now) {
    return isRedated
      ? `message ${before} has a different text than before${redated}`
      : `message ${before} is ${isShortened(before) ? "shortened differently than" : "not shown as"} before${said(wordsOf(before))}`;
  }
  if (has(before) && typeof now === "number" && now >= 0) {
    return `message ${now} now comes before message ${before}${said(wordsOf(now))}`;
  }
  if (has(before)) {
    return `${namedOf(now)} now comes before message ${before}`;
  }
  return `message ${before} is no longer in its place${said(wordsOf(before))}`;
}

// ---- Checksums ----

/** Words in dates and times. */
const DATE_WORDS =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b[ap]m\b/gi;

/** Returns a checksum of content without its digits and the names of days and months. */
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

/**
 * Chooses breakpoints among the places where a part ends: the last place of each part, if enough tokens come before it
 * to be cached.
 */
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
