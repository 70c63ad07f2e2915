// Rejects a message, part or call if an unread field holds content, which every count would miss.

import { MalformedMessage } from "./malformed.js";
import type { PlainPart } from "./message.js";
import { lostField, sayingField } from "./substance.js";

/** A parsed object and the fields that were read. */
export interface ReadObject {
  readonly place: string;
  readonly what: "message" | "part" | "tool call";
  readonly known: ReadonlySet<string>;
}

/**
 * Fails if an unread field holds content: any content if the parsed part `isEmpty`, otherwise parts, calls, results and
 * media. Content that is also in `said` isn't lost.
 */
export function checkNothingIsLost(
  input: object,
  { place, what, known }: ReadObject,
  isEmpty: boolean,
  said: () => string = () => "",
): void {
  const field = isEmpty ? sayingField(input, known, what !== "message") : lostField(input, known, said);
  if (field === undefined) {
    return;
  }
  throw new MalformedMessage(
    `${place}.${field}`,
    isEmpty
      ? `the text of the ${what} is in \`${field}\`, which windrow doesn't read`
      : `\`${field}\` holds more than windrow reads of the ${what}`,
    `Put it where windrow reads it, or under \`metadata\` to keep it from the model.`,
  );
}

/** True if a text isn't blank. The first character usually decides. */
function isSpoken(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || /\S/.test(text);
}

/** True if a part has content. A call's content is its arguments, not its id and name. */
export function saysSomething(part: PlainPart): boolean {
  switch (part.type) {
    case "text":
      return isSpoken(part.text);
    case "reasoning":
      return isSpoken(part.text) || part.data !== undefined;
    case "redacted_thinking":
      return isSpoken(part.data);
    case "tool-call":
      return hasArguments(part.input);
    case "tool-result":
      return hasOutput(part.output);
    case "tool-approval-request":
      return true;
    case "tool-approval-response":
      return part.reason !== undefined && isSpoken(part.reason);
    default:
      return true;
  }
}

function hasArguments(input: unknown): boolean {
  if (typeof input === "string") {
    return input !== "{}" && isSpoken(input);
  }
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? Object.values(input).some((value) => value !== undefined)
    : input !== undefined;
}

function hasOutput(output: unknown): boolean {
  if (typeof output === "string") {
    return isSpoken(output);
  }
  const { type, value } = (output ?? {}) as { readonly type?: unknown; readonly value?: unknown };
  return type === "content" && Array.isArray(value) ? value.some(saysSomething) : output !== undefined;
}
