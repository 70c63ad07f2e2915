// Chrome's built-in model: the Prompt API's `LanguageModel`.

import type { ProviderName, RequestBodies } from "windrow";
import { ContextError } from "../base/errors.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import { type CompletingModel, type SummarizingModel, summaryPrompt, unexpected } from "./model.js";

/** The methods of `LanguageModel` that are used. */
export interface PromptApi {
  availability(options?: object): Promise<string>;
  create(options?: object): Promise<PromptSession>;
}

interface PromptSession {
  prompt(text: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
  destroy(): void;
}

/** Options for the built-in model. */
export interface ChromeOptions {
  /** Options of `LanguageModel.create` and `availability`, such as `expectedInputs`. */
  readonly create?: Readonly<Record<string, unknown>> | undefined;
  /** True to download a model that isn't on the device yet: some gigabytes, once. Default: false. */
  readonly download?: boolean | undefined;
  /** The API. Default: the page's `LanguageModel`. */
  readonly api?: PromptApi | undefined;
}

const CHROME: OptionRules<keyof ChromeOptions> = {
  create: ["an object", (value) => typeof value === "object" && value !== null],
  download: ["true or false", (value) => typeof value === "boolean"],
  api: ["the Prompt API", () => true],
};

/**
 * Returns the hooks `triage.complete` and `compact.summarize`, answered by the browser's own model. They report that
 * they are unavailable if the browser has no model, or it isn't on the device. Each prompt has a separate session, so
 * no prompt sees another.
 */
export function chromeModel(options: ChromeOptions = {}): CompletingModel & SummarizingModel {
  checkOptions("context_build_error", options, CHROME);
  const { create = {}, download = false, api } = options;
  const reply = async (prompt: string, signal: AbortSignal): Promise<string | null> => {
    const model = api ?? (globalThis as { readonly LanguageModel?: PromptApi }).LanguageModel;
    const state = await model?.availability(create);
    const isThere = state === "available" || (download && (state === "downloadable" || state === "downloading"));
    if (model === undefined || !isThere) {
      return null;
    }
    const session = await model.create({ ...create, signal });
    try {
      return await session.prompt(prompt, { signal });
    } finally {
      session.destroy();
    }
  };
  return {
    complete: (prompt, { signal }) => reply(prompt, signal),
    summarize: (question) => reply(summaryPrompt(question), question.signal),
  };
}

/** The fields of a Prompt API session that are read, under their present and earlier names. */
export interface MeasuringSession {
  /** The tokens that the session can hold. */
  readonly contextWindow?: number | undefined;
  readonly inputQuota?: number | undefined;
  /** The tokens already in the session. */
  readonly contextUsage?: number | undefined;
  readonly inputUsage?: number | undefined;
  /** Counts the tokens of messages. */
  measureContextUsage?(messages: unknown, options?: object): Promise<number>;
  measureInputUsage?(messages: unknown, options?: object): Promise<number>;
}

/** A context that can be measured: the result of `buildContext` or `session.build`. */
export interface MeasurableContext {
  readonly tokens: { readonly total: number };
  readonly trimmed: boolean;
  request<Name extends ProviderName>(provider: Name): RequestBodies[Name];
}

/** Options for fitting a context to a session. */
export interface FitOptions {
  /** The tokens reserved for the reply. Default: 1,024, or a quarter of a window with fewer than 4,096. */
  readonly replyTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const FIT: OptionRules<keyof FitOptions> = {
  replyTokens: ["an integer from 0", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  signal: ["an AbortSignal", (value) => value instanceof AbortSignal],
};

/** The room for a reply: about a page of text. */
const REPLY_TOKENS = 1024;
/**
 * Maximum number of contexts that are built. Each is scaled by the measure of the one before, so a fourth is rarely
 * needed.
 */
const MOST_BUILDS = 8;
/** A context that was cut is built again if it fills less than this share of the room. */
const FULL = 0.9;

/**
 * Builds a context that fits a session of the Prompt API by the session's own count. `build` makes a context for a
 * budget, and may run several times. The first budget is the room in the session. Each further one follows from the
 * measure of the previous context. A session that can't measure gets the first context. Fails with `BUDGET_TOO_SMALL`
 * if nothing fits.
 */
export async function chromeContext<Context extends MeasurableContext>(
  session: MeasuringSession,
  build: (budget: { readonly maxTokens: number }) => Context | Promise<Context>,
  options: FitOptions = {},
): Promise<Context> {
  const room = roomOf(session, build, options);
  const measure = measureOf(session, options.signal);
  let best: Context | undefined;
  let maxTokens = room;
  for (let count = 1; count <= MOST_BUILDS; count++) {
    if (options.signal?.aborted) {
      throw failed("ABORTED", options.signal.reason);
    }
    const context = await build({ maxTokens });
    const { initialPrompts, prompt } = context.request("chrome");
    const measured = await measure?.([...initialPrompts, ...prompt]);
    if (measured === undefined) {
      return context;
    }
    const fits = measured <= room;
    best = fits ? context : best;
    if (best !== undefined && (!fits || count > 1 || !context.trimmed || measured >= room * FULL)) {
      return best;
    }
    // A little less with each attempt, because the tokens of long texts vary.
    const scaled = Math.floor((context.tokens.total * room * (1 - count / 50)) / Math.max(measured, 1));
    if (fits && scaled <= maxTokens) {
      return context;
    }
    maxTokens = fits ? scaled : Math.min(scaled, maxTokens - 1);
    if (maxTokens < 1) {
      break;
    }
  }
  throw new ContextError({
    kind: "context_build_error",
    code: "BUDGET_TOO_SMALL",
    message: `no context fits the ${room} tokens that the session has left`,
    nextAction: "Use a new session, or set aside less for the reply.",
  });
}

/** Returns the tokens left in a session, minus those for the reply. */
function roomOf(session: MeasuringSession, build: unknown, options: FitOptions): number {
  checkOptions("context_build_error", options, FIT);
  const given: MeasuringSession = isRecord(session) ? session : {};
  const window = given.contextWindow ?? given.inputQuota;
  const used = given.contextUsage ?? given.inputUsage ?? 0;
  if (typeof window !== "number" || !(window > 0) || !(used >= 0)) {
    throw invalid("session", `expected a session with a contextWindow, got ${describe(session)}`);
  }
  if (typeof build !== "function") {
    throw invalid("build", `expected a function that builds a context, got ${describe(build)}`);
  }
  const whole = Math.min(window, Number.MAX_SAFE_INTEGER);
  const replyTokens = options.replyTokens ?? Math.min(REPLY_TOKENS, Math.floor(whole / 4));
  return Math.max(Math.floor(whole - used - replyTokens), 1);
}

function invalid(path: string, problem: string): ContextError {
  const nextAction =
    "Pass a session of LanguageModel.create(), and a function that calls buildContext with its budget.";
  return new ContextError({
    kind: "context_build_error",
    code: "INVALID_CONFIG",
    message: `${path}: ${problem}`,
    path,
    nextAction,
  });
}

/** Returns the session's count of messages. Undefined if it can't count. */
function measureOf(
  session: MeasuringSession,
  signal: AbortSignal | undefined,
): ((messages: unknown) => Promise<number>) | undefined {
  const name = (["measureContextUsage", "measureInputUsage"] as const).find((it) => typeof session[it] === "function");
  if (name === undefined) {
    return undefined;
  }
  return async (messages) => {
    try {
      const measured = await session[name]?.(messages, signal === undefined ? {} : { signal });
      if (typeof measured === "number" && measured >= 0) {
        return measured;
      }
      throw unexpected(name, "a number of tokens", measured);
    } catch (failure) {
      throw failed(signal?.aborted ? "ABORTED" : "HOOK_FAILED", failure);
    }
  };
}

function failed(code: "ABORTED" | "HOOK_FAILED", reason: unknown): ContextError {
  const isAborted = code === "ABORTED";
  const said = reason instanceof Error ? reason.message : String(reason);
  return new ContextError({
    kind: "context_build_error",
    code,
    message: isAborted ? "the signal was aborted" : `the session's measure failed: ${said}`,
    nextAction: isAborted
      ? "Call it again if you still need the context."
      : "See the session's error. A session takes images, audio and tools only if `expectedInputs` names them.",
    cause: reason,
  });
}
