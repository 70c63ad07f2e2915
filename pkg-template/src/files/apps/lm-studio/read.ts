// Conversations of LM Studio. A message has versions, and `currentlySelected` is the visible one. An answer has steps:
// blocks of text, thinking, tool calls and their results. The format isn't published; the fields are those that other
// readers of the files use, such as `toolCallRequest` and `toolCallResult` with a `toolCallRequestId`, and those of
// lmstudio-ai/lmstudio-js (packages/lms-shared-types/src/ChatHistoryData.ts). Messages have no times.

import type { PartInput } from "../../../message/message.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { fileLine, messagesInTurn, partsOrFault, type Report, textPart } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { lmStudioKind } from "./kind.js";

export const lmStudio: KindReader = {
  kind: lmStudioKind,
  open({ name, createdAt, systemPrompt, messages }) {
    const system = textIn(systemPrompt);
    return [
      {
        facts: { title: name, startedAt: createdAt },
        first: system === undefined ? [] : [{ role: "system", content: system }],
        rows: listIn(messages),
      },
    ];
  },
  rowReader: () => stepOf,
};

/** Steps that aren't part of the conversation: statistics of an answer, and the state of a call. */
const SILENT: ReadonlySet<unknown> = new Set(["genInfo", "toolStatus", "debugInfoBlock", "status"]);

function stepOf({ versions, currentlySelected }: Row): AppStep {
  const list = listIn(versions).map(recordIn);
  const { role, content, steps } = list[Number(currentlySelected)] ?? list.at(-1) ?? {};
  const faults: string[] = [];
  const report = (fault: string): void => {
    faults.push(fault);
  };
  const readPart = (part: Row, isThinking: boolean, tell: Report): readonly PartInput[] =>
    partsOrFault(part, tell, (fault) => partOf(part, isThinking, fault));
  const parts = [
    ...listIn(content)
      .map(recordIn)
      .flatMap((part) => readPart(part, false, report)),
    ...listIn(steps)
      .map(recordIn)
      .flatMap((step) => {
        if (step.type === "contentBlock") {
          const isThinking = recordIn(step.style).type === "thinking";
          return partsOrFault(step, report, (fault) =>
            listIn(step.content)
              .map(recordIn)
              .flatMap((part) => readPart(part, isThinking, fault)),
          );
        }
        if (!SILENT.has(step.type)) {
          report(unknownType(step.type));
        }
        return [];
      }),
  ];
  if (parts.length === 0 && faults.length === 0) {
    faults.push("the message has no content that windrow reads");
  }
  return { messages: messagesInTurn({ role: role === undefined ? "assistant" : String(role) }, parts), faults };
}

const unknownType = (type: unknown): string => `a part of the type ${JSON.stringify(type)?.slice(0, 60)} is not read`;

/** The fields of a result that are read. */
const RESULT_FIELDS: ReadonlySet<string> = new Set(["type", "callId", "toolCallId", "toolCallRequestId"]);

function partOf(part: Row, isThinking: boolean, report: Report): readonly PartInput[] {
  const { type, text, fileIdentifier, content } = part;
  // The app's SDK writes the call in a field, with its own names.
  const called = recordIn(part.toolCallRequest);
  const name = part.name ?? called.name;
  const number = part.callId ?? part.toolCallId ?? called.id;
  const toolCallId = textIn(part.toolCallRequestId) ?? (number == null ? undefined : String(number));
  if (type === "text") {
    return textIn(text) === undefined ? [] : [{ type: isThinking ? "reasoning" : "text", text: text as string }];
  }
  if (type === "file") {
    return textPart(fileLine(textIn(name) ?? textIn(fileIdentifier) ?? "unnamed"));
  }
  if (type === "toolCallRequest" && toolCallId !== undefined && textIn(name) !== undefined) {
    return [
      {
        type: "tool-call",
        toolCallId,
        toolName: name as string,
        input: part.parameters ?? part.arguments ?? called.arguments ?? {},
      },
    ];
  }
  if (type === "toolCallResult" && toolCallId !== undefined) {
    const unread = content === undefined ? unreadWordsIn(part, RESULT_FIELDS) : undefined;
    if (unread !== undefined) {
      report(unread);
    }
    return [{ type: "tool-result", toolCallId, output: content ?? "" }];
  }
  report(unknownType(type));
  return [];
}
