// What every framework's hook does: messages in, those of the context out.

import {
  type AnyMessage,
  type BuiltContext,
  buildContext,
  type CacheBreakpoint,
  type ContextConfig,
  type ContextMessage,
} from "windrow";
import { type CacheMarker, markCount, withMarks, withoutMarks } from "./cache-marks.js";
import { listed } from "./door.js";

/**
 * How a hook builds contexts: a config of windrow's. The framework gives the messages; the newest of the user's is the request, and
 * what answers it stays with it.
 */
export type HookConfig = Omit<ContextConfig<AnyMessage>, "request" | "shape" | "render"> & {
  /** The form of the messages. They stay messages: a framework takes no text. */
  readonly render?: Omit<NonNullable<ContextConfig["render"]>, "format"> | undefined;
  /** Instructions that the framework sends beside the messages and does not tell the hook: they count. */
  readonly instructions?: string | undefined;
  /**
   * Whether the hook marks where a provider's cache may end, where its framework has a place for that. Default: with `budget.cut`.
   */
  readonly cacheBreakpoints?: boolean | undefined;
  /** Is given each context that was built, for what it says of its tokens, or why a message is missing. */
  readonly onContext?: ((context: BuiltContext<AnyMessage>) => void) | undefined;
};

/** What a framework says about the call that a context is for. */
export interface FrameworkCall {
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
 * line for what is left out, is put into the framework's form by `made`, which is given a message that it stands beside. `marker`
 * marks messages for a provider's cache; those that it has marked are copies. Fails as `buildContext` does.
 */
export async function fit<M extends AnyMessage>(
  given: readonly M[],
  config: HookConfig,
  call: FrameworkCall,
  made: (message: ContextMessage, beside: M | undefined) => M,
  marker?: CacheMarker,
): Promise<M[]> {
  const { instructions: unsaid, onContext, budget, cacheBreakpoints = budget?.cut != null, ...options } = config;
  const list = listed(given);
  const { messages, marked } =
    marker === undefined ? { messages: list, marked: undefined } : withoutMarks(list, marker);
  const texts = [call.instructions, unsaid].filter((text) => text !== undefined && text !== "");
  const instruction = { role: "system", content: texts.join("\n\n") } as const;
  const all: readonly AnyMessage[] = texts.length === 0 ? messages : [instruction, ...messages];
  const request = call.request === undefined ? undefined : ({ role: "user", content: call.request } as const);
  const tools = budget?.tools ?? call.tools;
  const context = await buildContext(all, {
    ...options,
    request,
    model: options.model ?? call.model,
    signal: options.signal ?? call.signal,
    budget: { ...budget, tools },
  });
  onContext?.(context);
  const own = new Set<unknown>(messages);
  const sentOf = <T>(list: readonly T[]): T[] =>
    list.filter((message) => message !== instruction && message !== request);
  const sent = sentOf(context.messages);
  const isTheirs = (message: object): message is M => own.has(message) || !isMade(message);
  const beside = (at: number): M | undefined => sent.slice(at).find(isTheirs) ?? sent.findLast(isTheirs);
  const fitted = sent.map((message, at) => (isTheirs(message) ? message : made(message as ContextMessage, beside(at))));
  if (marker === undefined || !cacheBreakpoints) {
    return fitted;
  }
  // Marks of the step before stay: behind them its cache ends. What was quoted in it is a message of the history now, so that the end of
  // the history is another. Where the caller has marked the history, it says itself where that ends.
  const carried = fitted.flatMap((message, at) => (marked?.has(message) ? [at] : []));
  const isOwn = (message: M): boolean =>
    (message as { readonly role?: unknown }).role !== "system" && markCount(message, marker) > 0;
  const marksHistory = carried.length === 0 && !fitted.some(isOwn);
  const isMarked = ({ after }: CacheBreakpoint): boolean =>
    after === "history" ? marksHistory : after !== "prompt" || marker.marksEndElsewhere !== true;
  const ends = context.cacheBreakpoints.filter(isMarked);
  const positions = ends.map(({ position }) => sentOf(context.messages.slice(0, position + 1)).length - 1);
  return withMarks(fitted, [...carried, ...positions], marker, call.tools);
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
