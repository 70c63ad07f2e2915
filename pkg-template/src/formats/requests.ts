// Makes the request of a context. The providers are a separate part of the package (`providers.ts`). A page that makes
// no request, or makes it another way, never loads them.

import type { Provider as ProviderName } from "../base/generated.js";
import { Part } from "../base/parts.js";
import type { ParsedMessage } from "../message/read.js";
import type { AiSdkBody } from "./ai-sdk/write.js";
import type { AnthropicBody } from "./anthropic/write.js";
import type { BedrockBody } from "./bedrock/write.js";
import type { ChromeBody } from "./chrome/write.js";
import type { GeminiBody } from "./gemini/write.js";
import type { OpenAiBody } from "./openai-chat/write.js";
import type { ResponsesBody } from "./openai-responses/write.js";
import type { comparedText, digestOf, thoughtsIn } from "./request/bound.js";
import type { clearedWords, hiddenWords } from "./request/context-management.js";
import type { RequestTarget } from "./request/provider.js";
import type { WebLlmBody } from "./web-llm/write.js";

/** The prompt's fields in each provider's request. */
export interface RequestBodies {
  /** OpenAI's chat completions, and the many servers with the same API. */
  readonly openai: OpenAiBody;
  /** OpenAI's Responses. */
  readonly "openai-responses": ResponsesBody;
  /** Anthropic's Messages API. */
  readonly anthropic: AnthropicBody;
  /** Gemini's generateContent. */
  readonly gemini: GeminiBody;
  /** Amazon Bedrock's Converse. */
  readonly bedrock: BedrockBody;
  /** `generateText` and `streamText` of the AI SDK. */
  readonly "ai-sdk": AiSdkBody;
  /** Chrome's Prompt API: the `initialPrompts` of a new session, and its `prompt`. */
  readonly chrome: ChromeBody;
  /** WebLLM's chat completions. */
  readonly "web-llm": WebLlmBody;
}

/** The name of a provider. `render.provider` takes the same names. */
export type { ProviderName };

/** Options for writing a request. */
export interface RequestWriting {
  /** The indexes of messages after which the provider's cache may end. */
  readonly cacheEnds?: readonly number[];
  /**
   * How users are named in the source of the messages: one of `USER_NAMES`. Default: derived from the messages.
   */
  readonly userNames?: number;
  /** The model and the server that the request goes to. */
  readonly target?: RequestTarget;
}

/** Makes requests. */
export interface RequestMaker {
  /**
   * Returns the parts of a provider's request that hold messages.
   */
  requestOfParsed<Name extends ProviderName>(
    provider: Name,
    messages: readonly ParsedMessage[],
    options: RequestWriting,
  ): RequestBodies[Name];
  /** True if a model's provider accepts cache marks. */
  takesCacheMarks(provider: ProviderName, model: string | null | undefined): boolean;
  readonly clearedWords: typeof clearedWords;
  readonly hiddenWords: typeof hiddenWords;
  readonly thoughtsIn: typeof thoughtsIn;
  readonly digestOf: typeof digestOf;
  readonly comparedText: typeof comparedText;
}

/** The part of the package that makes requests. */
export const requests: Part<RequestMaker> = new Part("windrow/providers", "context.request");
