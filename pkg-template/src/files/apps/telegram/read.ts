// Telegram's export, `result.json`: one chat, or all chats of an account in `chats.list`. The fields are those that
// Telegram Desktop writes (Telegram/SourceFiles/export/output/export_output_json.cpp in telegramdesktop/tdesktop). In a
// chat with a bot, the bot is the assistant.

import { listIn, type Row, recordIn, textIn } from "../../file.js";
import { timeOfSeconds } from "../../parts.js";
import type { AppConversation, AppStep, KindReader } from "../../readers.js";
import { chatStep, notice } from "../said.js";
import { telegramKind } from "./kind.js";

export const telegram: KindReader = {
  kind: telegramKind,
  open(value) {
    const { list } = recordIn(value.chats);
    const left = recordIn(value.left_chats).list;
    const chats = Array.isArray(list) ? [...list, ...listIn(left)] : [value];
    return chats.map(recordIn).map(({ id, name, type, messages }): AppConversation => {
      const bot = type === "bot_chat" ? `user${id}` : undefined;
      return { facts: { id, title: name }, rows: listIn(messages).map((row) => withBot(row, bot)) };
    });
  },
  rowReader: () => stepOf,
};

const BOT = Symbol("from the chat's bot");

function withBot(row: unknown, bot: string | undefined): unknown {
  return bot !== undefined && recordIn(row).from_id === bot ? { ...recordIn(row), [BOT]: true } : row;
}

function stepOf(row: Row & { readonly [BOT]?: true }): AppStep {
  const { id, type, from, from_id, date_unixtime, date, reply_to_message_id, forwarded_from } = row;
  if (type === "service") {
    return notice(textIn(row.action) ?? "service");
  }
  const forwarded =
    forwarded_from === undefined ? undefined : `[Forwarded from ${textIn(forwarded_from) ?? "somebody"}]`;
  return chatStep({
    id: typeof id === "number" ? String(id) : textIn(id),
    role: row[BOT] === true ? "assistant" : "user",
    name: textIn(from) ?? (from_id == null ? undefined : String(from_id)),
    createdAt: timeOfSeconds(Number(date_unixtime ?? Number.NaN)) ?? textIn(date),
    replyTo: reply_to_message_id == null ? undefined : String(reply_to_message_id),
    ...(forwarded === undefined ? { lines: linesOf(row) } : { lines: [], forwarded: [forwarded, ...linesOf(row)] }),
    files: fileNames(row),
  });
}

const linesOf = ({ text, text_entities, poll, todo_list }: Row): readonly string[] => [
  wordsOf(text) || wordsOf(text_entities),
  ...listLines("Poll", recordIn(poll).question, recordIn(poll).answers),
  ...listLines("List", textIn(recordIn(todo_list).title), recordIn(todo_list).answers),
];

/** Returns the text of a message, which may come in pieces. Some pieces have formatting or an address. */
function wordsOf(text: unknown): string {
  const pieces = Array.isArray(text) ? listIn(text) : [text];
  return pieces
    .map((piece) => {
      const { text: own = "", href } = recordIn(piece);
      return typeof piece === "string" ? piece : textIn(href) === undefined ? String(own) : `${own} (${href})`;
    })
    .join("");
}

function listLines(kind: string, title: unknown, items: unknown): readonly string[] {
  const choices = listIn(items).map((item) => `- ${wordsOf(recordIn(item).text)}`);
  const words = wordsOf(title);
  return words === "" ? [] : [`[${kind}] ${words}`, ...choices];
}

/** Returns the names of a message's files. For a file that wasn't exported, the path field holds a sentence. */
function fileNames({
  photo,
  file,
  file_name,
  media_type,
  sticker_emoji,
  location_information,
  contact_information,
}: Row): readonly string[] {
  const nameOf = (path: unknown, other: string): readonly string[] =>
    path === undefined ? [] : [textIn(path)?.startsWith("(") === false ? (path as string) : other];
  const kind = [media_type, sticker_emoji].filter((word) => textIn(word) !== undefined).join(" ") || "file";
  return [
    ...nameOf(photo, "photo"),
    ...(textIn(file_name) === undefined ? nameOf(file, kind) : [file_name as string]),
    ...(location_information === undefined ? [] : ["location"]),
    ...(contact_information === undefined ? [] : ["contact"]),
  ];
}
