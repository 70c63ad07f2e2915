// windrow's own form: a role, a content of texts and parts, tool calls, and facts about the message.
//
// Recognized by: `role` and `content`.

import { jsonOf } from "../../base/json.js";
import type { Dialect } from "../../message/dialect.js";
import { hasFailed, recordOf, type UnknownRecord } from "../../message/format.js";
import { required, text } from "../../message/malformed.js";
import type { TextPart } from "../../message/message.js";
import {
  callPart,
  mediaForm,
  oneOf,
  outputWithText,
  reasoningForm,
  redactedForm,
  resultPart,
  textForm,
} from "../../message/parts.js";
import { callsIn } from "../calls.js";

export const windrow: Dialect = {
  fields: [
    ...["id", "role", "content", "name", "createdAt", "sessionId", "conversationId", "summaryOf", "replyTo", "source"],
    ...[
      "tags",
      "actions",
      "status",
      "target",
      "priority",
      "ttlSeconds",
      "toolCalls",
      "toolCallId",
      "pinned",
      "persist",
      "error",
    ],
  ],
  toolFields: ["toolCalls", "toolCallId"],
  parts: {
    text: textForm,
    reasoning: reasoningForm("text"),
    redacted_thinking: redactedForm,
    image: mediaForm("image"),
    audio: mediaForm("audio"),
    file: mediaForm("file"),
    "tool-call": {
      fields: new Set(["toolCallId", "toolName", "input", "args", "value", "isCustom"]),
      read(part, place, maker) {
        // Chrome's Prompt API has the call in a field of the part.
        const { callId, name, arguments: asked } = recordOf(part.value);
        return callPart(
          part,
          {
            id: part.toolCallId ?? callId,
            name: part.toolName ?? name,
            input: part.input ?? part.args ?? asked,
            fields: part.value === undefined ? ["toolCallId", "toolName"] : ["value.callId", "value.name"],
          },
          place,
          maker,
        );
      },
      givenOf: (part) => (part.value === undefined ? part : undefined),
      isOfTool: true,
    },
    "tool-result": {
      fields: new Set(["toolCallId", "toolName", "output", "result"]),
      read: (part, place) =>
        resultPart(part, required(part.toolCallId, `${place}.toolCallId`), oneOf(part, "output", "result"), place),
      text: "result",
      withText(part, own) {
        const field = part.output == null && "result" in part ? "result" : "output";
        return { ...part, [field]: outputWithText(part[field], own) };
      },
      isOfTool: true,
    },
  },
  beside(message, maker) {
    const { toolCalls, toolCallId } = message;
    const failure = failureIn(message);
    return toolCalls == null && toolCallId == null && failure === undefined
      ? undefined
      : {
          said: failure === undefined ? undefined : [{ part: failure, given: undefined, place: ".error" }],
          calls: toolCalls == null ? undefined : callsIn(toolCalls, ".toolCalls", maker),
          answered: text(toolCallId, ".toolCallId"),
        };
  },
};

/**
 * Returns the reason why a tool failed, from the `error` that AG-UI's messages have next to the content. Undefined if
 * the content says it too.
 */
function failureIn(message: UnknownRecord): TextPart | undefined {
  const { content, error } = message;
  const isSaid = !hasFailed(message) || (jsonOf(content) ?? "").includes(JSON.stringify(error).slice(1, -1));
  return isSaid ? undefined : { type: "text", text: error as string };
}
