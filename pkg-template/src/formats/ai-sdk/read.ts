// Parts of the AI SDK's `ModelMessage`, except those that windrow's own form shares with it.
//
// Recognized by: `parts` with types, or the types of the parts of a `ModelMessage`.

import type { Dialect } from "../../message/dialect.js";
import { kindOfMediaType } from "../../message/format.js";
import { required, text } from "../../message/malformed.js";
import { mediaForm } from "../../message/parts.js";
import { noteOf, sealedBy } from "../../message/provenance.js";

const APPROVAL_FIELDS: ReadonlySet<string> = new Set([
  ...["approvalId", "toolCallId", "approved", "reason", "providerExecuted", "isAutomatic", "signature"],
]);

export const aiSdkModel: Dialect = {
  fields: [],
  toolFields: [],
  parts: {
    "reasoning-file": mediaForm((part) => kindOfMediaType(part.mediaType)),
    /** A provider-specific part, with its encrypted data. */
    custom: {
      fields: new Set(["kind", "providerOptions"]),
      read: ({ kind, providerOptions }) =>
        sealedBy(providerOptions).map((sealed) => ({ type: "redacted_thinking", ...sealed, ...noteOf(kind) })),
    },
    "tool-approval-request": {
      fields: APPROVAL_FIELDS,
      read(part, place) {
        const toolCallId = text(part.toolCallId, `${place}.toolCallId`);
        return {
          type: "tool-approval-request",
          approvalId: required(part.approvalId, `${place}.approvalId`),
          ...(toolCallId === undefined ? {} : { toolCallId }),
        };
      },
      isOfTool: true,
    },
    "tool-approval-response": {
      fields: APPROVAL_FIELDS,
      read: ({ approvalId, reason }, place) => ({
        type: "tool-approval-response",
        approvalId: required(approvalId, `${place}.approvalId`),
        ...(typeof reason === "string" ? { reason } : {}),
      }),
      isOfTool: true,
    },
  },
};
