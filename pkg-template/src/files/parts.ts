// Helpers that build the parts of messages, shared by the modules of kinds.

import { isRecord } from "../base/plain-data.js";
import type { MessageInput, PartInput } from "../message/message.js";
import { isoOf } from "../message/times.js";
import { type Row, textIn, unreadWordsIn } from "./file.js";

/** The fields of a message, without its parts. */
interface MessageHead {
  readonly id?: string | undefined;
  readonly role: string;
  readonly createdAt?: string | undefined;
}

const RESULT_TYPE = /^tool[-_]result$/;

/**
 * Returns one turn as messages. Tool results become messages of the tools, with the calls before them and the rest
 * after them. Only the first message keeps the id unchanged.
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

/** Returns parts as message content. A single text isn't wrapped in a list. */
export function contentOf(parts: readonly PartInput[]): string | readonly PartInput[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" && first.origin === undefined ? first.text : parts;
}

/** Returns a text as a part, or nothing for a blank text. */
export function textPart(text: unknown): readonly PartInput[] {
  return textIn(text) === undefined ? [] : [{ type: "text", text: text as string }];
}

/** Reports something that isn't read, in words. */
export type Report = (reason: string) => void;

/** Returns the parts of a row or a part. Reports it if it has none, although a field of it has words. */
export function partsOrFault<Part>(
  row: Row,
  report: Report,
  read: (report: Report) => readonly Part[],
): readonly Part[] {
  let isReported = false;
  const parts = read((reason) => {
    isReported = true;
    report(reason);
  });
  const fault = parts.length > 0 || isReported ? undefined : unreadWordsIn(row);
  if (fault !== undefined) {
    report(fault);
  }
  return parts;
}

/** Returns the line for an attached file that is only named. Undefined if it has no name. */
export const fileLine = (name: unknown): string | undefined =>
  textIn(name) === undefined ? undefined : `[Attached file: ${(name as string).replace(/\s+/g, " ")}]`;

/** Returns a file as a part: its data, if its address has it, and otherwise a line with its name. */
export function filePart(name: unknown, address: unknown): readonly PartInput[] {
  const [, mediaType, data] = /^data:([^;,]+)[^,]*;base64,(.+)$/s.exec(textIn(address) ?? "") ?? [];
  return data === undefined ? textPart(fileLine(name)) : attachedPart({ data, mediaType, name });
}

/** Facts about an attachment. */
export interface Attachment {
  /** The kind, if the media type doesn't tell. */
  readonly kind?: "image" | "audio" | "video" | undefined;
  /** The data in base64, if the file has it. */
  readonly data?: unknown;
  /** The file's address, or its name in the export. */
  readonly url?: unknown;
  readonly name?: unknown;
  readonly mediaType?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
  readonly seconds?: unknown;
  readonly bytes?: unknown;
}

/**
 * Returns an attachment as a part, or nothing if nothing is known about it. Images, sounds and anything with data
 * become media. A document or a video that the file only names becomes a line of text. There is nothing to send, and as
 * a file it would count with all its pages, which would push out the words around it.
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
    return textPart(fileLine(textIn(name) ?? address));
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

/** Returns the media type for a file name's extension. Only image or sound matters. */
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

/** Returns the text of a page that a tool found: its title, address and content. */
export function pageText({ title, url, text }: { title?: unknown; url?: unknown; text?: unknown }): string {
  return [title, url, text].filter((line) => textIn(line) !== undefined).join("\n");
}

/** Returns the output of a Gemini function: all of its response, or its only field `output` or `error`. */
export function outputOf(response: unknown): unknown {
  const [[field, value] = [], ...others] = isRecord(response) ? Object.entries(response) : [];
  return others.length === 0 && (field === "output" || field === "error") ? value : (response ?? "");
}

/** Returns a time in seconds since 1970 as ISO 8601. Undefined if it isn't a time. */
export function timeOfSeconds(seconds: unknown): string | undefined {
  return typeof seconds === "number" ? isoOf(Math.round(seconds * 1000)) : undefined;
}
