// Recognizes WhatsApp's exports.

import type { KnownKind } from "../../kind.js";
import { WHATSAPP_LINE, WHATSAPP_NOTICE } from "./line.js";

export const whatsAppKind: KnownKind = {
  name: "WhatsApp export",
  text: new RegExp(`${WHATSAPP_LINE.source}|${WHATSAPP_NOTICE.source}`, "mu"),
};
