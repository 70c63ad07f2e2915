// Marks the places where a provider's cache may end, on a framework's own messages. Marks go on copies. Such a copy may
// come back with the next step, either the same object or a clone. It then counts as the message it was copied from, so
// marks never pile up.

import type { AnyMessage } from "windrow";
import { listFrom } from "../../base/lists.js";

/** Marks a framework's messages. */
export interface CacheMarker {
  /** True if the framework has a separate place for the mark at the end of the prompt, so no message needs it. */
  readonly marksEndElsewhere?: boolean;
  /**
   * Returns a copy with windrow's mark. Returns the message itself if its end has a mark of the caller's, and undefined
   * if it can't have one.
   */
  marked(message: AnyMessage): AnyMessage | undefined;
  /** Returns a copy without windrow's mark, or the message itself if it has none. */
  unmarked(message: AnyMessage): AnyMessage;
  /** True if a message, a part of one or a tool definition has a mark itself. */
  isMarked(given: unknown): boolean;
}

/** The mark for a cache of a few minutes. */
export const EPHEMERAL = { type: "ephemeral" } as const;

/** Maximum number of marks that a request may have. */
const MOST_MARKS = 4;

/** The original of each marked copy, and the original's content at the time. */
const originals = new WeakMap<object, { readonly original: AnyMessage; readonly content: unknown }>();

const contentOf = (given: object): unknown => (given as { readonly content?: unknown }).content;

/** Returns the number of marks on a message including its parts, or on a tool definition. */
export function markCount(given: object, marker: CacheMarker): number {
  const content = contentOf(given);
  return [given, ...listFrom(content)].filter((part) => marker.isMarked(part)).length;
}

/**
 * Returns the messages without windrow's marks (the original objects if known), and the set of those that had marks.
 */
export function withoutMarks<M extends AnyMessage>(
  messages: readonly M[],
  marker: CacheMarker,
): { readonly messages: readonly M[]; readonly marked: ReadonlySet<M> } {
  const marked = new Set<M>();
  const before = messages.map((message) => {
    const unmarked = marker.unmarked(message) as M;
    if (unmarked === message) {
      return message;
    }
    const known = originals.get(message);
    const given = known?.content === contentOf(message) ? (known?.original as M) : unmarked;
    marked.add(given);
    return given;
  });
  return { messages: before, marked };
}

/**
 * Returns the messages with marks after these positions, or as close before each as a mark is possible. Marks on
 * `tools`, which are sent with them, count too. If there would be too many, the first places get none.
 */
export function withMarks<M extends AnyMessage>(
  messages: readonly M[],
  positions: readonly number[],
  marker: CacheMarker,
  tools: readonly object[] = [],
): M[] {
  const taken = [...messages, ...tools].reduce((sum, given) => sum + markCount(given, marker), 0);
  const free = MOST_MARKS - taken - (marker.marksEndElsewhere === true ? 1 : 0);
  const places = [...new Set(positions)].sort((left, right) => left - right);
  const marked = [...messages];
  let least = 0;
  for (const position of places.slice(Math.max(places.length - free, 0))) {
    for (let at = position; at >= least; at--) {
      const message = messages[at] as M;
      const copy = marker.marked(message);
      if (copy !== undefined) {
        if (copy !== message) {
          originals.set(copy, { original: message, content: contentOf(copy) });
        }
        marked[at] = copy as M;
        break;
      }
    }
    least = position + 1;
  }
  return marked;
}
