// A middleware for LangChain's `createAgent`. Each call of the model receives the context of the messages; the state
// keeps them all.

import { type AnyMessage, retrievalTool } from "windrow";
import { listFrom, untilHole } from "../../base/lists.js";
import { sameClass } from "../../base/plain-data.js";
import { publicCall } from "../../base/public-call.js";
import { type CacheMarker, EPHEMERAL } from "../plug/cache-marks.js";
import { hook } from "../plug/door.js";
import { fieldsOf } from "../plug/fields.js";
import { contextOf, fitted, modelName, PromptLimits } from "../plug/fit.js";
import { type RetrievalHookConfig, retrieve, withNames } from "../plug/tool.js";

export type { HookConfig } from "../plug/fit.js";
export type { RetrievalHookConfig } from "../plug/tool.js";

/** The fields of a model call that are used. */
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
 * Returns a middleware for `createAgent` that sends the model the context of the messages. The system prompt and tools
 * count. The agent's state loses nothing. With `budget.cut`, it marks for `ChatAnthropic` the places where its cache
 * may end: on text blocks within messages, and for the end of the prompt with the setting `cache_control`. If the
 * provider says that the prompt is too long, it reads the figures in the error, builds a shorter prompt and calls the
 * model once more. With `retrieval`, it has a tool that returns omitted results. Fails as `buildContext` does.
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
      tools: tools && untilHole(tools).map(definitionOf),
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
        // Any other failure is the framework's, and is thrown unchanged.
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

/** True if a model is Anthropic's. Others refuse cache marks in blocks. */
function isAnthropic(model: unknown): boolean {
  const { getName, _defaultConfig } = (model ?? {}) as { getName?: unknown; _defaultConfig?: unknown };
  const name: unknown = typeof getName === "function" ? getName.call(model) : undefined;
  return (
    name === "ChatAnthropic" || (name === "ConfigurableModel" && fieldsOf(_defaultConfig).modelProvider === "anthropic")
  );
}

/**
 * The field of a marked text block that identifies windrow's copy, and says whether the original was a plain text. From
 * a text block, `ChatAnthropic` sends only its text, citations and `cache_control`.
 */
const OWN = "windrow_cache_breakpoint";

/**
 * Marks the last text block of a user's or model's message. Tool results can't have a mark: `ChatAnthropic`
 * rebuilds their blocks, and Anthropic accepts no marks inside them.
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
    // LangChain converts content of version 1 by its own rules, which drop marks.
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

/** Returns a copy of a message with different content, of the same class. */
function withContent(message: AnyMessage, content: unknown): AnyMessage {
  const { lc_kwargs } = fieldsOf(message);
  const made = lc_kwargs === undefined ? {} : { lc_kwargs: { ...fieldsOf(lc_kwargs), content } };
  return sameClass(message, { ...message, content, ...made }) as AnyMessage;
}

/**
 * Returns the definition of a tool. LangChain has its schema in zod or in JSON. For zod, only names and descriptions
 * count.
 */
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

/**
 * Returns a schema as JSON, if possible. zod 4 converts itself to JSON; for zod 3, only the names of its fields
 * are known.
 */
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
