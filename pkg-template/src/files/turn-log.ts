// Logs of turns, as Claude Code writes them: rows `{ type: "user" | "assistant", timestamp, message: { content } }`. Who speaks is
// the row's type. Other rows of such a log (summaries, snapshots of files) are no messages.

import { isRecord } from "../base/plain-data.js";
import { listIn, type Row, recordIn } from "./file.js";

/** A row as a message; undefined where it is no turn. */
export function messageOfTurn(row: unknown): Row | undefined {
  if (!isRecord(row) || !(row.type === "user" || row.type === "assistant") || !isRecord(row.message)) {
    return undefined;
  }
  const { content } = row.message;
  return { role: row.type, content, ...(row.timestamp == null ? {} : { createdAt: row.timestamp }) };
}

/** A turn with no more than its texts, for one of which another block cannot be read; undefined where it has none. */
export function textsOfTurn(turn: Row): Row | undefined {
  const texts = listIn(turn.content).filter((block) => {
    const { type, text } = recordIn(block);
    return type === "text" && typeof text === "string";
  });
  return texts.length > 0 ? { ...turn, content: texts } : undefined;
}
