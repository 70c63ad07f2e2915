// Mastra's `MastraDBMessage`, the form in its memory and its processors. Its content is that of an AI SDK message of
// version 4, with some states and parts of later versions.
//
// Recognized by: `content` with `format` and `parts`.

import { describe } from "../../base/options.js";
import { type MessageFormat, recordOf, timeIn, type UnknownRecord } from "../../message/format.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { PartInput, PlainMessage } from "../../message/message.js";
import { lostField, sayingField } from "../../message/substance.js";
import { readUi4, ui4WithoutToolCalls, ui4WithParts, ui4WithText } from "../ai-sdk/ui-4-fields.js";

/** The fields of a `MastraDBMessage` that windrow reads, as a structural type. */
export interface MastraMessageShape {
  readonly id: string;
  readonly role: "user" | "assistant" | "system" | "signal";
  readonly createdAt: Date | string;
  readonly threadId?: string;
  readonly resourceId?: string;
  readonly content: { readonly format: number; readonly parts: readonly { readonly type: string }[] };
}

const FORMAT = 2;
/** The fields of the content that are read, and those that no model sees. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  ...["format", "parts", "content", "reasoning", "toolInvocations", "experimental_attachments"],
  ...["annotations", "metadata", "providerMetadata"],
]);

export const mastraShape: MessageFormat = {
  name: "mastra",
  title: "Mastra MastraDBMessage",
  fields: new Set(["id", "role", "createdAt", "threadId", "resourceId", "type", "content"]),

  fits({ role, content }) {
    const { format, parts } = recordOf(content);
    return typeof role === "string" && (typeof format === "number" || Array.isArray(parts));
  },

  read(row) {
    const { id, role, createdAt, threadId, sessionId } = row;
    const content = recordOf(row.content);
    if (content !== row.content) {
      throw new MalformedMessage(
        ".content",
        `expected content with parts, got ${describe(row.content)}`,
        "Pass messages of format 2, as Mastra's memory returns them.",
      );
    }
    if (content.format != null && content.format !== FORMAT) {
      throw new MalformedMessage(
        ".content.format",
        `unknown format ${describe(content.format)}`,
        "Pass messages of format 2, as Mastra's memory returns them.",
      );
    }
    const parts = readUi4(content, ".content", true);
    checkNothingIsLost(content, parts);
    return {
      id: id as string | undefined,
      role: role === "signal" ? "user" : (role as PlainMessage["role"]),
      createdAt: timeIn(createdAt),
      sessionId: (threadId ?? sessionId) as string | undefined,
      content: role === "signal" ? inTag(parts, row) : parts,
    };
  },

  withText(row, text) {
    const content = ui4WithText(recordOf(row.content), text);
    return { ...row, content: row.role === "signal" ? withoutTag(content) : content };
  },

  withParts: (row, path, parts) => ({ ...row, content: ui4WithParts(recordOf(row.content), path, parts) }),

  withOrigin: (row, { sessionId, ...named }) => ({
    ...row,
    ...named,
    ...(sessionId === undefined ? {} : { [row.threadId == null ? "sessionId" : "threadId"]: sessionId }),
  }),

  withoutToolCalls(row, isUnwanted) {
    const content = ui4WithoutToolCalls(recordOf(row.content), isUnwanted);
    return content === row.content ? row : { ...row, content };
  },
};

/** Fails if an unread field of the content holds part of the message. */
function checkNothingIsLost(content: UnknownRecord, parts: readonly PartInput[]): void {
  const said = (): string =>
    parts
      .flatMap((part) => Object.values(part))
      .filter((value) => typeof value === "string")
      .join("\n");
  const field =
    parts.length === 0 ? sayingField(content, CONTENT_FIELDS, false) : lostField(content, CONTENT_FIELDS, said);
  if (field !== undefined) {
    throw new MalformedMessage(
      `.content.${field}`,
      `\`${field}\` holds more than windrow reads of the message`,
      "Put it into a part, or under `metadata` to keep it from the model.",
    );
  }
}

/**
 * Returns a signal as the model sees it: a user's unchanged, any other in a tag with its name and attributes. The tag
 * surrounds all texts, or only the first if there are images and files.
 */
function inTag(parts: readonly PartInput[], row: UnknownRecord): readonly PartInput[] {
  const { type = row.type ?? "user-message", tagName, attributes } = signalOf(recordOf(row.content));
  const written = Object.entries(recordOf(attributes)).filter(([, value]) => value != null);
  const isUser = type === "user" || type === "user-message";
  if (isUser && written.length === 0) {
    return parts;
  }
  const usual = type === "reactive" ? "system-reminder" : isUser ? "user" : type;
  const name = [tagName ?? usual, ...written.map(([key, value]) => `${key}="${escaped(value, true)}"`)].join(" ");
  const tagged = (text: string): string =>
    text === "" ? `<${name} />` : `<${name}>${escaped(text)}</${tagName ?? usual}>`;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) {
    return [{ type: "text", text: tagged(texts.join("\n")) }];
  }
  const first = parts.findIndex((part) => part.type === "text");
  return first < 0
    ? [{ type: "text", text: tagged("") }, ...parts]
    : parts.map((part, at) => (at === first ? { type: "text", text: tagged(texts[0] as string) } : part));
}

/** Returns the content of a signal that is shown without a tag. */
function withoutTag(content: UnknownRecord): UnknownRecord {
  const { attributes, ...signal } = signalOf(content);
  return { ...content, metadata: { ...recordOf(content.metadata), signal: { ...signal, type: "user" } } };
}

function signalOf(content: UnknownRecord): UnknownRecord {
  return recordOf(recordOf(content.metadata).signal);
}

function escaped(value: unknown, isAttribute = false): string {
  const text = String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return isAttribute ? text.replaceAll('"', "&quot;") : text;
}
