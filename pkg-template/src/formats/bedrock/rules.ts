// The rules of Amazon Bedrock's Converse API.

import { isRecord } from "../../base/plain-data.js";
import { ENDS_WITH_USER, INSTRUCTIONS_AT_TOP } from "../request/models.js";
import type { ProviderRules, RequestMessage, RequestPart } from "../request/provider.js";
import * as rule from "../request/rules.js";
import { fields, unknownFields } from "../request/schema.js";
import { BLOCK, DOCUMENT_NAME, ID, NAME, RESULT_BLOCK } from "./write.js";

const MESSAGE_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html";
const USE_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html";
const RESULT_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html";
const BLOCK_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html";
const CHANGE_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolAdditionBlock.html";
const DOCUMENT_PAGE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html";
const COUNTS = "https://github.com/strands-agents/harness-sdk/issues/1435";

/** The pages that state each rule, and threads about requests refused because of it. */
const sources: ProviderRules["sources"] = {
  "has-messages": ["https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"],
  "roles-are-known": [MESSAGE_PAGE],
  "instructions-at-top": INSTRUCTIONS_AT_TOP.sources,
  "instructions-follow-user": INSTRUCTIONS_AT_TOP.sources.slice(0, 1),
  "tool-changes-are-instructions": [CHANGE_PAGE],
  "starts-with-user": ["https://github.com/langgenius/dify/issues/12340"],
  "roles-alternate": [
    "https://github.com/langchain-ai/langchain-aws/issues/130",
    "https://github.com/langchain-ai/langchainjs/issues/6724",
  ],
  "ends-with-user": ENDS_WITH_USER.openai.sources,
  "fields-are-known": [BLOCK_PAGE],
  "blocks-are-of-one-kind": [BLOCK_PAGE],
  "nothing-is-empty": [
    "https://github.com/OpenHands/OpenHands/issues/5339",
    "https://github.com/NousResearch/hermes-agent/pull/55093",
  ],
  "text-is-well-formed": rule.HALF_CHARACTER,
  "images-are-few": [MESSAGE_PAGE],
  "documents-are-few": [MESSAGE_PAGE, "https://github.com/aws-samples/generative-ai-use-cases/issues/1685"],
  "documents-are-named": [
    DOCUMENT_PAGE,
    "https://github.com/simonw/llm-bedrock/issues/8",
    "https://github.com/maximhq/bifrost/issues/7003",
  ],
  "documents-have-text": [MESSAGE_PAGE],
  "media-is-the-users": [MESSAGE_PAGE],
  "call-ids-fit": [USE_PAGE, RESULT_PAGE],
  "call-ids-are-unique": ["https://github.com/BerriAI/litellm/pull/20049"],
  "tool-names-fit": [USE_PAGE],
  "arguments-are-objects": [USE_PAGE],
  "results-follow-calls": [COUNTS],
  "calls-have-results": ["https://github.com/langchain-ai/langchain-aws/issues/451"],
  "results-come-first": ["https://github.com/langchain-ai/langchain-aws/issues/451"],
  "failures-say-something": [
    "https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
  ],
  "reasoning-is-signed": [
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningTextBlock.html",
  ],
};

const MESSAGE = fields("role content");

function parse(body: unknown): ReturnType<ProviderRules["parse"]> {
  const unknown: string[] = [];
  const messages = rule.listIn(body, "messages").map((message, at): RequestMessage => {
    const place = `messages[${at}]`;
    const source = isRecord(message) ? message : {};
    unknown.push(...unknownFields(message, MESSAGE, place));
    return { place, role: String(source.role), parts: blocksIn(source, `${place}.content`, BLOCK, unknown), source };
  });
  for (const [at, block] of rule.listIn(body, "system").entries()) {
    unknown.push(...unknownFields(block, BLOCK, `system[${at}]`));
  }
  return { messages, unknownFields: unknown };
}

