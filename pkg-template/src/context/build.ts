// Builds a context. The engine decides and stops when it needs something; this module supplies it and resumes.

import { CoreBuild, type CoreTranscript, reachOf as reachOfConfig } from "#core";
import { ContextError } from "../base/errors.js";
import type {
  Answer,
  CompactConfig,
  EncodingName,
  Format,
  HookName,
  Need,
  RenderConfig,
  StoredSummary,
} from "../base/generated.js";
import { errorOf } from "../base/public-call.js";
import {
  type AddingNothing,
  type ContextConfig,
  type EarlierQuotes,
  type InFormat,
  type ReadConfig,
  type RequestInput,
  type RequestMessage,
  readConfig,
  refuseHooks,
  type SyncContextConfig,
  turnOf,
} from "../config/config.js";
import type { BoundThinking, MessageKey, PromptOutline } from "../config/outline.js";
import type { Redactor } from "../config/redactor.js";
import { zoneOf, zoneOffsets } from "../config/zones.js";
import { loadEncoding } from "../engine/encodings.js";
import { call, engineGeneration } from "../engine/engine.js";
import { meaningNotLoaded, needMeaning } from "../engine/meaning.js";
import { fetchSelectionAhead, needSelection, startSelection } from "../engine/selection.js";
import type { AnyMessage } from "../formats/any-message.js";
import { requests } from "../formats/requests.js";
import type { MessageInput } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import type { HookNeed } from "./answers.js";
import { type AskedOf, askHook, causeOf, checkAborted, type TakeVectors, untilAborted } from "./ask.js";
import { bindsThinking, mayBeValid } from "./bound.js";
import { BuiltContext } from "./context.js";
import { type FinishedBuild, messageRows } from "./pieces.js";
import type { Measure } from "./token-sources.js";
import { coreOf, messageListOf, type Source, sourceOf, Transcript, withCoreOf } from "./transcript.js";

const KIND = "context_build_error";

/**
 * Builds the context of a request: decides which messages go into the prompt within the budget, and says why.
 *
 * Reads the transcript in its state at the time of the call. In an array seen before, it compares the fields of the
 * newest messages and of those in the context. An older message counts as unchanged if it is the same object. Hooks run
 * one after another, each with a signal and a timeout. If a hook fails, the config decides what stays; only a failing
 * `countTokens` fails the build.
 *
 * Fails with a `ContextError`: `INVALID_TRANSCRIPT`, `INVALID_CONFIG`, `BUDGET_TOO_SMALL`, `ENCODING_NOT_LOADED`,
 * `HOOK_FAILED`, `ABORTED`.
 */
export function buildContext<
  M extends AnyMessage,
  const F extends Format = "messages",
  R extends RequestInput = undefined,
>(
  transcript: readonly M[] | Transcript<M>,
  config?: AddingNothing<ContextConfig<M>, F, R>,
): Promise<BuiltContext<M, F, RequestMessage<R>>>;
export function buildContext<M extends AnyMessage, const F extends Format = "messages">(
  transcript: readonly M[] | Transcript<M>,
  config?: InFormat<ContextConfig<M>, F>,
): Promise<BuiltContext<M, F>>;
export async function buildContext<M extends AnyMessage, F extends Format>(
  transcript: readonly M[] | Transcript<M>,
  config?: ContextConfig<M>,
): Promise<BuiltContext<M, F>> {
  let messages: readonly M[] = [];
  const build = () =>
    buildOver<M, F>(config, (read) => {
      const source = readSource(transcript, read);
      ({ messages } = source);
      goOnWithSummary(read, messages);
      return { source: () => source, previous: outlines.get(transcript) };
    });
  const context = await build().catch(async (failure: unknown) => {
    if (!shapes.isMissing(failure)) {
      throw failure;
    }
    // A message has another package's format, and it is the first such message here.
    await shapes.load();
    return await build();
  });
  keepOutline(transcript, context.outline);
  const { compact } = context;
  const last = compact?.askedPosition == null ? undefined : messages[compact.askedPosition];
  if (compact != null && last !== undefined) {
    summaries.set(last, compact.summary);
    const before = messages[(compact.askedPosition as number) - 1];
    if (before !== undefined && OF_STEP.test(compact.summary.through ?? "")) {
      summaries.set(before, compact.summary);
    }
  }
  return context;
}

