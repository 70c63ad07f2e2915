// What somebody says in a chat of people, as the modules of messengers put it together.

import type { MessageInput } from "../../message/message.js";
import { textIn } from "../file.js";
import type { AppStep } from "../readers.js";

/** A message of a messenger. */
export interface ChatMessage {
  readonly id?: string | undefined;
  /** Default: the user. */
  readonly role?: "user" | "assistant";
  readonly name?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly replyTo?: string | undefined;
  /** What is said: lines, of which blank ones say nothing. */
  readonly lines: readonly (string | undefined)[];
  /** The names of what is attached. The files themselves aren't in an export. */
  readonly files?: readonly unknown[];
}

/** A message of a messenger as a step. One that says nothing is reported. */
export function chatStep({ lines, files = [], role = "user", ...head }: ChatMessage): AppStep {
  const attached = files.flatMap((name) => textIn(name) ?? []).map((name) => `[Attached file: ${name}]`);
  const content = [...lines.filter((line) => textIn(line) !== undefined), ...attached].join("\n");
  if (content === "") {
    return { messages: [], faults: ["the message says nothing that windrow reads"] };
  }
  const fields = Object.entries(head).filter(([, value]) => value !== undefined);
  const message: MessageInput = { ...Object.fromEntries(fields), role, content };
  return { messages: [message] };
}

/** A row that isn't a message: somebody joined, or a topic was set. */
export function notice(kind: string): AppStep {
  return { messages: [], faults: [`${kind}: a notice, and not a message`] };
}
