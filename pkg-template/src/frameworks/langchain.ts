// LangChain's `createAgent`: a middleware that sends each call of the model the context of the messages. The state keeps them all.

import type { AnyMessage } from "windrow";
import { fit, type HookConfig, modelName } from "./shared/plug.js";

export type { HookConfig } from "./shared/plug.js";

/** What a call of the model has, as far as it is used. */
export interface ModelCall {
  readonly messages: readonly object[];
  readonly model?: unknown;
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
}

/** A middleware of `createAgent`. */
export interface ContextMiddleware {
  readonly name: string;
  wrapModelCall<R extends object, T>(request: R, handler: (request: R) => T | Promise<T>): Promise<T>;
}

/**
 * A middleware for `createAgent` that sends the model the context of the messages. System prompt and tools count. Nothing is removed
 * from the agent's state. Fails as `buildContext` does.
 */
export function contextMiddleware(config: HookConfig = {}): ContextMiddleware {
  return {
    name: "WindrowContext",
    async wrapModelCall(request, handler) {
      const { messages, model, systemPrompt, tools } = request as ModelCall;
      const call = {
        model: modelName(model, "model", "modelName"),
        instructions: systemPrompt,
        tools: tools?.map(definitionOf),
      };
      const render = { provider: "ai-sdk", ...config.render } as const;
      const sent = await fit(
        messages as readonly AnyMessage[],
        { ...config, render },
        call,
        (message) => message as AnyMessage,
      );
      return await handler({ ...request, messages: sent });
    },
  };
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
