// Recognizes LibreChat's exports.

import { type Row, recordIn } from "../../file.js";
import { anyOf, type KnownKind } from "../../kind.js";

const isRow = ({ messageId, isCreatedByUser }: Row): boolean =>
  messageId !== undefined && isCreatedByUser !== undefined;

export const libreChatKind: KnownKind = {
  name: "LibreChat export",
  file: ({ messages, messagesTree }) =>
    [messages, messagesTree, recordIn(messages).children].some((list) => anyOf(list, isRow)),
  row: isRow,
  text: /^(?:# Conversation\r?\n- |Conversation\r?\n#{10,}\r?\n)conversationId: /,
};
