// The rules of Anthropic's Messages API.

import { isRecord } from "../../base/plain-data.js";
import { ENDS_WITH_USER, INSTRUCTIONS_AT_TOP } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { fields, unknownFields } from "../request/schema.js";
import { HOSTED_RESULT } from "./read.js";
import { ID, NAME, schemaOf } from "./write.js";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://docs.anthropic.com/en/api/messages"],
  "roles-are-known": [
    "https://github.com/ianarawjo/ChainForge/issues/271",
    "https://github.com/Maol-1997/cursor-claude-connector/issues/3",
  ],
  "instructions-at-top": INSTRUCTIONS_AT_TOP.sources,
  "instructions-follow-user": [
    "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages",
  ],
  "compaction-comes-first": [
    "https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand",
    "https://github.com/vercel/ai/issues/13335",
  ],
  "starts-with-user": [
    "https://github.com/lobehub/lobehub/issues/1601",
    "https://github.com/elastic/kibana/pull/246393",
    "https://github.com/pydantic/pydantic-ai/issues/4495",
  ],
  "roles-alternate": [
    "https://github.com/microsoft/semantic-kernel/issues/10281",
    "https://github.com/cline/cline/issues/431",
    "https://github.com/Portkey-AI/gateway/issues/748",
  ],
  "ends-with-user": [
    ...ENDS_WITH_USER.anthropic.sources,
    "https://github.com/anomalyco/opencode/issues/19981",
    "https://github.com/vybestack/llxprt-code/pull/3695",
    "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
  ],
  "fields-are-known": [
    "https://github.com/RooCodeInc/Roo-Code/issues/11429",
    "https://github.com/langchain-ai/langchain/issues/31208",
  ],
  "nothing-is-empty": [
    "https://github.com/anthropics/claude-code/issues/59812",
    "https://github.com/anomalyco/opencode/issues/31259",
  ],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "images-are-few": [
    "https://platform.claude.com/docs/en/build-with-claude/vision",
    "https://github.com/anthropics/claude-code/issues/19822",
    "https://github.com/anthropics/claude-code/issues/24541",
  ],
  "images-fit": ["https://github.com/anomalyco/opencode/pull/5704"],
  "media-is-small": [
    "https://platform.claude.com/docs/en/build-with-claude/vision",
    "https://github.com/can1357/oh-my-pi/pull/10633",
    "https://github.com/earendil-works/pi/issues/401",
  ],
  "call-ids-fit": ["https://github.com/HKUDS/nanobot/pull/4356"],
  "file-ids-fit": ["https://platform.claude.com/docs/en/build-with-claude/files"],
  "call-ids-are-unique": [
    "https://github.com/anthropics/claude-code/issues/20901",
    "https://github.com/BerriAI/litellm/issues/23510",
  ],
  "tool-names-fit": [
    "https://github.com/CherryHQ/cherry-studio/pull/2895",
    "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
  ],
  "arguments-are-objects": ["https://docs.anthropic.com/en/api/messages"],
  "results-follow-calls": [
    "https://github.com/anthropics/claude-code/issues/18947",
    "https://github.com/anthropics/claude-code/issues/13460",
  ],
  "calls-have-results": [
    "https://github.com/anthropics/claude-code/issues/5060",
    "https://github.com/anthropics/claude-code/issues/7929",
  ],
  "hosted-results-follow-calls": [
    "https://github.com/anthropics/claude-code/issues/95406",
    "https://github.com/anthropics/claude-code/issues/89348",
  ],
  "hosted-calls-have-results": [
    "https://github.com/anthropics/anthropic-sdk-python/issues/961",
    "https://github.com/AnswerDotAI/lisette/issues/108",
  ],
  "results-come-first": [
    "https://github.com/anthropics/anthropic-sdk-typescript/issues/653",
    "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
  ],
  "calls-come-last": [
    "https://github.com/anthropics/claude-code/issues/5060",
    "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
  ],
  "reasoning-comes-first": [
    "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
    "https://github.com/anomalyco/opencode/issues/3077",
    "https://github.com/mastra-ai/mastra/issues/7799",
  ],
  "reasoning-is-signed": [
    "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
    "https://github.com/can1357/oh-my-pi/issues/6379",
  ],
  "assistant-does-not-end-in-space": [
    "https://github.com/tailcallhq/forgecode/issues/1872",
    "https://github.com/anomalyco/opencode/issues/1295",
  ],
};

