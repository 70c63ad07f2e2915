// The format of messages with a role and a content: windrow's own form, and the dialects that applications mix with it. Every other
// message is held against it last.

import { isRecord } from "../../base/plain-data.js";
import { type Dialect, formOf } from "../../message/dialect.js";
import {
  type MessageFormat,
  partsWithText,
  recordOf,
  type TextKind,
  type UnknownRecord,
} from "../../message/format.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { PlainMessage } from "../../message/message.js";
import { isCompacted } from "../../message/provenance.js";

/** Returns the format that reads these dialects. */
export function windrowFormat(dialects: readonly Dialect[]): MessageFormat {
  const fieldsOf = (name: "fields" | "toolFields" | "textFields"): ReadonlySet<string> =>
    new Set(dialects.flatMap((dialect) => dialect[name] ?? []));
  const toolFields = fieldsOf("toolFields");
  const textFields = fieldsOf("textFields");
  return {
    name: "windrow",
    title: "windrow",
    fields: fieldsOf("fields"),
    // Reasoning with a signature is Anthropic's if nothing says whose it is.
    maker: "anthropic",
    fits: () => true,
    read(row) {
      checkIsNoFile(row);
      return row as unknown as PlainMessage;
    },
    withText(row, text) {
      const fields = Object.entries(row).filter(([field]) => !textFields.has(field));
      return { ...Object.fromEntries(fields), content: contentWithText(row.content, text) };
    },
    withoutToolCalls(row, isUnwanted) {
      const { content } = row;
      let isChanged = false;
      const kept = (list: readonly unknown[], isOfTool: (part: unknown) => boolean): readonly unknown[] => {
        const others = list.filter((part) => !(isOfTool(part) && (isUnwanted?.(recordOf(part)) ?? true)));
        isChanged ||= others.length < list.length;
        return others;
      };
      const fields = Object.entries(row).flatMap(([field, value]): [string, unknown][] => {
        if (value == null || !toolFields.has(field)) {
          return [[field, value]];
        }
        if (isUnwanted !== undefined) {
          const calls = Array.isArray(value) ? kept(value, () => true) : value;
          return Array.isArray(calls) && calls.length === 0 ? [] : [[field, calls]];
        }
        isChanged = true;
        return [];
      });
      const others = Array.isArray(content) ? kept(content, isOfTool) : content;
      return isChanged ? { ...Object.fromEntries(fields), content: others } : row;
    },
  };
}

function isOfTool(part: unknown): boolean {
  return formOf(recordOf(part).type)?.isOfTool === true;
}

/** Returns a content with another text. A result that says no more stays, so that its call is answered. */
function contentWithText(content: unknown, text: string): unknown {
  if (!Array.isArray(content)) {
    return text;
  }
  return partsWithText(content as readonly (UnknownRecord | string)[], text, {
    kindOf: (part) => (typeof part === "string" ? "text" : textKindOf(part)),
    rewritten: (part, own) => (typeof part === "string" ? own : (formOf(part.type)?.withText?.(part, own) ?? part)),
    made: (own) => ({ type: "text", text: own }),
  });
}

const textKindOf = (part: UnknownRecord): TextKind | undefined =>
  isCompacted(part.providerOptions) ? undefined : formOf(part.type)?.text;

/** Fails for a row of a file that `parseTranscript` reads, which isn't a message. */
function checkIsNoFile({ role, type, mapping, chat_messages, message }: UnknownRecord): void {
  if (role != null) {
    return;
  }
  const isOfTurn = (type === "user" || type === "assistant") && isRecord(message);
  const file = isRecord(mapping)
    ? "a conversation of an export of ChatGPT"
    : Array.isArray(chat_messages)
      ? "a conversation of an export of Claude"
      : isOfTurn
        ? "a row of a log of Claude Code"
        : undefined;
  if (file !== undefined) {
    throw new MalformedMessage(
      "",
      `expected a message, got ${file}`,
      "Pass the file's text to parseTranscript, and then the messages that it gives.",
    );
  }
}
