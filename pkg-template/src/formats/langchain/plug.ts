// LangChain's `createAgent`: a middleware that sends each call of the model the context of the messages. The state keeps them all.

import { type AnyMessage, retrievalTool } from "windrow";
import { listFrom } from "../../base/lists.js";
import { publicCall } from "../../base/public-call.js";
import { type CacheMarker, EPHEMERAL } from "../plug/cache-marks.js";
import { hook } from "../plug/door.js";
import { fieldsOf } from "../plug/fields.js";
import { contextOf, fitted, modelName, PromptLimits } from "../plug/fit.js";
import { type RetrievalHookConfig, retrieve, withNames } from "../plug/tool.js";

export type { HookConfig } from "../plug/fit.js";
export type { RetrievalHookConfig } from "../plug/tool.js";

/** What a call of the model has, as far as it is used. */
export interface ModelCall {
  readonly messages: readonly object[];
  readonly model?: unknown;
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined;
}

/** A middleware of `createAgent`. */
export interface LangChainMiddleware {
  readonly name: string;
  /** The tool that `retrieval` adds. */
  readonly tools?: readonly LangChainTool[] | undefined;
  wrapModelCall<R extends object, T>(request: R, handler: (request: R) => T | Promise<T>): Promise<T>;
}

/** A tool of LangChain's. */
export interface LangChainTool {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly description: string;
  /** LangChain runs the tools that have this field. */
  readonly lc_runnable: true;
  /** The schema of its arguments. */
  readonly schema: object;
  invoke(call: object, config?: object): Promise<string>;
}

/**
 * A middleware for `createAgent` that sends the model the context of the messages. System prompt and tools count. Nothing is removed
 * from the agent's state. With `budget.cut` it marks for `ChatAnthropic` where the cache may end: of messages their text blocks, and
 * the end of the prompt by the setting `cache_control`. If the provider says that the prompt is too long, it reads the figures in
 * the error, builds a shorter one and calls the model once more. With `retrieval` it has a tool that returns omitted results. Fails as
 * `buildContext` does.
 */
export function contextMiddleware(given: RetrievalHookConfig = {}): LangChainMiddleware {
  const { config, retrieval } = publicCall("context_build_error", "contextMiddleware", () => withNames(given));
  const limits = new PromptLimits();
  const fittedRequest = async <R extends object>(request: R, handler: unknown) => {
    if (typeof handler !== "function") {
      throw new TypeError("the handler is not a function");
    }
    const { messages, model, systemPrompt, tools, modelSettings } = request as ModelCall;
    const { cacheBreakpoints = config.budget?.cut != null } = config;
    const isMarked = cacheBreakpoints && isAnthropic(model);
    const call = {
      model: modelName(model, "model", "modelName"),
      instructions: systemPrompt,
      tools: tools?.map(definitionOf),
    };
    const render = { provider: "ai-sdk", ...config.render } as const;
    const { messages: sent, context } = await fitted(
      messages as readonly AnyMessage[],
      { ...limits.within(config, call.model), render, cacheBreakpoints: isMarked },
      call,
      (message) => message as AnyMessage,
      marker,
    );
    const settings = isMarked ? { modelSettings: { cache_control: EPHEMERAL, ...modelSettings } } : {};
    return { request: { ...request, messages: sent, ...settings }, context, model: call.model };
  };
  const first = hook("wrapModelCall", fittedRequest) as typeof fittedRequest;
  return {
    name: "WindrowContext",
    ...(retrieval ? { tools: [langChainTool] } : {}),
    async wrapModelCall(request, handler) {
      const { request: sent, context, model } = await first(request, handler);
      try {
        return await handler(sent);
      } catch (failure) {
        // Another failure is the framework's own, and is thrown unchanged.
        const build = () => fittedRequest(request, handler);
        return await handler((await limits.shorter(failure, context, config, model, build)).request);
      }
    },
  };
}

const langChainTool: LangChainTool = {
  name: retrievalTool.name,
  description: retrievalTool.description,
  lc_runnable: true,
  schema: retrievalTool.parameters,
  invoke: hook("invoke", (call: object, config?: object) => {
    const { messages } = fieldsOf(fieldsOf(config).state);
    return retrieve(fieldsOf(call).args, contextOf(listFrom(messages) as readonly object[]));
  }),
};