const MESSAGE = fields("role content");
const INSTRUCTIONS = fields("role content clear_at output_config");

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const unknown: string[] = [];
  const messages = rule.listIn(body, "messages").map((message, at): RequestMessage => {
    const place = `messages[${at}]`;
    const source = isRecord(message) ? message : {};
    unknown.push(
      ...unknownFields(message, isRecord(message) && message.role === "system" ? INSTRUCTIONS : MESSAGE, place),
    );
    const text: RequestPart[] =
      typeof source.content === "string" ? [{ place: `${place}.content`, kind: "text", text: source.content }] : [];
    const parts = blocksIn(source, `${place}.content`, unknown);
    const settings: RequestPart[] =
      source.role === "system" && source.output_config != null
        ? [{ place: `${place}.output_config`, kind: "other" }]
        : [];
    return { place, role: String(source.role), parts: [...text, ...parts, ...settings], source };
  });
  for (const [at, block] of rule.listIn(body, "system").entries()) {
    unknown.push(...unknownIn(block, `system[${at}]`));
  }
  return { messages, unknownFields: unknown };
}

/** Returns the content blocks. A result's own blocks come after it. */
function blocksIn(holder: unknown, place: string, unknown: string[]): readonly RequestPart[] {
  return rule.listIn(holder, "content").flatMap((block, at): readonly RequestPart[] => {
    const here = `${place}[${at}]`;
    const source = isRecord(block) ? block : {};
    unknown.push(...unknownIn(block, here));
    const inner = source.type === "tool_result" ? blocksIn(source, `${here}.content`, unknown) : [];
    return [partOf(source, here), ...inner.map((part) => ({ ...part, isInside: true }))];
  });
}

function unknownIn(block: unknown, place: string): Iterable<string> {
  const { type } = isRecord(block) ? block : {};
  return unknownFields(block, schemaOf(type) ?? fields("type"), place);
}

function partOf(source: Readonly<Record<string, unknown>>, place: string): RequestPart {
  switch (source.type) {
    case "text":
      return { place, source, kind: "text", text: source.text };
    case "thinking":
    case "redacted_thinking":
      return { place, source, kind: "reasoning" };
    case "tool_use":
      return { place, source, kind: "call", id: source.id, name: source.name, input: source.input };
    case "server_tool_use":
    case "mcp_tool_use":
      return { place, source, kind: "hosted-call", id: source.id };
    case "tool_result":
      return { place, source, kind: "result", id: source.tool_use_id };
    case "image":
    case "document":
      return { place, source, kind: "media", id: isRecord(source.source) ? source.source.file_id : undefined };
    case "container_upload":
      return { place, source, kind: "media", id: source.file_id };
    default:
      return HOSTED_RESULT.test(String(source.type))
        ? { place, source, kind: "hosted-result", id: source.tool_use_id }
        : { place, source, kind: "other" };
  }
}

/** Returns the blocks of each message of a role, except those inside results. */
function blocksOf(messages: readonly RequestMessage[], role: string): readonly (readonly RequestPart[])[] {
  return messages
    .filter((message) => message.role === role)
    .map(({ parts }) => parts.filter(({ source, isInside }) => source !== undefined && isInside !== true));
}

/** Models with a context window of 200,000 tokens: all before Claude 4.6, and Haiku. */
const SMALL_WINDOW = /haiku|claude-(?:instant|[0-3])|-4(?:-[0-5])?(?:-20\d{6}|-latest|@|$)/;

