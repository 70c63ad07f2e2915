// The rules of OpenAI's Responses.

import { isRecord } from "../../base/plain-data.js";
import { parsedObject } from "../request/calls.js";
import { ENDS_WITH_USER } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { fields, unknownFields } from "../request/schema.js";
import { CALLED, GAVE, HOLDERS, ID, ITEM_ID, ITEMS, isItemId, NAME, ownFieldNames, PARTS } from "./write.js";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://platform.openai.com/docs/api-reference/responses/create"],
  "roles-are-known": ["https://platform.openai.com/docs/api-reference/responses/create"],
  "fields-are-known": [
    "https://github.com/spring-projects/spring-ai/issues/5197",
    "https://github.com/openai/openai-python/issues/3008",
    "https://github.com/BerriAI/litellm/issues/13420",
    "https://github.com/Yeachan-Heo/gajae-code/issues/1688",
    "https://platform.openai.com/docs/api-reference/responses/create",
  ],
  "nothing-is-empty": [
    "https://github.com/HKUDS/nanobot/pull/949",
    "https://platform.openai.com/docs/api-reference/responses/create",
  ],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "images-are-few": ["https://developers.openai.com/api/docs/guides/images-vision"],
  "images-fit": ["https://github.com/STranslate/STranslate/issues/277"],
  "call-ids-fit": [
    "https://github.com/decolua/9router/issues/393",
    "https://github.com/earendil-works/pi/issues/1022",
    "https://github.com/openclaw/openclaw/pull/27974",
  ],
  "file-ids-fit": ["https://platform.openai.com/docs/api-reference/files/object"],
  "call-ids-are-unique": ["https://platform.openai.com/docs/api-reference/responses/create"],
  "item-ids-fit": [
    "https://github.com/github/app/issues/499",
    "https://github.com/CopilotKit/CopilotKit/pull/6117",
    "https://github.com/nodetool-ai/nodetool/pull/4252",
    "https://github.com/langchain-ai/langchainjs/issues/11044",
  ],
  "tool-names-fit": ["https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1465"],
  "arguments-are-json": ["https://platform.openai.com/docs/api-reference/responses/create"],
  "results-follow-calls": [
    "https://github.com/vercel/ai/issues/8216",
    "https://github.com/continuedev/continue/issues/10092",
  ],
  "calls-have-results": ["https://github.com/bytedance/trae-agent/issues/245"],
  "reasoning-is-followed": [
    "https://github.com/vercel/ai/issues/7543",
    "https://github.com/UKGovernmentBEIS/inspect_ai/pull/1990",
    "https://github.com/openai/openai-node/issues/1567",
    "https://github.com/vercel/ai/issues/7099",
    "https://github.com/anomalyco/opencode/issues/1086",
  ],
  "ends-with-user": ENDS_WITH_USER.openai.sources,
};

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const items = rule.listIn(body, "input");
  return {
    messages: items.map((item, at) => messageOf(isRecord(item) ? item : {}, `input[${at}]`)),
    unknownFields: items.flatMap((item, at) => unknownIn(item, `input[${at}]`)),
  };
}

/** Returns the type of an item. A message may have none. */
function typeOf({ type, role }: Readonly<Record<string, unknown>>): string {
  return type === undefined && role !== undefined ? "message" : String(type);
}

function messageOf(source: Readonly<Record<string, unknown>>, place: string): RequestMessage {
  const type = typeOf(source);
  if (type === "message") {
    const role = source.role === "developer" ? "system" : String(source.role);
    return { place, role, parts: partsIn(source, place), source };
  }
  const { call_id: id, name } = source;
  const isCall = type === "function_call" || type === "custom_tool_call";
  if (isCall || CALLED.test(type)) {
    // A call of the provider's own type that has no id needs no result: the provider answers it itself, or nothing
    // could pair the two.
    const part: RequestPart = isCall
      ? { place, kind: "call", id, name, input: source.arguments }
      : id == null
        ? { place, kind: "other" }
        : { place, kind: "call", id, name: type };
    return { place, role: "assistant", parts: [part], source };
  }
  if (GAVE.test(type) && id == null) {
    const isOfShell = type === "local_shell_call_output";
    const part: RequestPart = isOfShell ? { place, kind: "result", id: source.id } : { place, kind: "other" };
    return { place, role: "results", parts: [part], source };
  }
  if (type.endsWith("_output")) {
    const parts: RequestPart[] = [{ place, kind: "result", id }, ...partsIn(source, place, "output")];
    return { place, role: "results", parts, source };
  }
  const kind = type === "reasoning" ? "reasoning" : "other";
  return { place, role: "assistant", parts: [{ place, kind }], source };
}

