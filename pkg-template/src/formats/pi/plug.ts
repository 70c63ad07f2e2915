// pi's agent core, and OpenClaw, which has its messages: a `transformContext`, and a context engine.

import type { AnyMessage, ContextMessage } from "windrow";
import { hook, listed } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

const fitted = hook("transformContext", fit);

/** A config with what is told of a failure, as the hook itself may not fail. */
export type PiConfig = HookConfig & {
  /** Is told why a context could not be built. Default: the console. */
  readonly onError?: ((failure: unknown) => void) | undefined;
};

/**
 * A `transformContext` for an agent of pi that sends the context of the messages. The system prompt and tools it does not see: give
 * them as `instructions` and `budget.tools`. The agent demands that it never fails: where no context can be built, it sends the
 * messages as they are, and tells `onError`.
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

/** Tells of a failure. The agent demands that nothing here fails, whatever `onError` does. */
function tell(config: PiConfig, failure: unknown): void {
  try {
    (config.onError ?? console.error)(failure);
  } catch {
    console.error(failure);
  }
}

/** What OpenClaw asks of a context engine, as far as it is used. */
export interface AssembleOptions<M> {
  readonly messages: readonly M[];
  /** The most tokens that the prompt may have. */
  readonly tokenBudget?: number | undefined;
  readonly model?: string | undefined;
  /** The user's input, where it is not among the messages yet. */
  readonly prompt?: string | undefined;
}

/** A context engine of OpenClaw's. It keeps nothing: the host has the transcript. */
export interface ContextEngine {
  readonly info: { readonly id: string; readonly name: string; readonly ownsCompaction: true };
  ingest(options: object): Promise<{ ingested: boolean }>;
  assemble<M extends object>(options: AssembleOptions<M>): Promise<{ messages: M[]; estimatedTokens: number }>;
  compact(options: object): Promise<{ ok: true; compacted: false; reason: string }>;
}

/**
 * A context engine for OpenClaw: `api.registerContextEngine("windrow", () => contextEngine())`. It sends the context of the messages
 * within the host's `tokenBudget`, or `budget.maxTokens` where that is less. Nothing is ever rewritten, so there is nothing to compact.
 * `assemble` fails as `buildContext` does; the host then goes on with its own engine.
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

/** A message that windrow wrote, in the place of time where it stands. pi has no instructions among its messages. */
function asPiMessage({ content }: ContextMessage, beside: AnyMessage | undefined): AnyMessage {
  const { timestamp = 0 } = (beside ?? {}) as { readonly timestamp?: unknown };
  return { role: "user", content, timestamp } as AnyMessage;
}
