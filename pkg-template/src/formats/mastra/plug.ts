// An input processor for Mastra. Each call of the model receives the context of its prompt; memory keeps all messages.

import { type AnyMessage, type BuiltContext, retrievalTool } from "windrow";
import { publicCall } from "../../base/public-call.js";
import { hook } from "../plug/door.js";
import { fieldsOf } from "../plug/fields.js";
import { fitted, modelName } from "../plug/fit.js";
import { asPromptMessage, promptMarker } from "../plug/prompt.js";
import { aiSdkTool, type RetrievalHookConfig, retrieve, withNames } from "../plug/tool.js";

export type { HookConfig } from "../plug/fit.js";
export type { RetrievalHookConfig } from "../plug/tool.js";

/** The options of a request. */
export interface RequestOptions<P> {
  readonly prompt: P;
  readonly model?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
  /** The state of the processor in one run. */
  readonly state?: object | undefined;
}

/** The options of a step. */
export interface InputStepOptions {
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  readonly state: object;
}

/** A processor for `inputProcessors` of an agent. */
export interface ContextProcessor {
  readonly id: "windrow-context";
  readonly name: string;
  processLLMRequest<P extends readonly object[]>(options: RequestOptions<P>): Promise<{ prompt: P }>;
  /** Adds the tool of `retrieval` to those of a step. Undefined without `retrieval`. */
  readonly processInputStep?: (options: InputStepOptions) => Promise<{ tools: Record<string, unknown> }>;
}

/**
 * Returns a processor for `inputProcessors` that sends the model the context of the prompt at each step. It works only
 * on the prompt, because messages left out by `processInputStep` would disappear from the message list too. System
 * messages count. It doesn't see tools, so pass their definitions as `budget.tools`. With `retrieval`, it adds a tool
 * that returns omitted results to the model. Fails as `buildContext` does.
 */
export function contextProcessor(given: RetrievalHookConfig = {}): ContextProcessor {
  const { config, retrieval } = publicCall("context_build_error", "contextProcessor", () => withNames(given));
  /** The newest context of each run, by the run's state. */
  const contexts = new WeakMap<object, BuiltContext<AnyMessage>>();
  const processRequest = async <P>({ prompt, model, abortSignal, state }: RequestOptions<P>) => {
    const render = { provider: "ai-sdk", ...config.render } as const;
    const call = { model: modelName(model, "modelId"), signal: abortSignal };
    const messages = prompt as unknown as readonly AnyMessage[];
    const made = await fitted(messages, { ...config, render }, call, asPromptMessage, promptMarker);
    if (state !== undefined) {
      contexts.set(state, made.context);
    }
    return { prompt: made.messages as unknown as typeof prompt };
  };
  const addTool = ({ tools, state }: InputStepOptions) => {
    const tool = aiSdkTool(hook("execute", (input: unknown) => retrieve(input, contexts.get(state))));
    return { tools: { ...fieldsOf(tools), [retrievalTool.name]: tool } };
  };
  return {
    id: "windrow-context",
    name: "windrow",
    processLLMRequest: hook("processLLMRequest", processRequest),
    ...(retrieval ? { processInputStep: hook("processInputStep", addTool) } : {}),
  };
}
