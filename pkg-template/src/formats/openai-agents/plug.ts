// Hooks for OpenAI's Agents SDK: for the input that a run sends its model, and for the history that a session passes to
// a run.

import { type AnyMessage, type BuiltContext, retrievalTool } from "windrow";
import { publicCall } from "../../base/public-call.js";
import { hook, listed } from "../plug/door.js";
import { fieldsOf, type PlainFields } from "../plug/fields.js";
import { type Fitted, type FrameworkCall, fitted, type HookConfig, modelName } from "../plug/fit.js";
import { type RetrievalHookConfig, retrieve, withNames } from "../plug/tool.js";

export type { HookConfig } from "../plug/fit.js";
export type { RetrievalHookConfig } from "../plug/tool.js";

/** The options of a `callModelInputFilter` that are used. */
export interface FilterOptions<I> {
  readonly modelData: { readonly input: I[]; readonly instructions?: string };
  readonly agent?: unknown;
  /** The caller's own value for the run. */
  readonly context?: unknown;
}

/** A tool of OpenAI's Agents SDK. */
export interface AgentsTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: "object";
    readonly properties: object;
    readonly required: string[];
    readonly additionalProperties: true;
  };
  readonly strict: false;
  invoke(run: object, input: string, details?: object): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(run: object): Promise<boolean>;
}

/** A `callModelInputFilter` of OpenAI's Agents SDK. */
export interface ModelInputFilter {
  <I extends object>(options: FilterOptions<I>): Promise<{ input: I[]; instructions?: string }>;
  /** The tool that `retrieval` adds. Include it in the agent's tools. Empty without `retrieval`. */
  readonly tools: readonly AgentsTool[];
}

/**
 * Returns a `callModelInputFilter` that sends the context of the input, for the options of `run` or of a `Runner`.
 * Instructions count. The filter doesn't see tools, so pass their definitions as `budget.tools`. With `retrieval`, it
 * has `tools`, including one that returns omitted results to the model. Fails as `buildContext` does.
 */
export function callModelInputFilter(given: RetrievalHookConfig = {}): ModelInputFilter {
  const { config, retrieval } = publicCall("context_build_error", "callModelInputFilter", () => withNames(given));
  const runs = new Runs();
  const filter = async <I extends object>({ modelData, agent, context }: FilterOptions<I>) => {
    const { model } = fieldsOf(agent);
    const call = { model: modelName(model, "model", "modelId"), instructions: modelData.instructions };
    const made = await fitItems(modelData.input, config, call);
    runs.built(made.context, context, modelData.input);
    return { ...modelData, input: made.messages as unknown as I[] };
  };
  const tools = retrieval ? [agentsTool(runs)] : [];
  return Object.assign(hook("callModelInputFilter", filter) as typeof filter, { tools });
}

/**
 * The contexts of runs. The SDK passes a tool its run, but passes a filter only the caller's value, which several runs
 * may share. A run is then identified by its calls to the tool, which the filter sees in the next step. So no run
 * receives messages that another left out.
 */
class Runs {
  /** The newest context for each of the caller's values. */
  readonly #byValue = new WeakMap<object, BuiltContext<AnyMessage>>();
  /** The only run with a caller's value, or undefined if there are several. */
  readonly #onlyRun = new WeakMap<object, WeakRef<object> | undefined>();
  /** The newest context of each run. */
  readonly #byRun = new WeakMap<object, BuiltContext<AnyMessage>>();
  /** The run for each id of a call to the tool. */
  readonly #callers = new Map<string, WeakRef<object>>();

  /** Registers a run before its step. */
  began(run: object): void {
    const value = callersValue(run);
    if (value !== undefined) {
      const known = this.#onlyRun.get(value);
      const isOnly = known === undefined ? !this.#onlyRun.has(value) : (known.deref() ?? run) === run;
      this.#onlyRun.set(value, isOnly ? new WeakRef(run) : undefined);
    }
  }

  /** Registers the context of a step. */
  built(context: BuiltContext<AnyMessage>, value: unknown, items: readonly object[]): void {
    if (typeof value === "object" && value !== null) {
      this.#byValue.set(value, context);
    }
    for (const item of items as readonly PlainFields[]) {
      const isCall = item.type === "function_call" && item.name === retrievalTool.name;
      const run = isCall ? this.#callers.get(String(item.callId))?.deref() : undefined;
      if (run !== undefined) {
        this.#byRun.set(run, context);
      }
    }
  }

  /** Answers a call to the tool. */
  async answer(run: object, input: string, callId: unknown): Promise<string> {
    const value = callersValue(run);
    const isOnly = value !== undefined && this.#onlyRun.get(value)?.deref() === run;
    const context = this.#byRun.get(run) ?? (isOnly ? this.#byValue.get(value) : undefined);
    if (typeof callId === "string") {
      this.#callers.set(callId, new WeakRef(run));
      if (this.#callers.size > MOST_CALLERS) {
        this.#callers.delete(this.#callers.keys().next().value as string);
      }
    }
    return context === undefined && !isOnly ? retrievalTool.again : await retrieve(input, context);
  }
}

/** Maximum number of calls to the tool that are remembered, over all runs. */
const MOST_CALLERS = 1000;

/** Returns the caller's value for a run, if it is an object. */
function callersValue(run: object): object | undefined {
  const { context } = fieldsOf(run);
  return typeof context === "object" && context !== null ? context : undefined;
}

function agentsTool(runs: Runs): AgentsTool {
  return {
    type: "function",
    name: retrievalTool.name,
    description: retrievalTool.description,
    parameters: { ...retrievalTool.parameters, required: [], additionalProperties: true },
    strict: false,
    invoke: hook("invoke", (run: object, input: string, details?: object) =>
      runs.answer(run, input, fieldsOf(fieldsOf(details).toolCall).callId),
    ),
    needsApproval: () => Promise.resolve(false),
    isEnabled(run) {
      runs.began(run);
      return Promise.resolve(true);
    },
  };
}

/**
 * Returns a `sessionInputCallback` that passes a run the context of the session's history and the new items. The
 * session keeps everything. Fails as `buildContext` does.
 */
export function sessionInputCallback(
  config: HookConfig = {},
): <I extends object>(history: I[], added: I[]) => Promise<I[]> {
  return hook("sessionInputCallback", async <I extends object>(history: I[], added: I[]) => {
    const { messages } = await fitItems([...listed(history), ...listed(added)], config, {});
    return messages as unknown as I[];
  }) as <I extends object>(history: I[], added: I[]) => Promise<I[]>;
}

async function fitItems(
  items: readonly object[],
  config: HookConfig,
  call: FrameworkCall,
): Promise<Fitted<AnyMessage>> {
  const render = { provider: "openai-responses", ...config.render } as const;
  return await fitted(items as readonly AnyMessage[], { ...config, render }, call, (message) => message as AnyMessage);
}
