// Recognizes the messages that Cline and Roo Code show.

import { isText, type KnownKind } from "../../kind.js";

export const clineKind: KnownKind = {
  name: "Cline or Roo Code task (ui_messages.json)",
  row: ({ ts, type, say, ask }) =>
    typeof ts === "number" && ((type === "say" && isText(say)) || (type === "ask" && isText(ask))),
};
