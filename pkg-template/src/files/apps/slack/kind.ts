// Recognizes Slack's exports.

import type { Row } from "../../file.js";
import { anyOf, isText, type KnownKind } from "../../kind.js";

const isRow = ({ ts, user, bot_id, username, role }: Row): boolean =>
  isText(ts) && /^\d{9,}\.\d+$/.test(ts) && (user ?? bot_id ?? username) !== undefined && role === undefined;

export const slackKind: KnownKind = {
  name: "Slack export",
  file: ({ messages }) => anyOf(messages, isRow),
  row: isRow,
};
