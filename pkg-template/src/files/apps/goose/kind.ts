// Recognizes Goose's sessions.

import { anyOf, isText, type KnownKind } from "../../kind.js";

export const gooseKind: KnownKind = {
  name: "Goose session",
  file: ({ working_dir, conversation }) => isText(working_dir) && Array.isArray(conversation),
  row: ({ working_dir, conversation, role, created, content }) =>
    (isText(working_dir) && role === undefined && conversation === undefined) ||
    anyOf(content, ({ type }) => type === "toolRequest" || type === "toolResponse") ||
    (isText(role) && typeof created === "number" && Array.isArray(content)),
};
