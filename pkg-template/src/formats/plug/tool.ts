// The tool of `context.retrieval` as a tool of a framework.

import type { RetrievalArguments } from "windrow";
import { contextOf, type HookConfig } from "./fit.js";

/** A config of a hook that may add the tool. */
export type RetrievalHookConfig = HookConfig & {
  /**
   * True if the model may ask for what is left out: the hook has a tool for it, and marks name what can be asked for. Default: false.
   */
  readonly retrieval?: boolean | undefined;
};

/** Returns the config of a hook with names in the marks if the model may ask for what is left out. */
export function withNames({ retrieval, ...config }: RetrievalHookConfig): HookConfig {
  if (retrieval !== true) {
    return config;
  }
  const toolResults = { ...config.budget?.toolResults, retrieval: true };
  return { ...config, budget: { ...config.budget, toolResults } };
}

/** Returns the answer to a call of the tool. `messages` are those of the run that made it. */
export async function retrieve(asked: unknown, messages: readonly object[]): Promise<string> {
  const context = contextOf(messages);
  return context === undefined
    ? "Nothing was left out of this conversation."
    : await context.retrieval.execute(asked as RetrievalArguments);
}
