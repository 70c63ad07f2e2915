// Messages of people in a chat, as the messengers' modules build them.

import type { MessageInput } from "../../message/message.js";
import { textIn } from "../file.js";
import { fileLine } from "../parts.js";
import type { AppStep } from "../readers.js";

/** A message of a messenger. */
export interface ChatMessage {
  readonly id?: string | undefined;
  /** Default: the user. */
  readonly role?: "user" | "assistant";
  readonly name?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly replyTo?: string | undefined;
  /** The lines of the text. Blank ones are skipped. */
  readonly lines: readonly (string | undefined)[];
  /** The lines of a message of somebody else's that this one passes on. They aren't the sender's own words. */
  readonly forwarded?: readonly (string | undefined)[] | undefined;
  /** The names of attached files. An export doesn't include the files themselves. */
  readonly files?: readonly unknown[];
}

/** Returns a messenger's message as a step. Reports one without content. */
export function chatStep({ lines, forwarded = [], files = [], role = "user", ...head }: ChatMessage): AppStep {
  const attached = files.map(fileLine);
  const own = textOf([...lines, ...attached]);
  const passedOn = textOf(forwarded);
  const content =
    passedOn === ""
      ? own
      : [{ type: "text", text: passedOn, origin: "file" } as const, ...(own === "" ? [] : [textPart(own)])];
  if (content === "") {
    return { messages: [], faults: ["the message has no content that windrow reads"] };
  }
  const fields = Object.entries(head).filter(([, value]) => value !== undefined);
  const message: MessageInput = { ...Object.fromEntries(fields), role, content };
  return { messages: [message] };
}

const textOf = (lines: readonly (string | undefined)[]): string =>
  lines.filter((line) => textIn(line) !== undefined).join("\n");

const textPart = (text: string) => ({ type: "text", text }) as const;

/** Returns a row that isn't a message as a step: somebody joined, or a topic was set. */
export function notice(kind: string): AppStep {
  return { messages: [], faults: [`${kind}: a notice, not a message`] };
}
