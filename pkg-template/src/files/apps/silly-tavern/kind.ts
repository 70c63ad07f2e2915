// Recognizes SillyTavern's chats.

import { isRecord } from "../../../base/plain-data.js";
import { isText, type KnownKind } from "../../kind.js";

export const sillyTavernKind: KnownKind = {
  name: "SillyTavern chat",
  row: ({ is_user, mes, chat_metadata, character_name }) =>
    (is_user !== undefined && mes !== undefined) ||
    isRecord(chat_metadata) ||
    (isText(character_name) && mes === undefined),
};