/** Whether a model is Anthropic's: what stands in a block for its cache, others refuse. */
function isAnthropic(model: unknown): boolean {
  const { getName, _defaultConfig } = (model ?? {}) as { getName?: unknown; _defaultConfig?: unknown };
  const name: unknown = typeof getName === "function" ? getName.call(model) : undefined;
  return (
    name === "ChatAnthropic" || (name === "ConfigurableModel" && fieldsOf(_defaultConfig).modelProvider === "anthropic")
  );
}

/**
 * The field of a marked text block by which a copy of windrow's is known, and whether it was a text without blocks. `ChatAnthropic`
 * sends nothing of a text block but its text, citations and `cache_control`.
 */
const OWN = "windrow_cache_breakpoint";

/**
 * Marks the last text block of what the user or the model says. Results of tools have no place for a mark: `ChatAnthropic` makes their
 * blocks anew, and Anthropic takes none inside of them.
 */
const marker: CacheMarker = {
  marksEndElsewhere: true,
  marked(message) {
    const fields = fieldsOf(message);
    const { content } = fields;
    const isText = typeof content === "string";
    const blocks: readonly unknown[] = isText
      ? [{ type: "text", text: content }]
      : Array.isArray(content)
        ? content
        : [];
    if (blocks.some(isMarked)) {
      return message;
    }
    const at = blocks.findLastIndex((block) => {
      const { type, text } = fieldsOf(block);
      return type === "text" && typeof text === "string" && /\S/.test(text);
    });
    // Content of version 1 is converted by its own rules, which know no marks.
    const isSaid = ["human", "ai"].includes(String(fields.type));
    if (at < 0 || !isSaid || fieldsOf(fields.response_metadata).output_version === "v1") {
      return undefined;
    }
    const mark = { cache_control: EPHEMERAL, [OWN]: isText ? "text" : "block" };
    return withContent(
      message,
      blocks.map((block, place) => (place === at ? { ...fieldsOf(block), ...mark } : block)),
    );
  },
  unmarked(message) {
    const { content } = fieldsOf(message);
    if (!Array.isArray(content) || !listFrom(content).some((block) => fieldsOf(block)[OWN] !== undefined)) {
      return message;
    }
    const blocks = content.map((block: unknown) => {
      const { [OWN]: own, cache_control, ...others } = fieldsOf(block);
      return own === undefined ? block : own === "text" ? others.text : others;
    });
    const [text] = blocks;
    return withContent(message, blocks.length === 1 && typeof text === "string" ? text : blocks);
  },
  isMarked,
};

function isMarked(block: unknown): boolean {
  return fieldsOf(block).cache_control != null;
}

/** A copy of a message with another content, of its own class. */
function withContent(message: AnyMessage, content: unknown): AnyMessage {
  const { lc_kwargs } = fieldsOf(message);
  const made = lc_kwargs === undefined ? {} : { lc_kwargs: { ...fieldsOf(lc_kwargs), content } };
  return Object.assign(Object.create(Object.getPrototypeOf(message)) as object, message, {
    content,
    ...made,
  }) as AnyMessage;
}

/** The definition of a tool. LangChain's has its schema in zod or in JSON; of the first the names and descriptions count. */
function definitionOf(tool: unknown): object {
  const { name, description, schema, ...rest } = tool as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") {
    return rest;
  }
  return { type: "function", function: { name, description, parameters: jsonSchemaOf(schema) } };
}

interface JsonSchema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** A schema as JSON, as far as it says what it is: zod 4 writes itself as JSON, and of zod 3 the names of its fields are known. */
function jsonSchemaOf(schema: unknown): JsonSchema | undefined {
  if (typeof schema !== "object" || schema === null) {
    return undefined;
  }
  const { toJSONSchema, shape } = schema as { toJSONSchema?: unknown; shape?: unknown };
  if (typeof toJSONSchema === "function") {
    return toJSONSchema.call(schema) as JsonSchema;
  }
  if (typeof shape !== "object" || shape === null) {
    return schema as JsonSchema;
  }
  const fields = Object.entries(shape as Record<string, { readonly description?: unknown }>);
  const properties = fields.map(([name, { description }]) => [name, { type: "string", description }] as const);
  return { type: "object", properties: Object.fromEntries(properties) };
}
