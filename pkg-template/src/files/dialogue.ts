// An object with a list of messages: a request to a model, a line of a fine-tuning data set, or a conversation as an
// application keeps it. Instructions next to the messages come first. Other fields are reported as unread.

import { isRecord } from "../base/plain-data.js";
import { fieldsWithValue } from "../message/format.js";
import { timeMsOf } from "../message/times.js";
import { isFact, isFilled, NOT_READ, reportBeside } from "./beside.js";
import { type FileKind, listIn, type OpenConversation, type Row, textIn } from "./file.js";
import { contentOf, textPart } from "./parts.js";
import { readRows } from "./rows.js";

export const dialogue: FileKind = {
  name: "conversation",
  fits: (value) => isRecord(value) && fieldOf(value) !== undefined,

  read(value, row, file) {
    const field = fieldOf(value) as string;
    const { title, name, topic, createdAt, created_at, startTime } = value;
    const began = [createdAt, created_at, startTime].find((time) => timeMsOf(time) !== undefined);
    const facts = fieldsWithValue({ id: idIn(value), title: title ?? name ?? topic, startedAt: began });
    const list = value[field];
    const own = Array.isArray(list) ? list : [{ role: "user", content: list }];
    // The first version of Codex had its header next to the items.
    const rows = field === "items" ? [value.session, ...own] : own;
    const conversation = file.begin(facts, row);
    takeInstructions(value, conversation);
    readRows(
      rows.map((message, at) => ({ value: message, at })),
      conversation,
    );
    reportBeside(value, [field, READ_TOO.get(field) ?? field, ...INSTRUCTIONS], conversation);
  },
};

/** The field next to the messages that is read with them, or repeats them. */
const READ_TOO: ReadonlyMap<string, string> = new Map([
  ["items", "session"],
  ["clientHistory", "history"],
]);

/** Fields for instructions next to the messages of a request. */
const INSTRUCTIONS = ["system", "instructions", "system_prompt", "systemPrompt", "developer_instructions"] as const;

/**
 * Returns the field with the messages: that of Anthropic's and OpenAI's chat requests, of the Responses API, of a
 * checkpoint of the Gemini CLI, or of a session of the first version of Codex.
 */
function fieldOf(value: Row): string | undefined {
  if (Array.isArray(value.messages)) {
    return "messages";
  }
  const { input, role, type, content } = value;
  if (role !== undefined || type !== undefined || content !== undefined) {
    return undefined;
  }
  const isRequest = textIn(value.model) !== undefined || textIn(value.instructions) !== undefined;
  if (isRequest && (Array.isArray(input) ? input.some(isRecord) : textIn(input) !== undefined)) {
    return "input";
  }
  if (
    isRecord(value.session) &&
    listIn(value.items).some((item) => isRecord(item) && textIn(item.type) !== undefined)
  ) {
    return "items";
  }
  // A page of OpenAI's Conversations API.
  if (value.object === "list" && listIn(value.data).some((item) => isRecord(item) && "role" in item)) {
    return "data";
  }
  return (["history", "clientHistory"] as const).find((field) =>
    listIn(value[field]).some((entry) => isRecord(entry) && Array.isArray(entry.parts)),
  );
}

function takeInstructions(value: Row, conversation: OpenConversation): void {
  for (const field of INSTRUCTIONS) {
    const parts = listOf(value[field]).flatMap((part) => textPart(isRecord(part) ? (part.text ?? part.content) : part));
    if (parts.length > 0) {
      conversation.take({ role: "system", content: contentOf(parts) }, 0);
    } else if (isFilled(value[field])) {
      conversation.skip(`${field}: ${NOT_READ}`);
    }
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** Returns the messages of an object that has nothing else to say about them. They read the same as a list. */
export function bareMessagesIn(value: unknown): readonly unknown[] | undefined {
  return isRecord(value) && fieldOf(value) === "messages" && idIn(value) === undefined && !isMore(value)
    ? (value.messages as unknown[])
    : undefined;
}

/** True if an object has more than a list of messages and descriptive fields. */
function isMore(value: Row): boolean {
  return Object.entries(value).some(([name, field]) => name !== "messages" && !isFact(name, field));
}

function idIn({ id, conversation_id, conversationId, uuid, sessionId }: Row): unknown {
  return conversationId ?? conversation_id ?? id ?? uuid ?? sessionId;
}
