// Recognizes opencode's sessions.

import { isRecord } from "../../../base/plain-data.js";
import { anyOf, type KnownKind } from "../../kind.js";

export const opencodeKind: KnownKind = {
  name: "opencode session",
  file: ({ info, messages }) =>
    isRecord(info) && anyOf(messages, ({ info, parts }) => isRecord(info) && Array.isArray(parts)),
};
