// Facts about an image, audio or a file that determine its cost in the engine, and a fingerprint. The media itself
// stays outside. The facts come from the caller or from the first bytes. Only a PDF is read in full, and once.

import { decodeBase64 } from "../base/base64.js";
import { jsonOf } from "../base/json.js";
import type { MediaPart } from "./message.js";

interface Facts {
  width?: number | undefined;
  height?: number | undefined;
  pages?: number | undefined;
  milliseconds?: number | undefined;
  bytes?: number | undefined;
  /** The size in the body, in bytes. */
  sent?: number | undefined;
  mediaType?: string | undefined;
  /** Set if it can be sent as a text. */
  text?: 1 | undefined;
}

/** Maximum number of bytes of an image that are searched for its size, because a JPEG may begin with a preview. */
const HEAD_BYTES = 1 << 18;
/** The largest figure passed to the engine. */
const MOST = 2 ** 31;
/** The number of remembered facts, by fingerprint. */
const REMEMBERED_FACTS = 512;

const remembered = new Map<string, string>();
const encoder = new TextEncoder();

/**
 * Returns the engine's description of a media part: its detail, facts as `name=value`, and a fingerprint of all its
 * fields, so a different image makes a different message. The text of a document that is a text follows on a new line.
 */
export function mediaOf(part: MediaPart): string {
  let binary = 0;
  const fields = jsonOf(part, function (key, value) {
    // The original value, before its `toJSON` ran.
    const own = this[key];
    if (ArrayBuffer.isView(own)) {
      binary += own.byteLength;
      return fingerprint(new Uint8Array(own.buffer, own.byteOffset, own.byteLength));
    }
    binary += own instanceof Blob ? own.size : own instanceof ArrayBuffer ? own.byteLength : 0;
    return own instanceof ArrayBuffer ? fingerprint(new Uint8Array(own)) : value;
  });
  const json = encoder.encode(fields);
  const print = fingerprint(json);
  let facts = remembered.get(print);
  if (facts === undefined) {
    const text = textOf(part);
    facts = inWords({ ...factsOf(part, text), sent: figure(sentBytes(part, text, json.length, binary)) });
    if (remembered.size >= REMEMBERED_FACTS) {
      remembered.clear();
    }
    remembered.set(print, facts);
  }
  const text = facts.includes("text=") ? textOf(part) : undefined;
  return `${(part.detail ?? "auto").replace(/\s/g, "")} ${facts}${print}${text === undefined ? "" : `\n${text}`}`;
}

/** Returns the text of a document that is a text. */
function textOf({ data, source, mediaType }: MediaPart): string | undefined {
  if (source?.type === "text" && typeof source.data === "string") {
    return source.data;
  }
  return typeof data === "string" && !isBase64(data, mediaType) ? data : undefined;
}

/**
 * Returns the bytes of a part in the JSON that is sent. Assumes the largest form of any provider, with bytes and texts
 * of documents as base64.
 */
function sentBytes({ source }: MediaPart, text: string | undefined, jsonLength: number, binary: number): number {
  const isText = source !== undefined || text !== undefined;
  return ((isText ? jsonLength : binary) * 4) / 3 + (isText ? 0 : jsonLength);
}

