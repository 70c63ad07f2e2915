// Recognizes sessions of the Copilot CLI.

import { isRecord } from "../../../base/plain-data.js";
import { isText, type KnownKind } from "../../kind.js";

export const copilotCliKind: KnownKind = {
  name: "Copilot CLI session",
  row: ({ type, data }) =>
    isText(type) &&
    /^(?:abort|(?:session|user|assistant|system|tool|subagent|hook|permission|skill|command|pending_messages)\.[\w.]+)$/.test(
      type,
    ) &&
    isRecord(data),
};
