// Messages that the engine takes as several rows: a speaker's words, each result of a tool, and each step of an
// assistant. A context may include some of them without the others.

import type { Role } from "../base/generated.js";
import { shortenedCopy } from "./edit.js";
import type { MessageFormat, UnknownRecord } from "./format.js";
import type { ReadMessage } from "./message.js";
import { copyWith, isResult, type PlacedPart, pathOf } from "./origin.js";
import { formatOf, ownFormat } from "./recognise.js";

/** A row of a message: who speaks in it, and its parts. */
export interface Share {
  readonly role: Role;
  readonly parts: readonly PlacedPart[];
}

/** Matches the place of an element of a list, or of something in it: the list's path, and the index. */
const ELEMENT = /^((?:\.\w+)+)\[(\d+)\]/;

/**
 * Returns the parts of a message by row. Each result is a row. A user's words are one row, after all results. An
 * assistant's words and calls up to the next result are a row. Undefined if the message is one row. The parts must be
 * elements of one list, so that a copy of the message can leave some out.
 */
export function sharesOf({ role }: ReadMessage, parts: readonly PlacedPart[]): Share[] | undefined {
  const mayBeSplit = parts.length > 1 && role !== "system" && parts.some(isResult) && areElements(role, parts);
  const all = mayBeSplit ? (role === "assistant" ? stepsOf(parts) : byResult(role, parts)) : [];
  return all.length > 1 ? all : undefined;
}

function byResult(role: Role, parts: readonly PlacedPart[]): Share[] {
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
  const results = shares.map((own): Share => ({ role: "tool", parts: own }));
  return speech.length === 0 ? results : [...results, { role, parts: speech }];
}

const MEDIA: ReadonlySet<string> = new Set(["image", "audio", "file"]);

/** Returns the rows of an assistant's message. A result of the provider's own tool stays with the call. */
function stepsOf(parts: readonly PlacedPart[]): Share[] {
  const shares: { role: Role; parts: PlacedPart[] }[] = [];
  const called = new Set<string>();
  for (const placed of parts) {
    const { part } = placed;
    if (part.type === "tool-call" && part.providerExecuted !== true) {
      called.add(part.toolCallId);
    }
    const last = shares.at(-1);
    if (part.type === "tool-result" && called.has(part.toolCallId)) {
      shares.push({ role: "tool", parts: [placed] });
    } else if (last?.role === "assistant" || (last !== undefined && MEDIA.has(part.type))) {
      last.parts.push(placed); // media after a result count as the tool's
    } else {
      shares.push({ role: "assistant", parts: [placed] });
    }
  }
  return shares;
}

/**
 * True if all parts are elements of one list. In an assistant's list, an element may hold two parts: a call and its
 * result.
 */
function areElements(role: Role, parts: readonly PlacedPart[]): boolean {
  const found = parts.map(({ place }) => ELEMENT.exec(place));
  const lists = new Set(found.map((match) => match?.[1]));
  const isOneList = lists.size === 1 && !lists.has(undefined);
  return isOneList && (role === "assistant" || new Set(parts.map(({ place }) => place)).size === parts.length);
}

const positionOf = ({ place }: PlacedPart): number => Number(ELEMENT.exec(place)?.[2]);

/**
 * Returns a marked copy of a message with only some of its shares. The map has the index of each, from 1 on, with its
 * replacement text if it is shortened. An element without a part, such as the border of a step, goes with the next one
 * that has parts.
 */
export function ofShares<M extends object>(
  message: M,
  all: readonly Share[],
  kept: ReadonlyMap<number, string | undefined>,
  shape?: string,
): M {
  const format = formatOf(message as unknown as UnknownRecord, shape);
  // One part of a message may look like another format's.
  const name = format === ownFormat() ? undefined : format.name;
  const { place } = all.flatMap(({ parts }) => parts)[0] as PlacedPart;
  const path = pathOf(ELEMENT.exec(place)?.[1] ?? "");
  const elements = listAt(message, path);
  const ofResults = new Set(all.flatMap(({ role, parts }) => (role === "tool" ? parts.map(positionOf) : [])));
  const read = new Set(all.flatMap(({ parts }) => parts.map(positionOf)));
  /** The elements in the place of each kept element, by its position. */
  const shown = new Map<number, readonly unknown[]>();
  for (const [at, { role, parts }] of all.entries()) {
    if (!kept.has(at + 1)) {
      continue;
    }
    const text = kept.get(at + 1);
    const positions = [...new Set(parts.map(positionOf))];
    for (const position of positions) {
      shown.set(position, shown.get(position) ?? [elements[position]]);
    }
    // An element with a call may hold its result too, which is another share.
    const own = text === undefined ? [] : positions.filter((it) => role === "tool" || !ofResults.has(it));
    const part = withList(
      message,
      path,
      own.map((position) => elements[position]),
      format,
    );
    const left = own.length === 0 ? [] : listAt(shortenedCopy(part, text as string, {}, name), path);
    own.forEach((position, index) => {
      shown.set(position, left.slice(index, index < own.length - 1 ? index + 1 : undefined));
    });
  }
  const rest: unknown[] = [];
  let unread: unknown[] = [];
  for (const [position, element] of elements.entries()) {
    if (!read.has(position)) {
      unread.push(element);
      continue;
    }
    rest.push(...(shown.has(position) ? unread : []), ...(shown.get(position) ?? []));
    unread = [];
  }
  return Object.assign(withList(message, path, [...rest, ...unread], format), { shortened: true });
}

const listAt = (message: object, path: readonly string[]): readonly unknown[] =>
  path.reduce<unknown>((held, name) => (held as UnknownRecord)[name], message) as readonly unknown[];

/** Returns a copy of a message, of its class, with another list at a path. */
function withList<M extends object>(
  message: M,
  path: readonly string[],
  list: readonly unknown[],
  format: MessageFormat,
): M {
  const row = message as unknown as UnknownRecord;
  return (format.withParts?.(row, path, list) ?? withValue(row, path, list)) as unknown as M;
}

function withValue(owner: object, [name = "", ...rest]: readonly string[], list: readonly unknown[]): object {
  const own = rest.length === 0 ? list : withValue((owner as UnknownRecord)[name] as object, rest, list);
  return copyWith(owner, name, own);
}
