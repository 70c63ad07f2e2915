// Finds images, audio and files in every supported form, and returns them in one form.

import { decodeBase64 } from "../base/base64.js";
import { jsonOf } from "../base/json.js";
import { recordOf, type UnknownRecord } from "./format.js";
import type { MediaFields, MediaSource } from "./message.js";

const FIGURES = ["width", "height", "pages", "seconds", "bytes"] as const;
const FORMATS: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

/** Returns the places of a part that may hold its media or an address. The first one wins. */
function mediaPlaces(part: UnknownRecord): {
  readonly [Place in "source" | "file" | "audio" | "said" | "image"]: UnknownRecord;
} & { readonly held: readonly unknown[]; readonly addresses: readonly unknown[] } {
  const source = recordOf(part.source);
  const file = recordOf(part.file);
  // The packages of Mistral and Cohere name these fields in camel case.
  const { input_audio: sound = part.inputAudio, image_url: address = part.imageUrl } = part;
  const audio = recordOf(sound);
  const said = recordOf(part.audio);
  const image = recordOf(address);
  // The AI SDK may name the kind of data in a separate field.
  const tagged = recordOf(part.data);
  const held = [
    part.data,
    tagged.data,
    part.image,
    part.audio,
    part.file,
    file.file_data,
    file.data,
    // Mistral has the data itself.
    typeof sound === "string" ? sound : audio.data,
    source.data,
    source.type === "file" ? undefined : source.value,
    part.value,
    said.data,
  ];
  return {
    source,
    file,
    audio,
    said,
    image,
    held,
    addresses: [part.url, tagged.url, address, image.url, file.url, source.url],
  };
}

/** Returns the media of a part in one form. A data URL is split, and its media type wins. */
export function givenMedia(part: UnknownRecord): MediaFields {
  const { source, file, audio, said, image, held, addresses } = mediaPlaces(part);
  const type =
    part.mediaType ??
    part.mimeType ??
    source.media_type ??
    source.mimeType ??
    file.mediaType ??
    FORMATS[String(audio.format)];
  const about = {
    ...texts({
      detail: image.detail ?? part.detail,
      mediaType: type,
      filename: part.filename ?? file.filename ?? part.title,
      transcript: said.transcript,
    }),
    ...Object.fromEntries(FIGURES.filter((name) => part[name] != null).map((name) => [name, part[name]])),
  };
  const { data: document } = recordOf(part.document); // Cohere's: a text, or an object
  if (document !== undefined) {
    const data = typeof document === "string" ? document : (jsonOf(document) ?? "");
    return { ...about, source: { type: "text", media_type: "text/plain", data } };
  }
  if (source.type === "text" || source.type === "content") {
    return { ...about, source: part.source as MediaSource };
  }
  const ids = [part.file_id, part.fileId, file.file_id, source.file_id, source.value, image.file_id, said.id, part.id];
  const value = held.map(heldIn).find(isSome) ?? [...addresses, file.file_url].map(addressIn).find(isSome);
  if (value !== undefined) {
    // A reply in audio has its id next to its data.
    return { ...about, ...value, ...texts({ id: said.id }) };
  }
  const tagged = [part.data, part.image].map(taggedIn).find(isSome);
  if (tagged !== undefined) {
    return { ...about, ...tagged };
  }
  const id = ids.find((it) => typeof it === "string" && it !== "");
  return { ...about, ...texts({ id }) };
}

const isSome = <T>(value: T | undefined): value is T => value !== undefined;

function texts(fields: UnknownRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );
}

/** Returns the content of a data field: bytes, base64, a data URL, or an address. */
function heldIn(value: unknown): MediaFields | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob) {
    return { data: value };
  }
  if (value instanceof URL || (typeof value === "string" && isAddress(value))) {
    return addressIn(value);
  }
  if (typeof value === "string") {
    return value === "" ? undefined : { data: value };
  }
  const { data, url } = recordOf(value);
  return data === undefined && url === undefined ? undefined : (heldIn(data) ?? addressIn(url));
}

/** Returns the AI SDK's other kinds of data: a text, or a provider's reference to a file. */
function taggedIn(value: unknown): MediaFields | undefined {
  const row = recordOf(value);
  if (row.type === "text" && typeof row.text === "string" && row.text !== "") {
    return { source: { type: "text", media_type: "text/plain", data: row.text } };
  }
  const reference = row.type === "reference" ? recordOf(row.reference) : row.type === undefined ? row : {};
  const id = Object.values(reference).find((it) => typeof it === "string" && it !== "");
  return id === undefined ? undefined : { id: id as string };
}

/** Returns the content of an address field. */
function addressIn(value: unknown): MediaFields | undefined {
  const address = value instanceof URL ? value.href : value;
  if (typeof address !== "string" || address === "") {
    return undefined;
  }
  return splitDataUrl(address) ?? { url: address };
}

const isAddress = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/\/|blob:|cid:|data:)/i.test(text.slice(0, 80));

/** Splits a data URL into its type and its data. Undefined for any other text. */
function splitDataUrl(url: string): MediaFields | undefined {
  const comma = url.indexOf(",");
  const head = /^data:([^,;]*)((?:;[^,]*)?)$/i.exec(url.slice(0, Math.min(comma, 500)));
  if (comma < 0 || head === null) {
    return undefined;
  }
  const [, mediaType = "", options = ""] = head;
  const body = url.slice(comma + 1);
  const type = mediaType.toLowerCase();
  return { data: bodyOf(body, type, /;base64$/i.test(options)), ...texts({ mediaType: type }) };
}

/** Returns the data of a data URL: base64, or bytes if base64 could be mistaken for the text itself. */
function bodyOf(body: string, type: string, isBase64: boolean): unknown {
  if (!isBase64) {
    return new TextEncoder().encode(unescaped(body));
  }
  try {
    return type.startsWith("text/") ? decodeBase64(body) : body;
  } catch {
    return body;
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