/** Returns the content blocks. A result's own blocks follow it. */
function blocksIn(holder: unknown, place: string, schema: typeof BLOCK, unknown: string[]): readonly RequestPart[] {
  return rule.listIn(holder, "content").flatMap((block, at): readonly RequestPart[] => {
    const here = `${place}[${at}]`;
    const source = isRecord(block) ? block : {};
    unknown.push(...unknownFields(block, schema, here));
    const inner = blocksIn(source.toolResult, `${here}.toolResult.content`, RESULT_BLOCK, unknown);
    return [partOf(source, here), ...inner.map((part) => ({ ...part, isInside: true }))];
  });
}

const MEDIA = ["image", "document", "video", "audio"] as const;

function partOf(source: Readonly<Record<string, unknown>>, place: string): RequestPart {
  const { text, toolUse, toolResult, reasoningContent } = source;
  if (isRecord(toolUse)) {
    const { toolUseId: id, name, input, type } = toolUse;
    return { place, source, kind: type == null ? "call" : "hosted-call", id, name, input };
  }
  if (isRecord(toolResult)) {
    return { place, source, kind: toolResult.type == null ? "result" : "hosted-result", id: toolResult.toolUseId };
  }
  if (text !== undefined) {
    return { place, source, kind: "text", text };
  }
  const isMedia = MEDIA.some((kind) => source[kind] !== undefined);
  return { place, source, kind: reasoningContent !== undefined ? "reasoning" : isMedia ? "media" : "other" };
}

const KINDS: readonly string[] = [...new Set([...Object.keys(BLOCK), ...Object.keys(RESULT_BLOCK)])];
const MOST_IMAGES = 20;
const MOST_DOCUMENTS = 5;
const MEGABYTE = 2 ** 20;

/**
 * Yields the blocks of messages that hold media of a kind, with their bytes. `isInside` includes those in results of
 * tools.
 */
function heldIn(
  parts: readonly RequestPart[],
  kind: (typeof MEDIA)[number],
  isInside: boolean,
): readonly RequestPart[] {
  return parts.filter((part) => part.source?.[kind] !== undefined && (isInside || part.isInside !== true));
}

function sizeOf({ source }: RequestPart, kind: (typeof MEDIA)[number]): number {
  const media = source?.[kind];
  const bytes = isRecord(media) && isRecord(media.source) ? media.source.bytes : undefined;
  return bytes instanceof Uint8Array ? bytes.length : typeof bytes === "string" ? (bytes.length * 3) / 4 : 0;
}

/** Limits how many images or documents a message holds, and how large each may be. */
function areFew(kind: "image" | "document", most: number, megabytes: number): ReturnType<typeof rule.makeRule> {
  return rule.makeRule(
    `${kind}s-are-few`,
    `A message has at most ${most} ${kind}s, each of at most ${megabytes} MB.`,
    function* ({ messages }) {
      for (const { parts } of messages) {
        const held = heldIn(parts, kind, true);
        const first = held[most];
        if (first !== undefined) {
          yield [first.place, `the message has ${held.length} ${kind}s`];
        }
        for (const part of held) {
          const size = sizeOf(part, kind) / MEGABYTE;
          if (size > megabytes) {
            yield [part.place, `the ${kind} has ${size.toFixed(1)} MB`];
          }
        }
      }
    },
  );
}

