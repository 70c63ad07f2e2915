// Images, audio and files in a provider's request: base64 or an address, with a media type.

import { decodeBase64, encodeBase64 } from "../../base/base64.js";
import { MalformedMessage } from "../../message/malformed.js";
import { isBase64 } from "../../message/media.js";
import type { MediaPart } from "../../message/message.js";
import type { Piece } from "./turns.js";

/** True if audio is sent as its transcript. A reply in audio doesn't say what format its data has. */
export function isSpoken(part: MediaPart): part is MediaPart & { readonly transcript: string } {
  return part.transcript !== undefined && (part.data === undefined || part.mediaType === undefined);
}

/** An image, audio or a file. Has one of `base64`, `url`, `id` and `document`, or the part has its own source. */
export interface SentMedia {
  readonly kind: "image" | "audio" | "file";
  readonly place: string;
  readonly part: MediaPart;
  readonly mediaType: string | undefined;
  readonly base64?: string;
  readonly url?: string;
  /** The provider's id for it, if the provider already has it. */
  readonly id?: string;
  /** The text of a document. */
  readonly document?: string;
  /** The same text for a request that puts it among the texts of its message. */
  readonly text?: string;
}

/** Reads a media part. Throws `MalformedMessage` if its bytes can't be read synchronously. */
export function mediaOf({ part, place, asText = (text) => text }: Piece<MediaPart>): SentMedia {
  const { data, url, id, source } = part;
  const mediaType = part.mediaType
    ?.replace(/[\s;].*/s, "")
    .toLowerCase()
    .replace("image/jpg", "image/jpeg");
  const isStated = mediaType?.includes("/") === true && !mediaType.endsWith("/*");
  const stated = isStated ? mediaType : undefined;
  const about = { place, part };
  const kindOf = (type: string | undefined): SentMedia["kind"] => {
    const said = /^(image|audio)\//.exec(type ?? "")?.[1];
    return part.type === "file" && said !== undefined ? (said as "image" | "audio") : part.type;
  };
  if (source?.type === "text" && typeof source.data === "string") {
    const { data: document } = source;
    return { ...about, kind: "file", mediaType: stated ?? "text/plain", document, text: asText(document) };
  }
  if (data !== undefined) {
    const held = dataOf(data, stated, place, asText);
    const type = stated ?? ("base64" in held ? typeByBytes(held.base64) : "text/plain");
    return { ...about, kind: kindOf(type ?? mediaType), mediaType: type, ...held };
  }
  const type = stated ?? typeByName(url ?? "");
  const where = url === undefined ? (id === undefined ? {} : { id }) : { url };
  return { ...about, kind: kindOf(type ?? mediaType), mediaType: type, ...where };
}

/** Returns bytes as base64. A text that isn't base64 is the document itself. */
function dataOf(
  data: unknown,
  mediaType: string | undefined,
  place: string,
  asText: (text: string) => string,
): { readonly base64: string } | { readonly document: string; readonly text: string } {
  if (typeof data === "string") {
    return isBase64(data, mediaType)
      ? { base64: standard(data.replace(/[\r\n]+/g, "")) }
      : { document: data, text: asText(data) };
  }
  if (ArrayBuffer.isView(data)) {
    return { base64: encodeBase64(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) };
  }
  if (data instanceof ArrayBuffer) {
    return { base64: encodeBase64(new Uint8Array(data)) };
  }
  throw new MalformedMessage(
    place,
    "its bytes can't be read synchronously",
    "Pass its bytes as a Uint8Array or as base64.",
  );
}

/** Returns base64 in the alphabet that every provider reads, with padding. */
function standard(text: string): string {
  const letters = text.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  return letters + "=".repeat((4 - (letters.length % 4)) % 4);
}

/** The beginnings of media files, in base64. */
const BEGINNINGS = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
  [/^JVBERi/, "application/pdf"],
  [/^SUQz|^\/\/[uvs]/, "audio/mpeg"],
  [/^T2dnUw/, "audio/ogg"],
] as const;

function typeByBytes(base64: string): string | undefined {
  if (base64.startsWith("UklG")) {
    const form = String.fromCharCode(...decoded(base64.slice(0, 16)).subarray(8, 12));
    return form === "WEBP" ? "image/webp" : form === "WAVE" ? "audio/wav" : undefined;
  }
  return BEGINNINGS.find(([pattern]) => pattern.test(base64))?.[1];
}

function decoded(base64: string): Uint8Array {
  try {
    return decodeBase64(base64);
  } catch {
    return new Uint8Array(0);
  }
}

/** Media types by file extension. */
const ENDINGS: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  txt: "text/plain",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
};

function typeByName(url: string): string | undefined {
  const ending = /\.([a-z0-9]{3,4})(?:[?#].*)?$/i.exec(url)?.[1];
  return ending === undefined ? undefined : ENDINGS[ending.toLowerCase()];
}

/** Returns a data URL for media. */
export function dataUrl({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Returns the address of media if a provider can fetch it. Only the page itself can open its `blob:` addresses. */
export function webAddress({ url }: SentMedia): string | undefined {
  return url !== undefined && /^https?:/i.test(url) ? url : undefined;
}

/**
 * Returns the words of the assistant's audio or document for a provider that takes only texts from the assistant. Fails
 * if it has no words.
 */
export function wordsIn(piece: Piece<MediaPart>, provider: string, taken: string): string {
  const { transcript } = piece.part;
  if (transcript !== undefined) {
    return transcript;
  }
  const media = mediaOf(piece);
  return media.text ?? refuse(media, provider, taken);
}

/** Returns a document that is a text as a text, for a provider that takes only texts. Any other piece stays. */
export function documentAsText(piece: Piece): Piece {
  const text = piece.part.type === "file" ? mediaOf(piece as Piece<MediaPart>).text : undefined;
  return text === undefined ? piece : { part: { type: "text", text }, place: piece.place };
}

/** Fails for media that a provider has no place for. */
export function refuse({ place, kind }: SentMedia, provider: string, taken: string): never {
  throw new MalformedMessage(
    place,
    `${provider} doesn't accept this ${kind} here`,
    `Leave it out, or pass what ${provider} accepts: ${taken}. A context built with render.provider shows it as a line, unless it is part of the request.`,
  );
}
