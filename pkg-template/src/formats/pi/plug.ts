// Hooks for pi's agent core, and for OpenClaw, which uses its messages: a `transformContext`, and a context engine.

import type { AnyMessage, ContextMessage } from "windrow";
import { hook, listed } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

const fitted = hook("transformContext", fit);

/** Options of a hook, including a handler for failures, because the hook itself must not fail. */
export type PiConfig = HookConfig & {
  /** Receives the failure of a build. Default: logs it to the console. */
  readonly onError?: ((failure: unknown) => void) | undefined;
};

/**
 * Returns a `transformContext` for a pi agent that sends the context of the messages. It doesn't see the system prompt
 * and tools: pass them as `instructions` and `budget.tools`. The agent requires that it never fails. If a context can't
 * be built, it sends the messages unchanged and calls `onError`.
 */
export function transformContext(
  config: PiConfig = {},
): <M extends object>(messages: readonly M[], signal?: AbortSignal) => Promise<M[]> {
  return async <M extends object>(messages: readonly M[], signal?: AbortSignal) => {
    try {
      const { onError: _, ...options } = config;
      return (await fitted(messages as readonly AnyMessage[], options, { signal }, asPiMessage)) as M[];
    } catch (failure) {
      tell(config, failure);
      return asGiven(messages);
    }
  };
}

/** Returns a copy of the list, or an empty one if it can't be read. */
function asGiven<M>(messages: readonly M[]): M[] {
  try {
    return [...listed(messages)];
  } catch {
    return [];
  }
}

/** Reports a failure. The agent requires that nothing here throws, not even `onError`. */
function tell(config: PiConfig, failure: unknown): void {
  try {
    (config.onError ?? console.error)(failure);
  } catch {
    console.error(failure);
  }
}

/** The options of OpenClaw's context engines that are used. */
export interface AssembleOptions<M> {
  readonly messages: readonly M[];
  /** Maximum number of tokens for the prompt. */
  readonly tokenBudget?: number | undefined;
  readonly model?: string | undefined;
  /** The user's input, if it isn't among the messages yet. */
  readonly prompt?: string | undefined;
}

/** A context engine for OpenClaw. It stores nothing, because the host has the transcript. */
export interface ContextEngine {
  readonly info: { readonly id: string; readonly name: string; readonly ownsCompaction: true };
  ingest(options: object): Promise<{ ingested: boolean }>;
  assemble<M extends object>(options: AssembleOptions<M>): Promise<{ messages: M[]; estimatedTokens: number }>;
  compact(options: object): Promise<{ ok: true; compacted: false; reason: string }>;
}

/**
 * Returns a context engine for OpenClaw: `api.registerContextEngine("windrow", () => contextEngine())`. It sends the
 * context of the messages within the host's `tokenBudget`, or within `budget.maxTokens` if that is less. It never
 * rewrites anything, so there is nothing to compact. `assemble` fails as `buildContext` does; the host then continues
 * with its own engine.
 */
export function contextEngine(config: HookConfig = {}): ContextEngine {
  return {
    info: { id: "windrow", name: "windrow", ownsCompaction: true },
    ingest: async () => ({ ingested: false }),
    assemble: hook(
      "assemble",
      async <M extends object>({ messages, tokenBudget, model, prompt }: AssembleOptions<M>) => {
        let estimatedTokens = 0;
        const limits = [tokenBudget, config.budget?.maxTokens].filter((limit) => limit != null);
        const budget = limits.length === 0 ? config.budget : { ...config.budget, maxTokens: Math.min(...limits) };
        const options: HookConfig = {
          ...config,
          budget,
          onContext(context) {
            estimatedTokens = context.tokens.total;
            config.onContext?.(context);
          },
        };
        const sent = await fit(messages as readonly AnyMessage[], options, { model, request: prompt }, asPiMessage);
        return { messages: sent as M[], estimatedTokens };
      },
    ),
    compact: async () => ({
      ok: true,
      compacted: false,
      reason: "each context is built to fit, and nothing is rewritten",
    }),
  };
}

/** Returns a message that windrow wrote, with the time of its neighbor. pi has no instructions among its messages. */
function asPiMessage({ content }: ContextMessage, beside: AnyMessage | undefined): AnyMessage {
  const { timestamp = 0 } = (beside ?? {}) as { readonly timestamp?: unknown };
  return { role: "user", content, timestamp } as AnyMessage;
}
