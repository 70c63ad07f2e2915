// The format of messages with `role` and `content`: windrow's own form, and the dialects that applications mix with it.
// It is tried last.

import { isRecord } from "../../base/plain-data.js";
import { type Dialect, formOf } from "../../message/dialect.js";
import {
  hasFailed,
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
  const roles = new Map<unknown, string>(dialects.flatMap((dialect) => Object.entries(dialect.roles ?? {})));
  const textFields = fieldsOf("textFields");
  return {
    name: "windrow",
    title: "windrow",
    fields: fieldsOf("fields"),
    // Reasoning with a signature counts as Anthropic's if the message doesn't name its provider.
    maker: "anthropic",
    fits: () => true,
    behind(row) {
      const role = roles.get(row.role);
      return role === undefined ? row : { ...row, role };
    },
    read(row) {
      checkIsNoFile(row);
      return row as unknown as PlainMessage;
    },
    withText(row, text) {
      const isGone = (field: string): boolean => textFields.has(field) || (field === "error" && hasFailed(row));
      const fields = Object.entries(row).filter(([field]) => !isGone(field));
      const failed = hasFailed(row) ? { isError: true } : {};
      return { ...Object.fromEntries(fields), ...failed, content: contentWithText(row.content, text) };
    },
    withoutToolCalls(row, isUnwanted) {
      const { content } = row;
      let isChanged = false;
      const kept = (list: readonly unknown[], isOfTool: (part: unknown) => boolean): readonly unknown[] => {
        const others = list.filter((part) => !(isOfTool(part) && (isUnwanted?.(recordOf(part)) ?? true)));
        isChanged ||= others.length < list.length;
        return others;
      };
      /** Returns the rest of a list of calls, or of an object that holds calls and a result. Undefined if it is empty. */
      const left = (value: unknown): unknown => {
        if (Array.isArray(value)) {
          const calls = kept(value, () => true);
          return calls.length === 0 ? undefined : calls;
        }
        if (!isRecord(value)) {
          return value;
        }
        if (kept([value], () => true).length === 0) {
          return undefined;
        }
        const within = (held: unknown): unknown => (isRecord(held) ? kept([held], () => true)[0] : left(held));
        const held = Object.entries(value).map(([name, own]) => [name, within(own)] as const);
        const others = held.filter(([, own]) => own !== undefined);
        return others.length === 0 ? undefined : Object.fromEntries(others);
      };
      const fields = Object.entries(row).flatMap(([field, value]): [string, unknown][] => {
        if (value == null || !toolFields.has(field)) {
          return [[field, value]];
        }
        if (isUnwanted !== undefined) {
          const others = left(value);
          return others === undefined ? [] : [[field, others]];
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

/** Returns content with another text. A result without further text stays, so its call is still answered. */
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

/** Values that contain messages: a name, a test, and the path to the messages. */
const AROUND: readonly (readonly [what: string, fits: (row: UnknownRecord) => boolean, nextAction: string])[] = [
  ["a response of OpenAI's chat completions", ({ choices }) => Array.isArray(choices), "Pass `choices[0].message`."],
  ["a response of Gemini's", ({ candidates }) => Array.isArray(candidates), "Pass `candidates[0].content`."],
  [
    "a response of Bedrock's Converse",
    ({ output }) => isRecord(output) && isRecord(output.message),
    "Pass `output.message`.",
  ],
  ["a response of OpenAI's Responses", ({ output }) => Array.isArray(output), "Pass the items of its `output`."],
  [
    "a result of an MCP tool",
    ({ content, structuredContent, isError }) =>
      Array.isArray(content) && (isRecord(structuredContent) || typeof isError === "boolean"),
    "Pass it as the content of a message with the role tool and the id of its call.",
  ],
  ["an object that holds messages", ({ messages }) => Array.isArray(messages), "Pass its `messages`."],
  ["an object that holds contents", ({ contents }) => Array.isArray(contents), "Pass its `contents`."],
  [
    "an event of AG-UI",
    ({ type }) =>
      /^(?:TEXT_MESSAGE|TOOL_CALL|REASONING|THINKING|RUN|STEP|STATE|MESSAGES|ACTIVITY)_[A-Z_]+$/.test(String(type)),
    "Pass the messages that the events belong to.",
  ],
  [
    "a chunk of a stream",
    ({ type }) =>
      /^(?:(?:text|reasoning|tool-input)-(?:start|delta|end)|(?:content_block|message)_(?:start|delta|stop)|response\.\w+.*)$/.test(
        String(type),
      ),
    "Pass the message that the stream ends in.",
  ],
];

/** Fails for a row of a file that `parseTranscript` reads, and for a value that contains messages. */
function checkIsNoFile(row: UnknownRecord): void {
  const { role, type, mapping, chat_messages, message } = row;
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
      "Pass the file's text to parseTranscript, and then the messages that it returns.",
    );
  }
  const around = AROUND.find(([, fits]) => fits(row));
  if (around !== undefined) {
    throw new MalformedMessage("", `expected a message, got ${around[0]}`, around[2]);
  }
}
