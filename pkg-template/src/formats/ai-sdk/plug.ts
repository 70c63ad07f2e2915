// Hooks for Vercel's AI SDK, 5 to 7: a context for each step of `generateText`, `streamText` and agents, or for each
// call of a model.

import { type AnyMessage, type BuiltContext, retrievalTool } from "windrow";
import { publicCall } from "../../base/public-call.js";
import { hook } from "../plug/door.js";
import { fieldsOf } from "../plug/fields.js";
import { contextOf, type FrameworkCall, fit, fitted, type HookConfig, modelName, PromptLimits } from "../plug/fit.js";
import { asPromptMessage, promptMarker } from "../plug/prompt.js";
import {
  type AiSdkTool,
  type AiSdkToolOptions,
  aiSdkTool,
  type RetrievalHookConfig,
  retrieve,
  withNames,
} from "../plug/tool.js";

export type { HookConfig } from "../plug/fit.js";
export type { AiSdkSchema, AiSdkTool, AiSdkToolOptions, RetrievalHookConfig } from "../plug/tool.js";

/** The options of `prepareStep` that windrow uses. */
export interface StepOptions<M> {
  readonly messages: readonly M[];
  readonly model?: unknown;
  /** The instructions of the step. AI SDK 7 passes them; 5 and 6 don't. */
  readonly instructions?: unknown;
}

/** A `prepareStep` of the AI SDK. */
export interface PrepareStep {
  <M extends object>(options: StepOptions<M>): Promise<{ messages: M[] }>;
  /** The tool that `retrieval` adds. Include it in the call's tools. Empty without `retrieval`. */
  readonly tools: Readonly<Record<string, AiSdkTool>>;
}

/**
 * Returns a `prepareStep` that sends the context of the messages: pass it to `generateText`, `streamText` or an agent.
 * AI SDK 7 passes the shortened list on to the next step, but that step still sees all messages of the run. Before AI
 * SDK 7, the hook doesn't see the instructions, so pass them as `instructions` too. It never sees tools: pass their
 * definitions as `budget.tools`, or use `contextMiddleware`. With `retrieval` it has `tools`, including one that
 * returns omitted results to the model. Fails as `buildContext` does.
 */
export function prepareStep(given: RetrievalHookConfig = {}): PrepareStep {
  const { config, retrieval } = publicCall("context_build_error", "prepareStep", () => withNames(given));
  const prepare = hook("prepareStep", async <M extends object>({ messages, model, instructions }: StepOptions<M>) => {
    const call = { model: modelName(model, "modelId"), instructions: textOf(instructions) };
    const sent = await fit(
      messages as readonly AnyMessage[],
      forAiSdk(config),
      call,
      (message) => message as AnyMessage,
      promptMarker,
    );
    return { messages: sent as M[] };
  }) as <M extends object>(options: StepOptions<M>) => Promise<{ messages: M[] }>;
  const execute = (input: unknown, { messages }: AiSdkToolOptions) => retrieve(input, contextOf(messages));
  const tool = aiSdkTool(hook("execute", execute));
  return Object.assign(prepare, { tools: retrieval ? { [retrievalTool.name]: tool } : {} });
}

/** The options of a model call that windrow uses. */
export interface CallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A middleware for `wrapLanguageModel`. */
export interface AiSdkMiddleware<Version extends string> {
  readonly specificationVersion: Version;
  transformParams<P>(options: { readonly params: P; readonly model?: unknown; readonly type?: unknown }): Promise<P>;
  wrapGenerate<P, R>(options: {
    readonly doGenerate: () => PromiseLike<R>;
    readonly params: P;
    readonly model: { doGenerate(params: P): PromiseLike<R> };
  }): Promise<R>;
  wrapStream<P, R>(options: {
    readonly doStream: () => PromiseLike<R>;
    readonly params: P;
    readonly model: { doStream(params: P): PromiseLike<R> };
  }): Promise<R>;
}

/**
 * Returns a middleware for `wrapLanguageModel` that sends the context of the prompt. It sees everything that is sent,
 * including instructions and tools. If the provider says that the prompt is too long, even at the start of a stream, it
 * reads the figures in the error, builds a shorter prompt and calls the model once more. `version` is the AI SDK's
 * specification: `v4` in 7, `v3` in 6, `v2` in 5. Fails as `buildContext` does.
 */
