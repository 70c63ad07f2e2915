// The rules of Chrome's Prompt API, from its draft: https://webmachinelearning.github.io/prompt-api

import { isRecord } from "../../base/plain-data.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";

const EXPLAINER = "https://github.com/webmachinelearning/prompt-api";
const DRAFT = "https://webmachinelearning.github.io/prompt-api";

/** The pages that state each rule. */
const sources: ProviderRules["sources"] = {
  "has-messages": [`${EXPLAINER}#system-prompts`],
  "roles-are-known": [DRAFT],
  "instructions-are-first": [`${EXPLAINER}#n-shot-prompting`],
  "parts-fit": [`${DRAFT}#language-model-options`],
  "results-follow-calls": [`${EXPLAINER}#open-loop`],
  "calls-have-results": [`${EXPLAINER}#open-loop`],
};

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const messages = ["initialPrompts", "prompt"].flatMap((field) =>
    rule.listIn(body, field).map((message, at): RequestMessage => {
      const place = `${field}[${at}]`;
      const source = isRecord(message) ? message : {};
      const { role, content } = source;
      const parts = Array.isArray(content)
        ? rule.listIn(source, "content").map((part, index) => partOf(part, `${place}.content[${index}]`))
        : [{ place: `${place}.content`, kind: "text" as const, text: content }];
      return { place, role: String(role), parts, source };
    }),
  );
  return { messages, unknownFields: [] };
}

const KINDS: Readonly<Record<string, RequestPart["kind"]>> = {
  text: "text",
  image: "media",
  audio: "media",
  "tool-call": "call",
  "tool-response": "result",
};

function partOf(part: unknown, place: string): RequestPart {
  const source = isRecord(part) ? part : {};
  const { type, value } = source;
  const kind = (Object.hasOwn(KINDS, String(type)) ? KINDS[String(type)] : undefined) ?? "other";
  const { callId: id, name, arguments: input } = isRecord(value) ? value : {};
  const called = kind === "call" || kind === "result" ? { id, name, input } : {};
  return { place, kind, ...(kind === "text" ? { text: value } : called), source };
}

/** The parts that each role may have. */
const FITTING: Readonly<Record<string, readonly RequestPart["kind"][]>> = {
  system: ["text"],
  user: ["text", "media", "result"],
  assistant: ["text", "call"],
};

export const chromeRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("prompt"),
    rule.knownRoles(Object.keys(FITTING), ""),
    rule.makeRule("instructions-are-first", "The message with the role system comes first.", function* ({ messages }) {
      for (const { place } of messages.filter(({ role }, at) => role === "system" && at > 0)) {
        yield [place, "instructions after another message"];
      }
    }),
    rule.makeRule(
      "parts-fit",
      "Texts are strings, images and audio aren't addresses, and each part is in a message whose role may have it.",
      function* ({ messages }) {
        for (const { role, parts } of messages) {
          for (const { place, kind, text, source } of parts) {
            const isAddress = kind === "media" && (source?.value == null || typeof source.value === "string");
            if (!FITTING[role]?.includes(kind) || (kind === "text" && typeof text !== "string") || isAddress) {
              yield [place, `${String(source?.type ?? "this text")} does not fit in a message with the role ${role}`];
            }
          }
        }
      },
    ),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
  ],
};
