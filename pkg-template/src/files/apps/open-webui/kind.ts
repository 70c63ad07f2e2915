// Recognizes Open WebUI's exports.

import { isRecord } from "../../../base/plain-data.js";
import { recordIn } from "../../file.js";
import { anyOf, hasFields, isText, type KnownKind } from "../../kind.js";

export const openWebUiKind: KnownKind = {
  name: "Open WebUI export",
  // In a row of the database, the chat is JSON. The first versions had only a list, and some files are the chat itself.
  file: ({ chat, history }) =>
    isRecord((recordIn(chat).history ?? recordIn(history).messages) as unknown) ||
    anyOf(recordIn(chat).messages, hasFields("role")) ||
    (isText(chat) && chat.includes('"history"')),
};
