// Wraps the tool of `context.retrieval` as a framework's tool.

import { type AnyMessage, type BuiltContext, type RetrievalArguments, retrievalTool } from "windrow";
import type { HookConfig } from "./fit.js";

/** Options of a hook that may add the tool. */
export type RetrievalHookConfig = HookConfig & {
  /** True to add a tool that returns omitted results to the model. Marks then name the results. Default: false. */
  readonly retrieval?: boolean | undefined;
};

/** Returns the config of a hook. With `retrieval`, the mark of an omitted result has the name to ask for. */
export function withNames({ retrieval = false, ...config }: RetrievalHookConfig): {
  readonly config: HookConfig;
  readonly retrieval: boolean;
} {
  const { budget } = config;
  const named = { ...budget, toolResults: { ...budget?.toolResults, retrieval: true } };
  return { config: retrieval ? { ...config, budget: named } : config, retrieval };
}

/** Answers a call to the tool. `context` is the newest one of the run that made the call. */
export async function retrieve(asked: unknown, context: BuiltContext<AnyMessage> | undefined): Promise<string> {
  return context === undefined
    ? "Nothing was left out of this conversation."
    : await context.retrieval.execute(asked as RetrievalArguments);
}

/** A tool in the AI SDK's form, which Mastra accepts too. */
export interface AiSdkTool {
  readonly description: string;
  /** The schema of its arguments, in the form that the SDK's `jsonSchema` returns. */
  readonly inputSchema: AiSdkSchema;
  execute(input: unknown, options: AiSdkToolOptions): Promise<string>;
}

/** The options of a tool call. */
export interface AiSdkToolOptions {
  readonly messages: readonly object[];
}

/** A schema in the form that the AI SDK's `jsonSchema` returns. */
export interface AiSdkSchema {
  readonly jsonSchema: object;
  validate(value: unknown): { success: true; value: unknown };
}

/** Returns the tool in the AI SDK's form. */
export function aiSdkTool(execute: AiSdkTool["execute"]): AiSdkTool {
  const schema = { jsonSchema: retrievalTool.parameters, validate: (value: unknown) => ({ success: true, value }) };
  // The SDK recognizes its schemas, and in version 5 its validators, by these symbols.
  const marks = { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true };
  return {
    description: retrievalTool.description,
    inputSchema: Object.assign(schema, marks) as AiSdkSchema,
    execute,
  };
}
