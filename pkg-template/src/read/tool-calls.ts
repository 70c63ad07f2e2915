// Messages without their tool calls, for contexts that show none (`filter.excludeToolCalls`).

import type { MessageInput } from "./message.js";
import { isOfTool } from "./messages.js";
import { type AnyMessage, shapeOf } from "./shapes/index.js";
import type { Row } from "./shapes/shape.js";

/** The fields of a message that are a tool call or say of which it is the result. */
const FIELDS = ["toolCalls", "tool_calls", "toolCallId", "tool_call_id"];

/** A marked copy of a message without its tool calls and results; the message itself where it has none. */
export function withoutToolCalls<M extends AnyMessage>(given: M, shapeName?: string): M {
  const shape = shapeOf(given as unknown as Row, shapeName);
  if (shape !== undefined) {
    const copy = shape.withoutToolCalls(given as unknown as Row);
    return (copy === (given as unknown as Row) ? given : Object.assign(copy, { shortened: true })) as unknown as M;
  }
  const message = given as MessageInput;
  const parts: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const all = Object.entries(message);
  const entries = all.filter(([field, value]) => value == null || !FIELDS.includes(field));
  if (entries.length === all.length && !parts.some(isOfTool)) {
    return given;
  }
  const content = Array.isArray(message.content) ? parts.filter((part) => !isOfTool(part)) : message.content;
  return { ...Object.fromEntries(entries), content, shortened: true } as unknown as M;
}
