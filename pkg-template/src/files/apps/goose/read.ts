// The sessions of Goose: the JSON of `goose session export`, or rows of messages after a header in older versions. The
// types are those of `Message` and `MessageContent` in block/goose (crates/goose/src/conversation/message.rs).

import type { PartInput } from "../../../message/message.js";
import { timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { typeInWords } from "../../log.js";
import { attachedPart, messagesInTurn, partsOrFault, type Report, textPart, timeOfSeconds } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { gooseKind } from "./kind.js";

export const goose: KindReader = {
  kind: gooseKind,
  open: ({ id, name, description, created_at, conversation }) => [
    { facts: { id, title: name ?? description, startedAt: created_at }, rows: listIn(conversation) },
  ],
  openLog(rows) {
    const { id, description } = rows.find(({ working_dir }) => working_dir !== undefined) ?? {};
    return { facts: { id, title: description }, rows };
  },
  rowReader: () => stepOf,
};

/** Parts that the program writes for people. */
const SILENT: ReadonlySet<unknown> = new Set([
  ...["toolConfirmationRequest", "actionRequired", "systemNotification"],
  ...["conversationCompacted", "contextLengthExceeded", "summarizationRequested"],
]);

function stepOf({ id, role, created, content, metadata, working_dir }: Row): AppStep {
  if (role === undefined && working_dir !== undefined) {
    return { messages: [], isSaid: false };
  }
  if (recordIn(metadata).agentVisible === false) {
    return { messages: [], isSaid: false, faults: ["metadata: the model doesn't see the message"] };
  }
  const faults: string[] = [];
  const report: Report = (fault) => {
    faults.push(fault);
  };
  const parts = listIn(content)
    .map(recordIn)
    .flatMap((part) => partsOrFault(part, report, (fault) => partsOf(part, fault)));
  const createdAt = timeOfSeconds(created);
  const isEmpty = parts.length === 0 && faults.length === 0 && listIn(content).length === 0;
  return {
    timeMs: timeMsOf(createdAt),
    messages: messagesInTurn({ id: textIn(id), role: String(role), createdAt }, parts),
    faults: isEmpty ? ["the message is empty"] : faults,
    isSaid: parts.length > 0,
  };
}

function partsOf(part: Row, report: Report): readonly PartInput[] {
  const { type, text, thinking, data, mimeType, id, toolCall } = part;
  const toolCallId = textIn(id);
  switch (type) {
    case "text":
      return textPart(text);
    case "image":
      return attachedPart({ kind: "image", data, mediaType: mimeType });
    case "thinking":
      return textIn(thinking) === undefined ? [] : [{ type: "reasoning", text: thinking as string }];
    case "toolRequest":
    case "frontendToolRequest": {
      const { name, arguments: input = {} } = recordIn(recordIn(toolCall).value ?? toolCall);
      if (toolCallId !== undefined && textIn(name) !== undefined) {
        return [{ type: "tool-call", toolCallId, toolName: name as string, input }];
      }
      break;
    }
    case "toolResponse":
      if (toolCallId !== undefined) {
        return [resultOf(toolCallId, part, report)];
      }
      break;
    default:
      if (SILENT.has(type)) {
        return [];
      }
  }
  report(`content: a part of ${typeInWords(type)} is not read`);
  return [];
}

/** Returns the result of a call: the texts of its content, or its error. */
function resultOf(toolCallId: string, part: Row, report: Report): PartInput {
  const result = recordIn(part.toolResult);
  const value = result.value ?? result;
  const content = listIn(Array.isArray(value) ? value : recordIn(value).content).map(recordIn);
  const error = textIn(result.error);
  for (const item of content.filter((item) => textIn(textOf(item)) === undefined)) {
    const fault = unreadWordsIn(item);
    if (fault !== undefined || item.type !== "text") {
      report(fault ?? `toolResult: a part of ${typeInWords(item.type)} is not read`);
    }
  }
  const beside = content.length === 0 && error === undefined ? unreadWordsIn(part) : undefined;
  if (beside !== undefined) {
    report(beside);
  }
  const output = error ?? content.flatMap((item) => textIn(textOf(item)) ?? []).join("\n");
  const isError = error !== undefined || recordIn(value).isError === true;
  return { type: "tool-result", toolCallId, output, ...(isError && { isError: true }) };
}

const textOf = ({ text, resource }: Row): unknown => text ?? recordIn(resource).text;
