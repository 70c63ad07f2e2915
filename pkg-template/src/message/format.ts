// A format of messages: how its messages are told from others, read, and copied with another text.
//
// A format knows its package's types by structure alone, and imports nothing of it. It returns in windrow's own form what a message
// holds; the caller's objects stay as they are. It refuses what it doesn't know: nothing is lost silently.

import { listFrom } from "../base/lists.js";
import type { MessageFields, PlainMessage } from "./message.js";

/** A message whose fields are looked at one by one. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Which message it is, when it was written, and of which session it is. */
export type MessageOrigin = Pick<MessageFields, "id" | "createdAt" | "sessionId">;

/** A format of messages. */
export interface MessageFormat {
  /** What the option `shape` calls it. */
  readonly name: string;
  /** What its messages are called, in errors and in the documentation. */
  readonly title: string;
  /** The fields of a message that it reads, and those that carry nothing which a model sees. */
  readonly fields: ReadonlySet<string>;
  /** The provider whose reasoning its messages hold if they don't say. */
  readonly maker?: string;
  /** Whether a message has what only messages of this format have. */
  fits(row: UnknownRecord): boolean;
  /**
   * A message as it is meant behind the one `before` it, where that decides which call a result answers: the message itself where it
   * does not.
   */
  behind?(row: UnknownRecord, before: unknown): UnknownRecord;
  /** What a message says. Throws `MalformedMessage`, with the place in the message, where it holds something unknown. */
  read(row: UnknownRecord): PlainMessage;
  /**
   * A copy of its own, of the same class, with another text in the place of all that it says in words: of several texts the
   * first is replaced and the others go. Calls, images and reasoning stay; a result stays where it is, with an empty text behind the first.
   */
  withText(row: UnknownRecord, text: string): UnknownRecord;
  /**
   * A copy of the same class without its tool calls and their results, or without some of them; the message itself if it has
   * none.
   */
  withoutToolCalls(row: UnknownRecord, isUnwanted?: IsUnwanted): UnknownRecord;
  /**
   * A copy of the same class with another list of parts, at a path of the message. It is needed if other fields repeat what the list holds.
   */
  withParts?(row: UnknownRecord, path: readonly string[], parts: readonly unknown[]): UnknownRecord;
  /**
   * A copy that says where it is from, in the places at which `read` finds it. It is called for plain data alone. Where it is left
   * out, they are fields of the message: `id`, `createdAt` and `sessionId`.
   */
  withOrigin?(row: UnknownRecord, origin: MessageOrigin): UnknownRecord;
}

/** True if a call, or a result, is left out of a copy, by the part or the entry of a list that holds it. */
export type IsUnwanted = (holder: UnknownRecord) => boolean;

/** Returns a copy of a message without some elements of a list that it holds; the message itself if it has none of them. */
export function withoutSome(
  row: UnknownRecord,
  field: string,
  isGone: (part: UnknownRecord) => boolean,
): UnknownRecord {
  const parts = listFrom(row[field]);
  const kept = parts.filter((part) => !isGone(recordOf(part)));
  return kept.length < parts.length ? { ...row, [field]: kept } : row;
}

/** What a part is, as far as its text goes: words, the result of a tool, or neither. */
export type TextKind = "text" | "result" | undefined;

/**
 * Parts with one text in the place of all that they say: the first part with a text has it, other texts are left out, and further
 * results say nothing. Where no part has a text, `made` stands at the end.
 */
export function partsWithText<Part>(
  parts: readonly Part[],
  text: string,
  {
    kindOf,
    rewritten,
    made,
  }: {
    kindOf(part: Part): TextKind;
    rewritten(part: Part, text: string): Part;
    made(text: string): Part;
  },
): Part[] {
  let isPlaced = false;
  const copies = parts.flatMap((part) => {
    const kind = kindOf(part);
    if (kind === undefined) {
      return [part];
    }
    const isGone = isPlaced && kind === "text";
    const copy = isGone ? [] : [rewritten(kind === "text" ? unsigned(part) : part, isPlaced ? "" : text)];
    isPlaced = true;
    return copy;
  });
  return isPlaced ? copies : [...copies, made(text)];
}

/** Returns a part without signatures, wherever it has them: they are for the text that it had. */
function unsigned<Part>(part: Part): Part {
  const prototype: unknown = typeof part === "object" && part !== null ? Object.getPrototypeOf(part) : undefined;
  if (prototype !== Object.prototype) {
    return part;
  }
  const fields = Object.entries(part as object).filter(([name]) => !/signature$/i.test(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, unsigned(value)])) as Part;
}

/** A field that is an object; an empty one otherwise. */
export function recordOf(value: unknown): UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as UnknownRecord) : {};
}

/** Fields without those that have nothing. */
export function fieldsWithValue(fields: UnknownRecord): UnknownRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** What a file is to the engine, by its media type. A video is a file. */
export function kindOfMediaType(mediaType: unknown): "image" | "audio" | "file" {
  return (/^(image|audio)(?:\/|$)/.exec(String(mediaType))?.[1] ?? "file") as "image" | "audio" | "file";
}

/** When a message was written, if a field says so in a form that windrow reads. */
export function timeIn(...values: readonly unknown[]): string | number | Date | undefined {
  return values.find(
    (value): value is string | number | Date =>
      value instanceof Date || (typeof value === "number" && Number.isFinite(value)) || typeof value === "string",
  );
}
