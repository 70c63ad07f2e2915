// Marks where a provider's cache may end, on a framework's own messages. A mark is put on a copy. Such a copy may come back with the next
// step, as it was or cloned: then it is taken for the message that it was made of, so that marks never pile up.

import type { AnyMessage } from "windrow";
import { listFrom } from "../../base/lists.js";

/** How a framework's messages are marked. */
export interface CacheMarker {
  /** Whether the framework has a place of its own for the mark at the end of the prompt, so that no message needs it. */
  readonly marksEndElsewhere?: boolean;
  /** A copy with a mark of windrow's; the message itself where its end has one of the caller's; undefined where it can have none. */
  marked(message: AnyMessage): AnyMessage | undefined;
  /** A copy without windrow's mark; the message itself where it has none. */
  unmarked(message: AnyMessage): AnyMessage;
  /** Whether a message, a part of one or the definition of a tool has a mark itself. */
  isMarked(given: unknown): boolean;
}

/** What providers cache for a few minutes. */
export const EPHEMERAL = { type: "ephemeral" } as const;

/** The most marks that a request may have. */
const MOST_MARKS = 4;

/** By marked copy: what it was made of, and the content that it had then. */
const originals = new WeakMap<object, { readonly original: AnyMessage; readonly content: unknown }>();

const contentOf = (given: object): unknown => (given as { readonly content?: unknown }).content;

/** How many marks a message has, with those of its parts, or the definition of a tool. */
export function markCount(given: object, marker: CacheMarker): number {
  const content = contentOf(given);
  return [given, ...listFrom(content)].filter((part) => marker.isMarked(part)).length;
}

/** The messages as they were before windrow marked any: the same objects as far as they are known; and those that it had marked. */
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
 * The messages with marks behind these positions, or as near before each as a mark can stand. `tools` are sent with them, and their
 * marks count: where there would be too many, the first places have none.
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
