// Messages of OpenAI's chat completions, and of the many servers and packages with the same form.
//
// Its first tools were functions: one call per message, without an id, and results with the role `function`. As for
// Ollama's calls, the name serves as the id.
//
// Recognized by: `tool_calls`, `tool_call_id`, and the older `function_call`.

import { listFrom } from "../../base/lists.js";
import type { BesideContent, Dialect } from "../../message/dialect.js";
import { recordOf, type UnknownRecord } from "../../message/format.js";
import { text } from "../../message/malformed.js";
import type { PlacedPart } from "../../message/origin.js";
import { mediaForm, mediaPart, refusalForm, textForm } from "../../message/parts.js";
import { provenanceOf, thoughtDetails } from "../../message/provenance.js";
import { callsIn, readCall } from "../calls.js";
import { serverFieldsOf } from "./schema.js";

export const openAiChat: Dialect = {
  fields: [
    ...["tool_calls", "tool_call_id", "audio", "refusal", "function_call"],
    ...["reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks"],
  ],
  toolFields: ["tool_calls", "tool_call_id", "function_call"],
  textFields: ["refusal"],
  roles: { function: "tool" },
  parts: {
    input_text: textForm,
    output_text: textForm,
    refusal: refusalForm,
    image_url: mediaForm("image"),
    input_audio: mediaForm("audio"),
    // OpenRouter's form of a video.
    video_url: {
      fields: new Set(["video_url"]),
      givenOf: () => undefined,
      read: ({ video_url: video }, place) =>
        mediaPart(
          { url: typeof video === "string" ? video : recordOf(video).url, mediaType: "video/mp4" },
          "file",
          place,
        ),
    },
  },
  beside(message, maker) {
    const { tool_calls: calls, tool_call_id: id, audio, refusal, function_call: call } = message;
    const { reasoning_content: thought, reasoning, thinking } = message;
    const given = calls ?? id ?? audio ?? refusal ?? call ?? thought ?? reasoning ?? thinking ?? detailsOf(message);
    return given == null ? undefined : besideIn(message, maker);
  },
  serverFields: serverFieldsOf,
};

function besideIn(message: UnknownRecord, maker: string | undefined): BesideContent {
  const { refusal, audio, tool_calls: calls, function_call: call } = message;
  const { reasoning_content: thought, reasoning, thinking } = message;
  const hasThoughts = (thought ?? reasoning ?? thinking ?? detailsOf(message)) != null;
  return {
    said: refusal == null && audio == null ? undefined : saidIn(message),
    thoughts: hasThoughts ? thoughtsOf(message, maker) : undefined,
    calls: (calls ?? call) == null ? undefined : callsOf(calls, call, maker),
    answered: text(message.tool_call_id, ".toolCallId"),
  };
}

/** Returns the calls. A server may repeat the only one as a function's call. */
function callsOf(calls: unknown, call: unknown, maker: string | undefined): readonly PlacedPart[] {
  const read = calls == null ? [] : callsIn(calls, ".tool_calls", maker);
  return call == null || read.length > 0 ? read : [readCall(call, ".function_call", maker)];
}

/** Returns the refusal and the assistant's audio. */
function saidIn({ refusal, audio }: UnknownRecord): readonly PlacedPart[] {
  const said: PlacedPart[] = [];
  const refused = text(refusal, ".refusal");
  if (refused !== undefined) {
    const part = { type: "text", text: refused } as const;
    said.push({ part, given: { type: "refusal", refusal }, place: ".refusal" });
  }
  if (audio != null) {
    said.push({ part: mediaPart({ audio }, "audio", ".audio"), given: audio, place: ".audio" });
  }
  return said;
}

/** Returns OpenRouter's details of reasoning, or Anthropic's blocks of thinking, which LiteLLM has, in the same form. */
function detailsOf({ reasoning_details: details, thinking_blocks: blocks }: UnknownRecord): unknown {
  return (
    details ??
    (blocks &&
      listFrom(blocks).map((block) => {
        const { thinking: text, data, signature } = recordOf(block);
        return { text, data, signature, format: "anthropic" };
      }))
  );
}

/** Returns the assistant's thoughts, if a server puts them next to the content. */
function thoughtsOf(message: UnknownRecord, maker: string | undefined): readonly PlacedPart[] {
  const details = thoughtDetails(detailsOf(message));
  const thought = [message.reasoning_content, message.reasoning, message.thinking].find(
    (it) => typeof it === "string" && it !== "",
  );
  if (typeof thought !== "string") {
    return details.map((part, at) => ({ part, given: undefined, place: `.reasoning_details[${at}]` }));
  }
  const proven = details.find((part) => part.type === "reasoning" && part.text === thought);
  const part = proven ?? { type: "reasoning" as const, text: thought, ...provenanceOf(message, maker) };
  return [{ part, given: undefined, place: "" }];
}
