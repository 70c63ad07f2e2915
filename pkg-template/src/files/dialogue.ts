// An object with a list `messages`: what was sent to a model, a line of a data set for fine-tuning, or a conversation as an
// application keeps it.

import { isRecord } from "../base/plain-data.js";
import { timeMsOf } from "../message/times.js";
import type { FileKind, Row } from "./file.js";
import { rowReader } from "./rows.js";

export const dialogue: FileKind = {
  fits: (value) => isRecord(value) && Array.isArray(value.messages),

  read(value, row, file) {
    const { title, name, createdAt, created_at, messages } = value;
    const began = [createdAt, created_at].find((time) => timeMsOf(time) !== undefined);
    const facts = { id: idIn(value), title: title ?? name, startedAt: began };
    const conversation = file.begin(facts, row);
    const readRow = rowReader(() => conversation);
    for (const [at, message] of (messages as readonly unknown[]).entries()) {
      readRow(message, at);
    }
  },
};

/** The messages of an object that says no more of them: they are the same as in a list. */
export function bareMessagesIn(value: unknown): readonly unknown[] | undefined {
  return dialogue.fits(value) && idIn(value as Row) === undefined ? ((value as Row).messages as unknown[]) : undefined;
}

function idIn({ id, conversation_id, conversationId, uuid }: Row): unknown {
  return conversationId ?? conversation_id ?? id ?? uuid;
}
