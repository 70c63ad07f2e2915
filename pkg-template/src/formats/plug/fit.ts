// What every framework's hook does: messages in, those of the context out.

import {
  type AnyMessage,
  type BuiltContext,
  buildContext,
  type CacheBreakpoint,
  type ContextConfig,
  type ContextMessage,
  contextOverflowOf,
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

/** The share of the room that a shorter prompt has: another prompt has another ratio of tokens to those that are counted. */
const ROOM_SHARE = 0.95;

/** The most tokens for each one that was counted, as a build takes them (`budget.usage`). */
const MOST_RATIO = 2;

/** The length of a shorter prompt if a provider says that one is too long, and not by how much: a share of it. */
const SHORTENED_SHARE = 0.75;

/** The lengths of prompts that providers have named, by model. */
export class PromptLimits {
  readonly #known = new Map<string, Pick<NonNullable<HookConfig["budget"]>, "maxTokens" | "usage">>();

  /** Returns a config with the limit that the provider of a model has named. */
  within(config: HookConfig, model: string | undefined): HookConfig {
    const known = this.#known.get(config.model ?? model ?? "");
    if (known === undefined) {
      return config;
    }
    const maxTokens = Math.min(config.budget?.maxTokens ?? Number.POSITIVE_INFINITY, known.maxTokens ?? 0);
    return { ...config, budget: { ...config.budget, ...known, maxTokens } };
  }

  /** Learns from the failure of a call with a context. False if the failure is another one. */
  #learn(failure: unknown, context: BuiltContext<AnyMessage>, config: HookConfig, model: string | undefined): boolean {
    const overflow = contextOverflowOf(failure);
    if (overflow === undefined) {
      return false;
    }
    const { counted, total } = context.tokens;
    const { inputTokens: used = total } = overflow;
    const { maxInputTokens: most = used * SHORTENED_SHARE } = overflow;
    const usage = counted > 0 && used > 0 ? [{ countedTokens: counted, inputTokens: used }] : [];
    // A build takes a count for twice as much at the most.
    const beyond = Math.max(used / (MOST_RATIO * Math.max(counted, 1)), 1);
    const maxTokens = Math.max(Math.floor((Math.min(most, used) * ROOM_SHARE) / beyond), 1);
    this.#known.set(config.model ?? model ?? "", { maxTokens, usage });
    return true;
  }

  /**
   * Returns a shorter request if a call with a context failed because its prompt is too long. Every other failure is thrown again, and so is
   * this one if nothing shorter can be built.
   */
  async shorter<T>(
    failure: unknown,
    context: BuiltContext<AnyMessage>,
    config: HookConfig,
    model: string | undefined,
    build: () => Promise<T>,
  ): Promise<T> {
    if (!this.#learn(failure, context, config, model)) {
      throw failure;
    }
    return await build().catch(() => {
      throw failure;
    });
  }
}

/** The context of a call, in the form of its framework. */
export interface Fitted<M> {
  readonly messages: M[];
  readonly context: BuiltContext<AnyMessage>;
}

/**
 * The messages of the context of some messages: the framework's own objects, in their order. A message that windrow adds, such as the
 * line for what is left out, is put into the framework's form by `made`, which is given a message that it stands beside. `marker`
 * marks messages for a provider's cache; those that it has marked are copies. Fails as `buildContext` does.
 */
export async function fit<M extends AnyMessage>(...given: Parameters<typeof fitted<M>>): Promise<M[]> {
  return (await fitted(...given)).messages;
}

/** Does the same as `fit`, and returns the context too. */
export async function fitted<M extends AnyMessage>(
  given: readonly M[],
  config: HookConfig,
  call: FrameworkCall,
  made: (message: ContextMessage, beside: M | undefined) => M,
  marker?: CacheMarker,
): Promise<Fitted<M>> {
  const all = asGiven(listed(given));
  const { messages, context } = await fittedOnce(all, config, call, made, marker);
  remember(all, messages, marker);
  for (const message of [given.at(-1), messages.at(-1)]) {
    if (message !== undefined) {
      latest.set(message, context);
    }
  }
  return { messages, context };
}

/** By the last message that a hook was given or has returned: the newest context with it. */
const latest = new WeakMap<object, BuiltContext<AnyMessage>>();

/** Returns the newest context that a hook has built of some messages, or of the first of them. */
export function contextOf(messages: readonly object[]): BuiltContext<AnyMessage> | undefined {
  const known = messages.findLast((message) => latest.has(message));
  return known && latest.get(known);
}

/** A list that a hook has returned, and the longer one that it was made of. */
interface ShortenedList {
  readonly sent: readonly object[];
  readonly all: readonly object[];
}

/** By the last message of a list that a hook has returned. */
const shortenedLists = new WeakMap<object, ShortenedList>();

/**
 * Returns the full list if a list begins with one that a hook has returned: the AI SDK passes the messages of a step on to the next one, and
 * that one may have room for messages that the step before had none for.
 */
function asGiven<M extends AnyMessage>(list: readonly M[]): readonly M[] {
  const last = list.findLastIndex((message) => shortenedLists.has(message));
  const known = last < 0 ? undefined : shortenedLists.get(list[last] as M);
  const isSame = known?.sent.length === last + 1 && known.sent.every((message, at) => message === list[at]);
  return isSame ? [...(known.all as readonly M[]), ...list.slice(last + 1)] : list;
}

/** Remembers the full list of each list that it returned. Marks for a provider's cache stay on the messages that have them. */
function remember<M extends AnyMessage>(all: readonly M[], sent: readonly M[], marker: CacheMarker | undefined): void {
  const last = sent.at(-1);
  if (last === undefined || (sent.length === all.length && sent.every((message, at) => message === all[at]))) {
    return;
  }
  const bare = (list: readonly M[]): readonly M[] =>
    marker === undefined ? list : withoutMarks(list, marker).messages;
  const marked = new Map(bare(sent).map((message, at) => [message, sent[at] as M]));
  shortenedLists.set(last, { sent: [...sent], all: bare(all).map((message) => marked.get(message) ?? message) });
}

async function fittedOnce<M extends AnyMessage>(
  list: readonly M[],
  config: HookConfig,
  call: FrameworkCall,
  made: (message: ContextMessage, beside: M | undefined) => M,
  marker?: CacheMarker,
): Promise<Fitted<M>> {
  const { instructions: unsaid, onContext, budget, cacheBreakpoints = budget?.cut != null, ...options } = config;
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
  const shown = sent.map((message, at) => (isTheirs(message) ? message : made(message as ContextMessage, beside(at))));
  if (marker === undefined || !cacheBreakpoints) {
    return { messages: shown, context };
  }
  // Marks of the step before stay: behind them its cache ends. What was quoted in it is a message of the history now, so that the end of
  // the history is another. Where the caller has marked the history, it says itself where that ends.
  const carried = shown.flatMap((message, at) => (marked?.has(message) ? [at] : []));
  const isOwn = (message: M): boolean =>
    (message as { readonly role?: unknown }).role !== "system" && markCount(message, marker) > 0;
  const marksHistory = carried.length === 0 && !shown.some(isOwn);
  const isMarked = ({ after }: CacheBreakpoint): boolean =>
    after === "history" ? marksHistory : after !== "prompt" || marker.marksEndElsewhere !== true;
  const ends = context.cacheBreakpoints.filter(isMarked);
  const positions = ends.map(({ position }) => sentOf(context.messages.slice(0, position + 1)).length - 1);
  return { messages: withMarks(shown, [...carried, ...positions], marker, call.tools), context };
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
