// The tool of `context.retrieval` as a tool of a framework.

import { type AnyMessage, type BuiltContext, type RetrievalArguments, retrievalTool } from "windrow";
import type { HookConfig } from "./fit.js";

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

/** Returns the answer to a call of the tool. `context` is the newest one of the run that made it. */
export async function retrieve(asked: unknown, context: BuiltContext<AnyMessage> | undefined): Promise<string> {
  return context === undefined
    ? "Nothing was left out of this conversation."
    : await context.retrieval.execute(asked as RetrievalArguments);
}

/** A tool in the form of the AI SDK, which Mastra takes too. */
export interface AiSdkTool {
  readonly description: string;
  /** The schema of its arguments, as `jsonSchema` of the SDK makes it. */
  readonly inputSchema: AiSdkSchema;
  execute(input: unknown, options: AiSdkToolOptions): Promise<string>;
}

/** The options of a call of a tool. */
export interface AiSdkToolOptions {
  readonly messages: readonly object[];
}

/** A schema of the AI SDK, as `jsonSchema` makes it. */
export interface AiSdkSchema {
  readonly jsonSchema: object;
  validate(value: unknown): { success: true; value: unknown };
}

/** Returns the tool in the form of the AI SDK. */
export function aiSdkTool(execute: AiSdkTool["execute"]): AiSdkTool {
  const schema = { jsonSchema: retrievalTool.parameters, validate: (value: unknown) => ({ success: true, value }) };
  // The SDK knows its schemas, and in 5 their validators, by these symbols.
  const marks = { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true };
  return {
    description: retrievalTool.description,
    inputSchema: Object.assign(schema, marks) as AiSdkSchema,
    execute,
  };
}