export function contextMiddleware<Version extends "v2" | "v3" | "v4" = "v4">(
  config: HookConfig = {},
  version: Version = "v4" as Version,
): AiSdkMiddleware<Version> {
  const limits = new PromptLimits();
  /** The caller's parameters and the context, by the parameters passed to the model. */
  const calls = new WeakMap<object, { readonly params: unknown; readonly context: BuiltContext<AnyMessage> }>();
  const transformed = async <P>({ params, model }: { params: P; model?: unknown }): Promise<P> => {
    const { prompt, tools, abortSignal } = params as CallOptions;
    const call: FrameworkCall = { model: modelName(model, "modelId"), tools, signal: abortSignal };
    const own = limits.within(forAiSdk(config), call.model);
    const made = await fitted(prompt as readonly AnyMessage[], own, call, asPromptMessage, promptMarker);
    const sent = { ...params, prompt: made.messages };
    calls.set(sent, { params, context: made.context });
    return sent;
  };
  const transformParams = hook("transformParams", transformed) as typeof transformed;
  /** Calls a model, and calls it again with a shorter prompt if the provider says that the prompt is too long. */
  const called = async <P, R>(
    params: P,
    model: object,
    first: () => PromiseLike<R>,
    again: (params: P) => PromiseLike<R>,
  ): Promise<R> => {
    try {
      return await beginning(first());
    } catch (thrown) {
      const failure = thrown instanceof RefusedStream ? thrown.cause : thrown;
      const result = thrown instanceof RefusedStream ? (thrown.result as R) : undefined;
      const call = calls.get(params as object);
      const name = modelName(model, "modelId");
      const build = (): Promise<P> => transformed({ params: call?.params as P, model });
      try {
        if (call === undefined) {
          throw failure;
        }
        return await again(await limits.shorter(failure, call.context, config, name, build));
      } catch (last) {
        if (result === undefined || last !== failure) {
          throw last;
        }
        return result;
      }
    }
  };
  return {
    specificationVersion: version,
    transformParams,
    wrapGenerate: async (options) => {
      const { doGenerate, params, model } = await read("wrapGenerate", options, "doGenerate");
      return await called(params, model, doGenerate, (next) => model.doGenerate(next));
    },
    wrapStream: async (options) => {
      const { doStream, params, model } = await read("wrapStream", options, "doStream");
      return await called(params, model, doStream, (next) => model.doStream(next));
    },
  };
}

/** A stream that begins with an error. */
class RefusedStream extends Error {
  /** The result, including the whole stream. */
  readonly result: object;
  constructor(cause: unknown, result: object) {
    super("the stream begins with an error", { cause });
    this.result = result;
  }
}

/** Parts of a stream that come before any output of the model. */
const PARTS_BEFORE = ["stream-start", "response-metadata", "raw"];

/** Returns the result of a call. Throws a `RefusedStream` if its stream begins with an error. */
async function beginning<R>(called: PromiseLike<R>): Promise<R> {
  const result = await called;
  const { stream } = fieldsOf(result);
  if (!(stream instanceof ReadableStream) || stream.locked) {
    return result;
  }
  const reader = stream.getReader();
  const parts: unknown[] = [];
  for (;;) {
    const next = await reader.read();
    if (next.done) {
      break;
    }
    parts.push(next.value);
    if (!PARTS_BEFORE.includes(String(fieldsOf(next.value).type))) {
      break;
    }
  }
  const rest = new ReadableStream<unknown>({
    async pull(controller) {
      const next = parts.length > 0 ? { done: false, value: parts.shift() } : await reader.read();
      if (next.done) {
        controller.close();
      } else {
        controller.enqueue(next.value);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const whole = { ...result, stream: rest };
  const { type, error } = fieldsOf(parts.at(-1));
  if (type === "error") {
    throw new RefusedStream(error, whole);
  }
  return whole;
}

/** Reads the options of a model call. `name` is the field with the function that makes the call. */
async function read<O extends object>(hookName: string, options: O, name: keyof O): Promise<O> {
  const readNow = hook(hookName, () => {
    if (typeof options[name] !== "function") {
      throw new TypeError(`${String(name)} is not a function`);
    }
    return { ...options };
  });
  return await readNow();
}

/** The user speaks first, because some of the SDK's providers require it. */
function forAiSdk(config: HookConfig): HookConfig {
  return { ...config, render: { provider: "ai-sdk", ...config.render } };
}

/** Returns instructions as one text. The SDK takes a text, a system message, or several. */
function textOf(instructions: unknown): string | undefined {
  if (instructions === undefined || typeof instructions === "string") {
    return instructions;
  }
  const messages = Array.isArray(instructions) ? instructions : [instructions];
  return messages.map(({ content }: { readonly content?: unknown }) => String(content ?? "")).join("\n\n");
}
