// Recognizes LM Studio's conversations.

import { anyOf, type KnownKind } from "../../kind.js";

export const lmStudioKind: KnownKind = {
  name: "LM Studio conversation",
  file: ({ messages }) =>
    anyOf(messages, ({ versions, currentlySelected }) => Array.isArray(versions) && currentlySelected !== undefined),
};
