// Recognizes LibreChat's exports.

import type { Row } from "../../file.js";
import { anyOf, type KnownKind } from "../../kind.js";

const isRow = ({ messageId, isCreatedByUser }: Row): boolean =>
  messageId !== undefined && isCreatedByUser !== undefined;

export const libreChatKind: KnownKind = {
  name: "LibreChat export",
  file: ({ messages, messagesTree }) => [messages, messagesTree].some((list) => anyOf(list, isRow)),
  row: isRow,
};
