// The rules of the AI SDK's `ModelMessage`.

import { isRecord } from "../../base/plain-data.js";
import { ENDS_WITH_USER } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { fields, unknownFields } from "../request/schema.js";
import { MESSAGE, OUTPUT, PARTS, REQUEST, RESPONSE } from "./write.js";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
  "roles-are-known": [
    "https://github.com/midday-ai/ai-sdk-tools/issues/121",
    "https://ai-sdk.dev/docs/foundations/prompts",
  ],
  "fields-are-known": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
  "nothing-is-empty": [
    "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message",
    "https://github.com/anthropics/claude-code/issues/59812",
  ],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "call-ids-are-unique": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
  "results-have-names": ["https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"],
  "results-follow-calls": ["https://github.com/vercel/ai/issues/8216"],
  "calls-have-results": ["https://ai-sdk.dev/docs/troubleshooting/missing-tool-results-error"],
  "ends-with-user": ENDS_WITH_USER.any.sources,
};

const ROLES: Readonly<Record<string, string>> = { tool: "results" };

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const unknown: string[] = [];
  const list = rule.listIn(body, "messages");
  const all = list.flatMap((message) => rule.listIn(message, "content")).filter(isRecord);
  const asked = new Map(all.map((part) => [part.type === REQUEST ? part.approvalId : undefined, part.toolCallId]));
  const answered = new Set(all.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])));
  const messages = list.map((message, at): RequestMessage => {
    const place = `messages[${at}]`;
    const source = isRecord(message) ? message : {};
    const role = String(source.role);
    unknown.push(...unknownFields(message, MESSAGE, place));
    const text: RequestPart[] =
      typeof source.content === "string" ? [{ place: `${place}.content`, kind: "text", text: source.content }] : [];
    const parts = rule.listIn(source, "content").map((part, index): RequestPart => {
      const { type, approvalId } = isRecord(part) ? part : {};
      const here = `${place}.content[${index}]`;
      unknown.push(...unknownFields(part, PARTS[String(type)] ?? fields("type"), here));
      const id = asked.get(approvalId);
      // The approval that makes the SDK run a call counts as its result.
      return type === RESPONSE && !answered.has(id)
        ? { place: here, kind: "result", id }
        : partOf(isRecord(part) ? part : {}, role, here);
    });
    return { place, role: ROLES[role] ?? role, parts: [...text, ...parts], source };
  });
  return { messages, unknownFields: unknown };
}

function partOf(source: Readonly<Record<string, unknown>>, role: string, place: string): RequestPart {
  const { type, text, toolCallId: id, toolName: name, providerExecuted, providerOptions } = source;
  switch (type) {
    case "text":
      // A blank text may carry a proof.
      return text === "" && providerOptions !== undefined
        ? { place, source, kind: "other" }
        : { place, source, kind: "text", text };
    case "tool-call":
      return { place, source, kind: providerExecuted === true ? "hosted-call" : "call", id, name };
    case "tool-result":
      return { place, source, kind: role === "assistant" ? "hosted-result" : "result", id, name };
    default:
      return { place, source, kind: type === "reasoning" ? "reasoning" : "media" };
  }
}

export const aiSdkRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("messages"),
    rule.knownRoles(["user", "assistant", "results"]),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.textIsWellFormed,
    rule.makeRule(
      "results-have-names",
      "A tool result has the tool's name and the format of its output.",
      function* ({ messages }) {
        for (const { place, source } of messages.flatMap(({ parts }) => parts)) {
          if (source?.type === "tool-result") {
            const { toolName, output } = source;
            if (typeof toolName !== "string" || !isRecord(output) || !OUTPUT.test(String(output.type))) {
              yield [place, "the result has no name, or an output without a format"];
            }
          }
        }
      },
    ),
    rule.idsAreUnique(),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.endsWithUser(ENDS_WITH_USER.any, true),
  ],
};
