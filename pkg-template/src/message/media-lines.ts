// Replaces images, audio and files with lines if they don't fit, or if `budget.maxImages` and `budget.maxBytes` hide
// them. The engine writes the lines.

import { listFrom } from "../base/lists.js";
import { mediaFields } from "./dialect.js";
import type { MessageFormat, NextLine, UnknownRecord } from "./format.js";
import type { PlainPart } from "./message.js";
import { changedAt, type PlacedChange, withFields } from "./origin.js";
import { parse } from "./read.js";
import { sharesOf } from "./shares.js";

/** The lines for each row of a message, one per image, audio or file in order. Null for one that is shown. */
export type MediaLines = readonly (readonly (string | null)[])[];

/** Returns a marked copy of a message with lines that replace some of its images, audio and files. */
export function withMediaLines<M extends object>(message: M, lines: MediaLines, shape?: string): M {
  const { message: read, parts, format } = parse(message, "message", "context_build_error", { shape });
  const rows = sharesOf(read, parts)?.map((share) => share.parts) ?? [parts];
  const { withLines = lineInstead } = format;
  // Several parts may come from one place, whose media are replaced in one pass.
  const places = new Map<string, (string | null)[]>();
  for (const [at, row] of rows.entries()) {
    const all = lines[at] ?? [];
    let next = 0;
    for (const { part, place } of row) {
      const known = places.get(place) ?? [];
      places.set(place, known);
      for (const end = next + mediaCount(part); next < end; next++) {
        known.push(all[next] ?? null);
      }
    }
  }
  const changes = Array.from(places, ([place, own]): PlacedChange => [place, replacer(own.toReversed(), withLines)]);
  const copy = mediaFields().reduce(
    (changed, field) => withoutMedia(changed, field, places),
    changedAt(message, changes) as UnknownRecord,
  );
  return Object.assign(copy as M, { shortened: true });
}

/**
 * Returns a message without some of the media in a field next to its content. Their lines follow the content: a space
 * before a line is part of its first token, so the joined text costs what its pieces do.
 */
function withoutMedia(
  message: UnknownRecord,
  field: string,
  places: ReadonlyMap<string, readonly (string | null)[]>,
): UnknownRecord {
  const media = listFrom(message[field]).map((one, at) => ({ one, line: places.get(`.${field}[${at}]`)?.[0] }));
  const lines = media.flatMap(({ line }) => line ?? []);
  if (lines.length === 0) {
    return message;
  }
  const { content, [field]: _, ...rest } = message;
  const left = media.flatMap(({ one, line }) => (line == null ? [one] : []));
  const said = Array.isArray(content)
    ? [...content, ...lines.map((text) => ({ type: "text", text }))]
    : [content, ...lines].filter((text) => text != null && text !== "").join(" ");
  return { ...rest, content: said, ...(left.length === 0 ? {} : { [field]: left }) };
}

const isMediaPart = ({ type }: PlainPart): boolean => type === "image" || type === "audio" || type === "file";

function mediaCount(part: PlainPart): number {
  if (isMediaPart(part)) {
    return 1;
  }
  const { type, value } = ((part.type === "tool-result" && part.output) || {}) as UnknownRecord;
  const held = type === "content" && Array.isArray(value) ? (value as readonly PlainPart[]) : [];
  return held.filter(isMediaPart).length;
}

/**
 * Returns a function that copies a value with lines in place of its media. It takes the lines from the end of `left`.
 */
function replacer(
  left: (string | null)[],
  withLines: NonNullable<MessageFormat["withLines"]>,
): (value: unknown) => unknown {
  // The values that were walked. LangChain's messages hold their content twice.
  const done = new Map<object, unknown>();
  const next: NextLine = () => left.pop();
  return replaced;

  function replaced(value: unknown): unknown {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) {
      return value;
    }
    if (!done.has(value)) {
      done.set(value, value); // it may hold itself
      done.set(value, left.length === 0 ? value : (withLines(value as UnknownRecord, next) ?? withinOf(value)));
    }
    return done.get(value);
  }

  function withinOf(holder: object): object {
    return withFields(
      holder,
      Object.entries(holder).map(([key, held]) => [key, replaced(held)] as const),
    );
  }
}

/** Returns the line that replaces an image, audio or a file. Undefined for any other value. */
export function lineInstead(value: UnknownRecord, next: NextLine): unknown {
  if (!isMedia(value)) {
    return undefined;
  }
  const line = next();
  return line == null ? value : textLike(value, line);
}

/** The types of parts that are images, audio and files, in all formats. */
const MEDIA_TYPE =
  /^(?:input_)?(?:image|audio|file|document|video|container_upload|media|computer_screenshot|search_result)/;

function isMedia({ type, mediaType, mimeType, mime, contentType, inlineData, fileData }: UnknownRecord): boolean {
  return (
    (typeof type === "string" && MEDIA_TYPE.test(type)) ||
    [mediaType, mimeType, mime, contentType, inlineData, fileData].some((fact) => fact !== undefined)
  );
}

/** Returns a text in the form of the part that it replaces. Gemini's parts have no type. An attachment stays one. */
function textLike({ type, id, messageID, sessionID, contentType }: UnknownRecord, text: string): UnknownRecord {
  if (contentType !== undefined) {
    const bytes = String.fromCharCode(...new TextEncoder().encode(text));
    return { contentType: "text/plain", url: `data:text/plain;base64,${btoa(bytes)}` };
  }
  if (typeof type !== "string") {
    return { text };
  }
  const ids = messageID === undefined ? {} : { id, messageID, sessionID };
  return { ...ids, type: type.startsWith("input_") ? "input_text" : "text", text };
}
