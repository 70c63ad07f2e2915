// The interface of message formats: how to recognize a message, read it, and copy it with another text.
//
// A format knows its package's types only by structure, and doesn't import the package. It returns a message's content
// in windrow's own form and leaves the caller's objects unchanged. It rejects unknown content, so nothing is lost
// silently.

import { listFrom } from "../base/lists.js";
import type { MessageFields, PlainMessage } from "./message.js";

/** A message whose fields are read one by one. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** The id, time and session of a message. */
export type MessageOrigin = Pick<MessageFields, "id" | "createdAt" | "sessionId">;

/** Returns the line of the next image, audio or file. Null if that is shown, and undefined after the last. */
export type NextLine = () => string | null | undefined;

/** A format of messages. */
export interface MessageFormat {
  /** The name for the option `shape`. */
  readonly name: string;
  /** The name of its messages, in errors and in the documentation. */
  readonly title: string;
  /**
   * Fields that mark a message with a role as this format's, as literal texts: `scripts/formats.mjs` copies them into
   * every bundle. Default: none. A message with an unknown role or part needs none.
   */
  readonly signs?: readonly string[];
  /** The fields of a message that it reads, and those without content for the model. */
  readonly fields: ReadonlySet<string>;
  /** The provider of its messages' reasoning if they don't name one. */
  readonly maker?: string;
  /** True if a message has fields that only this format has. */
  fits(row: UnknownRecord): boolean;
  /**
   * Returns a message in the form it has after the message `before`, if that decides which call a result answers, or
   * with its role in windrow's words. Otherwise returns the message itself.
   */
  behind?(row: UnknownRecord, before: unknown): UnknownRecord;
  /** Returns a message's content. Throws `MalformedMessage`, with the place in the message, for anything unknown. */
  read(row: UnknownRecord): PlainMessage;
  /**
   * Returns a separate copy, of the same class, with one text instead of all its words: the first text is replaced and
   * the others are dropped. Calls, images and reasoning stay. A result keeps its place, and any after the first get an
   * empty text.
   */
  withText(row: UnknownRecord, text: string): UnknownRecord;
  /**
   * Returns a copy of the same class without its tool calls and their results, or without some of them. The message
   * itself if it has none.
   */
  withoutToolCalls(row: UnknownRecord, isUnwanted?: IsUnwanted): UnknownRecord;
  /**
   * Returns a copy of a value in a message with lines instead of the images, audio and files that it holds itself, or
   * undefined if it holds none. `next` returns the line of the next one; null if that is shown. Default: media and
   * texts with a `type`, the most common case.
   */
  withLines?(value: UnknownRecord, next: NextLine): unknown;
  /**
   * A copy of the same class with another list of parts, at a path of the message. It is needed if other fields repeat
   * the contents of the list.
   */
  withParts?(row: UnknownRecord, path: readonly string[], parts: readonly unknown[]): UnknownRecord;
  /**
   * Returns a copy with an origin, in the fields that `read` takes it from. Only called for plain data. Default: the
   * fields `id`, `createdAt` and `sessionId` of the message.
   */
  withOrigin?(row: UnknownRecord, origin: MessageOrigin): UnknownRecord;
}

/** True for a tool's message with an `error` next to its content, as AG-UI's have. */
export const hasFailed = ({ role, error }: UnknownRecord): boolean =>
  role === "tool" && typeof error === "string" && error !== "";

/** Decides whether a call or a result is left out of a copy, by the part or list entry that holds it. */
export type IsUnwanted = (holder: UnknownRecord) => boolean;

/**
 * Returns a copy of a message without some elements of one of its lists, or the message itself if it has none of them.
 */
export function withoutSome(
  row: UnknownRecord,
  field: string,
  isGone: (part: UnknownRecord) => boolean,
): UnknownRecord {
  const parts = listFrom(row[field]);
  const kept = parts.filter((part) => !isGone(recordOf(part)));
  return kept.length < parts.length ? { ...row, [field]: kept } : row;
}

/** The kind of a part's text: words, the result of a tool, or neither. */
export type TextKind = "text" | "result" | undefined;

/**
 * Returns parts with one text instead of all their texts. The first part with a text gets it, other texts are dropped,
 * and further results become empty. If no part has a text, `made` is added at the end.
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

/** Returns a part without signatures in any field, because they only fit its old text. */
function unsigned<Part>(part: Part): Part {
  const prototype: unknown = typeof part === "object" && part !== null ? Object.getPrototypeOf(part) : undefined;
  if (prototype !== Object.prototype) {
    return part;
  }
  const fields = Object.entries(part as object).filter(([name]) => !/signature$/i.test(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, unsigned(value)])) as Part;
}

/** Returns a value that is an object, and an empty object for any other value. */
export function recordOf(value: unknown): UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as UnknownRecord) : {};
}

/** Returns fields without the empty ones. */
export function fieldsWithValue(fields: UnknownRecord): UnknownRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** Returns the engine's kind for a file's media type. A video counts as a file. */
export function kindOfMediaType(mediaType: unknown): "image" | "audio" | "file" {
  return (/^(image|audio)(?:\/|$)/.exec(String(mediaType))?.[1] ?? "file") as "image" | "audio" | "file";
}

/** Returns the first value that is a time in a form that windrow reads. */
export function timeIn(...values: readonly unknown[]): string | number | Date | undefined {
  return values.find(
    (value): value is string | number | Date =>
      value instanceof Date || (typeof value === "number" && Number.isFinite(value)) || typeof value === "string",
  );
}
