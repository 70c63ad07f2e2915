// Threads of assistant-ui, as `thread.export()` returns them: `{ headId, messages: [{ parentId, message }] }`. The fields
// are those of `ExportedMessageRepository` in `@assistant-ui/core`.

import { timeMsOf } from "../../../message/times.js";
import { listIn, recordIn, textIn } from "../../file.js";
import type { KindReader } from "../../readers.js";
import { assistantUiKind } from "./kind.js";

export const assistantUi: KindReader = {
  kind: assistantUiKind,
  open: ({ headId, messages }) => [{ rows: listIn(messages), leaf: textIn(headId), isTree: true }],

  rowReader:
    () =>
    ({ parentId, message }) => {
      const { id, createdAt } = recordIn(message);
      return {
        ...(textIn(id) === undefined ? {} : { id: id as string }),
        parent: textIn(parentId) ?? null,
        timeMs: timeMsOf(createdAt),
        messages: [message],
      };
    },
};
