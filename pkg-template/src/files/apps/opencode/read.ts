// The session that `opencode export` writes: `{ info, messages: [{ info, parts }] }`. Skips reverted messages. A
// summary replaces the messages that it covers. The fields are those of `Session` and `MessageV2` in sst/opencode
// (packages/opencode/src/session).

import { timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn } from "../../file.js";
import type { AppStep, KindReader } from "../../readers.js";
import { opencodeKind } from "./kind.js";

export const opencode: KindReader = {
  kind: opencodeKind,
  open({ info, messages }) {
    const { id, title, time, revert } = recordIn(info);
    const rows = listIn(messages);
    const reverted = textIn(recordIn(revert).messageID);
    const at = reverted === undefined ? -1 : rows.findIndex((row) => infoOf(row).id === reverted);
    const facts = { id, title, startedAt: recordIn(time).created };
    return [{ facts, rows: at < 0 ? rows : rows.slice(0, at) }];
  },

  rowReader(rows) {
    const summedUp = new Set(
      rows.map(infoOf).flatMap(({ summary, error, parentID }) => (summary === true && error == null ? [parentID] : [])),
    );
    return (row) => stepOf(row, summedUp);
  },
};

const infoOf = (row: unknown): Row => recordIn(recordIn(row).info);

/** Returns a message as a step. A request for a summary replaces the messages before it, if it was answered. */
function stepOf(row: Row, summedUp: ReadonlySet<unknown>): AppStep {
  const { id, time } = infoOf(row);
  const isCompaction = listIn(row.parts).some((part) => recordIn(part).type === "compaction") && summedUp.has(id);
  return {
    ...(textIn(id) === undefined ? {} : { id: id as string }),
    timeMs: timeMsOf(recordIn(time).created),
    messages: [row],
    compaction: isCompaction ? {} : undefined,
  };
}
