// Every provider that windrow can write requests for, and the one function that writes them. Importing this module
// provides them; the entry `windrow/providers` does.

import { ContextError } from "../base/errors.js";
import { firstHole } from "../base/lists.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import { publicCall } from "../base/public-call.js";
import { MalformedMessage } from "../message/malformed.js";
import { type ParsedMessage, parse } from "../message/read.js";
import type { ShapeName } from "../message/recognise.js";
import { isContextManagement } from "./context-management.js";
import "./dialects.js";
import { aiSdkRules } from "./ai-sdk/rules.js";
import { writeAiSdk } from "./ai-sdk/write.js";
import { anthropicRules } from "./anthropic/rules.js";
import { writeAnthropic } from "./anthropic/write.js";
import type { AnyMessage } from "./any-message.js";
import { bedrockRules } from "./bedrock/rules.js";
import { writeBedrock } from "./bedrock/write.js";
import { chromeRules } from "./chrome/rules.js";
import { writeChrome } from "./chrome/write.js";
import { geminiRules } from "./gemini/rules.js";
import { writeGemini } from "./gemini/write.js";
import { openAiRules } from "./openai-chat/rules.js";
import { type ChatServer, SERVERS } from "./openai-chat/servers.js";
import { writeOpenAi } from "./openai-chat/write.js";
import { responsesRules } from "./openai-responses/rules.js";
import { writeResponses } from "./openai-responses/write.js";
import { comparedText, digestOf, thoughtsIn } from "./request/bound.js";
import { takesCacheMarks, withCacheMarks } from "./request/cache-marks.js";
import { clearedWords, hiddenWords } from "./request/context-management.js";
import {
  type Problem,
  type ProviderFormat,
  problemsIn,
  type RequestRule,
  type RequestTarget,
} from "./request/provider.js";
import { USER_NAMES, userNamesIn } from "./request/speakers.js";
import { type ProviderName, type RequestBodies, type RequestWriting, requests } from "./requests.js";
import { webLlmRules } from "./web-llm/rules.js";
import { writeWebLlm } from "./web-llm/write.js";

export type { Problem, ProviderName, RequestBodies, RequestTarget };

const PROVIDERS: { readonly [Name in ProviderName]: ProviderFormat<RequestBodies[Name]> } = {
  openai: { title: "OpenAI chat completions", write: writeOpenAi, ...openAiRules },
  "openai-responses": { title: "OpenAI Responses", write: writeResponses, ...responsesRules },
  anthropic: { title: "Anthropic Messages API", write: writeAnthropic, ...anthropicRules },
  gemini: { title: "Gemini generateContent", write: writeGemini, ...geminiRules },
  bedrock: { title: "Bedrock Converse", write: writeBedrock, ...bedrockRules },
  "ai-sdk": { title: "AI SDK ModelMessage", write: writeAiSdk, ...aiSdkRules },
  chrome: { title: "Chrome's Prompt API", write: writeChrome, ...chromeRules },
  "web-llm": { title: "WebLLM", write: writeWebLlm, ...webLlmRules },
};

/** A rule for the requests that a provider accepts. */
export interface ProviderRule extends Pick<RequestRule, "id" | "demands"> {
  /** The provider's page that states it, or threads about requests refused because of it. */
  readonly sources: readonly string[];
  /**
   * The models that it applies to, in words. It also applies if the model isn't named. Undefined if it applies to all
   * models.
   */
  readonly models: string | undefined;
}

/** The providers that windrow can write requests for: their names, titles, and rules with sources. */
export const providers: readonly {
  readonly name: ProviderName;
  readonly title: string;
  readonly rules: readonly ProviderRule[];
}[] = /* @__PURE__ */ listed();

function listed(): typeof providers {
  return Object.freeze(
    Object.entries(PROVIDERS).map(([name, { title, rules, sources }]) => {
      const listedRules = rules.map(({ id, demands, models }) =>
        Object.freeze({ id, demands, sources: sources[id] ?? [], models: models?.words }),
      );
      return Object.freeze({ name: name as ProviderName, title, rules: Object.freeze(listedRules) });
    }),
  );
}

