// What a message shows of itself: who speaks, when, and its content as blocks of text.

import type { MessageInput, PartInput, ToolCallInput } from "windrow";

/** A piece of a message's content. */
export interface Block {
  /** What it is, where it is not plain text: a call, a result, an image. */
  readonly label?: string;
  readonly text: string;
}

/** Who speaks: by name, else by role. */
export function speakerOf(message: MessageInput): string {
  return message.name || message.role;
}

const days = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** The day of a message, or an empty text. */
export function dayOf(message: MessageInput | undefined): string {
  return formatTime(message, days);
}

/** The day and time of a message, or an empty text. */
export function momentOf(message: MessageInput): string {
  return formatTime(message, moments);
}

function formatTime(message: MessageInput | undefined, format: Intl.DateTimeFormat): string {
  const time = message?.createdAt == null ? new Date(Number.NaN) : new Date(message.createdAt);
  return Number.isNaN(time.getTime()) ? "" : format.format(time);
}

/** The content, piece by piece. */
export function blocksOf(message: MessageInput): Block[] {
  const blocks: Block[] = [];
  const isResult = message.role === "tool";
  const content = typeof message.content === "string" ? [message.content] : (message.content ?? []);
  for (const part of content) {
    const block = typeof part === "string" ? { text: part } : blockOfPart(part);
    if (block.text !== "" || block.label !== undefined) {
      blocks.push(isResult && block.label === undefined ? { label: "result", text: block.text } : block);
    }
  }
  if (message.refusal) {
    blocks.push({ label: "refusal", text: message.refusal });
  }
  for (const call of [...(message.toolCalls ?? []), ...(message.tool_calls ?? [])]) {
    const { name, given } = "custom" in call ? { ...call.custom, given: call.custom.input } : functionOf(call);
    blocks.push({ label: `calls ${name}`, text: plain(given) });
  }
  if (Array.isArray(message.actions) && message.actions.length > 0) {
    blocks.push({ label: "actions", text: message.actions.join("\n") });
  }
  return blocks;
}

function functionOf(call: Exclude<ToolCallInput, { custom: unknown }>): { name: string; given: unknown } {
  const named = "function" in call ? call.function : call;
  return { name: named.name, given: named.arguments };
}

function blockOfPart(part: PartInput): Block {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return { text: part.text };
    case "refusal":
      return { label: "refusal", text: part.refusal };
    case "reasoning":
      return { label: "reasoning", text: part.text };
    case "tool-call":
      return { label: `calls ${part.toolName}`, text: plain(part.input) };
    case "tool-result":
      return { label: "result", text: plain(part.output) };
    case "image_url":
      return { label: "image", text: "" };
    default:
      return { label: part.type, text: "" };
  }
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const PREVIEW_LENGTH = 240;

/** The content in one line, cut. */
export function previewOf(message: MessageInput): string {
  const [first] = blocksOf(message);
  if (first === undefined) {
    return "";
  }
  const text = first.text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, " ");
  return first.label === undefined ? text : `${first.label} ${text}`;
}
