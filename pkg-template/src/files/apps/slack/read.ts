// Slack's export: a list of messages per day and channel, in the form of the Web API. The fields are those of the API's
// pages (message events, `conversations.history`). People are named if the messages include their profiles. A bot
// speaks as the assistant.

import { listIn, type Row, recordIn, textIn } from "../../file.js";
import type { LogRow } from "../../log.js";
import { timeOfSeconds } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { chatStep, notice } from "../said.js";
import { slackKind } from "./kind.js";

/** The subtypes of messages that a person or bot wrote. */
const SAID: ReadonlySet<unknown> = new Set([
  ...["bot_message", "thread_broadcast", "reply_broadcast", "me_message", "file_share", "file_comment", "file_mention"],
  ...["assistant_app_thread"],
]);

export const slack: KindReader = {
  kind: slackKind,
  open: ({ channel_id, channel, name, messages }) => [
    { facts: { id: channel_id ?? channel, title: name }, rows: listIn(messages).flatMap(withReplies) },
  ],

  rowReader(rows) {
    const names = new Map(
      rows.flatMap((row): [string, string][] => {
        const [user, name] = [textIn(row.user), nameIn(row)];
        return user === undefined || name === undefined ? [] : [[user, name]];
      }),
    );
    return (row) => stepOf(row, names);
  },

  // The API lists the newest first.
  sorted: (rows) => [...rows].sort((left, right) => secondsOf(left) - secondsOf(right) || left.at - right.at),
};

/** Returns a message and the replies that an export by slackdump nests in it. */
function withReplies(row: unknown): readonly unknown[] {
  const { thread_ts, slackdump_thread_replies: replies } = recordIn(row);
  return [row, ...listIn(replies).filter((reply) => recordIn(reply).ts !== thread_ts)];
}

const secondsOf = ({ value }: LogRow): number => Number(value.ts) || 0;

function nameIn({ user_profile, username }: Row): string | undefined {
  const { display_name, real_name, name } = recordIn(user_profile);
  return textIn(display_name) ?? textIn(real_name) ?? textIn(name) ?? textIn(username);
}

function stepOf(row: Row, names: ReadonlyMap<string, string>): AppStep {
  const { ts, subtype, user, bot_id, bot_profile, text, files, thread_ts, blocks } = row;
  if (subtype !== undefined && !SAID.has(subtype)) {
    return notice(String(subtype));
  }
  const author = textIn(user);
  const isBot = textIn(bot_id) !== undefined || subtype === "bot_message";
  const named =
    nameIn(row) ?? textIn(recordIn(bot_profile).name) ?? names.get(author ?? "") ?? author ?? textIn(bot_id);
  const attachments = listIn(row.attachments).map(recordIn);
  const shared = attachments.filter(({ is_share }) => is_share === true);
  const plain = (part: unknown): string | undefined => textIn(part) && plainText(part as string, names);
  // A person's other attachments are previews of links.
  const own = isBot ? attachments.filter(({ is_share }) => is_share !== true) : [];
  return chatStep({
    id: textIn(ts),
    role: isBot ? "assistant" : "user",
    name: named,
    createdAt: timeOfSeconds(Number(ts)),
    replyTo: thread_ts === ts ? undefined : textIn(thread_ts),
    lines: [plain(text) ?? plain(wordsIn(blocks)), ...own.map(attachmentText).map(plain)],
    forwarded: shared.length === 0 ? undefined : shared.map(attachmentText).map(plain),
    files: listIn(files).map((file) => recordIn(file).name ?? recordIn(file).title),
  });
}

/** Returns the words of an attachment: a bot's card, or a message that somebody shared. */
function attachmentText({ author_name, pretext, title, text, fields, fallback, blocks, message_blocks }: Row): string {
  const named = listIn(fields)
    .map(recordIn)
    .map(({ title: name, value }) => `${name}: ${value}`);
  const words = [pretext, title, textIn(text) ?? wordsIn(blocks ?? message_blocks), ...named];
  const said = words.filter((word) => textIn(word) !== undefined);
  return [author_name, ...(said.length > 0 ? said : [fallback])]
    .filter((word) => textIn(word) !== undefined)
    .join("\n");
}

/** Maximum nesting of the words in blocks. */
const DEEPEST_BLOCK = 8;

/** Returns the words of a message's blocks, for a message that has them nowhere else. */
function wordsIn(block: unknown, depth = 0): string {
  if (depth > DEEPEST_BLOCK) {
    return "";
  }
  if (Array.isArray(block)) {
    const isLine = block.every((one) => /^(?:text|link|emoji|user|channel)$/.test(String(recordIn(one).type)));
    const words = listIn(block).map((one) => wordsIn(one, depth + 1));
    return words.filter((word) => word !== "").join(isLine ? "" : "\n");
  }
  const { text, elements, fields, url } = recordIn(block);
  if (typeof text === "string") {
    return text;
  }
  const inner = [text, fields, elements].map((one) => (one === undefined ? "" : wordsIn(one, depth + 1)));
  return inner.filter((word) => word !== "").join("\n") || (textIn(url) ?? "");
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
]);

/** Converts Slack's markup to text: mentions by name, links with their address. */
function plainText(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g, (_, kind: string, target: string, label: string | undefined) => {
      if (kind === "@") {
        return `@${textIn(label) ?? names.get(target) ?? target}`;
      }
      if (kind === "!" && target.startsWith("date^")) {
        return label ?? target;
      }
      if (kind !== "") {
        return `${kind === "#" ? "#" : "@"}${(textIn(label) ?? target).replace(/^@/, "")}`;
      }
      return label === undefined || label === target ? target : `${label} (${target})`;
    })
    .replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES.get(name) ?? "");
}
