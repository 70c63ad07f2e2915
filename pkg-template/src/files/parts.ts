// Parts of messages, as the modules of kinds put them together.

import type { MessageInput, PartInput } from "../message/message.js";
import { isoOf } from "../message/times.js";
import { textIn } from "./file.js";

/** What a message has beside its parts. */
interface MessageHead {
  readonly id?: string | undefined;
  readonly role: string;
  readonly createdAt?: string | undefined;
}

const RESULT_TYPE = /^tool[-_]result$/;

/**
 * What somebody said in one go, as messages: results of tools are the tools', so that what led to them is before them, and what
 * followed behind. Only the first has the id as it is.
 */
export function messagesInTurn(
  { id, role, createdAt }: MessageHead,
  parts: readonly PartInput[],
): readonly MessageInput[] {
  const turns: { isResult: boolean; parts: PartInput[] }[] = [];
  for (const part of parts) {
    const isResult = RESULT_TYPE.test(part.type);
    const last = turns.at(-1);
    if (last?.isResult === isResult) {
      last.parts.push(part);
    } else {
      turns.push({ isResult, parts: [part] });
    }
  }
  return turns.map(({ isResult, parts }, at) => ({
    ...(id == null ? {} : { id: at === 0 ? id : `${id}/${at + 1}` }),
    role: isResult ? "tool" : role,
    content: contentOf(parts),
    ...(createdAt == null ? {} : { createdAt }),
  }));
}

/** Parts as a content: a text alone is no list. */
export function contentOf(parts: readonly PartInput[]): string | readonly PartInput[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" && first.origin === undefined ? first.text : parts;
}

/** A text as a part; none where it says nothing. */
export function textPart(text: unknown): readonly PartInput[] {
  return textIn(text) === undefined ? [] : [{ type: "text", text: text as string }];
}

/** What is known of something that was attached. */
export interface Attachment {
  /** What it is, where its media type does not say it. */
  readonly kind?: "image" | "audio" | "video" | undefined;
  /** Its data in base64, where the file has them. */
  readonly data?: unknown;
  /** Where it is, or what it is called there. */
  readonly url?: unknown;
  readonly name?: unknown;
  readonly mediaType?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
  readonly seconds?: unknown;
  readonly bytes?: unknown;
}

/**
 * Something that was attached, as a part; none where nothing is known of it. What is in the file, and images and sounds, are
 * media. A document or a video of which the file has no more than a name is named in words: there is nothing of it to be sent,
 * and as a file it would cost what its pages cost, for the sake of which the words around it would be left out.
 */
export function attachedPart({ kind: known, data, url, name, mediaType, ...facts }: Attachment): readonly PartInput[] {
  const [base64, address] = [textIn(data), textIn(url) ?? textIn(name)];
  const type =
    textIn(mediaType)?.toLowerCase() ?? (known === undefined ? typeOfName(textIn(name) ?? address) : undefined);
  const kind = known ?? type?.split("/", 1)[0];
  const isMedia = kind === "image" || kind === "audio";
  if (base64 === undefined && address === undefined) {
    return [];
  }
  if (!isMedia && base64 === undefined) {
    return [{ type: "text", text: `[Attached file: ${textIn(name) ?? address}]` }];
  }
  const figures = Object.entries(facts).filter(([, value]) => typeof value === "number" && value > 0);
  return [
    {
      type: isMedia ? kind : "file",
      ...(base64 === undefined ? { url: address } : { data: base64 }),
      ...(type === undefined ? {} : { mediaType: type }),
      ...Object.fromEntries(figures),
    },
  ];
}

/** The media type that the end of a name says; no more than whether it is an image or a sound matters. */
function typeOfName(name: string | undefined): string | undefined {
  const end = /\.([a-z0-9]{1,5})$/i.exec(name?.slice(-6) ?? "")?.[1]?.toLowerCase();
  return end === undefined ? undefined : TYPES.get(end);
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["bmp", "image/bmp"],
  ["heic", "image/heic"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["m4a", "audio/mp4"],
  ["ogg", "audio/ogg"],
]);

/** A page that a tool found: its title, its address, and what it says. */
export function pageText({ title, url, text }: { title?: unknown; url?: unknown; text?: unknown }): string {
  return [title, url, text].filter((line) => textIn(line) !== undefined).join("\n");
}

/** A time in seconds since 1970 as ISO 8601; undefined if it is none. */
export function timeOfSeconds(seconds: unknown): string | undefined {
  return typeof seconds === "number" ? isoOf(Math.round(seconds * 1000)) : undefined;
}
