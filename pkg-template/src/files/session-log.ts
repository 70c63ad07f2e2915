// The log of a session, as takobot writes it: a header `{ type: "session", session_key }`, and rows
// `{ type: "message", role, text, created_at }`. `session.export` gives such a file.

import { decodePlain, isRecord } from "../base/plain-data.js";
import type { Row } from "./file.js";
import { messageOfTurn } from "./turn-log.js";

/** The session's key, of a row that is the header of a session log; empty where it names none. */
export function sessionKeyOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.type !== "session") {
    return undefined;
  }
  return typeof row.session_key === "string" ? row.session_key : "";
}

/**
 * What should be a message, of a row that stands by itself. A row of a session log says `content` as `text` and `createdAt` as
 * `created_at`; its further fields stay. A message whose own fields would be mistaken for these stands in a row
 * `{ type: "message", message }`. A row of a log of turns is its turn. Anything else is as it is.
 */
export function messageOfRow(row: unknown): unknown {
  return decodePlain(isMessageRow(row) ? unwrapped(row) : (messageOfTurn(row) ?? row));
}

/** A row as a message; one of a session log belongs to its session. */
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