/** Returns the source of a build. With a redactor, it is an array of copies without secrets. */
function readSource<M extends AnyMessage>(transcript: readonly M[] | Transcript<M>, read: ReadConfig): Source<M> {
  const reach = reachOf(read);
  const { redact, shape } = read;
  const list = redact && messageListOf<M>(transcript, KIND);
  const own = redact && list === undefined && transcript instanceof Transcript ? transcript.source() : undefined;
  const messages = list ?? own?.messages;
  if (redact === undefined || messages === undefined) {
    return sourceOf(transcript, KIND, reach, shape);
  }
  const shapeName = own === undefined ? shape : own.shape;
  return sourceOf(redact.messages(messages, messages.length - reach, shapeName), KIND, reach, shapeName);
}

/** Removes secrets from a hook's answer. Triage answers with ids and needs none of it. */
export function redacted(answer: Answer, redact: Redactor | undefined): Answer {
  const isSummary = answer.hook === "tiers.summarize" || answer.hook === "compact.summarize";
  const hasTexts = answer.outcome === "failed" || answer.hook === "recall.search" || isSummary;
  return redact === undefined || !hasTexts ? answer : redact.value(answer, isSummary);
}

/**
 * The last summaries, by the last message that each one covered. An array or a `Transcript` that continues with the
 * same messages keeps its summary, and no other conversation gets it.
 */
const summaries = new WeakMap<object, StoredSummary>();

/**
 * Matches the name of a row of a message with an id. An agent's next step may come in a new object of the same message,
 * whose earlier rows are unchanged.
 */
const OF_STEP = /#\d+$/;

/** Fills in the last summary of a conversation if the config has none. Only sessions ask ahead. */
function goOnWithSummary<M extends AnyMessage>({ options, hooks }: ReadConfig, messages: readonly M[]): void {
  const compact = options.compact as CompactConfig | null | undefined;
  if (hooks.has("compact.summarize")) {
    const { prepareAt: _, ...own } = compact ?? {};
    const last = own.summary == null ? messages.findLast((message) => summaries.has(message)) : undefined;
    const summary = last === undefined ? {} : { summary: summaries.get(last) };
    Object.assign(options, { compact: { ...own, ...summary } });
  }
}

/** The outline of each transcript's last build. Plain arrays have none: they come and go. */
const outlines = new WeakMap<object, PromptOutline>();

function keepOutline(transcript: object, outline: PromptOutline): void {
  if (transcript instanceof Transcript) {
    outlines.set(transcript, outline);
  }
}

/** Returns the number of newest messages that a build may read. All of them if the config can't be read. */
export function reachOf({ options, hooks }: ReadConfig): number {
  try {
    return reachOfConfig(options, [...hooks.keys()]);
  } catch {
    return Number.POSITIVE_INFINITY; // the build reports the fault
  }
}

/** Reads messages for a build. */
export interface Reader<M> {
  /** Returns the messages read. */
  source(): Source<M>;
  /** Reads older messages of the log, if some are unread. */
  older?(need: OlderNeed): Promise<void>;
  /** The outline of the previous prompt. */
  readonly previous?: PromptOutline | undefined;
}

/**
 * Builds from a reader's messages. Opens the reader only after the config is read, because opening may run the caller's
 * code.
 */
export async function buildOver<M extends AnyMessage, F extends Format>(
  config: unknown,
  open: (read: ReadConfig) => Reader<M> | Promise<Reader<M>>,
): Promise<BuiltContext<M, F>> {
  const now = Date.now();
  try {
    const read = readConfig(config, KIND);
    checkAborted(read.signal, KIND);
    checkZone(read);
    const opened = open(read);
    const reader = opened instanceof Promise ? await opened : opened;
    const built = buildFrom<M, F>(reader, { ...read, previous: read.previous ?? reader.previous }, now, {
      hooks: [...read.hooks.keys()],
      answer: async (need, source, take) => {
        const { hooks, signal, redact } = read;
        return redacted(await askHook(need, { hooks, source, signal, kind: KIND, take }), redact);
      },
      offsets: offsetsOf,
    });
    // A config that names a provider usually makes a request right after the build, so the code for it loads meanwhile.
    const parts = namesProvider(read) ? [requests.load()] : [];
    const [context] = await Promise.all([built, ...parts]);
    return context;
  } catch (failure) {
    throw failureOf(failure, config, now);
  }
}

