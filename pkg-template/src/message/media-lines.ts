// Replaces images, audio and files with lines if they don't fit, or if `budget.maxImages` and `budget.maxBytes` hide
// them. The engine writes the lines.

import type { UnknownRecord } from "./format.js";
import type { PlainPart } from "./message.js";
import { changedAt, type PlacedChange, withFields } from "./origin.js";
import { parse } from "./read.js";
import { sharesOf } from "./shares.js";

/** The lines for each row of a message, one per image, audio or file in order. Null for one that is shown. */
export type MediaLines = readonly (readonly (string | null)[])[];

/** Returns a marked copy of a message with lines in the place of some of its images, audio and files. */
export function withMediaLines<M extends object>(message: M, lines: MediaLines, shape?: string): M {
  const { message: read, parts } = parse(message, "message", "context_build_error", { shape });
  const rows = sharesOf(read, parts) ?? [parts];
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
  const changes = Array.from(
    places,
    ([place, own]): PlacedChange => [place, (held) => replaced(held, own.toReversed())],
  );
  return Object.assign(changedAt(message, changes) as M, { shortened: true });
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

/** Returns a copy of a value with lines in place of its media. Takes the lines from the end of `left`. */
function replaced(value: unknown, left: (string | null)[]): unknown {
  if (typeof value !== "object" || value === null || left.length === 0) {
    return value;
  }
  if (isMedia(value as UnknownRecord)) {
    const line = left.pop();
    return line == null ? value : textLike(value as UnknownRecord, line);
  }
  return withFields(
    value,
    Object.entries(value).map(([key, held]) => [key, replaced(held, left)] as const),
  );
}

/** The types of parts that are images, audio and files, in all formats. */
const MEDIA_TYPE = /^(?:input_)?(?:image|audio|file|document|video|container_upload|media|computer_screenshot)/;

function isMedia({ type, mediaType, mimeType, mime, inlineData, fileData, source }: UnknownRecord): boolean {
  if (type === "document" && ["text", "content"].includes(String((source as UnknownRecord | undefined)?.type))) {
    return false; // it is read as a text
  }
  return (
    (typeof type === "string" && MEDIA_TYPE.test(type)) ||
    [mediaType, mimeType, mime, inlineData, fileData].some((fact) => fact !== undefined)
  );
}

/** Returns a text in the form of the part that it replaces. Gemini's parts have no type. */
function textLike({ type, id, messageID, sessionID }: UnknownRecord, text: string): UnknownRecord {
  if (typeof type !== "string") {
    return { text };
  }
  const ids = messageID === undefined ? {} : { id, messageID, sessionID };
  return { ...ids, type: type.startsWith("input_") ? "input_text" : "text", text };
}