const MEDIA: rule.MediaLimits = {
  images: (body, target) => {
    const model = (isRecord(body) ? body.model : undefined) ?? target;
    return typeof model === "string" && !SMALL_WINDOW.test(model) ? 600 : 100;
  },
  imagesInWords: "100 images, or 600 if `model` is one with more than 200,000 tokens of context",
  megabytesEach: 10,
  megabytesInAll: 32,
};

export const anthropicRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("messages"),
    rule.knownRoles(["user", "assistant", "system"], ""),
    rule.instructionsAtTop("system"),
    rule.instructionsFollowUser,
    rule.makeRule(
      "compaction-comes-first",
      "A compaction has a text. Nothing comes before a signed one, and there is only one.",
      function* ({ messages }) {
        const blocks = messages.flatMap(({ parts }) => parts);
        for (const [at, { source, place }] of blocks.entries()) {
          if (source?.type !== "compaction") {
            continue;
          }
          if (source.content === "") {
            yield [place, "the compaction is empty"];
          } else if (typeof source.signature === "string" && at > 0) {
            yield [place, "something comes before the compaction"];
          }
        }
      },
    ),
    rule.startsWithUser(true),
    rule.rolesAlternate(),
    rule.endsWithUser(ENDS_WITH_USER.anthropic, true),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.textIsWellFormed,
    rule.imagesAreFew(MEDIA),
    rule.imagesFit(rule.WEB_IMAGES),
    rule.mediaIsSmall(MEDIA),
    rule.idsFit(ID),
    rule.fileIdsFit,
    rule.idsAreUnique(),
    rule.toolNamesFit(NAME),
    rule.argumentsAreObjects(),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.hostedResultsFollowCalls(),
    rule.hostedCallsHaveResults(),
    rule.makeRule(
      "results-come-first",
      "Tool results begin their message: everything else comes after them.",
      function* ({ messages }) {
        for (const blocks of blocksOf(messages, "user")) {
          const last = blocks.findLastIndex(({ kind }) => kind === "result");
          const other = blocks.slice(0, Math.max(last, 0)).find(({ kind }) => kind !== "result");
          if (other !== undefined) {
            yield [other.place, "it comes before a tool's result"];
          }
        }
      },
    ),
    rule.makeRule(
      "calls-come-last",
      "Tool calls end their message: everything else comes before them.",
      function* ({ messages }) {
        for (const blocks of blocksOf(messages, "assistant")) {
          const first = blocks.findIndex(({ kind }) => kind === "call");
          const other = first < 0 ? undefined : blocks.slice(first).find(({ kind }) => kind !== "call");
          if (other !== undefined) {
            yield [other.place, "it comes after a tool call"];
          }
        }
      },
    ),
    rule.makeRule(
      "reasoning-comes-first",
      "A message with reasoning begins with it, before what is said and before the calls; only a compaction comes before it.",
      function* ({ messages }) {
        for (const blocks of blocksOf(messages, "assistant")) {
          const first = blocks.findIndex(({ kind }) => kind === "reasoning");
          if (first > (blocks[0]?.source?.type === "compaction" ? 1 : 0)) {
            yield [blocks[first]?.place ?? "", "the message begins with something else"];
          }
        }
      },
    ),
    rule.makeRule(
      "reasoning-is-signed",
      "Reasoning has Anthropic's signature, or is encrypted.",
      function* ({ messages }) {
        for (const { place, kind, source, isInside } of messages.flatMap(({ parts }) => parts)) {
          const proof = source?.type === "thinking" ? source.signature : source?.data;
          if (kind === "reasoning" && isInside !== true && (typeof proof !== "string" || proof === "")) {
            yield [place, "the reasoning has no signature"];
          }
        }
      },
    ),
    rule.makeRule(
      "assistant-does-not-end-in-space",
      "An assistant message at the end of a request doesn't end in whitespace.",
      function* ({ messages }) {
        const last = messages.at(-1);
        const end = last?.role === "assistant" ? last.parts.at(-1) : undefined;
        if (typeof end?.text === "string" && end.text !== end.text.trimEnd()) {
          yield [end.place, "the text ends in whitespace"];
        }
      },
    ),
  ],
};
