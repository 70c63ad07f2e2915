// Recognizes Telegram's exports.

import { type Row, recordIn } from "../../file.js";
import { anyOf, isText, type KnownKind } from "../../kind.js";

const isRow = ({ from_id, actor_id, text_entities, role, type, from, actor, ...row }: Row): boolean =>
  role === undefined &&
  (isText(from_id) ||
    isText(actor_id) ||
    Array.isArray(text_entities) ||
    // Before 2021, ids were numbers.
    ((type === "message" || type === "service") &&
      (from ?? actor) !== undefined &&
      (typeof (from_id ?? actor_id) === "number" || isText(row.date_unixtime))));

export const telegramKind: KnownKind = {
  name: "Telegram export",
  file: ({ messages, chats }) =>
    anyOf(messages, isRow) || anyOf(recordIn(chats).list, ({ messages }) => anyOf(messages, isRow)),
  row: isRow,
};