/**
 * Builds synchronously, as `buildContext` does. Everything it needs must be loaded; otherwise it fails with
 * `ENCODING_NOT_LOADED` or `PART_NOT_LOADED` and never switches to an estimate. It takes no hooks.
 */
export function buildContextSync<
  M extends AnyMessage,
  const F extends Format = "messages",
  R extends RequestInput = undefined,
>(
  transcript: readonly M[] | Transcript<M>,
  config?: AddingNothing<SyncContextConfig, F, R>,
): BuiltContext<M, F, RequestMessage<R>>;
export function buildContextSync<M extends AnyMessage, const F extends Format = "messages">(
  transcript: readonly M[] | Transcript<M>,
  config?: InFormat<SyncContextConfig, F>,
): BuiltContext<M, F>;
export function buildContextSync<M extends AnyMessage, F extends Format>(
  transcript: readonly M[] | Transcript<M>,
  config?: SyncContextConfig,
): BuiltContext<M, F> {
  const now = Date.now();
  try {
    const given = readConfig(config, KIND);
    refuseHooks(given, KIND);
    checkZone(given);
    const read = { ...given, previous: given.previous ?? outlines.get(transcript) };
    let attempt = new Attempt<M>(readSource(transcript, read), read, now, []);
    try {
      for (;;) {
        const step = attempt.step();
        if (!isNeed(step)) {
          const changed = attempt.lookAgain(step);
          if (changed === undefined) {
            const context = attempt.finish<F>(step);
            const fewer = attempt.validOf(context);
            if (fewer === undefined) {
              keepOutline(transcript, context.outline);
              return context;
            }
            attempt = attempt.again(attempt.source, fewer);
            continue;
          }
          attempt = attempt.again(changed);
          continue;
        }
        if (step.need === "encoding") {
          throw notLoaded(step.name);
        }
        if (step.need === "selection") {
          startSelection();
          continue;
        }
        if (step.need === "meaning") {
          throw meaningNotLoaded();
        }
        // Without hooks, this is the only other need.
        attempt.answerOffsets(offsetsOf(step as ZoneNeed));
      }
    } finally {
      attempt.free();
    }
  } catch (failure) {
    throw failureOf(failure, config, now);
  }
}

/** Answers the needs that the engine can't meet by itself. */
export interface Outside {
  /** The hooks that the config has. */
  readonly hooks: readonly HookName[];
  /**
   * Answers a need for a hook. Positions refer to the source's messages. No need is asked twice. If an answer to
   * embeddings has no similarities, `take` must receive all vectors first.
   */
  answer(need: HookNeed, source: AskedOf<AnyMessage>, take: TakeVectors): Answer | Promise<Answer>;
  /** Returns the offsets of a time zone as pairs: the start of the offset, and its minutes. */
  offsets(need: ZoneNeed): readonly number[];
}

/** Builds with the caller's `Outside`. */
export async function buildFrom<M extends AnyMessage, F extends Format>(
  reader: Reader<M>,
  config: ReadConfig,
  now: number,
  outside: Outside,
): Promise<BuiltContext<M, F>> {
  const { signal } = config;
  // Reading more restarts the build, which then asks again.
  const answer = onceEach(outside.answer);
  if (bindingModel(config) !== undefined || config.contextManagement !== undefined) {
    await untilAborted(requests.load(), signal, KIND);
  }
  let attempt = new Attempt<M>(reader.source(), config, now, outside.hooks);
  try {
    for (;;) {
      const step = attempt.step();
      if (!isNeed(step)) {
        const changed = attempt.lookAgain(step);
        if (changed === undefined) {
          const context = attempt.finish<F>(step);
          const fewer = attempt.validOf(context);
          if (fewer !== undefined) {
            attempt = attempt.again(attempt.source, fewer);
            continue;
          }
          if (fillsUp(context)) {
            fetchSelectionAhead();
          }
          return context;
        }
        attempt = attempt.again(changed);
      } else if (step.need === "older") {
        if (reader.older === undefined) {
          throw asksForMore();
        }
        await reader.older(step);
        attempt = attempt.again(reader.source());
      } else if (step.need === "encoding") {
        await untilAborted(loadEncoding(step.name), signal, KIND);
      } else if (step.need === "selection") {
        await untilAborted(needSelection(), signal, KIND);
      } else if (step.need === "meaning") {
        await untilAborted(needMeaning(), signal, KIND);
      } else if (step.need === "zoneOffsets") {
        attempt.answerOffsets(outside.offsets(step));
      } else {
        attempt.answer(attempt.known() ?? (await answer(step, attempt.source, attempt.take())));
      }
      checkAborted(signal, KIND);
    }
  } finally {
    attempt.free();
  }
}

