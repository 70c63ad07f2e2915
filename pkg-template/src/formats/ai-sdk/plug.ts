// The AI SDK of Vercel, 5 to 7: a context for each step of `generateText`, `streamText` and agents, or for each call of a model.

import type { AnyMessage } from "windrow";
import { hook } from "../plug/door.js";
import { type FrameworkCall, fit, type HookConfig, modelName } from "../plug/fit.js";
import { asPromptMessage, promptMarker } from "../plug/prompt.js";

export type { HookConfig } from "../plug/fit.js";

/** What `prepareStep` is given, as far as it is used. */
export interface StepOptions<M> {
  readonly messages: readonly M[];
  readonly model?: unknown;
  /** The instructions of the step: AI SDK 7 says them, 5 and 6 do not. */
  readonly instructions?: unknown;
}

/**
 * A `prepareStep` that sends the context of the messages: pass it to `generateText`, `streamText` or an agent. What it returns is
 * carried on to later steps, and building on it changes nothing that fits. Before AI SDK 7 it does not see the instructions: give
 * them as `instructions` too. Tools it never sees: give their definitions as `budget.tools`, or use `contextMiddleware`. Fails as
 * `buildContext` does.
 */
export function prepareStep(
  config: HookConfig = {},
): <M extends object>(options: StepOptions<M>) => Promise<{ messages: M[] }> {
  return hook("prepareStep", async <M extends object>({ messages, model, instructions }: StepOptions<M>) => {
    const call = { model: modelName(model, "modelId"), instructions: textOf(instructions) };
    const sent = await fit(
      messages as readonly AnyMessage[],
      forAiSdk(config),
      call,
      (message) => message as AnyMessage,
      promptMarker,
    );
    return { messages: sent as M[] };
  });
}

/** What a call of a model has, as far as it is used. */
export interface CallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A middleware for `wrapLanguageModel`. */
export interface AiSdkMiddleware<Version extends string> {
  readonly specificationVersion: Version;
  transformParams<P>(options: { readonly params: P; readonly model?: unknown; readonly type?: unknown }): Promise<P>;
}

/**
 * A middleware for `wrapLanguageModel` that sends the context of the prompt. It sees all that is sent, instructions and tools
 * included. `version` is the specification that the AI SDK has: `v4` in 7, `v3` in 6, `v2` in 5. Fails as `buildContext` does.
 */
export function contextMiddleware<Version extends "v2" | "v3" | "v4" = "v4">(
  config: HookConfig = {},
  version: Version = "v4" as Version,
): AiSdkMiddleware<Version> {
  return {
    specificationVersion: version,
    transformParams: hook("transformParams", async <P>({ params, model }: { params: P; model?: unknown }) => {
      const { prompt, tools, abortSignal } = params as CallOptions;
      const call: FrameworkCall = { model: modelName(model, "modelId"), tools, signal: abortSignal };
      const messages = prompt as readonly AnyMessage[];
      return { ...params, prompt: await fit(messages, forAiSdk(config), call, asPromptMessage, promptMarker) };
    }),
  };
}

/** The user speaks first: some of the providers behind the SDK want that. */
function forAiSdk(config: HookConfig): HookConfig {
  return { ...config, render: { provider: "ai-sdk", ...config.render } };
}

/** Instructions as one text: the SDK takes a text, a system message, or several. */
function textOf(instructions: unknown): string | undefined {
  if (instructions === undefined || typeof instructions === "string") {
    return instructions;
  }
  const messages = Array.isArray(instructions) ? instructions : [instructions];
  return messages.map(({ content }: { readonly content?: unknown }) => String(content ?? "")).join("\n\n");
}
