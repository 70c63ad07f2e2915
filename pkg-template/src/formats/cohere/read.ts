// Messages of Cohere's chat: OpenAI's, plus a separate field for the assistant's words before its calls. Cohere's own
// package names the fields in camel case.
//
// Recognized by: `tool_plan` or `toolPlan`.

import type { Dialect } from "../../message/dialect.js";
import { text } from "../../message/malformed.js";
import { oneOf } from "../../message/parts.js";

/** The fields of a message that windrow reads, as a structural type. */
export interface CohereMessageShape {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | readonly { readonly type: string }[];
  readonly toolPlan?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function?: { readonly name?: string } }[];
  readonly toolCallId?: string;
}

export const cohere: Dialect = {
  fields: ["tool_plan", "toolPlan"],
  toolFields: [],
  textFields: ["tool_plan", "toolPlan"],
  parts: {},
  beside(message) {
    const [plan, place] = oneOf(message, "tool_plan", "toolPlan");
    const said = text(plan, place);
    return said === undefined ? undefined : { said: [{ part: { type: "text", text: said }, given: undefined, place }] };
  },
};
