// Slack's export: a list of messages per day and channel, in the form of the Web API. The fields are those of the API's
// pages (message events, `conversations.history`). People are named if the messages include their profiles. A bot
// speaks as the assistant.

import { listIn, type Row, recordIn, textIn } from "../file.js";
import type { LogRow } from "../log.js";
import { timeOfSeconds } from "../parts.js";
import type { AppStep, KindReader } from "../readers.js";
import { chatStep, notice } from "./said.js";

/** The subtypes of messages that a person or bot wrote. */
const SAID: ReadonlySet<unknown> = new Set([
  ...["bot_message", "thread_broadcast", "reply_broadcast", "me_message", "file_share", "file_comment", "file_mention"],
  ...["assistant_app_thread"],
]);

export const slack: KindReader = {
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
  const { ts, subtype, user, bot_id, bot_profile, text, files, thread_ts } = row;
  if (subtype !== undefined && !SAID.has(subtype)) {
    return notice(String(subtype));
  }
  const author = textIn(user);
  const isBot = textIn(bot_id) !== undefined || subtype === "bot_message";
  const named =
    nameIn(row) ?? textIn(recordIn(bot_profile).name) ?? names.get(author ?? "") ?? author ?? textIn(bot_id);
  return chatStep({
    id: textIn(ts),
    role: isBot ? "assistant" : "user",
    name: named,
    createdAt: timeOfSeconds(Number(ts)),
    replyTo: thread_ts === ts ? undefined : textIn(thread_ts),
    lines: [textIn(text) && plainText(text as string, names)],
    files: listIn(files).map((file) => recordIn(file).name ?? recordIn(file).title),
  });
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
      if (kind !== "") {
        return `${kind === "#" ? "#" : "@"}${textIn(label) ?? target}`;
      }
      return label === undefined || label === target ? target : `${label} (${target})`;
    })
    .replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES.get(name) ?? "");
}