function partsIn(source: Readonly<Record<string, unknown>>, place: string, field = "content"): readonly RequestPart[] {
  const content = source[field];
  if (typeof content === "string") {
    return field === "content" ? [{ place: `${place}.content`, kind: "text", text: content }] : [];
  }
  return rule.listIn(source, field).map((part, at): RequestPart => {
    const { type, text, refusal, file_id: id } = isRecord(part) ? part : {};
    const isText = /_text$|^refusal$/.test(String(type));
    const here = `${place}.${field}[${at}]`;
    return isText ? { place: here, kind: "text", text: text ?? refusal } : { place: here, kind: "media", id };
  });
}

function unknownIn(item: unknown, place: string): readonly string[] {
  const schema = ITEMS[isRecord(item) ? typeOf(item) : ""];
  if (schema === undefined) {
    return isRecord(item) ? ownFieldNames(item).map((name) => `${place}.${name}`) : [];
  }
  const inParts = (HOLDERS.get(schema) ?? []).flatMap((field) =>
    rule.listIn(item, field).flatMap((part, at) => {
      const known = PARTS[isRecord(part) ? String(part.type) : ""] ?? fields("type");
      return [...unknownFields(part, known, `${place}.${field}[${at}]`)];
    }),
  );
  return [...unknownFields(item, schema, place), ...inParts];
}

export const responsesRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("input"),
    rule.knownRoles(["system", "user", "assistant", "results"]),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.textIsWellFormed,
    rule.imagesAreFew(rule.OPENAI_IMAGES),
    rule.imagesFit(rule.WEB_IMAGES),
    rule.idsFit(ID),
    rule.fileIdsFit,
    rule.idsAreUnique(),
    rule.makeRule(
      "item-ids-fit",
      `The id of an item matches ${ITEM_ID}; that of a message begins with msg_, of reasoning with rs_, of a call with fc_ or ctc_.`,
      function* ({ messages }) {
        for (const { place, source } of messages) {
          const { id, type = "message" } = source;
          const isOfCall = type === "local_shell_call_output"; // it has the id of the call
          if (id != null && !isOfCall && !isItemId(id, String(type))) {
            yield [`${place}.id`, `the id ${String(id)} does not match`];
          }
        }
      },
    ),
    rule.toolNamesFit(NAME),
    rule.argumentsAreJson((text) => parsedObject(text) !== undefined),
    rule.resultsFollowCalls(true),
    rule.callsHaveResults(true),
    rule.makeRule(
      "reasoning-is-followed",
      "A reasoning item is directly followed by the item that it led to. It has encrypted content, or both have ids and the request is stored.",
      function* ({ messages, target }) {
        for (const [at, { place, source }] of messages.entries()) {
          const next = messages[at + 1];
          const isFollowed = next?.role === "assistant" && next.parts[0]?.kind !== "reasoning";
          const isNamed = target.store !== false && source.id != null && next?.source.id != null;
          const isProven = source.encrypted_content || isNamed;
          if (source.type === "reasoning" && !(isFollowed && isProven)) {
            const isAlone = !isFollowed || target.store !== false;
            yield [place, isAlone ? "the item that it led to doesn't follow it" : "it has no encrypted content"];
          }
        }
      },
    ),
    rule.endsWithUser(ENDS_WITH_USER.openai),
  ],
};