/**
 * The servers that `render.server` can name, and whether each accepts back the fields it set on the assistant's
 * messages.
 */
export const servers: readonly Pick<ChatServer, "name" | "takesFields" | "sources">[] = SERVERS.map(
  ({ name, takesFields, sources }) => Object.freeze({ name, takesFields, sources }),
);

const KIND = "context_build_error";

/** Options of `requestOf`: how to read the messages, and the model and server that the request goes to. */
export interface RequestOfOptions extends RequestTarget {
  /**
   * The shape of the messages, one of `messageShapes`. Default: each message's format is recognized from its fields.
   */
  readonly shape?: ShapeName | undefined;
}

const TARGET_OPTIONS: OptionRules = {
  store: ["true or false", (value) => value === null || typeof value === "boolean"],
  contextManagement: ["an object or a list of objects", (value) => value === null || isContextManagement(value)],
  onPrefixMismatch: [
    '"drop_block" or "error"',
    (value) => value === null || value === "drop_block" || value === "error",
  ],
  lateInstructions: ['"top" or "user"', (value) => value === null || value === "top" || value === "user"],
  now: ["milliseconds since 1970", (value) => value === null || Number.isFinite(value)],
  model: ["the name of a model", (value) => value === null || typeof value === "string"],
  server: [
    `one of ${SERVERS.map(({ name }) => name).join(", ")}`,
    (value) => value === null || SERVERS.some(({ name }) => name === value),
  ],
};
const REQUEST_OF_OPTIONS: OptionRules = {
  ...TARGET_OPTIONS,
  shape: ["the name of a shape", (value) => typeof value === "string"],
};

requests.provide({
  requestOfParsed,
  takesCacheMarks,
  clearedWords,
  hiddenWords,
  thoughtsIn,
  digestOf,
  comparedText,
});

/**
 * Returns the parts of a provider's request that hold messages, from messages of any format, valid by every rule of the
 * provider. If that is impossible, fails with `NOT_SENDABLE`, the place, and the broken rule.
 *
 * Leaves out data that the provider has no place for and the model doesn't need: ids and times of messages, reasoning
 * of other providers, blank texts. Fails for content that the model would miss, such as an image.
 */
export function requestOf<Name extends ProviderName>(
  provider: Name,
  messages: readonly AnyMessage[],
  options: RequestOfOptions = {},
): RequestBodies[Name] {
  return publicCall(KIND, "requestOf", () => {
    checkOptions(KIND, options, REQUEST_OF_OPTIONS);
    const { shape, ...target } = options;
    const read = listOf(messages).map((message, at) =>
      parse(message, `messages[${at}]`, KIND, { shape, before: messages[at - 1] }),
    );
    return requestOfParsed(provider, read, { target });
  });
}

function requestOfParsed<Name extends ProviderName>(
  provider: Name,
  messages: readonly ParsedMessage[],
  { cacheEnds = [], userNames = userNamesIn(messages), target = {} }: RequestWriting = {},
): RequestBodies[Name] {
  const known = providerOf(provider);
  const { title, rules, write } = known;
  // OpenAI's chat has a field for names without spaces or punctuation.
  const mostInFields = provider === "openai" ? USER_NAMES.words : USER_NAMES.none;
  const namesInTexts = userNames > mostInFields;
  const made = inPlace(title, () => write(withCacheMarks(provider, messages, cacheEnds), namesInTexts, target));
  const [problem] = problemsIn(known, made, target);
  if (problem !== undefined) {
    throw refusal(title, rules, problem);
  }
  return { ...made, ...settingsOf(provider, target) };
}

/** Returns the caller's settings as fields of a body. */
function settingsOf(provider: ProviderName, { contextManagement, onPrefixMismatch }: RequestTarget): object {
  const isAnthropic = provider === "anthropic";
  const isTaken = isAnthropic || provider === "openai-responses";
  return {
    ...(contextManagement == null || !isTaken ? {} : { context_management: contextManagement }),
    ...(onPrefixMismatch == null || !isAnthropic
      ? {}
      : { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: onPrefixMismatch } } }),
  };
}

