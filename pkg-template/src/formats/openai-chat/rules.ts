// The rules of OpenAI's chat completions.

import { isRecord } from "../../base/plain-data.js";
import { parsedObject } from "../request/calls.js";
import { ENDS_WITH_USER } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart, RequestTarget } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { type FieldSchema, unknownFields } from "../request/schema.js";
import { NAME } from "../request/speakers.js";
import { CALLS, MESSAGES, PARTS } from "./schema.js";
import { serverOf } from "./servers.js";
import { ID } from "./write.js";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://platform.openai.com/docs/api-reference/chat/create"],
  "roles-are-known": ["https://platform.openai.com/docs/api-reference/chat/create"],
  "fields-are-known": [
    "https://github.com/transitive-bullshit/agentic/issues/531",
    "https://github.com/spring-projects/spring-ai/issues/5197",
  ],
  "nothing-is-empty": [
    "https://github.com/run-llama/llama_index/issues/17555",
    "https://github.com/HKUDS/nanobot/pull/949",
  ],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "names-fit": [
    "https://github.com/jekalmin/extended_openai_conversation/issues/251",
    "https://github.com/microsoft/autogen/issues/4157",
  ],
  "images-are-few": ["https://developers.openai.com/api/docs/guides/images-vision"],
  "images-fit": ["https://github.com/STranslate/STranslate/issues/277"],
  "call-ids-fit": [
    "https://github.com/vercel/ai/issues/8132",
    "https://github.com/Portkey-AI/gateway/issues/1062",
    "https://github.com/openclaw/openclaw/pull/875",
  ],
  "server-takes-ids": [
    "https://github.com/anomalyco/opencode/issues/1680",
    "https://github.com/karthink/gptel/issues/1203",
  ],
  "file-ids-fit": ["https://platform.openai.com/docs/api-reference/files/object"],
  "call-ids-are-unique": ["https://github.com/BerriAI/litellm/issues/23510"],
  "tool-names-fit": [
    "https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1465",
    "https://github.com/CherryHQ/cherry-studio/pull/2895",
  ],
  "arguments-are-json": ["https://platform.openai.com/docs/api-reference/chat/create"],
  "results-follow-calls": ["https://github.com/langchain-ai/langchain/issues/33245"],
  "calls-have-results": [
    "https://github.com/agno-agi/agno/issues/3105",
    "https://github.com/QwenLM/qwen-code/issues/606",
  ],
  "ends-with-user": ENDS_WITH_USER.openai.sources,
};

function parse(body: unknown, { server, model }: RequestTarget): ReturnType<ProviderRules["parse"]> {
  const unknown: string[] = [];
  const takesFields = serverOf(server, model)?.takesFields === true;
  const messages = rule.listIn(body, "messages").map((message, at): RequestMessage => {
    const place = `messages[${at}]`;
    const source = isRecord(message) ? message : {};
    const role = source.role === "developer" ? "system" : source.role === "tool" ? "results" : String(source.role);
    const parts: RequestPart[] = [];
    // A server accepts the fields that it set on the assistant's messages.
    const check = (value: unknown, schema: FieldSchema, here: string): void => {
      if (!takesFields || role !== "assistant") {
        unknown.push(...unknownFields(value, schema, here));
      }
    };
    check(message, MESSAGES[isRecord(message) ? String(message.role) : ""] ?? {}, place);
    if (role === "results") {
      parts.push({ place, kind: "result", id: source.tool_call_id });
    } else if (typeof source.content === "string" && !(source.content === "" && Array.isArray(source.tool_calls))) {
      parts.push({ place: `${place}.content`, kind: "text", text: source.content });
    }
    for (const [index, part] of rule.listIn(source, "content").entries()) {
      const { type, text, refusal, file } = isRecord(part) ? part : {};
      const isText = type === "text" || type === "refusal";
      const here = `${place}.content[${index}]`;
      const id = isRecord(file) ? file.file_id : undefined;
      parts.push({ place: here, kind: isText ? "text" : "media", text: text ?? refusal, id });
      check(part, PARTS[String(type)] ?? {}, here);
    }
    if (typeof source.refusal === "string") {
      parts.push({ place: `${place}.refusal`, kind: "text", text: source.refusal });
    }
    if (isRecord(source.audio)) {
      parts.push({ place: `${place}.audio`, kind: "media", id: source.audio.id });
    }
    for (const [index, call] of rule.listIn(source, "tool_calls").entries()) {
      const { type, id, function: called, custom } = isRecord(call) ? call : {};
      const { name, arguments: input } = isRecord(called) ? called : isRecord(custom) ? custom : {};
      const here = `${place}.tool_calls[${index}]`;
      parts.push({ place: here, kind: "call", id, name, input });
      check(call, CALLS[String(type)] ?? {}, here);
    }
    return { place, role, parts, source };
  });
  return { messages, unknownFields: unknown };
}

export const openAiRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("messages"),
    rule.knownRoles(["system", "user", "assistant", "results"]),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.textIsWellFormed,
    rule.imagesAreFew(rule.OPENAI_IMAGES),
    rule.imagesFit({ ...rule.WEB_IMAGES, isOther: ({ server, model }) => serverOf(server, model) !== undefined }),
    rule.makeRule("names-fit", `A name matches ${NAME.pattern}.`, function* ({ messages }) {
      for (const { place, source } of messages) {
        const { name } = source;
        if (name !== undefined && !(typeof name === "string" && NAME.pattern.test(name))) {
          yield [`${place}.name`, `the name ${String(name)} does not match`];
        }
      }
    }),
    rule.idsFit(ID),
    rule.makeRule(
      "server-takes-ids",
      "The ids of calls and results have the server's format: Mistral's have 9 letters and digits.",
      function* ({ messages, target: { server, model } }) {
        const { ids } = serverOf(server, model) ?? {};
        for (const { kind, id, place } of messages.flatMap(({ parts }) => parts)) {
          if ((kind === "call" || kind === "result") && ids?.pattern.test(String(id)) === false) {
            yield [place, `the id ${String(id)} does not match ${ids.pattern}`];
          }
        }
      },
    ),
    rule.fileIdsFit,
    rule.idsAreUnique(),
    rule.toolNamesFit(NAME),
    rule.argumentsAreJson((text) => parsedObject(text) !== undefined),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.endsWithUser(ENDS_WITH_USER.openai),
  ],
};
