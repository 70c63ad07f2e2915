// The JSON of DiscordChatExporter: a channel with its messages. The fields are those that Tyrrrz/DiscordChatExporter
// writes (DiscordChatExporter.Core/Exporting/JsonMessageWriter.cs). A bot speaks as the assistant, with its name.

import { listIn, type Row, recordIn, textIn } from "../../file.js";
import { fileLine } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { chatStep, notice } from "../said.js";
import { discordKind } from "./kind.js";

/** The types of messages that a person or bot wrote. Newer types are numbers. */
const SAID: ReadonlySet<unknown> = new Set([
  ...["Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", "ContextMenuCommand"],
  ...["0", "19", "20", "21", "23"],
]);

export const discord: KindReader = {
  kind: discordKind,
  open({ guild, channel, messages }) {
    const [{ name: server }, { id, name }] = [recordIn(guild), recordIn(channel)];
    const title = [textIn(server), textIn(name)].filter((part) => part !== undefined).join(" / ");
    return [{ facts: { id, title }, rows: listIn(messages) }];
  },
  rowReader: () => stepOf,
};

function stepOf({
  id,
  type,
  timestamp,
  content,
  author,
  attachments,
  stickers,
  embeds,
  reference,
  ...row
}: Row): AppStep {
  if (type !== undefined && !SAID.has(String(type))) {
    return notice(String(type));
  }
  const { nickname, name, isBot } = recordIn(author);
  const passedOn = recordIn(row.forwardedMessage);
  const forwarded = [textIn(passedOn.content), ...embedTexts(passedOn), ...fileNames(passedOn).map(fileLine)]
    .filter((line) => textIn(line) !== undefined)
    .join("\n");
  return chatStep({
    id: textIn(id),
    role: isBot === true ? "assistant" : "user",
    name: textIn(nickname) ?? textIn(name),
    createdAt: textIn(timestamp),
    replyTo: textIn(recordIn(reference).messageId),
    lines: [
      textIn(content),
      // A person's embeds are previews of links, next to the link.
      ...(isBot === true || textIn(content) === undefined ? embedTexts({ embeds }) : []),
    ],
    forwarded: forwarded === "" ? undefined : [`[Forwarded] ${forwarded}`],
    files: fileNames({ attachments, stickers }),
  });
}

const embedTexts = ({ embeds }: Row): readonly string[] => listIn(embeds).map(recordIn).map(embedText);

const fileNames = ({ attachments, stickers }: Row): readonly unknown[] => [
  ...listIn(attachments).map((file) => recordIn(file).fileName),
  ...listIn(stickers).map((sticker) => recordIn(sticker).name),
];

function embedText({ author, title, description, fields, footer }: Row): string {
  const named = listIn(fields).map(recordIn);
  const lines = [
    recordIn(author).name,
    title,
    description,
    ...named.map(({ name, value }) => `${name}: ${value}`),
    recordIn(footer).text,
  ];
  return lines.filter((line) => textIn(line) !== undefined).join("\n");
}
