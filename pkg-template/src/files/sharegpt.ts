// Dialogues in ShareGPT's form, which many data sets use: `{ id?, system?, conversations: [{ from, value }] }`, in a
// list or one per line. Speakers have several names; hiyouga/LLaMA-Factory (data/README.md) lists those of tools.

import { describe } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import type { MessageInput } from "../message/message.js";
import { reportBeside } from "./beside.js";
import { type FileKind, listIn, type Row, recordIn, textIn } from "./file.js";
import { tryParse } from "./text.js";

const ROLES: ReadonlyMap<unknown, "system" | "user" | "assistant" | "tool" | "call"> = new Map([
  ["system", "system"],
  ["human", "user"],
  ["user", "user"],
  ["gpt", "assistant"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["chatgpt", "assistant"],
  ["bing", "assistant"],
  ["bard", "assistant"],
  ["claude", "assistant"],
  ["tool", "tool"],
  ["observation", "tool"],
  ["function_response", "tool"],
  ["tool_response", "tool"],
  ["function_call", "call"],
  ["tool_call", "call"],
]);

export const shareGptDialogue: FileKind = {
  name: "ShareGPT data set",
  fits: (value) =>
    isRecord(value) &&
    !Array.isArray(value.messages) &&
    listIn(value.conversations).some((turn) => isTurn(turn) || isChatMessage(turn)),

  read(value, row, file) {
    const { id, conversation_id, title, system, conversations } = value;
    const conversation = file.begin({ id: id ?? conversation_id, title }, row);
    if (textIn(system) !== undefined) {
      conversation.take({ role: "system", content: system }, 0);
    }
    let call: string | undefined;
    for (const [at, turn] of listIn(conversations).entries()) {
      const { from, value: said } = recordIn(turn);
      // Some sets have their turns in the form of chat messages.
      const role = isTurn(turn) ? ROLES.get(typeof from === "string" ? from.toLowerCase() : from) : "own";
      if (role === undefined) {
        conversation.skip(`from: unknown speaker ${describe(from)}`, at, turn);
      } else if (role === "own") {
        conversation.take(turn, at);
      } else if (role === "call") {
        call = `call-${at + 1}`;
        conversation.take(callOf(said, call), at);
      } else {
        const answer = role === "tool" && call !== undefined ? { toolCallId: call } : {};
        conversation.take({ role, content: said ?? null, ...answer }, at);
      }
    }
    reportBeside(value, ["conversations", "system"], conversation);
  },
};

function isTurn(turn: unknown): turn is Row {
  return isRecord(turn) && "from" in turn && "value" in turn;
}

function isChatMessage(turn: unknown): boolean {
  return isRecord(turn) && typeof turn.role === "string" && "content" in turn;
}

/** Returns a function call: its name and arguments from JSON. Any other text is kept verbatim. */
function callOf(said: unknown, id: string): MessageInput {
  const { name, arguments: given } = recordIn(typeof said === "string" ? tryParse(said).value : said);
  const call =
    textIn(name) === undefined ? { name: "function", arguments: said } : { name: name as string, arguments: given };
  return { role: "assistant", content: null, toolCalls: [{ id, ...call }] };
}
