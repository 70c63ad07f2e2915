// Every shape of messages that is read beside windrow's own, in the order in which a message is held against them.

import type { MessageInput } from "../message.js";
import { type UiMessageShape, uiMessageShape } from "./ai-sdk-ui.js";
import { type UiMessage4Shape, uiMessage4Shape } from "./ai-sdk-ui-4.js";
import { type MastraMessageShape, mastraShape } from "./mastra.js";
import { type OpencodeMessageShape, opencodeShape } from "./opencode.js";
import { type PiMessageShape, piShape } from "./pi.js";
import type { MessageShape, Row } from "./shape.js";

/** A message of any shape that is read. */
export type AnyMessage =
  | MessageInput
  | UiMessageShape
  | UiMessage4Shape
  | MastraMessageShape
  | OpencodeMessageShape
  | PiMessageShape;

const SHAPES: readonly MessageShape[] = [uiMessageShape, uiMessage4Shape, mastraShape, opencodeShape, piShape];

/** The shapes of messages that windrow reads beside its own: their names, as the option `shape` takes them, and what they are called. */
export const messageShapes: readonly { readonly name: string; readonly title: string }[] = Object.freeze(
  SHAPES.map(({ name, title }) => Object.freeze({ name, title })),
);

/**
 * Fields that no message in windrow's own form has, OpenAI's chat messages, Anthropic's or the AI SDK's `ModelMessage`. A message
 * with none of them is one of these.
 */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set([
  ...["parts", "toolInvocations", "experimental_attachments", "timestamp", "stopReason"],
]);
/** Roles that none of these messages has. */
const FOREIGN_ROLES: ReadonlySet<unknown> = new Set([
  ...["data", "toolResult", "bashExecution", "custom", "branchSummary", "compactionSummary"],
]);

/** The shape of a message; undefined where it is in windrow's own form, or in none that is known. */
export function shapeOf(message: Row, name?: string): MessageShape | undefined {
  if (name !== undefined) {
    return SHAPES.find((shape) => shape.name === name);
  }
  return isForeign(message) ? SHAPES.find((shape) => shape.fits(message)) : undefined;
}

/** Whether a message may be of another shape: a look that costs little. */
function isForeign(message: Row): boolean {
  const { role, content } = message;
  if (FOREIGN_ROLES.has(role) || (typeof content === "object" && content !== null && !Array.isArray(content))) {
    return true;
  }
  for (const field in message) {
    if (FOREIGN_FIELDS.has(field)) {
      return true;
    }
  }
  return false;
}
