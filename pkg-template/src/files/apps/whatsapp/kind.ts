// Recognizes WhatsApp's exports.

import type { KnownKind } from "../../kind.js";
import { WHATSAPP_LINE } from "./line.js";

export const whatsAppKind: KnownKind = {
  name: "WhatsApp export",
  text: WHATSAPP_LINE,
};
