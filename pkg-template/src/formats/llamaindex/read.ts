// Messages of LlamaIndexTS: `role` and `content`. `options` holds calls, and the call that a message answers. A message
// with the role `memory` is what its memory remembers of earlier ones.
//
// Recognized by: `options.toolCall` or `options.toolResult`, or the role `memory`.

import type { Dialect } from "../../message/dialect.js";
import { recordOf } from "../../message/format.js";
import { required } from "../../message/malformed.js";
import { callsIn } from "../calls.js";

export const llamaIndex: Dialect = {
  fields: ["options"],
  toolFields: ["options"],
  roles: { memory: "system" },
  parts: {},
  beside({ options }, maker) {
    const { toolCall: calls, toolResult: result } = recordOf(options);
    if (calls == null && result == null) {
      return undefined;
    }
    return {
      calls: calls == null ? undefined : callsIn(calls, ".options.toolCall", maker),
      // The content is the tool's result.
      answered: result == null ? undefined : required(recordOf(result).id, ".options.toolResult.id"),
    };
  },
};
