// Messages of Cohere's chat: those of OpenAI's, with what the assistant says before its calls in a field for itself.
//
// Told by: `tool_plan`.

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
