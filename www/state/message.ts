// A message as the page shows it: its speaker, its time, and its content as blocks of text.

import { type AnyMessage, type PlainPart, plainMessage, type ReadMessage } from "windrow";

/** A piece of a message's content. */
export interface Block {
  /** The kind of a block that isn't plain text: a call, a result, an image. */
  readonly label?: string;
  readonly text: string;
}

/** The blocks of the messages on the page, remembered because a row needs them several times. */
const known = new WeakMap<AnyMessage, ReadMessage>();

/** The blocks of a message of any shape, which the page has read before. */
function read(message: AnyMessage): ReadMessage {
  const plain = known.get(message) ?? plainMessage(message);
  known.set(message, plain);
  return plain;
}

/** The speaker's name, or the role without one. */
export function speakerOf(message: AnyMessage): string {
  const { name, role } = read(message);
  return name || role;
}

const days = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** The day of a message, or an empty text. */
export function dayOf(message: AnyMessage | undefined): string {
  return formatTime(message, days);
}

/** The day and time of a message, or an empty text. */
export function momentOf(message: AnyMessage): string {
  return formatTime(message, moments);
}

function formatTime(message: AnyMessage | undefined, format: Intl.DateTimeFormat): string {
  const createdAt = message && read(message).createdAt;
  const time = createdAt == null ? new Date(Number.NaN) : new Date(createdAt);
  return Number.isNaN(time.getTime()) ? "" : format.format(time);
}

/** The content, piece by piece. */
export function blocksOf(message: AnyMessage): Block[] {
  const { role, content, actions } = read(message);
  const blocks = content
    .map((part) => blockOf(part))
    .filter(({ text, label }) => text !== "" || label !== undefined)
    .map((block) => (role === "tool" && block.label === undefined ? { label: "result", ...block } : block));
  if (Array.isArray(actions) && actions.length > 0) {
    blocks.push({ label: "actions", text: actions.join("\n") });
  }
  return blocks;
}

function blockOf(part: PlainPart): Block {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "reasoning":
      return { label: "reasoning", text: part.text };
    case "tool-call":
      return { label: `calls ${part.toolName}`, text: plain(part.input) };
    case "tool-result":
      return { label: "result", text: plain(part.output) };
    default:
      return { label: part.type, text: "" };
  }
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const PREVIEW_LENGTH = 240;
const previews = new WeakMap<AnyMessage, string>();

/** The content in one line, cut. */
export function previewOf(message: AnyMessage): string {
  const known = previews.get(message);
  if (known !== undefined) {
    return known;
  }
  const [first] = blocksOf(message);
  const text = first === undefined ? "" : oneLine(first.text);
  const preview = first?.label === undefined ? text : `${first.label} ${text}`;
  previews.set(message, preview);
  return preview;
}

/** A text in one line, cut. */
export function oneLine(text: string): string {
  return text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, " ");
}
