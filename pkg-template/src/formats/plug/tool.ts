// The tool of `context.retrieval` as a tool of a framework.

import type { RetrievalArguments } from "windrow";
import { contextOf, type HookConfig } from "./fit.js";

/** A config of a hook that may add the tool. */
export type RetrievalHookConfig = HookConfig & {
  /**
   * True if the hook has a tool that returns omitted results to the model. Marks name the results. Default: false.
   */
  readonly retrieval?: boolean | undefined;
};

/** Returns the config of a hook. With `retrieval`, marks have names. */
export function withNames({ retrieval = false, ...config }: RetrievalHookConfig): {
  readonly config: HookConfig;
  readonly retrieval: boolean;
} {
  const { budget } = config;
  const named = { ...budget, toolResults: { ...budget?.toolResults, retrieval: true } };
  return { config: retrieval ? { ...config, budget: named } : config, retrieval };
}

/** Returns the answer to a call of the tool. `messages` are those of the run that made it. */
export async function retrieve(asked: unknown, messages: readonly object[]): Promise<string> {
  const context = contextOf(messages);
  return context === undefined
    ? "Nothing was left out of this conversation."
    : await context.retrieval.execute(asked as RetrievalArguments);
}
