// The chats that the Gemini CLI records: `{ sessionId, projectHash, messages }` or, in newer versions, one row per
// line. A row with the id of an earlier one replaces it, `$rewindTo` removes a message and everything after it, and the
// messages of `$set` replace all others. The types are those of `ConversationRecord` in google-gemini/gemini-cli
// (packages/core/src/services/chatRecordingService.ts).

import type { PartInput } from "../message/message.js";
import { timeMsOf } from "../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "./file.js";
import { type LogFault, type LogKind, type LogNode, typeInWords } from "./log.js";
import { messagesInTurn, outputOf, partsOrFault, textPart } from "./parts.js";

export const geminiCliChat: LogKind = {
  name: "Gemini CLI chat",
  fits: (row) =>
    isChatRow(row) ||
    typeof row.$rewindTo === "string" ||
    (typeof row.sessionId === "string" && typeof row.projectHash === "string" && row.role === undefined),

  stepsOf(rows) {
    const messages: LogNode[] = [];
    const places = new Map<string, number>();
    const header: { [name: string]: unknown } = {};
    const faults: LogFault[] = [];
    const cut = (length: number): void => {
      for (const { id } of messages.splice(length)) {
        places.delete(id);
      }
    };
    const take = (value: Row, at: number, report: Report): void => {
      const id = textIn(value.id) ?? `#${messages.length + 1}`;
      const place = places.get(id) ?? messages.length;
      places.set(id, place);
      messages[place] = {
        id,
        at,
        parent: undefined,
        timeMs: timeMsOf(value.timestamp),
        messages: NOTICES.has(value.type) ? [] : partsOrFault(value, report, (fault) => messagesOfRow(value, fault)),
      };
    };
    for (const { value, at } of rows) {
      const target = textIn(value.$rewindTo);
      const patch = recordIn(value.$set ?? value);
      if (target !== undefined) {
        cut(places.get(target) ?? 0);
      } else if (textIn(value.id) !== undefined) {
        take(value, at, (reason, message) => faults.push({ at, reason, value: message }));
      } else {
        for (const field of HEADER.filter((name) => Object.hasOwn(patch, name))) {
          header[field] = patch[field];
        }
        if (Array.isArray(patch.messages)) {
          cut(0);
          for (const [number, message] of listIn(patch.messages).entries()) {
            take(recordIn(message), at, (reason, whole) =>
              faults.push({ at, reason: `messages[${number}]: ${reason}`, value: whole }),
            );
          }
        }
      }
    }
    let parent: string | undefined;
    const nodes = messages.map((node) => {
      const step = { ...node, parent };
      parent = node.id;
      return step;
    });
    const facts = { id: header.sessionId, title: header.summary, startedAt: header.startTime };
    return { nodes, leaf: parent, facts, faults };
  },
};

/** Reports a part that isn't read, with the message if all of it is meant. */
type Report = (reason: string, message?: Row) => void;

/** The fields of a call that are read, or that the program shows to people. */
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "args", "displayName", "description", "resultDisplay"]);

/** The fields of a header that are read. */
const HEADER = ["sessionId", "summary", "startTime"] as const;

function isChatRow({ id, type, content, timestamp, role, message }: Row): boolean {
  return (
    typeof id === "string" &&
    (type === "gemini" || (type === "user" && typeof timestamp === "string")) &&
    content !== undefined &&
    role === undefined &&
    message === undefined
  );
}

/** Returns the messages of a row that isn't a notice. */
function messagesOfRow({ id, type, timestamp, content, thoughts, toolCalls }: Row, report: Report): readonly unknown[] {
  const head = { ...(textIn(id) === undefined ? {} : { id: id as string }), createdAt: textIn(timestamp) };
  const said = partsIn(content);
  if (type === "user") {
    const parts = said.map((part) => (typeof part === "string" ? { text: part } : part));
    const [first] = parts;
    const only = parts.length === 1 ? Object.keys(recordIn(first)) : [];
    const isText = only.length === 1 && only[0] === "text";
    return parts.length === 0
      ? []
      : [{ ...head, role: "user", ...(isText ? { content: recordIn(first).text } : { parts }) }];
  }
  if (type !== "gemini") {
    report(`type: a message of ${typeInWords(type)} is not read`, { type, content });
    return [];
  }
  const recorded = new Set(listIn(toolCalls).map((call) => recordIn(call).name));
  const texts = said.flatMap((part): readonly PartInput[] => {
    const { text = part, thought, functionCall } = recordIn(part);
    // The calls are recorded with their results.
    if (functionCall !== undefined && recorded.has(recordIn(functionCall).name)) {
      return [];
    }
    if (typeof text !== "string") {
      report(`content: a part with ${Object.keys(recordIn(part)).slice(0, 3).join(", ") || "no fields"} is not read`);
    }
    return thought === true && typeof text === "string" ? [{ type: "reasoning", text }] : textPart(text);
  });
  return messagesInTurn({ ...head, role: "assistant" }, [
    ...listIn(thoughts)
      .map(recordIn)
      .flatMap((thought) => partsOrFault(thought, report, () => thoughtPart(thought))),
    ...texts,
    ...listIn(toolCalls)
      .map(recordIn)
      .flatMap((call, at) => callParts(call, `${textIn(id) ?? "call"}/${at + 1}`, report)),
  ]);
}

/** The types of rows that the program tells its user. */
const NOTICES: ReadonlySet<unknown> = new Set(["info", "warning", "error"]);

/** Returns the parts of a content: a text, a part, or a list of both. */
function partsIn(content: unknown): readonly unknown[] {
  const parts = Array.isArray(content) ? content : [content];
  return parts.filter((part) => (typeof part === "string" ? part.trim() !== "" : part != null));
}

function thoughtPart({ subject, description }: Row): readonly PartInput[] {
  const text = [subject, description].filter((line) => textIn(line) !== undefined).join("\n");
  return text === "" ? [] : [{ type: "reasoning", text }];
}

/** Returns a call and its result. The CLI records calls after they end. `free` is the id of a call without one. */
function callParts(given: Row, free: string, report: Report): readonly PartInput[] {
  const { id, name, args, result, status } = given;
  const [toolCallId, toolName] = [textIn(id) ?? free, textIn(name)];
  if (toolName === undefined) {
    report("toolCalls: a call without a name is not read");
    return [];
  }
  const call: PartInput = { type: "tool-call", toolCallId, toolName, input: args ?? {} };
  if (result == null) {
    const unread = unreadWordsIn(given, CALL_FIELDS);
    if (unread !== undefined) {
      report(`toolCalls: ${unread}`);
    }
    return [call];
  }
  const texts = partsIn(result).map((part) => {
    const { functionResponse, text } = recordIn(part);
    const { response, parts: media } = recordIn(functionResponse);
    if (listIn(media).length > 0) {
      report(`toolCalls: the media of the result of ${toolName} are not read`);
    }
    return typeof part === "string" ? part : (text ?? (response == null ? part : outputOf(response)));
  });
  const output = texts.length === 1 ? texts[0] : texts;
  return [call, { type: "tool-result", toolCallId, output, ...(status === "error" ? { isError: true } : {}) }];
}
