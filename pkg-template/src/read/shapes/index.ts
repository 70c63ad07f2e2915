// Every shape of messages that is read beside windrow's own, in the order in which a message is held against them.

import type { MessageInput } from "../message.js";
import { type UiMessageShape, uiMessageShape } from "./ai-sdk-ui.js";
import type { MessageShape, Row } from "./shape.js";

/** A message of any shape that is read. */
export type AnyMessage = MessageInput | UiMessageShape;

const SHAPES: readonly MessageShape[] = [uiMessageShape];

/** The shapes of messages that windrow reads beside its own: their names, as the option `shape` takes them, and what they are called. */
export const messageShapes: readonly { readonly name: string; readonly title: string }[] = Object.freeze(
  SHAPES.map(({ name, title }) => Object.freeze({ name, title })),
);

/**
 * Fields that no message in windrow's own form has, OpenAI's chat messages, Anthropic's or the AI SDK's `ModelMessage`. A message
 * with none of them is one of these.
 */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set(["parts"]);

/** The shape of a message; undefined where it is in windrow's own form, or in none that is known. */
export function shapeOf(message: Row, name?: string): MessageShape | undefined {
  if (name !== undefined) {
    return SHAPES.find((shape) => shape.name === name);
  }
  for (const field in message) {
    if (FOREIGN_FIELDS.has(field)) {
      return SHAPES.find((shape) => shape.fits(message));
    }
  }
  return undefined;
}
