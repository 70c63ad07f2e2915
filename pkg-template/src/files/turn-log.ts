// Logs of turns, as Claude Code writes them: rows `{ type: "user" | "assistant", timestamp, message: { content } }`. A
// row's type is its speaker. Other rows of such a log (summaries, snapshots of files) aren't messages.

import { isRecord } from "../base/plain-data.js";
import type { Row } from "./file.js";

/** Returns the message of a row. Undefined if it isn't a turn. */
export function messageOfTurn(row: unknown): Row | undefined {
  if (!isRecord(row) || !(row.type === "user" || row.type === "assistant") || !isRecord(row.message)) {
    return undefined;
  }
  const { content } = row.message;
  return { role: row.type, content, ...(row.timestamp == null ? {} : { createdAt: row.timestamp }) };
}
