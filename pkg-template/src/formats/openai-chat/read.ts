// Messages of OpenAI's chat completions, and of the many servers and packages that have the same.

import type { BesideContent, Dialect } from "../../message/dialect.js";
import type { Row } from "../../message/format.js";
import { Malformed, text } from "../../message/malformed.js";
import type { PlainPart } from "../../message/message.js";
import { from } from "../../message/origin.js";
import { mediaForm, mediaPart, refusalForm, textForm } from "../../message/parts.js";
import { provenanceOf, thoughtDetails } from "../../message/provenance.js";
import { callsIn } from "../calls.js";

const FIELDS = [
  ...["tool_calls", "tool_call_id", "audio", "refusal", "function_call"],
  ...["reasoning_content", "reasoning", "thinking", "reasoning_details"],
] as const;

export const openAiChat: Dialect = {
  fields: FIELDS,
  toolFields: ["tool_calls", "tool_call_id"],
  textFields: ["refusal"],
  parts: {
    input_text: textForm,
    output_text: textForm,
    refusal: refusalForm,
    image_url: mediaForm("image"),
    input_audio: mediaForm("audio"),
  },
  beside: (message, maker) => (FIELDS.some((field) => message[field] != null) ? beside(message, maker) : {}),
};

function beside(message: Row, maker: string | undefined): BesideContent {
  const { refusal, audio } = message;
  const refused = text(refusal, ".refusal");
  const said: PlainPart[] = [];
  if (refused !== undefined) {
    said.push(from({ type: "text", text: refused }, { type: "refusal", refusal }, ".refusal"));
  }
  const thoughts = thoughtsOf(message, maker);
  const calls = callsIn(message.tool_calls, ".tool_calls", maker);
  if (audio != null) {
    said.push(from(mediaPart({ audio }, "audio", ".audio"), audio, ".audio"));
  }
  if (message.function_call != null) {
    throw new Malformed(
      ".function_call",
      "a function_call has no id to pair it with its result",
      "Write it as a tool call: tool_calls, and a message of the role tool.",
    );
  }
  return { thoughts, said, calls, answered: text(message.tool_call_id, ".toolCallId") };
}

/** Returns what the assistant thought, where servers put it next to the content. */
function thoughtsOf(message: Row, maker: string | undefined): readonly PlainPart[] {
  const details = thoughtDetails(message.reasoning_details);
  const thought = [message.reasoning_content, message.reasoning, message.thinking].find(
    (it) => typeof it === "string" && it !== "",
  );
  if (typeof thought !== "string") {
    return details.map((part, at) => from(part, undefined, `.reasoning_details[${at}]`));
  }
  const proven = details.find((part) => part.type === "reasoning" && part.text === thought);
  return [from(proven ?? { type: "reasoning", text: thought, ...provenanceOf(message, maker) }, undefined, "")];
}