/**
 * Returns the places of a request's body that break a rule of a provider, in the order of the rules. Empty if the body
 * is valid. Any code may have made the body. `target` names the model and server it goes to; the default is the body's
 * `model`. A body shows a text's role but not its author. Only `requestOf` and `context.request`, which know the
 * messages, can make sure that no tool speaks as the user.
 */
export function problemsOf(provider: ProviderName, body: unknown, target: RequestTarget = {}): readonly Problem[] {
  return publicCall(KIND, "problemsOf", () => {
    checkOptions(KIND, target, TARGET_OPTIONS);
    const { model, store } = isRecord(body) ? body : {};
    const own = {
      ...(typeof model === "string" && { model }),
      ...(typeof store === "boolean" && { store }),
    };
    return problemsIn(providerOf(provider), body, { ...own, ...target });
  });
}

function providerOf<Name extends ProviderName>(name: Name): ProviderFormat<RequestBodies[Name]> {
  if (typeof name !== "string" || !Object.hasOwn(PROVIDERS, name)) {
    const names = Object.keys(PROVIDERS).join(", ");
    throw new ContextError({
      kind: KIND,
      code: "INVALID_CONFIG",
      message: `provider: expected one of ${names}, got ${describe(name)}`,
      path: "provider",
      nextAction: `Pass one of ${names}.`,
    });
  }
  return PROVIDERS[name];
}

/** Returns the messages. None may be missing. */
function listOf(messages: unknown): readonly AnyMessage[] {
  if (!Array.isArray(messages)) {
    throw unread("messages", `expected a list of messages, got ${describe(messages)}`, "Pass a list of messages.");
  }
  const hole = firstHole(messages);
  if (hole >= 0) {
    throw unread(`messages[${hole}]`, "there is no message", "Remove empty elements from the list.");
  }
  return messages;
}

function unread(path: string, problem: string, nextAction: string): ContextError {
  return new ContextError({ kind: KIND, code: "INVALID_TRANSCRIPT", message: `${path}: ${problem}`, path, nextAction });
}

/** Makes a body. An error names the place in the messages of content that the provider has no place for. */
function inPlace<T>(title: string, make: () => T): T {
  try {
    return make();
  } catch (failure) {
    if (!(failure instanceof MalformedMessage)) {
      throw failure;
    }
    const { place, message, nextAction } = failure;
    throw new ContextError({
      kind: KIND,
      code: "NOT_SENDABLE",
      message: `${place}: for ${title}: ${message}`,
      path: place,
      nextAction,
    });
  }
}

/** Returns the error for a body that breaks a rule. */
function refusal(title: string, rules: readonly RequestRule[], { rule, place, message }: Problem): ContextError {
  const { demands = "", models } = rules.find(({ id }) => id === rule) ?? {};
  const scope = models === undefined ? "" : ` It applies to ${models.words}.`;
  return new ContextError({
    kind: KIND,
    code: "NOT_SENDABLE",
    message: `${place}: ${title} would reject the request: ${message} (rule ${rule}: ${demands}${scope})`,
    path: place,
    rule,
    nextAction: NEXT_ACTIONS[rule] ?? "Change the messages so that they keep the rule.",
  });
}

/** Next steps for messages that break a rule which writing a body can't fix. */
const NEXT_ACTIONS: Readonly<Record<string, string>> = {
  "has-messages": "Pass the request, or a user message.",
  "ends-with-user":
    "Pass the request, or end the messages with a user message. If the model continues assistant messages, name the model.",
  "calls-have-results": "Add the result of every call, or leave the call out.",
  "results-follow-calls": "Put every result after the call that it answers, with the call's id.",
  "hosted-calls-have-results": "Add the hosted tool's result as the provider sent it, or leave the call out.",
  "hosted-results-follow-calls": "Put the hosted tool's result after its call, or leave the result out.",
  "file-ids-fit": "Pass the id as the provider returned it, or the file itself.",
  "documents-have-text": "Add a text to the message, next to its documents.",
  "starts-with-user": "Begin the messages with a user message.",
};
