// The rules of WebLLM, from its own checks of requests in version 0.2.86.

import { isRecord } from "../../base/plain-data.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";

const CHECKS = "https://github.com/mlc-ai/web-llm/blob/main/src/openai_api_protocols/chat_completion.ts";
const HISTORY = "https://github.com/mlc-ai/web-llm/blob/main/src/conversation.ts";
const MODELS = "https://github.com/mlc-ai/web-llm/blob/main/src/config.ts";
const CALLING = "https://github.com/mlc-ai/web-llm/tree/main/examples/function-calling";

/** The pages that state each rule. */
const sources: ProviderRules["sources"] = {
  "has-messages": [CHECKS],
  "roles-are-known": [HISTORY],
  "instructions-are-first": [CHECKS],
  "texts-are-strings": [HISTORY],
  "one-text-a-message": [CHECKS],
  "media-fits": [CHECKS],
  "results-follow-calls": [CALLING],
  "calls-have-results": [CALLING],
  "ends-with-user": [CHECKS],
  "tools-need-a-model": [CHECKS, MODELS],
};

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const messages = rule.listIn(body, "messages").map((message, at): RequestMessage => {
    const place = `messages[${at}]`;
    const source = isRecord(message) ? message : {};
    const isResult = source.role === "tool";
    const parts: RequestPart[] = isResult ? [{ place, kind: "result", id: source.tool_call_id }] : [];
    if (!isResult && typeof source.content === "string") {
      parts.push({ place: `${place}.content`, kind: "text", text: source.content });
    }
    for (const [index, part] of rule.listIn(source, "content").entries()) {
      const held = isRecord(part) ? part : {};
      const kind = held.type === "image_url" || held.type === "input_audio" ? "media" : "text";
      parts.push({ place: `${place}.content[${index}]`, kind, text: held.text, source: held });
    }
    for (const [index, call] of rule.listIn(source, "tool_calls").entries()) {
      const { id, function: called } = isRecord(call) ? call : {};
      const { name, arguments: input } = isRecord(called) ? called : {};
      parts.push({ place: `${place}.tool_calls[${index}]`, kind: "call", id, name, input });
    }
    return { place, role: isResult ? "results" : String(source.role), parts, source };
  });
  return { messages, unknownFields: [] };
}

/** Names the fault of media; undefined if it has no fault. */
function faultOf({ image_url: image, input_audio: audio }: Readonly<Record<string, unknown>>): string | undefined {
  const { url, detail } = isRecord(image) ? image : {};
  const { data, format } = isRecord(audio) ? audio : {};
  if (image != null && (detail != null || !/^(?:http|data:image)/.test(String(url)))) {
    return detail == null ? "the image is neither a URL nor a data URL" : "the image has a detail";
  }
  const isPcm = format === "pcm_f32" && data instanceof Float32Array;
  const isWav = typeof data === "string" && !/^https?:/i.test(data);
  return audio == null || isPcm || isWav ? undefined : "the audio is neither base64 nor PCM";
}

/** The models that can have tools. */
const TOOL_MODELS = /^hermes-(?:2-pro-|3-llama-3\.1-)/i;

export const webLlmRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("messages"),
    rule.knownRoles(["system", "user", "assistant", "results"], ""),
    rule.makeRule("instructions-are-first", "The message with the role system comes first.", function* ({ messages }) {
      for (const { place } of messages.filter(({ role }, at) => role === "system" && at > 0)) {
        yield [place, "instructions after another message"];
      }
    }),
    rule.makeRule(
      "texts-are-strings",
      "Only a user's content may be a list, and each text in it is a string.",
      function* ({ messages }) {
        for (const { place, role, source, parts } of messages) {
          if (typeof source.content !== "string" && !(role === "user" && Array.isArray(source.content))) {
            yield [place, "the content isn't text"];
          }
          for (const { kind, text, place: at } of parts) {
            if (kind === "text" && typeof text !== "string") {
              yield [at, "the part isn't text"];
            }
          }
        }
      },
    ),
    rule.makeRule("one-text-a-message", "A content that is a list has at most one text.", function* ({ messages }) {
      for (const { place, parts } of messages) {
        if (parts.filter(({ kind }) => kind === "text").length > 1) {
          yield [place, "the message has several texts"];
        }
      }
    }),
    rule.makeRule(
      "media-fits",
      "Images are addresses or data URLs without a detail, and audio is base64 or PCM.",
      function* ({ messages }) {
        for (const { place, kind, source } of messages.flatMap(({ parts }) => parts)) {
          const fault = kind === "media" ? faultOf(source ?? {}) : undefined;
          if (fault !== undefined) {
            yield [place, fault];
          }
        }
      },
    ),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.endsWithUser(),
    rule.makeRule(
      "tools-need-a-model",
      "Only Hermes 2 Pro and Hermes 3 of Llama 3.1 support tools, and requests with tools have no message with the role system.",
      function* ({ body, messages, target: { model } }) {
        if (!isRecord(body) || body.tools == null) {
          return;
        }
        if (model != null && !TOOL_MODELS.test(model)) {
          yield ["tools", `${model} doesn't support tools`];
        }
        for (const { place } of messages.filter(({ role }) => role === "system")) {
          yield [place, "WebLLM writes the instructions of a request with tools itself"];
        }
      },
    ),
  ],
};