function inWords(facts: Facts): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value} `)
    .join("");
}

/** Returns a checksum of bytes (FNV-1a, 32 bits) with their length. */
function fingerprint(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return `${bytes.length}-${(hash >>> 0).toString(16)}`;
}

function factsOf(part: MediaPart, text: string | undefined): Facts {
  const found = factsIn(part, text);
  const facts: Facts = { ...found, mediaType: typeOf(part.mediaType) ?? found.mediaType };
  // The caller's facts win.
  for (const name of ["width", "height", "pages", "bytes"] as const) {
    facts[name] = figure(part[name]) ?? facts[name];
  }
  facts.milliseconds = inMilliseconds(part.seconds) ?? facts.milliseconds;
  facts.text = part.transcript === undefined ? facts.text : 1;
  return facts;
}

function typeOf(mediaType: string | undefined): string | undefined {
  return mediaType
    ?.replace(/[\s;].*/s, "")
    .toLowerCase()
    .slice(0, 100);
}

/** Returns a figure in the engine's form. Undefined if it can't be right. */
function figure(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.ceil(Math.min(value, MOST)) : undefined;
}

function inMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? figure(seconds * 1000) : undefined;
}

type MediaData = string | Uint8Array;

/** Returns the facts in a part's text or bytes. Only the size of a `Blob` is known. */
function factsIn({ type, data, source, mediaType }: MediaPart, text: string | undefined): Facts {
  if (source !== undefined) {
    const said = typeof source.data === "string" ? source.data : (jsonOf(source.content) ?? "");
    return { bytes: figure(encoder.encode(said).length), mediaType: "text/plain", text: 1 };
  }
  if (text !== undefined) {
    return { bytes: figure(encoder.encode(text).length), text: 1 };
  }
  if (data instanceof Blob) {
    return { bytes: figure(data.size), mediaType: typeOf(data.type || undefined) };
  }
  const media = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : data instanceof ArrayBuffer
      ? new Uint8Array(data)
      : data;
  return typeof media === "string" || media instanceof Uint8Array ? factsOfMedia(media, type, mediaType) : {};
}

/** Returns the facts in base64 or in bytes. */
function factsOfMedia(media: MediaData, kind: MediaPart["type"], type: string | undefined): Facts {
  const bytes = typeof media === "string" ? Math.floor((media.length * 3) / 4) : media.length;
  const head = bytesOf(media, HEAD_BYTES);
  const facts: Facts = { bytes: figure(bytes) };
  if (kind === "image" || type?.startsWith("image/")) {
    const [width, height] = sizeOf(head) ?? [];
    return { ...facts, width: figure(width), height: figure(height) };
  }
  if (ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 4) === "WAVE") {
    return { ...facts, milliseconds: inMilliseconds(secondsOfWav(head, bytes)) };
  }
  if (ascii(head, 0, 1024).includes("%PDF-")) {
    return { ...facts, pages: figure(pagesOf(bytesOf(media, Number.POSITIVE_INFINITY))), mediaType: "application/pdf" };
  }
  return facts;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** A short text of these letters counts as base64 only if the file isn't a text. */
const LONG_BASE64 = /^[A-Za-z0-9+/_-]{16,}=*$/;

/** True if a text is base64. Otherwise it is the document itself. */
export function isBase64(text: string, mediaType: string | undefined): boolean {
  const isOfText = /^text\/(?!\*)/i.test(mediaType ?? "");
  return (isOfText ? LONG_BASE64 : BASE64).test(text.replace(/[\r\n]+/g, ""));
}

/** Returns the first bytes of media. Empty if they can't be read. */
function bytesOf(media: MediaData, limit: number): Uint8Array {
  if (typeof media !== "string") {
    return media.subarray(0, limit);
  }
  const letters = Number.isFinite(limit) ? Math.ceil(limit / 3) * 4 : media.length;
  const text = media
    .slice(0, letters)
    .replace(/[\r\n\s=]+/g, "")
    .replace(/-/g, "+")
    .replace(/_/g, "/");
  try {
    return decodeBase64(text.slice(0, text.length - (text.length % 4 === 1 ? 1 : 0)));
  } catch {
    return new Uint8Array(0);
  }
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Returns the width and height of an image in pixels, from the header of a PNG, GIF, WebP or JPEG. */
function sizeOf(bytes: Uint8Array): readonly [number, number] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (length: number): boolean => bytes.length >= length;
  if (ascii(bytes, 1, 3) === "PNG" && has(24)) {
    return [view.getUint32(16), view.getUint32(20)];
  }
  if (ascii(bytes, 0, 3) === "GIF" && has(10)) {
    return [view.getUint16(6, true), view.getUint16(8, true)];
  }
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 4) === "WEBP" && has(30)) {
    switch (ascii(bytes, 12, 4)) {
      case "VP8 ":
        return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
      case "VP8L": {
        const packed = view.getUint32(21, true);
        return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
      }
      case "VP8X": {
        const at = (place: number): number => view.getUint16(place, true) + ((bytes[place + 2] as number) << 16) + 1;
        return [at(24), at(27)];
      }
      default:
        return undefined;
    }
  }
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? sizeOfJpeg(bytes, view) : undefined;
}

/** Returns the size of a JPEG, from the first segment that begins a frame. */
function sizeOfJpeg(bytes: Uint8Array, view: DataView): readonly [number, number] | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1; // a fill byte
    } else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    } else {
      at += 2 + view.getUint16(at + 2);
    }
  }
  return undefined;
}

/** Returns the length of a WAV file, from its bytes per second and its number of bytes. */
function secondsOfWav(head: Uint8Array, bytes: number): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let at = 12;
  let bytesPerSecond = 0;
  while (at + 8 <= head.length) {
    const length = view.getUint32(at + 4, true);
    const name = ascii(head, at, 4);
    if (name === "fmt " && at + 20 <= head.length) {
      bytesPerSecond = view.getUint32(at + 16, true);
    } else if (name === "data" && bytesPerSecond > 0) {
      // A stream doesn't know its length, so its bytes are counted.
      return Math.min(length, Math.max(bytes - at - 8, 0)) / bytesPerSecond;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** Returns the number of pages in a PDF: the visible page objects or, without any, the number it states. */
function pagesOf(bytes: Uint8Array): number | undefined {
  const text = new TextDecoder("latin1").decode(bytes);
  let pages = 0;
  for (const _ of text.matchAll(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)) {
    pages += 1;
  }
  if (pages > 0) {
    return pages;
  }
  let most = 0;
  for (const [, count] of text.matchAll(/\/Count\s{1,8}(\d{1,6})\b/g)) {
    most = Math.max(most, Number(count));
  }
  return most > 0 ? most : undefined;
}
