// Messages that the engine takes as several rows: a speaker's words, and each result of a tool. A context may include
// some of them without the others.

import { shortenedCopy } from "./edit.js";
import type { UnknownRecord } from "./format.js";
import type { ReadMessage } from "./message.js";
import { copyWith, isResult, type PlacedPart, pathOf } from "./origin.js";

/** Matches the place of an element of a list: the list's path, and the index. */
const ELEMENT = /^((?:\.\w+|\[\d+\])*\.\w+)\[(\d+)\]$/;

/**
 * Returns the parts of a message by row. Each result is a row. A user's words are one row, after all results. Undefined
 * if the message is one row. The parts must be elements of one list, so that a copy of the message can leave some out.
 */
export function sharesOf({ role }: ReadMessage, parts: readonly PlacedPart[]): PlacedPart[][] | undefined {
  if (parts.length < 2 || (role !== "user" && role !== "tool") || !parts.some(isResult) || !areElements(parts)) {
    return undefined;
  }
  const shares: PlacedPart[][] = [];
  const speech: PlacedPart[] = [];
  for (const part of parts) {
    const last = shares.at(-1);
    if (isResult(part) || (role === "tool" && last === undefined)) {
      shares.push([part]);
    } else if (role === "tool") {
      last?.push(part); // parts that count but aren't read belong to the result before them
    } else {
      speech.push(part);
    }
  }
  const all = speech.length === 0 ? shares : [...shares, speech];
  return all.length > 1 ? all : undefined;
}

/** True if each part is a separate element of one list. */
function areElements(parts: readonly PlacedPart[]): boolean {
  const lists = new Set(parts.map(({ place }) => ELEMENT.exec(place)?.[1]));
  return lists.size === 1 && !lists.has(undefined) && new Set(parts.map(({ place }) => place)).size === parts.length;
}

/**
 * Returns a marked copy of a message with only some of its shares. The map has the index of each, from 1 on, with its
 * replacement text if it is shortened.
 */
export function ofShares<M extends object>(
  message: M,
  all: readonly (readonly PlacedPart[])[],
  kept: ReadonlyMap<number, string | undefined>,
  shape?: string,
): M {
  const path = pathOf(ELEMENT.exec((all.flat()[0] as PlacedPart).place)?.[1] ?? "");
  const elements = listAt(message, path);
  // By the position of a part: the elements in its place.
  const changed = new Map<number, readonly unknown[]>();
  for (const [at, parts] of all.entries()) {
    const positions = parts.map(({ place }) => Number(ELEMENT.exec(place)?.[2]));
    const text = kept.get(at + 1);
    const isKept = kept.has(at + 1);
    if (isKept && text === undefined) {
      continue;
    }
    const own = positions.map((position) => elements[position]);
    const left = isKept ? listAt(shortenedCopy(withList(message, path, own), text as string, {}, shape), path) : [];
    positions.forEach((position, index) => {
      changed.set(position, left.slice(index, index < positions.length - 1 ? index + 1 : undefined));
    });
  }
  const rest = elements.flatMap((element, position) => changed.get(position) ?? [element]);
  return Object.assign(withList(message, path, rest), { shortened: true });
}

const listAt = (message: object, path: readonly string[]): readonly unknown[] =>
  path.reduce<unknown>((held, name) => (held as UnknownRecord)[name], message) as readonly unknown[];

/** Returns a copy of an object, of its class, with another list at a path. */
function withList<M extends object>(owner: M, [name = "", ...rest]: readonly string[], list: readonly unknown[]): M {
  const own = rest.length === 0 ? list : withList((owner as UnknownRecord)[name] as object, rest, list);
  return copyWith(owner, name, own);
}
