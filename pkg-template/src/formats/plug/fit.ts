// The core of every framework's hook: messages in, the context's messages out.

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
 * Options of a hook: a windrow config. The framework provides the messages. The newest user message is the request, and
 * the messages that answer it stay with it.
 */
export type HookConfig = Omit<ContextConfig<AnyMessage>, "request" | "shape" | "render"> & {
  /** The form of the messages. The format is fixed, because frameworks take messages and not text. */
  readonly render?: Omit<NonNullable<ContextConfig["render"]>, "format"> | undefined;
  /** Instructions that the framework sends but doesn't pass to the hook. They count toward the budget. */
  readonly instructions?: string | undefined;
  /**
   * True if the hook marks the places where a provider's cache may end, if its framework supports marks. Default: true
   * with `budget.cut`.
   */
  readonly cacheBreakpoints?: boolean | undefined;
  /** Receives each built context, for its token counts or the reason why a message is missing. */
  readonly onContext?: ((context: BuiltContext<AnyMessage>) => void) | undefined;
};

/** Facts from a framework about the call that a context is for. */
export interface FrameworkCall {
  /** The model's name, if the config has none. */
  readonly model?: string | undefined;
  /** The tool definitions, if the config has none. */
  readonly tools?: readonly object[] | undefined;
  /** Instructions that are sent in addition to the messages. */
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The user's input, if it isn't among the messages. It counts, and the framework sends it. */
  readonly request?: string | undefined;
}

/**
 * The share of the room that a shorter prompt uses, because its ratio of actual to counted tokens may differ.
 */
const ROOM_SHARE = 0.95;

/** The largest ratio of actual to counted tokens that a build accepts (`budget.usage`). */
const MOST_RATIO = 2;

/** The share of a prompt's length to retry with, if a provider rejects it as too long without a figure. */
const SHORTENED_SHARE = 0.75;

/** The prompt limits that providers have reported, by model. */
export class PromptLimits {
  readonly #known = new Map<string, Pick<NonNullable<HookConfig["budget"]>, "maxTokens" | "usage">>();

  /** Returns a config with the limit that the model's provider has reported. */
  within(config: HookConfig, model: string | undefined): HookConfig {
    const known = this.#known.get(config.model ?? model ?? "");
    if (known === undefined) {
      return config;
    }
    const maxTokens = Math.min(config.budget?.maxTokens ?? Number.POSITIVE_INFINITY, known.maxTokens ?? 0);
    return { ...config, budget: { ...config.budget, ...known, maxTokens } };
  }

  /** Learns from the failure of a call with a context. Returns false if the failure has another reason. */
  #learn(failure: unknown, context: BuiltContext<AnyMessage>, config: HookConfig, model: string | undefined): boolean {
    const overflow = contextOverflowOf(failure);
    if (overflow === undefined) {
      return false;
    }
    const { counted, total } = context.tokens;
    const { inputTokens: used = total } = overflow;
    const { maxInputTokens: most = used * SHORTENED_SHARE } = overflow;
    const usage = counted > 0 && used > 0 ? [{ countedTokens: counted, inputTokens: used }] : [];
    // A build accepts a ratio of at most two.
    const beyond = Math.max(used / (MOST_RATIO * Math.max(counted, 1)), 1);
    const maxTokens = Math.max(Math.floor((Math.min(most, used) * ROOM_SHARE) / beyond), 1);
    this.#known.set(config.model ?? model ?? "", { maxTokens, usage });
    return true;
  }

  /**
   * Returns a shorter request if a call with a context failed because its prompt is too long. Throws any other failure
   * again, and this one too if nothing shorter can be built.
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

/** The context of a call, in its framework's form. */
export interface Fitted<M> {
  readonly messages: M[];
  readonly context: BuiltContext<AnyMessage>;
}

/**
 * Builds the context of a framework's messages and returns its messages in order, as the framework's own objects.
 * `made` converts messages that windrow adds, such as the line for omitted ones, to the framework's form. It also
 * receives a neighboring message. `marker` marks messages for a provider's cache; marked ones are copies. Fails as
 * `buildContext` does.
 */
export async function fit<M extends AnyMessage>(...given: Parameters<typeof fitted<M>>): Promise<M[]> {
  return (await fitted(...given)).messages;
}

/** Works like `fit`, and also returns the context. */
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

/** For the last message of a list that a hook received or returned: the newest context that includes it. */
const latest = new WeakMap<object, BuiltContext<AnyMessage>>();

/** Returns the newest context that a hook has built from some messages, or from the first of them. */
export function contextOf(messages: readonly object[]): BuiltContext<AnyMessage> | undefined {
  const known = messages.findLast((message) => latest.has(message));
  return known && latest.get(known);
}

/** A list that a hook returned, and the longer one it came from. */
interface ShortenedList {
  readonly sent: readonly object[];
  readonly all: readonly object[];
}

/** Keyed by the last message of a list that a hook returned. */
const shortenedLists = new WeakMap<object, ShortenedList>();

/**
 * Returns the full list if a list begins with one that a hook returned. The AI SDK passes a step's messages on to the
 * next step, which may have room for messages that the previous one had none for.
 */
function asGiven<M extends AnyMessage>(list: readonly M[]): readonly M[] {
  const last = list.findLastIndex((message) => shortenedLists.has(message));
  const known = last < 0 ? undefined : shortenedLists.get(list[last] as M);
  const isSame = known?.sent.length === last + 1 && known.sent.every((message, at) => message === list[at]);
  return isSame ? [...(known.all as readonly M[]), ...list.slice(last + 1)] : list;
}

/** Remembers the full list for each returned list. Cache marks stay on the messages that have them. */
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
  // Marks of the previous step stay, because the provider's cache ends there. Quotes of that step are now part of the
  // history, so the end of the history has moved. If the caller has marked the history, those marks win.
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

/** True if windrow wrote a message. A shortened copy of another message has more fields than a role and a text. */
function isMade(message: object): boolean {
  const { role, content } = message as Partial<ContextMessage>;
  return Object.keys(message).length === 2 && typeof role === "string" && typeof content === "string";
}

/** Returns a model's name from a framework's value: a name, or an object with a name in one of these fields. */
export function modelName(model: unknown, ...fields: readonly string[]): string | undefined {
  if (typeof model === "string") {
    return model;
  }
  const named = (model ?? {}) as Readonly<Record<string, unknown>>;
  return fields.map((field) => named[field]).find((name): name is string => typeof name === "string");
}
