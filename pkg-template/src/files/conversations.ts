// The conversations of a file: their names, their order in time, and the choice among them.

import type { MessageInput } from "../message/message.js";
import { parse } from "../message/read.js";
import { isoOf, timeMsOf } from "../message/times.js";
import { type ConversationFacts, type OpenConversation, textIn } from "./file.js";
import { reportRead } from "./progress.js";

/** A conversation of a file. */
export interface ParsedConversation {
  /**
   * The id, which its messages have as `conversationId` unless they name another. It is the id in the file. If the file
   * has several conversations and an id is missing or repeated, it is `#` and the conversation's number. Undefined for
   * a single conversation without an id.
   */
  readonly id?: string;
  /** The title, if the file has one. */
  readonly title?: string;
  /** The time it began, in ISO 8601: from the file, or from the first message with a time. */
  readonly startedAt?: string;
  /** The messages, in chronological order. */
  readonly messages: readonly MessageInput[];
}

/** Returns the conversations with at least one message, in the order of the file, under unique ids. */
export function toldApart(open: readonly OpenConversation[]): readonly ParsedConversation[] {
  const found = open.filter(({ messages }) => messages.length > 0);
  const taken = new Set<string>();
  return found.map(({ facts, messages }, at) => {
    reportRead(at);
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

/** Returns the conversation with the latest message. For a tie, or without any times, the last one in the file. */
export function newestOf(conversations: readonly ParsedConversation[]): ParsedConversation | undefined {
  return inOrderOfTime(conversations).at(-1);
}

/**
 * Sorts conversations by their latest messages, oldest first. Those without a time come before them, in the order of
 * the file.
 */
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

/** Returns the time of a message of any format. Undefined if it has none. */
function timeOf(message: MessageInput): number | undefined {
  return timeMsOf(message.createdAt ?? parse(message, "message", "transcript_error").message.createdAt);
}

/** Returns the requested conversation, by id or by number from 1. Undefined if there isn't one. */
export function conversationOf(
  conversations: readonly ParsedConversation[],
  choice: string | number,
): ParsedConversation | undefined {
  const named = conversations.find(({ id }) => id === choice);
  const number = typeof choice === "number" ? choice : /^\d{1,9}$/.test(choice) ? Number(choice) : 0;
  return named ?? conversations[number - 1];
}

/** Maximum number of conversations that are listed. */
const NAMED = 10;

/** Lists conversations, newest first: each with its number, title, id and day. */
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

/** Shortens a title to one line. */
function inBrief(title: string): string {
  const start = title.slice(0, 60).replace(/\s+/g, " ");
  return title.length <= 60 ? start : `${start}…`;
}
