// Recognizes Open WebUI's exports.

import { isRecord } from "../../../base/plain-data.js";
import { type Row, recordIn } from "../../file.js";
import { anyOf, isText, type KnownKind } from "../../kind.js";
import { parsedText } from "../../text.js";

/** Returns the chat in an entry of an export, which is JSON in a row of the database. Some files are the chat itself. */
export function chatIn(value: Row): Row {
  const { chat, history } = value;
  const isTree = isRecord(recordIn(history).messages);
  return isTree ? value : recordIn(typeof chat === "string" && chat.startsWith("{") ? parsedText(chat) : chat);
}

export const openWebUiKind: KnownKind = {
  name: "Open WebUI export",
  file(value) {
    const chat = chatIn(value);
    // The first versions had only a list.
    return isRecord(chat.history) || (chat !== value && anyOf(chat.messages, ({ role }) => isText(role)));
  },
};
