// Words in place of the images, sounds and files that a provider can't take, when a session goes on with it.

import { ContextError } from "../base/errors.js";
import { isRecord } from "../base/plain-data.js";
import { fileLine } from "../files/parts.js";
import { type ProviderName, requests } from "../formats/requests.js";
import { withMediaLines } from "../message/media-lines.js";
import type { MessageInput, PlainPart } from "../message/message.js";
import { type ParsedMessage, parse } from "../message/read.js";
import { sharesOf } from "../message/shares.js";

/** Addresses that a provider can fetch or that hold the data. */
const REACHABLE = /^(?:https?|data|gs|s3):/i;

type Media = Extract<PlainPart, { type: "image" | "audio" | "file" }>;

/**
 * Returns a message with words in place of each image, sound and file that a request to the provider can't hold: those
 * that an export only names, and those that the provider doesn't take in this form, such as an address. The provider's
 * own writer decides. A document that needs a text next to it gets its name.
 */
export function withWordsForMedia(read: ParsedMessage, as: ProviderName): MessageInput {
  const message = read.given as MessageInput;
  const { role, content } = read.message;
  const all = content.flatMap(mediaIn);
  const fault = all.length === 0 ? undefined : faultOf(read, as);
  if (fault === TEXT_IS_MISSING && !all.some(isAbsent)) {
    const text = all.map((part) => fileLine(nameOf(part))).join("\n");
    return { ...read.message, content: [...content, { type: "text", text }] } as MessageInput;
  }
  if (all.length === 0 || (fault === undefined && !all.some(isAbsent))) {
    return message;
  }
  const lineFor = (part: Media, isOfTool: boolean): string | null =>
    !isAbsent(part) && faultOf(parsed(messageWith(part, role, isOfTool)), as) !== NO_PLACE
      ? null
      : (fileLine(nameOf(part)) ?? null);
  const rows = sharesOf(read.message, read.parts)?.map(({ parts }) => parts) ?? [read.parts];
  const lines = rows.map((row) =>
    row.flatMap(({ part }) => mediaIn(part).map((media) => lineFor(media, part.type === "tool-result"))),
  );
  if (lines.every((row) => row.every((line) => line === null))) {
    return message;
  }
  const { shortened: _, ...rest } = withMediaLines(message, lines) as MessageInput & { shortened?: unknown };
  return rest as MessageInput;
}

const isMedia = (part: unknown): part is Media =>
  isRecord(part) && (part.type === "image" || part.type === "audio" || part.type === "file");

/** Returns a part that is media, or the media in a tool's result. */
function mediaIn(part: PlainPart): readonly Media[] {
  if (isMedia(part)) {
    return [part];
  }
  const { type, value } = part.type === "tool-result" && isRecord(part.output) ? part.output : {};
  return type === "content" && Array.isArray(value) ? value.filter(isMedia) : [];
}

/** True for a file that isn't there: an export only has its name. */
const isAbsent = ({ url, data, source, id }: Media): boolean =>
  url !== undefined && !REACHABLE.test(url) && (data ?? source ?? id) === undefined;

/** Returns a message that has only one image, sound or file. */
function messageWith(part: Media, role: string, isOfTool: boolean): object {
  return isOfTool
    ? {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "call", output: { type: "content", value: [part] } }],
      }
    : { role, content: [part] };
}

/** The faults of a message by itself: a part has no place in the request, or a document has no text next to it. */
const NO_PLACE = "no-place";
const TEXT_IS_MISSING = "documents-have-text";

const parsed = (message: object): ParsedMessage => parse(message, "message", "transcript_error");

/** Returns the fault of a message in a request to a provider. Undefined for faults that its neighbors mend. */
function faultOf(read: ParsedMessage, as: ProviderName): typeof NO_PLACE | typeof TEXT_IS_MISSING | undefined {
  const { role, content } = read.message;
  const ids = content.flatMap((part) => (role === "tool" && part.type === "tool-result" ? [part.toolCallId] : []));
  const calls = ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "tool", input: {} }));
  const before = calls.length === 0 ? [] : [parsed({ role: "assistant", content: calls })];
  try {
    requests.get().requestOfParsed(as, [...before, read], {});
    return undefined;
  } catch (failure) {
    const rule = ContextError.from(failure)?.rule;
    return rule === undefined ? NO_PLACE : rule === TEXT_IS_MISSING ? TEXT_IS_MISSING : undefined;
  }
}

/** Returns the name of a file in words: its own, its address or id, or its kind. */
function nameOf({ type, url, filename, id, mediaType }: Media): string {
  const address = url?.startsWith("data:") === true ? undefined : url?.replace(/^(?!https?:|s3:|gs:)[a-z-]+:\/\//, "");
  return filename ?? address ?? id ?? mediaType ?? type;
}
