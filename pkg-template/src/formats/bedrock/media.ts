// Media in Converse's form: the name of a format, and bytes.

import { encodeBase64 } from "../../base/base64.js";
import { MalformedMessage } from "../../message/malformed.js";

export type MediaKind = "image" | "document" | "video" | "audio";

const office = "application/vnd.openxmlformats-officedocument";
const same = (kind: string, names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, `${kind}/${name}`]));

/** The media type of each format. */
export const MEDIA_TYPES: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: same("image", "png jpeg gif webp"),
  document: {
    pdf: "application/pdf",
    csv: "text/csv",
    doc: "application/msword",
    docx: `${office}.wordprocessingml.document`,
    xls: "application/vnd.ms-excel",
    xlsx: `${office}.spreadsheetml.sheet`,
    html: "text/html",
    md: "text/markdown",
    txt: "text/plain",
  },
  video: {
    mkv: "video/x-matroska",
    mov: "video/quicktime",
    three_gp: "video/3gpp",
    ...same("video", "mp4 webm flv mpeg mpg wmv"),
  },
  audio: { mp3: "audio/mpeg", ...same("audio", "wav flac ogg opus aac mp4 m4a webm pcm") },
};

/** Returns the format of a media type. Undefined if Converse doesn't accept it. */
export function formatOf(kind: MediaKind, mediaType: string | undefined): string | undefined {
  return Object.entries(MEDIA_TYPES[kind]).find(([, type]) => type === mediaType)?.[0];
}

/** Returns bytes as base64. A body that was written as JSON already has base64. */
export function encodedBytes(bytes: unknown, place: string): string {
  if (typeof bytes === "string") {
    return bytes;
  }
  if (bytes instanceof Uint8Array) {
    return encodeBase64(bytes);
  }
  throw new MalformedMessage(
    place,
    "its bytes can't be read synchronously",
    "Pass its bytes as a Uint8Array or as base64.",
  );
}
