// Request bodies of providers, and the validator for any body.

import {
  type AiSdkBody,
  type AnthropicBody,
  type BuiltContext,
  buildContextSync,
  type GeminiBody,
  type OpenAiBody,
  type Problem,
  type ProviderName,
  problemsOf,
  providers,
  type ResponsesBody,
  requestOf,
} from "windrow";
import { type Equal, isTrue } from "./equal.js";

declare const context: BuiltContext;
declare const name: ProviderName;

// The provider's name determines the body's type.
const openai = context.request("openai");
isTrue<Equal<typeof openai, OpenAiBody>>();
const responses = context.request("openai-responses");
isTrue<Equal<typeof responses, ResponsesBody>>();
const anthropic = context.request("anthropic");
isTrue<Equal<typeof anthropic, AnthropicBody>>();
const gemini = context.request("gemini");
isTrue<Equal<typeof gemini, GeminiBody>>();
const sdk = context.request("ai-sdk");
isTrue<Equal<typeof sdk, AiSdkBody>>();

// Any messages that are read can be sent, from a build or not.
requestOf("openai", [{ role: "user", content: "hi" }]).messages[0]?.role;
requestOf("anthropic", buildContextSync([{ role: "user", content: "hi" }]).messages);
// @ts-expect-error: an unknown provider
context.request("opanai");
// @ts-expect-error: a message has a role
requestOf("openai", [{ content: "hi" }]);

// A validator for bodies from anywhere.
const problems = problemsOf(name, { messages: [] });
isTrue<Equal<typeof problems, readonly Problem[]>>();
problems[0]?.rule satisfies string | undefined;
providers[0]?.rules[0]?.sources satisfies readonly string[] | undefined;
