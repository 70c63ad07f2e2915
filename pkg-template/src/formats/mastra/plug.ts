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
  /** The names of the tools that the model may call. */
  readonly activeTools?: readonly string[] | undefined;
  readonly state: object;
}

/** A processor for `inputProcessors` of an agent. */
export interface ContextProcessor {
  readonly id: "windrow-context";
  readonly name: string;
  processLLMRequest<P extends readonly object[]>(options: RequestOptions<P>): Promise<{ prompt: P }>;
  /** Records the tools of a step, which count. Adds the tool of `retrieval` to them if the config asks for it. */
  readonly processInputStep: (options: InputStepOptions) => Promise<{ tools: Record<string, unknown> } | undefined>;
}

/**
 * Returns a processor for `inputProcessors` that sends the model the context of the prompt at each step. It works only
 * on the prompt, because messages left out by `processInputStep` would disappear from the message list too. System
 * messages and tools count, except tools that a later processor adds. With `retrieval`, it adds a tool that returns
 * omitted results to the model. Fails as `buildContext` does.
 */
export function contextProcessor(given: RetrievalHookConfig = {}): ContextProcessor {
  const { config, retrieval } = publicCall("context_build_error", "contextProcessor", () => withNames(given));
  /** The newest context of each run, by the run's state. */
  const contexts = new WeakMap<object, BuiltContext<AnyMessage>>();
  /** The definitions of the tools of each run's step, by the run's state. */
  const definitions = new WeakMap<object, readonly object[]>();
  const processRequest = async <P>({ prompt, model, abortSignal, state }: RequestOptions<P>) => {
    const render = { provider: "ai-sdk", ...config.render } as const;
    const tools = state === undefined ? undefined : definitions.get(state);
    const call = { model: modelName(model, "modelId"), signal: abortSignal, tools };
    const messages = prompt as unknown as readonly AnyMessage[];
    const made = await fitted(messages, { ...config, render }, call, asPromptMessage, promptMarker);
    if (state !== undefined) {
      contexts.set(state, made.context);
    }
    return { prompt: made.messages as unknown as typeof prompt };
  };
  const noteTools = ({ tools, activeTools, state }: InputStepOptions) => {
    const tool = aiSdkTool(hook("execute", (input: unknown) => retrieve(input, contexts.get(state))));
    const all = { ...fieldsOf(tools), ...(retrieval ? { [retrievalTool.name]: tool } : {}) };
    const active = Object.entries(all).filter(([name]) => activeTools?.includes(name) ?? true);
    definitions.set(
      state,
      active.map(([name, it]) => definitionOf(name, it)),
    );
    return retrieval ? { tools: all } : undefined;
  };
  return {
    id: "windrow-context",
    name: "windrow",
    processLLMRequest: hook("processLLMRequest", processRequest),
    processInputStep: hook("processInputStep", noteTools),
  };
}

/** Returns a tool's definition as a model receives it. */
function definitionOf(name: string, tool: unknown): object {
  const { description, parameters, inputSchema } = fieldsOf(tool);
  const { jsonSchema } = fieldsOf(parameters ?? inputSchema);
  return { type: "function", name, description, inputSchema: jsonSchema };
}
