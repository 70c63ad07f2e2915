// LibreChat's export as text or Markdown: facts about the conversation, then each message below its sender, with two
// blank lines between messages. Parts that aren't text are JSON below the sender's name.

import { isRecord } from "../../../base/plain-data.js";
import { type Row, textIn } from "../../file.js";
import type { AppConversation } from "../../readers.js";
import { tryParse } from "../../text.js";

const SENDER = /^(?:>> (?<text>[^\n]*):|\*\*(?<markdown>[^\n]*)\*\*)\n/;
/** The line below an answer that failed, and below one that was cut. */
const FAILED = /\n\*?\(This is an error message\)\*?$/;
const UNFINISHED = /\n\*?\(This is an unfinished message\)\*?$/;

/** Returns the conversation of an export. Its rows have the fields of those in a JSON export. */
export function conversationOfText(text: string): AppConversation {
  const [head = "", ...rest] = text.replace(/\r\n/g, "\n").split(/\n(?:## History|History\n#{10,})\n/);
  const factOf = (name: string): string | undefined => new RegExp(`^(?:- )?${name}: (.*)$`, "m").exec(head)?.[1];
  const rows: Row[] = [];
  for (const block of rest.join("\n## History\n").split(/\n{3,}(?=>> [^\n]*:\n|\*\*[^\n]*\*\*\n)/)) {
    const start = SENDER.exec(block);
    const { text: plain, markdown } = start?.groups ?? {};
    const sender = plain ?? markdown;
    if (sender !== undefined) {
      rows.push(rowOf(sender, block.slice(start?.[0].length).trimEnd()));
    }
  }
  const said = factOf("promptPrefix") ?? factOf("system");
  return {
    facts: { id: factOf("conversationId"), title: factOf("title") },
    first: textIn(said) === undefined ? [] : [{ role: "system", content: said }],
    rows,
  };
}

/** Returns a message. The sender of a person's messages is always "User". */
function rowOf(sender: string, said: string): Row {
  const isFailed = FAILED.test(said.replace(UNFINISHED, ""));
  const text = said.replace(UNFINISHED, "").replace(FAILED, "").trim();
  const { value } = text.startsWith("{") ? tryParse(text) : {};
  const block = isRecord(value) && (textIn(value.type) !== undefined || textIn(value.id) !== undefined) ? value : null;
  return {
    isCreatedByUser: sender === "User",
    ...(block === null
      ? { text }
      : { content: [block.type === "function" ? { type: "tool_call", tool_call: block } : block] }),
    ...(isFailed && { error: true }),
  };
}
