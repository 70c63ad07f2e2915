// LibreChat's export of a conversation: its messages in a list, or with their answers in `children`. Each names its
// parent, and the newest branch is read. The fields are those of danny-avila/LibreChat
// (client/src/hooks/Conversations/useExportConversation.ts, packages/data-provider/src/types/assistants.ts).

import type { PartInput } from "../../../message/message.js";
import { timeMsOf } from "../../../message/times.js";
import { listIn, type Row, recordIn, textIn, unreadWordsIn } from "../../file.js";
import { fileLine, messagesInTurn, partsOrFault, type Report, textPart } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { parsedText } from "../../text.js";
import { libreChatKind } from "./kind.js";
import { conversationOfText } from "./text.js";

export const libreChat: KindReader = {
  kind: libreChatKind,
  open({ conversationId, title, messages, messagesTree, options }) {
    const { promptPrefix, system, instructions } = recordIn(options);
    const said = textIn(promptPrefix) ?? textIn(system) ?? textIn(instructions);
    return [
      {
        facts: { id: conversationId, title },
        first: said === undefined ? [] : [{ role: "system", content: said }],
        rows: flat(messagesTree ?? recordIn(messages).children ?? messages),
        isTree: true,
      },
    ];
  },
  openText: (text) => [conversationOfText(text)],

  rowReader(rows) {
    const ids = new Set(rows.map(({ messageId }) => messageId));
    return (row) => stepOf(row, ids);
  },
};

/** The parent id of a first message. */
const ROOT = "00000000-0000-0000-0000-000000000000";

/** Returns the messages of a list and of their `children`, parents first. */
function flat(list: unknown): readonly unknown[] {
  const rows: unknown[] = [];
  const left = [...listIn(list)].reverse();
  while (left.length > 0) {
    const row = left.pop();
    rows.push(row);
    for (const child of [...listIn(recordIn(row).children)].reverse()) {
      left.push(child);
    }
  }
  return rows;
}

function stepOf(row: Row, ids: ReadonlySet<unknown>): AppStep {
  const { messageId, parentMessageId, isCreatedByUser, text, content, createdAt, error, files } = row;
  const id = textIn(messageId);
  // An export of one branch has its messages in order. The first may name a parent that was left out.
  const isFirst =
    parentMessageId === ROOT || (id !== undefined && (parentMessageId == null || !ids.has(parentMessageId)));
  const faults: string[] = [];
  const parts = error === true ? [] : partsOf(content, text, (fault) => faults.push(fault));
  const attached = listIn(files).flatMap((file) => textPart(fileLine(nameIn(file))));
  const role = isCreatedByUser === true ? "user" : "assistant";
  const all = [...parts, ...attached];
  if (all.length === 0 && faults.length === 0) {
    faults.push(error === true ? "error: the answer failed" : "the message has no content that windrow reads");
  }
  return {
    ...(id === undefined ? {} : { id }),
    parent: isFirst ? null : textIn(parentMessageId), // without ids, in a text, each follows the one before it
    timeMs: timeMsOf(createdAt),
    isSaid: all.length > 0,
    messages: messagesInTurn({ id, role, createdAt: textIn(createdAt) }, all),
    faults,
  };
}

const nameIn = (file: unknown): string | undefined => textIn(recordIn(file).filename);

function partsOf(content: unknown, text: unknown, report: Report): readonly PartInput[] {
  const blocks = listIn(content).flatMap((block) => (block === null ? [] : [recordIn(block)])); // gaps are normal
  return blocks.length === 0
    ? textPart(text)
    : blocks.flatMap((block) => partsOrFault(block, report, (fault) => blockParts(block, fault)));
}

function blockParts(block: Row, report: Report): readonly PartInput[] {
  const textOf = (value: unknown): unknown => (typeof value === "string" ? value : recordIn(value).value);
  switch (block.type) {
    case "text":
      return textPart(textOf(block.text));
    case "think": {
      const thought = textIn(textOf(block.think));
      return thought === undefined ? [] : [{ type: "reasoning", text: thought }];
    }
    case "tool_call":
      return callParts(recordIn(block.tool_call), report);
    default:
      report(`content: a part of the type ${JSON.stringify(block.type)?.slice(0, 60)} is not read`);
      return [];
  }
}

/** The fields of a call that are read. */
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "args", "function", "auth"]);

/** Returns a call and its result. The calls of OpenAI's assistants have both in `function`. */
function callParts(call: Row, report: Report): readonly PartInput[] {
  const { id, type, function: called } = call;
  const held = recordIn(called);
  const [toolCallId, toolName] = [textIn(id), textIn(call.name ?? held.name)];
  const [args, output] = [call.args ?? held.arguments, call.output ?? held.output];
  if (toolCallId === undefined || toolName === undefined) {
    report(`tool_call: a call of the type ${JSON.stringify(type)?.slice(0, 60)} is not read`);
    return [];
  }
  const unread = output == null ? unreadWordsIn(call, CALL_FIELDS) : undefined;
  if (unread !== undefined) {
    report(`tool_call: ${unread}`);
  }
  return [
    { type: "tool-call", toolCallId, toolName, input: parsedText(args) ?? {} },
    ...(output == null ? [] : [{ type: "tool-result" as const, toolCallId, output }]),
  ];
}
