// The sessions of the Copilot CLI, `events.jsonl`: rows `{ type, data, id, timestamp, parentId }`. VS Code keeps
// transcripts in the same form. The types are those of `SessionEvent` in github/copilot-sdk. Messages of sub-agents
// belong to a call, whose result has their answer.

import type { PartInput } from "../../../message/message.js";
import { timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { fileLine, messagesInTurn, textPart } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { parsedText } from "../../text.js";
import { copilotCliKind } from "./kind.js";

export const copilotCli: KindReader = {
  kind: copilotCliKind,
  openLog(rows) {
    const { sessionId, startTime } = recordIn(rows.find(({ type }) => type === "session.start")?.data);
    return { facts: { id: sessionId, startedAt: startTime }, rows };
  },
  rowReader: () => stepOf,
};

function stepOf({ type, id, timestamp, data }: Row): AppStep {
  const fields = recordIn(data);
  const head = { id: textIn(id), createdAt: textIn(timestamp) };
  const facts = { ...(head.id === undefined ? {} : { id: head.id }), timeMs: timeMsOf(timestamp) };
  if (textIn(fields.parentToolCallId) !== undefined) {
    return {
      ...facts,
      messages: [],
      isSaid: false,
      faults: [`${type}: a step of a sub-agent, not of the conversation`],
    };
  }
  switch (type) {
    case "system.message":
      return { ...facts, messages: messagesInTurn({ ...head, role: "system" }, textPart(fields.content)) };
    case "user.message":
      return {
        ...facts,
        messages: messagesInTurn({ ...head, role: "user" }, [...textPart(fields.content), ...files(fields)]),
      };
    case "assistant.message":
      return { ...facts, ...answerOf(fields, head) };
    case "tool.execution_complete":
      return { ...facts, ...resultOf(fields, head) };
    case "session.compaction_complete": {
      const summary = textPart(fields.summaryContent);
      return summary.length === 0
        ? { ...facts, messages: [], isSaid: false }
        : { ...facts, messages: messagesInTurn({ ...head, role: "user" }, summary), compaction: {} };
    }
    default: {
      const isUnread = textIn(fields.content) !== undefined && !SILENT.has(type);
      return { ...facts, messages: [], isSaid: false, faults: isUnread ? [`${type}: the row is not read`] : [] };
    }
  }
}

/** Rows whose content is the program's, or is in another row too. */
const SILENT: ReadonlySet<unknown> = new Set(["assistant.reasoning", "assistant.message_delta", "skill.invoked"]);

const files = ({ attachments }: Row): readonly PartInput[] =>
  listIn(attachments).flatMap((file) => {
    const { displayName, path } = recordIn(file);
    const name = textIn(path)?.split(/[/\\]/).at(-1);
    return textPart(fileLine(textIn(displayName) ?? name ?? "unnamed"));
  });

interface Head {
  readonly id: string | undefined;
  readonly createdAt: string | undefined;
}

function answerOf(fields: Row, head: Head): Pick<AppStep, "messages" | "faults"> {
  const faults: string[] = [];
  const thought = textIn(fields.reasoningText);
  const calls = listIn(fields.toolRequests)
    .map(recordIn)
    .flatMap((call): PartInput[] => {
      const [toolCallId, toolName] = [textIn(call.toolCallId), textIn(call.name)];
      if (toolCallId === undefined || toolName === undefined) {
        faults.push("toolRequests: a call without an id or a name is not read");
        return [];
      }
      return [{ type: "tool-call", toolCallId, toolName, input: inputOf(call.arguments) }];
    });
  const unread = typeof fields.content === "string" ? undefined : unreadWordsIn(fields, ANSWER_FIELDS);
  if (unread !== undefined) {
    faults.push(unread);
  }
  const parts = [
    ...(thought === undefined ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...textPart(fields.content),
    ...calls,
  ];
  return { messages: messagesInTurn({ ...head, role: "assistant" }, parts), faults };
}

const inputOf = (given: unknown): unknown => parsedText(given) ?? {};

/** The fields of an answer next to its text. */
const ANSWER_FIELDS: ReadonlySet<string> = new Set([
  ...["toolRequests", "reasoningText", "reasoningOpaque", "encryptedContent"],
]);

/** The fields of a result that are read, or that the program shows to people. */
const RESULT_FIELDS: ReadonlySet<string> = new Set(["toolCallId", "toolName", "toolTelemetry", "detailedContent"]);

function resultOf(fields: Row, head: Head): Pick<AppStep, "messages" | "faults"> {
  const { toolCallId, success, result, error } = fields;
  const id = textIn(toolCallId);
  if (id === undefined) {
    return { messages: [] };
  }
  const output = textIn(result) ?? textIn(recordIn(result).content) ?? textIn(recordIn(error).message) ?? "";
  const unread = output === "" ? unreadWordsIn(fields, RESULT_FIELDS) : undefined;
  const part: PartInput = { type: "tool-result", toolCallId: id, output, ...(success === false && { isError: true }) };
  return { messages: messagesInTurn({ ...head, role: "tool" }, [part]), faults: unread === undefined ? [] : [unread] };
}