/** True if more than half of the budget is used. A chat that continues will soon need the ranking module. */
function fillsUp({ tokens: { total, limit } }: Pick<BuiltContext<never>, "tokens">): boolean {
  return limit != null && 2 * total > limit;
}

/** Wraps `answer` so that the same need gets the same answer, and each text is counted once. */
function onceEach(answer: Outside["answer"]): Outside["answer"] {
  const answers = new Map<string, Answer>();
  const counts = new Map<string, number>();
  return async (need, source, take) => {
    if (need.need === "embeddings") {
      return await answer(need, source, take); // the engine remembers vectors and asks for others
    }
    if (need.need === "counts") {
      const texts = need.texts.filter((text) => !counts.has(text));
      const given = texts.length === 0 ? undefined : await answer({ ...need, texts }, source, take);
      if (given !== undefined && given.counts?.length !== texts.length) {
        return given; // it failed
      }
      texts.forEach((text, index) => {
        counts.set(text, given?.counts?.[index] ?? 0);
      });
      return { hook: "countTokens", outcome: "given", counts: need.texts.map((text) => counts.get(text) ?? 0) };
    }
    const question = JSON.stringify(need);
    const known = answers.get(question) ?? (await answer(need, source, take));
    answers.set(question, known);
    return known;
  };
}

export type OlderNeed = Extract<Need, { readonly need: "older" }>;
export type ZoneNeed = Extract<Need, { readonly need: "zoneOffsets" }>;

/** Fails for a misspelled zone, even if the prompt shows no time. */
function checkZone({ options: { timeZone } }: ReadConfig): void {
  if (typeof timeZone === "string") {
    zoneOf(timeZone, KIND);
  }
}

function namesProvider({ options: { render } }: ReadConfig): boolean {
  return (render as RenderConfig | null | undefined)?.provider != null;
}

/** Returns the model if it binds its thinking to everything before it. */
function bindingModel({ options: { model, render } }: ReadConfig): string | undefined {
  return bindsThinking(model, (render as RenderConfig | null | undefined)?.provider) ? model : undefined;
}

function offsetsOf({ timeZone, first, last }: ZoneNeed): readonly number[] {
  return zoneOffsets(timeZone, first, last, KIND);
}

function isNeed(step: FinishedBuild | Need): step is Need {
  return "need" in step;
}

/** Only an edited recording or another version of the engine asks for more than was read at the time. */
function asksForMore(): ContextError {
  return new ContextError({
    kind: KIND,
    code: "INVALID_RECORDING",
    message: "the build needs older messages that weren't read when it was recorded",
    nextAction: "Pass the recording of a built context unchanged.",
  });
}

function notLoaded(name: EncodingName): ContextError {
  return new ContextError({
    kind: KIND,
    code: "ENCODING_NOT_LOADED",
    message: `the vocabulary of ${name} is not loaded`,
    nextAction: `Await loadEncoding("${name}") first, call buildContext instead, or set encoding to "estimate".`,
  });
}

/** Turns a failure into the failure of a build, which names its turn. */
function failureOf(failure: unknown, config: unknown, now: number): unknown {
  const error = errorOf(KIND, "the build", failure);
  const { code, message, path, nextAction } = error;
  const own =
    error.kind === KIND ? error : new ContextError({ kind: KIND, code, message, path, nextAction, cause: error });
  return own.inTurn(turnOf(config, now));
}

