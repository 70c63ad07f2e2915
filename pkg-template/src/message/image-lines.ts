// Lines that replace images (`filter.maxImages`). The engine makes the lines.

import type { UnknownRecord } from "./format.js";
import type { PlainPart } from "./message.js";
import { copyWith, pathOf } from "./origin.js";
import { parse } from "./read.js";
import { sharesOf } from "./shares.js";

const IMAGE_TYPE = /^image\//;

/** Returns a marked copy of a message: lines replace its first images, row by row. */
export function withImageLines<M extends object>(message: M, lines: readonly (readonly string[])[], shape?: string): M {
  const { message: read, parts } = parse(message, "message", "context_build_error", { shape });
  const rows = sharesOf(read, parts) ?? [parts];
  let copy: unknown = message;
  for (const [at, row] of rows.entries()) {
    const left = [...(lines[at] ?? [])];
    for (const { part, place } of row) {
      const own = left.splice(0, imageCount(part));
      if (own.length > 0) {
        copy = replaced(copy, pathOf(place), own);
      }
    }
  }
  return Object.assign(copy as M, { shortened: true });
}

function imageCount(part: PlainPart): number {
  if (part.type === "image") {
    return 1;
  }
  const { type, value } = ((part.type === "tool-result" && part.output) || {}) as UnknownRecord;
  const held = type === "content" && Array.isArray(value) ? (value as readonly PlainPart[]) : [];
  return held.filter((it) => it.type === "image").length;
}

/** Returns a copy of a value: lines replace the first images at a path of it. Takes the lines that it uses. */
function replaced(value: unknown, [name, ...path]: readonly string[], lines: string[]): unknown {
  if (typeof value !== "object" || value === null || lines.length === 0) {
    return value;
  }
  if (name !== undefined) {
    return copyWith(value, name, replaced((value as UnknownRecord)[name], path, lines));
  }
  if (isImage(value as UnknownRecord)) {
    return textLike(value as UnknownRecord, lines.shift() as string);
  }
  return Object.entries(value).reduce<object>((copy, [key, held]) => {
    const changed = replaced(held, [], lines);
    return changed === held ? copy : copyWith(copy, key, changed);
  }, value);
}

function isImage({ type, mediaType, mimeType, mime, inlineData, fileData }: UnknownRecord): boolean {
  const given = (inlineData ?? fileData ?? {}) as UnknownRecord;
  return (
    (typeof type === "string" && /^(?:input_)?image/.test(type)) ||
    [mediaType, mimeType, mime, given.mimeType].some((it) => typeof it === "string" && IMAGE_TYPE.test(it))
  );
}

/** Returns a text in the form of the part that it replaces: parts of Gemini have no type. */
function textLike({ type, id, messageID, sessionID }: UnknownRecord, text: string): UnknownRecord {
  if (typeof type !== "string") {
    return { text };
  }
  const ids = messageID === undefined ? {} : { id, messageID, sessionID };
  return { ...ids, type: type.startsWith("input_") ? "input_text" : "text", text };
}
