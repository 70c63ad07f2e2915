// Logs of turns, as Claude Code writes them: rows `{ type: "user" | "assistant", timestamp, message: { content } }`. A
// row's type is its speaker. Other rows of such a log (summaries, snapshots of files) aren't messages.

import { isRecord } from "../base/plain-data.js";
import { parse } from "../message/read.js";
import { listIn, type Row } from "./file.js";

/** Returns the message of a row. Undefined if it isn't a turn. */
export function messageOfTurn(row: unknown): Row | undefined {
  if (!isRecord(row) || !(row.type === "user" || row.type === "assistant") || !isRecord(row.message)) {
    return undefined;
  }
  const { content } = row.message;
  return { role: row.type, content, ...(row.timestamp == null ? {} : { createdAt: row.timestamp }) };
}

/** The fields with the parts of a message. */
const PARTS = ["content", "parts"] as const;

/**
 * Returns a message with only the parts that can be read, for one with unreadable parts. Undefined if all or none can be
 * read.
 */
export function readableOf(message: Row): Row | undefined {
  for (const field of PARTS) {
    const parts = listIn(message[field]);
    const kept = parts.length < 2 ? [] : parts.filter((part) => isReadable({ ...message, [field]: [part] }));
    if (kept.length > 0 && kept.length < parts.length) {
      return { ...message, [field]: kept };
    }
  }
  return undefined;
}

function isReadable(message: Row): boolean {
  try {
    parse(message, "row", "transcript_error");
    return true;
  } catch {
    return false;
  }
}
