// Recognizes the JSON of DiscordChatExporter.

import { isRecord } from "../../../base/plain-data.js";
import { recordIn } from "../../file.js";
import type { KnownKind } from "../../kind.js";

export const discordKind: KnownKind = {
  name: "Discord export (DiscordChatExporter)",
  file: ({ guild, channel }) => isRecord(guild) && isRecord(channel),
  row: ({ author, role }) => role === undefined && "isBot" in recordIn(author),
};
