// The log of a session, as takobot writes it: a header `{ type: "session", session_key }`, and rows `{ type: "message",
// role, text, created_at }`. `session.export` returns such a file.

import { decodePlain, isRecord } from "../base/plain-data.js";
import type { Row } from "./file.js";
import { messageOfTurn } from "./turn-log.js";

/**
 * Returns the session's key from the header row of a session log, or an empty text if it has none. Undefined for any
 * other row.
 */
export function sessionKeyOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.type !== "session") {
    return undefined;
  }
  return typeof row.session_key === "string" ? row.session_key : "";
}

/**
 * Returns the message in a row. A row of a session log has `text` for `content` and `created_at` for `createdAt`; its
 * other fields stay. A message whose own fields could be confused with these is wrapped as `{ type: "message", message
 * }`. A row of a log of turns becomes its turn. Any other value comes back unchanged.
 */
export function messageOfRow(row: unknown): unknown {
  return decodePlain(isMessageRow(row) ? unwrapped(row) : (messageOfTurn(row) ?? row));
}

/** Returns a row as a message. A message of a session log gets the session's id. */
export function messageOfLog(row: unknown, sessionKey: string | undefined): unknown {
  const message = messageOfRow(row);
  return sessionKey && isMessageRow(row) && isRecord(message) ? { sessionId: sessionKey, ...message } : message;
}

function isMessageRow(row: unknown): row is Row {
  return isRecord(row) && row.type === "message";
}

function unwrapped(row: Row): unknown {
  if (isRecord(row.message) && !("role" in row)) {
    return row.message;
  }
  const { type, text, created_at, ...message } = row;
  return {
    ...message,
    ...(typeof text === "string" ? { content: text } : "text" in row ? { text } : {}),
    ...("created_at" in row ? { createdAt: created_at } : {}),
  };
}
