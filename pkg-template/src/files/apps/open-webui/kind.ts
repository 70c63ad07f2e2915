// Recognizes Open WebUI's exports.

import { isRecord } from "../../../base/plain-data.js";
import { recordIn } from "../../file.js";
import type { KnownKind } from "../../kind.js";

export const openWebUiKind: KnownKind = {
  name: "Open WebUI export",
  file: ({ chat }) => isRecord(recordIn(chat).history),
};
