// Messages of Cohere's chat: OpenAI's, plus a separate field for the assistant's words before its calls.
//
// Recognized by: `tool_plan`.

import type { Dialect } from "../../message/dialect.js";
import { text } from "../../message/malformed.js";

export const cohere: Dialect = {
  fields: ["tool_plan"],
  toolFields: [],
  textFields: ["tool_plan"],
  parts: {},
  beside({ tool_plan: plan }) {
    const said = text(plan, ".tool_plan");
    return said === undefined
      ? undefined
      : { said: [{ part: { type: "text", text: said }, given: undefined, place: ".tool_plan" }] };
  },
};