/** One build. It keeps its input, so it can resume after a pause, or in another engine. */
class Attempt<M extends AnyMessage> {
  readonly source: Source<M>;
  readonly #length: number;
  readonly #config: ReadConfig;
  readonly #now: number;
  readonly #hooks: readonly HookName[];
  /** The answers of hooks in the order asked, and the number of them that this engine has received. */
  readonly #answers: Answer[] = [];
  #given = 0;
  #build: CoreBuild;
  #generation: number = engineGeneration();
  readonly #model: string | undefined;
  /** The positions of the messages whose thinking is sent, if the model binds it. */
  readonly #bound: readonly number[] | undefined;
  /** The quotes of earlier prompts that stay. */
  readonly #quotes: readonly EarlierQuotes[];

  constructor(source: Source<M>, config: ReadConfig, now: number, hooks: readonly HookName[]) {
    this.source = source;
    this.#length = source.messages.length;
    this.#config = config;
    this.#now = now;
    this.#hooks = hooks;
    this.#model = bindingModel(config);
    this.#bound =
      this.#model === undefined
        ? undefined
        : (config.recordedBound ?? config.bound ?? mayBeValid(source, config.previous?.bound, this.#model)).filter(
            (at) => at < this.#length,
          );
    // Only thinking is bound to quotes.
    const hasThinking = config.recordedBound !== undefined || (this.#bound ?? []).length > 0;
    this.#quotes = hasThinking ? (config.quotes ?? earlierQuotes(source, config.previous?.bound)) : [];
    this.#build = this.#start(source.core);
  }

  /** Runs to the end, or to the next need. */
  step(): FinishedBuild | Need {
    if (this.#generation !== engineGeneration()) {
      // Another call restarted the engine during the pause, and this build was lost with it.
      const core = coreOf(this.source.messages.slice(0, this.#length), KIND, this.source);
      this.#generation = engineGeneration();
      this.#given = 0;
      this.#build = this.#start(core);
      core.free();
    }
    return call(KIND, () => this.#build.step() as FinishedBuild | Need);
  }

  /**
   * Returns the answer to the current need if an earlier engine received it: no hook is asked twice. The exception is
   * an engine that stopped before it computed similarities. Its vectors are lost, so the hook is asked again.
   */
  known(): Answer | undefined {
    const known = this.#answers[this.#given];
    const isLost = known?.hook === "recall.embed" && known.outcome === "given" && known.similarities === undefined;
    return isLost ? undefined : known;
  }

  answer(answer: Answer): void {
    this.#answers[this.#given] = answer;
    if (this.#generation === engineGeneration()) {
      this.#given += 1;
      try {
        call(KIND, () => this.#build.answer(answer));
        if (answer.hook === "recall.embed") {
          // Another engine has no vectors, so it receives the similarities instead.
          this.#answers[this.#given - 1] = { ...answer, similarities: this.#build.similarities ?? null };
        }
      } catch (failure) {
        throw withCause(failure, causeOf(answer));
      }
    }
  }

  /** Takes vectors for the engine that asked for them. Another engine asks again. */
  take(): TakeVectors {
    const generation = engineGeneration();
    const build = this.#build;
    return (first, { components, dimensions }) =>
      generation !== engineGeneration() || call(KIND, () => build.learnVectors(first, components, dimensions));
  }

  answerOffsets(offsets: readonly number[]): void {
    call(KIND, () => this.#build.answerOffsets(Float64Array.from(offsets)));
  }

  /** Returns a new source if a message in the context has changed since it was last read. */
  lookAgain({ rows }: FinishedBuild): Source<M> | undefined {
    return this.source.lookAgain?.(messageRows(rows));
  }

  /**
   * Checks the thinking in a finished context. If some of it is invalid, returns the positions of the messages whose
   * thinking is valid, for another build without the rest.
   */
  validOf(context: BuiltContext<M, Format>): readonly number[] | undefined {
    if (this.#model === undefined || this.#config.recordedBound !== undefined) {
      return undefined;
    }
    const invalid = context.checkThinking(this.#model, this.#config.previous);
    return invalid.size === 0 ? undefined : this.#bound?.filter((position) => !invalid.has(position));
  }

  finish<F extends Format>(finished: FinishedBuild): BuiltContext<M, F> {
    const { request, options, previous, redact } = this.#config;
    const { messages, shape, read, ids, parsedAt, log } = this.source;
    const { contextManagement } = this.#config;
    const facts = {
      read,
      shape,
      ids,
      parsedAt,
      bound: this.#bound,
      quotes: this.#quotes,
      contextManagement,
      seqs: log?.seqs,
      build: buildContext,
    };
    const measure = (encoding: string) => measureOf(encoding, options);
    const context = call(
      KIND,
      () => new BuiltContext<M, F>(finished, messages, request, measure, { ...facts, previous, redact }),
    );
    context.noteClearing(contextManagement);
    return context;
  }

  /** Replaces this attempt with one over another source. */
  again(source: Source<M>, bound?: readonly number[]): Attempt<M> {
    const config = { ...this.#config, bound, quotes: bound && this.#quotes };
    const next = new Attempt(source, config, this.#now, this.#hooks);
    if (this.#generation === next.#generation) {
      next.#build.takeRanking(this.#build);
      this.#build.free();
    }
    return next;
  }

  /** Releases the engine's memory. */
  free(): void {
    if (this.#generation === engineGeneration()) {
      this.#build.free();
    }
  }

  #start(core: CoreTranscript): CoreBuild {
    const { request, options, places } = this.#config;
    // The engine takes ownership of the request. An empty list means no request.
    const list = request === null ? [] : [request as MessageInput];
    const asked = request === undefined ? undefined : coreOf(list, KIND, { path: () => "request" });
    try {
      const build = call(KIND, () => new CoreBuild(core, asked, options, this.#now, [...this.#hooks]));
      if (this.#bound !== undefined) {
        build.sendThinkingOf(Uint32Array.from(this.#bound));
      }
      for (const { before, quoted, text } of this.#quotes) {
        build.keepQuotes(before, Uint32Array.from(quoted), text);
      }
      return build;
    } catch (failure) {
      throw inTheCallersWords(failure, places);
    }
  }
}

/** Returns the quotes of the previous prompt whose messages still exist. */
function earlierQuotes<M extends AnyMessage>(
  { ids = [], messages }: Pick<Source<M>, "ids" | "messages">,
  bound: BoundThinking | undefined,
): readonly EarlierQuotes[] {
  const quotes = bound?.quotes ?? [];
  const positions = new Map(quotes.length === 0 ? [] : ids.map((id, position) => [id, position]));
  const positionOf = (key: MessageKey): number | undefined =>
    typeof key === "string" ? positions.get(key) : key < messages.length ? key : undefined;
  return quotes.flatMap(([after, quoted, text]): EarlierQuotes[] => {
    const at = positionOf(after);
    const known = quoted.flatMap((key) => positionOf(key) ?? []);
    return at === undefined || at + 1 >= messages.length ? [] : [{ before: at + 1, quoted: known, text }];
  });
}

/** Adds the value that a hook threw. The engine only knows the reason in words. */
function withCause(failure: unknown, cause: unknown): unknown {
  if (!(failure instanceof ContextError) || failure.code !== "HOOK_FAILED" || cause === undefined) {
    return failure;
  }
  const { kind, code, message, path, nextAction } = failure;
  return new ContextError({ kind, code, message, path, nextAction, cause });
}

/** Returns the engine's error with the path in the caller's config. */
function inTheCallersWords(failure: unknown, places: ReadConfig["places"]): unknown {
  if (!(failure instanceof ContextError) || failure.path === undefined) {
    return failure;
  }
  const { kind, code, path, message, nextAction } = failure;
  for (const [place, written] of places) {
    if (path.startsWith(place)) {
      const say = (words: string): string => words.replaceAll(place, written);
      return new ContextError({ kind, code, message: say(message), path: say(path), nextAction: say(nextAction) });
    }
  }
  return failure;
}

/**
 * Returns a function that measures as the build did. `encoding` says how the build counted. If the build needed neither
 * the hook nor the vocabulary, an estimate replaces it, because nothing waits for them later.
 */
function measureOf(encoding: string, options: ReadConfig["options"]): Measure {
  const isExact = encoding !== "estimate" && encoding !== "countTokens";
  const measured = isExact ? options : { ...options, encoding: "estimate" };
  return (messages, { first = 0, tools, shape } = {}) => {
    const path = (index: number) => `messages[${first + index}]`;
    const own =
      tools === undefined ? measured : { ...measured, budget: { ...(measured.budget ?? {}), tools, usage: [] } };
    return withCoreOf(messages, KIND, (core) => [...call(KIND, () => core.measure(own))], { path, shape });
  };
}
