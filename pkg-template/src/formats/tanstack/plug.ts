// A middleware for TanStack AI's `chat`. Each call of the model receives the context of its messages; the conversation
// keeps them all.

import type { AnyMessage, ContextMessage } from "windrow";
import { untilHole } from "../../base/lists.js";
import { hook } from "../plug/door.js";
import { fit, type HookConfig } from "../plug/fit.js";

export type { HookConfig } from "../plug/fit.js";

/** The facts about a call that the middleware uses. */
export interface TanStackCall {
  readonly phase: string;
  readonly model?: string;
  readonly provider?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The fields of a call that the middleware changes. */
export interface TanStackConfig<M> {
  readonly messages: M[];
  readonly providerMessages?: M[] | undefined;
  readonly systemPrompts?: readonly (string | { readonly content: string })[];
  readonly tools?: readonly object[];
}

/** A middleware for `chat`. */
export interface TanStackMiddleware {
  readonly name: "windrow-context";
  onConfig<M extends object>(
    call: TanStackCall,
    config: TanStackConfig<M>,
  ): Promise<{ providerMessages: M[] } | undefined>;
}

/** The providers whose adapters write requests that windrow knows. */
const PROVIDERS = { anthropic: "anthropic", gemini: "gemini", openai: "openai-responses" } as const;

/**
 * Returns a middleware for `chat` that sends each call of the model the context of the messages. After TanStack's own
 * `withCompaction`, it uses the messages that remain. System prompts and tools count. Fails as `buildContext` does.
 */
export function contextMiddleware(config: HookConfig = {}): TanStackMiddleware {
  return {
    name: "windrow-context",
    onConfig: hook("onConfig", async <M extends object>(call: TanStackCall, given: TanStackConfig<M>) => {
      if (call.phase === "init") {
        return undefined; // each call of the model has its own messages
      }
      const { messages, providerMessages = messages, systemPrompts = [], tools = [] } = given;
      const sent = await fit(
        providerMessages as readonly AnyMessage[],
        { ...config, render: { ...providerOf(call), ...config.render } },
        {
          model: call.model,
          signal: call.signal,
          tools: untilHole(tools).map(definitionOf),
          instructions: untilHole(systemPrompts)
            .map((prompt) => (typeof prompt === "string" ? prompt : prompt.content))
            .join("\n\n"),
        },
        made,
      );
      return { providerMessages: sent as M[] };
    }) as TanStackMiddleware["onConfig"],
  };
}

function providerOf({ provider = "" }: TanStackCall): HookConfig["render"] {
  const name = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider as keyof typeof PROVIDERS] : undefined;
  return name === undefined ? {} : { provider: name };
}

/** Returns the definition of a tool as providers receive it. Its schema may be an object with a JSON schema. */
function definitionOf(tool: object): object {
  const { name, description, inputSchema } = tool as Readonly<Record<string, unknown>>;
  const standard = (inputSchema as { readonly "~standard"?: { readonly jsonSchema?: SchemaMaker } } | undefined)?.[
    "~standard"
  ];
  const parameters = standard === undefined ? inputSchema : standard.jsonSchema?.input({ target: "draft-07" });
  return { name, description, parameters };
}

/** A schema of a library that can produce a JSON schema: https://standardschema.dev/json-schema. */
interface SchemaMaker {
  input(options: { readonly target: string }): unknown;
}

/** Returns a message that windrow adds. TanStack's messages have no role for instructions. */
const made = ({ role, content }: ContextMessage): AnyMessage =>
  ({ role: role === "assistant" ? role : "user", content }) as AnyMessage;
