// What every framework's hook does: messages in, those of the context out.

import { type AnyMessage, type BuiltContext, buildContext, type ContextConfig, type ContextMessage } from "windrow";

/**
 * How a hook builds contexts: a config of windrow's. The framework gives the messages; the newest of the user's is the request, and
 * what answers it stays with it.
 */
export type HookConfig = Omit<ContextConfig<AnyMessage>, "request" | "shape" | "render"> & {
  /** The form of the messages. They stay messages: a framework takes no text. */
  readonly render?: Omit<NonNullable<ContextConfig["render"]>, "format"> | undefined;
  /** Instructions that the framework sends beside the messages and does not tell the hook: they count. */
  readonly instructions?: string | undefined;
  /** Is given each context that was built, for what it says of its tokens, or why a message is missing. */
  readonly onContext?: ((context: BuiltContext<AnyMessage>) => void) | undefined;
};

/** What a framework says about the call that a context is for. */
export interface Call {
  /** The model's name, where the config names none. */
  readonly model?: string | undefined;
  /** The definitions of the tools, where the config has none. */
  readonly tools?: readonly object[] | undefined;
  /** What is sent beside the messages. */
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The user's input, where it is not among the messages: it counts, and is sent by the framework. */
  readonly request?: string | undefined;
}

/**
 * The messages of the context of some messages: the framework's own objects, in their order. A message that windrow adds, such as the
 * line for what is left out, is put into the framework's form by `made`, which is given a message that it stands beside. Fails as
 * `buildContext` does.
 */
export async function fit<M extends AnyMessage>(
  messages: readonly M[],
  config: HookConfig,
  call: Call,
  made: (message: ContextMessage, beside: M | undefined) => M,
): Promise<M[]> {
  const { instructions: unsaid, onContext, budget, ...options } = config;
  const texts = [call.instructions, unsaid].filter((text) => text !== undefined && text !== "");
  const instruction = { role: "system", content: texts.join("\n\n") } as const;
  const given: readonly AnyMessage[] = texts.length === 0 ? messages : [instruction, ...messages];
  const request = call.request === undefined ? undefined : ({ role: "user", content: call.request } as const);
  const context = await buildContext(given, {
    ...options,
    request,
    model: options.model ?? call.model,
    signal: options.signal ?? call.signal,
    budget: { ...budget, tools: budget?.tools ?? call.tools },
  });
  onContext?.(context);
  const own = new Set<unknown>(messages);
  const sent = context.messages.filter((message) => message !== instruction && message !== request);
  const isTheirs = (message: object): message is M => own.has(message) || !isMade(message);
  const beside = (at: number): M | undefined => sent.slice(at).find(isTheirs) ?? sent.findLast(isTheirs);
  return sent.map((message, at) => (isTheirs(message) ? message : made(message as ContextMessage, beside(at))));
}

/** Whether windrow wrote a message itself: a shortened copy of another one has more than a role and a text. */
function isMade(message: object): boolean {
  const { role, content } = message as Partial<ContextMessage>;
  return Object.keys(message).length === 2 && typeof role === "string" && typeof content === "string";
}

/** A model's name, as frameworks give it: a name, or an object that has one in a field of these. */
export function modelName(model: unknown, ...fields: readonly string[]): string | undefined {
  if (typeof model === "string") {
    return model;
  }
  const named = (model ?? {}) as Readonly<Record<string, unknown>>;
  return fields.map((field) => named[field]).find((name): name is string => typeof name === "string");
}
