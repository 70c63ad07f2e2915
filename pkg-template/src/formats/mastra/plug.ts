// Mastra: an input processor that sends each call of the model the context of its prompt. Memory keeps all messages.

import type { AnyMessage } from "windrow";
import { hook } from "../plug/door.js";
import { fit, type HookConfig, modelName } from "../plug/fit.js";
import { asPromptMessage, promptMarker } from "../plug/prompt.js";

export type { HookConfig } from "../plug/fit.js";

/** What a processor is given of a request, as far as it is used. */
export interface RequestOptions<P> {
  readonly prompt: P;
  readonly model?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A processor for `inputProcessors` of an agent. */
export interface ContextProcessor {
  readonly id: "windrow-context";
  readonly name: string;
  processLLMRequest<P extends readonly object[]>(options: RequestOptions<P>): Promise<{ prompt: P }>;
}

/**
 * A processor for `inputProcessors` that sends the model the context of the prompt, at each step. It works on the prompt alone: what
 * `processInputStep` returns would be gone from the message list too. System messages count; tools it does not see, so give their
 * definitions as `budget.tools`. Fails as `buildContext` does.
 */
export function contextProcessor(config: HookConfig = {}): ContextProcessor {
  return {
    id: "windrow-context",
    name: "windrow",
    processLLMRequest: hook("processLLMRequest", async <P>({ prompt, model, abortSignal }: RequestOptions<P>) => {
      const render = { provider: "ai-sdk", ...config.render } as const;
      const call = { model: modelName(model, "modelId"), signal: abortSignal };
      const messages = prompt as unknown as readonly AnyMessage[];
      const sent = await fit(messages, { ...config, render }, call, asPromptMessage, promptMarker);
      return { prompt: sent as unknown as typeof prompt };
    }),
  };
}
