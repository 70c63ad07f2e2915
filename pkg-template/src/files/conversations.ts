// The conversations of a file, toldApart apart: their names, their order in time, and which of them is meant.

import type { MessageInput } from "../message/message.js";
import { parse } from "../message/read.js";
import { isoOf, timeMsOf } from "../message/times.js";
import { type ConversationFacts, type OpenConversation, textIn } from "./file.js";

/** A conversation of a file. */
export interface ParsedConversation {
  /**
   * What it is called: its messages have it as `conversationId`, unless they name another themselves. It is the file's own name for
   * it, or `#` and its number where the file has several and names none, or two alike. Left out where there is but one without a name.
   */
  readonly id?: string;
  /** Its title, where the file has one. */
  readonly title?: string;
  /** When it began, in ISO 8601: as the file says, or as its first message with a time does. */
  readonly startedAt?: string;
  /** The messages, in the order in which they were said. */
  readonly messages: readonly MessageInput[];
}

/** The conversations that have a message, in the order of the file. */
export function toldApart(open: readonly OpenConversation[]): readonly ParsedConversation[] {
  const found = open.filter(({ messages }) => messages.length > 0);
  const taken = new Set<string>();
  return found.map(({ facts, messages }, at) => {
    let id = idIn(facts);
    if (id === undefined ? found.length > 1 : taken.has(id)) {
      id = `#${at + 1}`;
      while (taken.has(id)) {
        id = `#${id}`;
      }
    }
    if (id !== undefined) {
      taken.add(id);
    }
    const title = textIn(facts.title)?.trim();
    const began = isoOf(timeMsOf(facts.startedAt) ?? messages.map(timeOf).find((timeMs) => timeMs !== undefined));
    return {
      ...(id === undefined ? {} : { id }),
      ...(title === undefined ? {} : { title }),
      ...(began === undefined ? {} : { startedAt: began }),
      messages: id === undefined ? messages : messages.map((message) => named(message, id)),
    };
  });
}

function idIn({ id }: ConversationFacts): string | undefined {
  return typeof id === "number" ? String(id) : textIn(id);
}

function named(message: MessageInput, conversationId: string): MessageInput {
  return message.conversationId == null ? { ...message, conversationId } : message;
}

/** The newest: that with the latest message. Of equally new ones, and where no message has a time, it is the last in the file. */
export function newestOf(conversations: readonly ParsedConversation[]): ParsedConversation | undefined {
  return inOrderOfTime(conversations).at(-1);
}

/** Conversations by their latest messages, the oldest first; before them those without a time, in the order of the file. */
export function inOrderOfTime(conversations: readonly ParsedConversation[]): readonly ParsedConversation[] {
  if (conversations.length < 2) {
    return conversations;
  }
  const ended = new Map(conversations.map((conversation) => [conversation, endOf(conversation)]));
  const timeMs = (conversation: ParsedConversation): number => ended.get(conversation) ?? Number.NEGATIVE_INFINITY;
  return [...conversations].sort((left, right) => timeMs(left) - timeMs(right) || 0);
}

function endOf({ startedAt, messages }: ParsedConversation): number | undefined {
  let latest: number | undefined;
  for (const message of messages) {
    const timeMs = timeOf(message);
    latest = timeMs === undefined || (latest !== undefined && latest >= timeMs) ? latest : timeMs;
  }
  return latest ?? timeMsOf(startedAt);
}

/** When a message was written, of any shape; undefined where it does not say it. */
function timeOf(message: MessageInput): number | undefined {
  return timeMsOf(message.createdAt ?? parse(message, "message", "transcript_error").message.createdAt);
}

/** The conversation that is asked for, by its id or by its number from 1; undefined where there is none. */
export function conversationOf(
  conversations: readonly ParsedConversation[],
  choice: string | number,
): ParsedConversation | undefined {
  const named = conversations.find(({ id }) => id === choice);
  const number = typeof choice === "number" ? choice : /^\d{1,9}$/.test(choice) ? Number(choice) : 0;
  return named ?? conversations[number - 1];
}

/** How many conversations are named one by one. */
const NAMED = 10;

/** Conversations in words, the newest first: each with its number, title, id and day. */
export function listed(
  conversations: readonly ParsedConversation[],
  others: readonly ParsedConversation[] = conversations,
): readonly string[] {
  const numbers = new Map(conversations.map((conversation, at) => [conversation, at + 1]));
  const newest = [...inOrderOfTime(others)].reverse();
  const lines = newest.slice(0, NAMED).map((conversation) => {
    const { id, title, startedAt } = conversation;
    const facts = [
      title === undefined ? undefined : `“${inBrief(title)}”`,
      id?.startsWith("#") ? undefined : id && inBrief(id),
      startedAt?.slice(0, 10),
    ];
    return `${numbers.get(conversation)}: ${facts.filter((fact) => fact !== undefined).join(", ") || "without a title"}`;
  });
  return newest.length > NAMED ? [...lines, `+${newest.length - NAMED} more`] : lines;
}

/** A title in one line. */
function inBrief(title: string): string {
  const start = title.slice(0, 60).replace(/\s+/g, " ");
  return title.length <= 60 ? start : `${start}…`;
}
