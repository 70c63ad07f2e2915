// Recognizes assistant-ui's threads.

import { isRecord } from "../../../base/plain-data.js";
import { anyOf, type KnownKind } from "../../kind.js";

export const assistantUiKind: KnownKind = {
  name: "assistant-ui thread",
  file: ({ messages }) => anyOf(messages, ({ parentId, message }) => parentId !== undefined && isRecord(message)),
};
