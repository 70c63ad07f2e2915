// Messages that the engine takes as several rows: what a speaker says, and each result of a tool. A context may have one without the
// others.

import { shortenedCopy } from "./edit.js";
import type { UnknownRecord } from "./format.js";
import type { ReadMessage } from "./message.js";
import type { PlacedPart } from "./origin.js";

/** The place of a part that is an element of a list: the path of the list, and the position in it. */
const ELEMENT = /^((?:\.\w+|\[\d+\])*\.\w+)\[(\d+)\]$/;

/** Whether a part is what a tool returned. */
export const isResult = ({ part }: PlacedPart): boolean =>
  part.type === "tool-result" || part.type === "tool-approval-response";

/**
 * Returns the parts of a message by row: each result, and then what the user says. Undefined if the message is one row. Each part must
 * be an element of a list, so that a copy of the message can leave it out.
 */
export function sharesOf({ role }: ReadMessage, parts: readonly PlacedPart[]): PlacedPart[][] | undefined {
  if (parts.length < 2 || (role !== "user" && role !== "tool") || !parts.some(isResult)) {
    return undefined;
  }
  if (!parts.every(({ place }) => ELEMENT.test(place))) {
    return undefined;
  }
  const shares: PlacedPart[][] = [];
  const speech: PlacedPart[] = [];
  for (const part of parts) {
    const last = shares.at(-1);
    if (isResult(part) || (role === "tool" && last === undefined)) {
      shares.push([part]);
    } else if (role === "tool") {
      last?.push(part); // What counts and nobody reads belongs to the result before it.
    } else {
      speech.push(part);
    }
  }
  const all = speech.length === 0 ? shares : [...shares, speech];
  return all.length > 1 ? all : undefined;
}

/** A share of a message that is in a context, and the text in the place of its own if it is shortened. */
export interface KeptShare {
  readonly parts: readonly PlacedPart[];
  readonly text?: string | undefined;
}

/** Returns a marked copy of a message that has only some of its shares. */
export function ofShares<M extends object>(
  message: M,
  all: readonly (readonly PlacedPart[])[],
  kept: readonly KeptShare[],
  shape?: string,
): M {
  const edits = new Edits();
  for (const parts of all) {
    const share = kept.find((it) => it.parts === parts);
    if (share === undefined) {
      edits.remove(parts);
    } else if (share.text !== undefined) {
      const others = new Edits();
      others.remove(all.filter((it) => it !== parts).flat());
      edits.replace(parts, shortenedCopy(others.of(message), share.text, {}, shape));
    }
  }
  return Object.assign(edits.of(message), { shortened: true });
}

/** Changes of lists in a message, by the path of the list and the position: the elements in the place of the one that is there. */
class Edits {
  readonly #lists = new Map<string, Map<number, readonly unknown[]>>();

  remove(parts: readonly PlacedPart[]): void {
    for (const { place } of parts) {
      this.#put(place, () => []);
    }
  }

  /** Puts the elements of a copy that has nothing but these parts in their places. */
  replace(parts: readonly PlacedPart[], alone: object): void {
    parts.forEach(({ place }, at) => {
      const isLast = at === parts.length - 1;
      this.#put(place, (path) => {
        const elements = path.reduce<unknown>((held, name) => (held as UnknownRecord)[name], alone);
        return (elements as readonly unknown[]).slice(at, isLast ? undefined : at + 1);
      });
    });
  }

  #put(place: string, elements: (path: readonly string[]) => readonly unknown[]): void {
    const [, list = "", position] = ELEMENT.exec(place) ?? [];
    const known = this.#lists.get(list) ?? new Map<number, readonly unknown[]>();
    this.#lists.set(list, known.set(Number(position), elements(namesIn(list))));
  }

  /** Returns a copy of a message, of its class, with these changes. */
  of<M extends object>(message: M): M {
    let copy = copyOf(message) as UnknownRecord;
    for (const [list, edits] of this.#lists) {
      copy = withList(copy, namesIn(list), (elements) => elements.flatMap((it, at) => edits.get(at) ?? [it]));
    }
    return copy as M;
  }
}

const namesIn = (list: string): readonly string[] => list.split(/[.[\]]+/).filter((name) => name !== "");

const copyOf = (object: object): object =>
  Array.isArray(object) ? [...object] : Object.assign(Object.create(Object.getPrototypeOf(object)), object);

function withList(
  owner: object,
  [name = "", ...rest]: readonly string[],
  change: (elements: readonly unknown[]) => readonly unknown[],
): UnknownRecord {
  const held = (owner as UnknownRecord)[name];
  const own = rest.length === 0 ? change(held as readonly unknown[]) : withList(held as object, rest, change);
  return Object.assign(copyOf(owner), { [name]: own });
}
