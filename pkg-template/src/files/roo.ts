// The history that Roo Code sends, `api_conversation_history.json`: messages in Anthropic's form. A message that was
// condensed or truncated names its replacement (`condenseParent`, `truncationParent`), and is sent again if the
// replacement is undone: see `getEffectiveApiHistory` in RooCodeInc/Roo-Code (src/core/condense).

import { timeMsOf } from "../message/times.js";
import { type Row, textIn } from "./file.js";
import type { LogKind, LogNode } from "./log.js";

export const rooHistory: LogKind = {
  name: "Roo Code history",
  fits: (row) => typeof row.role === "string" && MARKS.some((mark) => typeof row[mark] === "string"),

  stepsOf(rows) {
    let parent: string | undefined;
    const nodes = rows.map(({ value, at }): LogNode => {
      const { condenseId, truncationId, condenseParent, truncationParent, ts } = value;
      const id = textIn(condenseId) ?? textIn(truncationId) ?? `#${at}`;
      const node: LogNode = {
        id,
        at,
        parent,
        timeMs: timeMsOf(ts),
        messages: [messageOf(value)],
        replacedBy: [condenseParent, truncationParent].flatMap((other) => textIn(other) ?? []),
      };
      parent = id;
      return node;
    });
    return { nodes, leaf: parent };
  },
};

const MARKS = ["condenseParent", "truncationParent", "condenseId", "truncationId"] as const;

function messageOf({ ts, ...value }: Row): Row {
  const { condenseId, truncationId, condenseParent, truncationParent, isSummary, isTruncationMarker, ...rest } = value;
  return { ...rest, ...(typeof ts === "number" && value.createdAt == null ? { createdAt: ts } : {}) };
}
