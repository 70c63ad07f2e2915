// The sessions of the coding agent pi, and of OpenClaw, which uses the same format: a header `{ type: "session", id,
// cwd }`, and rows that name the previous row in `parentId`. The session continues from the last row. pi documents the
// format (docs/session.md).

import { isRecord } from "../base/plain-data.js";
import { timeMsOf } from "../message/times.js";
import { type Row, recordIn, textIn } from "./file.js";
import { type LogKind, type LogNode, type LogRow, unknownRows } from "./log.js";

export const piSession: LogKind = {
  name: "pi session",
  fits: ({ type, id, cwd, parentId, session_key }) =>
    typeof id === "string" &&
    session_key === undefined &&
    typeof type === "string" &&
    (type === "session" ? typeof cwd === "string" : parentId !== undefined && ENTRIES.has(type)),

  sessionsOf(rows) {
    const sessions: LogRow[][] = [];
    for (const row of rows) {
      if (row.value.type === "session" || sessions.length === 0) {
        sessions.push([]);
      }
      sessions.at(-1)?.push(row);
    }
    return sessions;
  },

  stepsOf(rows) {
    const ids = rows.map(({ value }, at) => textIn(value.id) ?? `#${at}`);
    const steps = rows.flatMap(({ value, at }, index): readonly LogNode[] => {
      if (value.type === "session") {
        return [];
      }
      const [id, before] = [
        ids[index] as string,
        rows[index - 1]?.value.type === "session" ? undefined : ids[index - 1],
      ];
      const message = messageOf(value);
      const { firstKeptEntryId, firstKeptEntryIndex } = value;
      return [
        {
          id,
          at,
          // In the first version, a row follows the previous one.
          parent: value.parentId === undefined ? before : textIn(value.parentId),
          timeMs: timeMsOf(value.timestamp),
          isSaid: message !== undefined,
          messages: message === undefined ? [] : [{ id, ...message }],
          compaction:
            value.type === "compaction"
              ? { keptFrom: textIn(firstKeptEntryId) ?? ids[Number(firstKeptEntryIndex ?? -1)] }
              : undefined,
        },
      ];
    });
    const header = rows.find(({ value }) => value.type === "session")?.value;
    const title = rows.findLast(({ value }) => value.type === "session_info")?.value.name;
    const facts = { id: header?.id, title, startedAt: header?.timestamp };
    return { nodes: steps, leaf: steps.at(-1)?.id, facts, faults: unknownRows(rows, KNOWN, "message") };
  },
};

const ENTRIES: ReadonlySet<unknown> = new Set([
  ...["message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message"],
  ...["label", "session_info"],
]);
const KNOWN: ReadonlySet<unknown> = new Set(["session", ...ENTRIES]);

/** Returns the message that the model receives for a row. Undefined if there isn't one. */
function messageOf({ type, timestamp: at, message, summary, fromId, customType, content }: Row): Row | undefined {
  const timestamp = timeMsOf(at);
  switch (type) {
    case "message":
      // Hooks had this role before extensions did.
      return isRecord(message) && message.role === "hookMessage" ? { ...message, role: "custom" } : recordIn(message);
    case "compaction":
      return { role: "compactionSummary", summary, timestamp };
    case "branch_summary":
      return textIn(summary) === undefined ? undefined : { role: "branchSummary", summary, fromId, timestamp };
    case "custom_message":
      return { role: "custom", customType, content, timestamp };
    default:
      return undefined;
  }
}