export const bedrockRules: ProviderRules = {
  parse,
  sources,
  rules: [
    rule.hasMessages("messages"),
    rule.knownRoles(["user", "assistant", "system"], ""),
    rule.instructionsAtTop("system"),
    rule.instructionsFollowUser,
    rule.makeRule(
      "tool-changes-are-instructions",
      "Changes to the tools are in a message with the role system.",
      function* ({ messages }) {
        for (const { role, parts } of messages) {
          const change = parts.find(({ source }) => (source?.toolAddition ?? source?.toolRemoval) !== undefined);
          if (role !== "system" && change !== undefined) {
            yield [change.place, `it is in a message with the role ${role}`];
          }
        }
      },
    ),
    rule.startsWithUser(),
    rule.rolesAlternate(),
    rule.endsWithUser(ENDS_WITH_USER.openai),
    rule.fieldsAreKnown,
    rule.nothingIsEmpty(),
    rule.makeRule("blocks-are-of-one-kind", "Each block has exactly one field.", function* ({ messages }) {
      for (const { place, source } of messages.flatMap(({ parts }) => parts)) {
        const count = KINDS.filter((kind) => source?.[kind] !== undefined).length;
        if (count !== 1) {
          yield [place, `the block has ${count} fields`];
        }
      }
    }),
    rule.textIsWellFormed,
    areFew("image", MOST_IMAGES, 3.75),
    areFew("document", MOST_DOCUMENTS, 4.5),
    rule.makeRule(
      "documents-are-named",
      `The names of documents match ${DOCUMENT_NAME}, and no two are the same.`,
      function* ({ messages }) {
        const seen = new Set<string>();
        for (const { place, source } of heldIn(
          messages.flatMap(({ parts }) => parts),
          "document",
          true,
        )) {
          const name = isRecord(source?.document) ? source.document.name : undefined;
          if (typeof name !== "string" || !DOCUMENT_NAME.test(name)) {
            yield [place, `the name ${String(name)} does not match`];
          } else if (seen.has(name.toLowerCase())) {
            yield [place, `a document before it has the name ${name} too`];
          }
          seen.add(String(name).toLowerCase());
        }
      },
    ),
    rule.makeRule("documents-have-text", "A message with a document has a text.", function* ({ messages }) {
      for (const { parts } of messages) {
        const [document] = heldIn(parts, "document", false);
        if (document !== undefined && !parts.some(({ kind, isInside }) => kind === "text" && isInside !== true)) {
          yield [document.place, "the message has no text"];
        }
      }
    }),
    rule.makeRule("media-is-the-users", "Images and documents are in user messages.", function* ({ messages }) {
      for (const { role, parts } of messages) {
        const media = parts.find(({ kind, isInside }) => kind === "media" && isInside !== true);
        if (role !== "user" && media !== undefined) {
          yield [media.place, `it is in a message with the role ${role}`];
        }
      }
    }),
    rule.idsFit(ID),
    rule.idsAreUnique(),
    rule.toolNamesFit(NAME),
    rule.argumentsAreObjects(),
    rule.resultsFollowCalls(),
    rule.callsHaveResults(),
    rule.makeRule(
      "results-come-first",
      "Tool results begin their message: everything else comes after them.",
      function* ({ messages }) {
        for (const { role, parts } of messages) {
          const blocks = parts.filter(({ source, isInside }) => isInside !== true && source?.cachePoint === undefined);
          const last = role === "user" ? blocks.findLastIndex(({ kind }) => kind === "result") : -1;
          const other = blocks.slice(0, Math.max(last, 0)).find(({ kind }) => kind !== "result");
          if (other !== undefined) {
            yield [other.place, "it comes before a tool's result"];
          }
        }
      },
    ),
    rule.makeRule("failures-say-something", "A result with the status error isn't empty.", function* ({ messages }) {
      for (const { place, source } of messages.flatMap(({ parts }) => parts)) {
        const result = source?.toolResult;
        if (isRecord(result) && result.status === "error" && rule.listIn(result, "content").length === 0) {
          yield [place, "the result is empty"];
        }
      }
    }),
    rule.makeRule(
      "reasoning-is-signed",
      "Reasoning has its model's signature, or is encrypted.",
      function* ({ messages }) {
        for (const { place, source } of messages.flatMap(({ parts }) => parts)) {
          const held = source?.reasoningContent;
          const { reasoningText, redactedContent } = isRecord(held) ? held : {};
          const { signature } = isRecord(reasoningText) ? reasoningText : {};
          if (
            held !== undefined &&
            redactedContent === undefined &&
            (typeof signature !== "string" || signature === "")
          ) {
            yield [place, "the reasoning has no signature"];
          }
        }
      },
    ),
  ],
};
