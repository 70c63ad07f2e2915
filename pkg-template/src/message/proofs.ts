// Parts with a proof, such as a signature. A provider accepts them back unchanged or not at all.

import { wellFormed } from "../base/well-formed.js";
import type { PlainPart, Provenance, ReasoningPart, RedactedPart } from "./message.js";
import type { PlacedPart } from "./origin.js";

export const isThought = (part: PlainPart): part is ReasoningPart | RedactedPart =>
  part.type === "reasoning" || part.type === "redacted_thinking";

/**
 * Returns the parts with a proof that can't go back unchanged, because no request can hold a lone surrogate. If one
 * thought of an item is among them, so are the item's others.
 */
export function brokenIn(parts: readonly PlacedPart[]): ReadonlySet<PlainPart> {
  // Several parts may be of one item, which is looked through once.
  const whole = new Map<unknown, boolean>();
  const broken = new Set<PlainPart>();
  const items = new Set<string>();
  for (const { part, given } of parts) {
    const { signature, data, id } = part as Provenance & { readonly data?: unknown };
    if ((signature ?? (isThought(part) ? (data ?? id) : undefined)) === undefined) {
      continue;
    }
    const isWhole = whole.get(given) ?? wellFormed(given) === given;
    whole.set(given, isWhole);
    if (!isWhole || wellFormed(part) !== part) {
      broken.add(part);
      if (id !== undefined) {
        items.add(id);
      }
    }
  }
  for (const { part } of items.size === 0 ? [] : parts) {
    if (isThought(part) && part.id !== undefined && items.has(part.id)) {
      broken.add(part);
    }
  }
  return broken;
}
