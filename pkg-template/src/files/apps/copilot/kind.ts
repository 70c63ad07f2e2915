// Recognizes chat sessions of Copilot in VS Code.

import { recordIn } from "../../file.js";
import { anyOf, isText, type KnownKind } from "../../kind.js";

export const copilotKind: KnownKind = {
  name: "Copilot chat session",
  file: ({ requests, responderUsername, requesterUsername }) =>
    Array.isArray(requests) &&
    ((responderUsername ?? requesterUsername) !== undefined ||
      anyOf(requests, ({ requestId, response }) => isText(requestId) && Array.isArray(response))),
  row: ({ kind, k, v }) =>
    (kind === 0 && Array.isArray(recordIn(v).requests)) || (typeof kind === "number" && kind < 4 && Array.isArray(k)),
};
