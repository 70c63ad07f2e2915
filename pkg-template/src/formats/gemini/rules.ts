// The rules of Gemini's generateContent.

import { isRecord } from "../../base/plain-data.js";
import { ENDS_WITH_USER } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { fields, unknownFields } from "../request/schema.js";
import { isBlank } from "../request/text.js";
import { isResponse, KINDS, NAME, PART } from "./write.js";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://ai.google.dev/api/caching#Content"],
  "roles-are-known": ["https://ai.google.dev/api/caching#Content"],
  "starts-with-user": [
    "https://github.com/google-gemini/gemini-cli/issues/11814",
    "https://ai.google.dev/gemini-api/docs/function-calling",
  ],
  "roles-alternate": [
    "https://github.com/google-gemini/gemini-cli/issues/26486",
    "https://github.com/langchain-ai/langchain/issues/27799",
  ],
  "ends-with-user": ENDS_WITH_USER.gemini.sources,
  "fields-are-known": ["https://github.com/gera2ld/ai.nvim/issues/13"],
  "nothing-is-empty": [
    "https://github.com/egoist/chatwise-releases/issues/250",
    "https://github.com/QuantumNous/new-api/issues/1060",
  ],
  "parts-are-of-one-kind": ["https://github.com/boldsoftware/sketch/issues/68"],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "images-are-few": ["https://ai.google.dev/gemini-api/docs/image-understanding"],
  "images-fit": [
    "https://github.com/google/adk-python/issues/5693",
    "https://github.com/google-gemini/gemini-cli/issues/3054",
  ],
  "media-is-small": [
    "https://blog.google/innovation-and-ai/technology/developers-tools/gemini-api-new-file-limits",
    "https://ai.google.dev/gemini-api/docs/file-input-methods",
  ],
  "call-ids-are-unique": ["https://ai.google.dev/gemini-api/docs/function-calling"],
  "tool-names-fit": [
    "https://github.com/google-gemini/gemini-cli/issues/2966",
    "https://github.com/kaitranntt/ccs/issues/25",
    "https://github.com/cline/cline/issues/7339",
  ],
  "arguments-are-objects": ["https://ai.google.dev/gemini-api/docs/function-calling"],
  "responses-are-objects": ["https://ai.google.dev/api/caching#FunctionResponse"],
  "results-follow-calls": ["https://github.com/langchain-ai/langchain/issues/27799"],
  "calls-have-results": [
    "https://github.com/google-gemini/gemini-cli/issues/4217",
    "https://github.com/google-gemini/gemini-cli/issues/16984",
  ],
  "results-stand-alone": ["https://github.com/anomalyco/opencode/pull/43479"],
  "calls-are-signed": [
    "https://ai.google.dev/gemini-api/docs/thought-signatures",
    "https://github.com/langgenius/dify-official-plugins/issues/2088",
  ],
};

const CONTENT = fields("role parts");
const ROLES: Readonly<Record<string, string>> = { user: "user", model: "assistant", undefined: "user" };

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const unknown: string[] = [];
  const messages = rule.listIn(body, "contents").map((content, at): RequestMessage => {
    const place = `contents[${at}]`;
    const source = isRecord(content) ? content : {};
    const role = String(isRecord(content) ? content.role : "");
    unknown.push(...unknownFields(content, CONTENT, place));
    const parts = rule.listIn(content, "parts").map((part, index) => {
      const here = `${place}.parts[${index}]`;
      unknown.push(...unknownFields(part, PART, here));
      return partOf(isRecord(part) ? part : {}, here);
    });
    const isOfTools = parts.some(({ kind }) => kind === "result");
    return { place, role: isOfTools && role !== "model" ? "results" : (ROLES[role] ?? role), parts, source };
  });
  return { messages, unknownFields: unknown };
}

function partOf(source: Readonly<Record<string, unknown>>, place: string): RequestPart {
  const { functionCall, functionResponse, text, thought, thoughtSignature } = source;
  if (isRecord(functionCall)) {
    const { id, name, args } = functionCall;
    return { place, source, kind: "call", id, name, input: args ?? {} };
  }
  if (isRecord(functionResponse)) {
    return { place, source, kind: "result", id: functionResponse.id, name: functionResponse.name };
  }
  if (text === undefined) {
    const isMedia = source.inlineData !== undefined || source.fileData !== undefined;
    return { place, source, kind: isMedia ? "media" : "other" };
  }
  // A blank part may carry a signature.
  return thought === true || (typeof text === "string" && isBlank(text) && typeof thoughtSignature === "string")
    ? { place, source, kind: "reasoning" }
    : { place, source, kind: "text", text };
}

const partsOf = (messages: readonly RequestMessage[]): readonly RequestPart[] => messages.flatMap(({ parts }) => parts);

const MEDIA: rule.MediaLimits = { images: () => 3600, imagesInWords: "3,600 images", megabytesInAll: 100 };

export const geminiRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("contents"),
    rule.knownRoles(["user", "assistant", "results"]),
    rule.startsWithUser(),
    rule.rolesAlternate(),
    rule.endsWithUser(ENDS_WITH_USER.gemini),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.makeRule("parts-are-of-one-kind", `Each part is one of ${KINDS.join(", ")}.`, function* ({ messages }) {
      for (const { place, source } of partsOf(messages)) {
        const count = KINDS.filter((kind) => source?.[kind] !== undefined).length;
        if (count !== 1) {
          yield [place, count === 0 ? "the part has none of these" : "the part has several of these"];
        }
      }
    }),
    rule.textIsWellFormed,
    rule.imagesAreFew(MEDIA),
    rule.imagesFit({ types: /^(?!image\/svg)/, typesInWords: "not an SVG image" }),
    rule.mediaIsSmall(MEDIA),
    rule.idsAreUnique(),
    rule.toolNamesFit(NAME, ["call", "result"]),
    rule.argumentsAreObjects(),
    rule.makeRule("responses-are-objects", "A tool's response is an object.", function* ({ messages }) {
      for (const { place, source } of partsOf(messages)) {
        const response = source?.functionResponse;
        if (isRecord(response) && !isResponse(response.response)) {
          yield [`${place}.functionResponse.response`, "the response isn't an object"];
        }
      }
    }),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.makeRule("results-stand-alone", "A content with tool responses holds nothing else.", function* ({ messages }) {
      for (const { parts } of messages) {
        const isOfTools = parts.some(({ source }) => source?.functionResponse !== undefined);
        for (const { place, source } of isOfTools ? parts : []) {
          if (source?.functionResponse === undefined) {
            yield [place, "it shares a content with a tool's response"];
          }
        }
      }
    }),
    rule.makeRule(
      "calls-are-signed",
      "The first call of each content has a signature, if it was made since the user last spoke.",
      function* ({ messages }) {
        const spoken = messages.findLastIndex(({ role }) => role === "user");
        for (const { parts } of messages.slice(spoken + 1)) {
          const call = parts.find(({ source }) => source?.functionCall !== undefined);
          if (call !== undefined && typeof call.source?.thoughtSignature !== "string") {
            yield [call.place, "the call has no signature"];
          }
        }
      },
    ),
  ],
};
