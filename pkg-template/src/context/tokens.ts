// Counts tokens without a build.

import { type CoreTranscript, countingOf } from "#core";
import { ContextError } from "../base/errors.js";
import type { BudgetConfig, EncodingChoice } from "../base/generated.js";
import { describe } from "../base/options.js";
import { publicCall } from "../base/public-call.js";
import { readConfig, refuseHooks } from "../config/config.js";
import { call } from "../engine/engine.js";
import { countTokensOf } from "../engine/text.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { ShapeName } from "../message/recognise.js";
import { messageListOf, withCoreOf } from "./transcript.js";

/** Options for counting. */
export interface CountOptions {
  /** The model. It selects the encoding; a model without a public encoding gets the estimator. */
  readonly model?: string | null | undefined;
  /** The encoding. Overrides `model`. Default: `o200k_base`. */
  readonly encoding?: EncodingChoice | null | undefined;
  /**
   * The shape of the messages, one of `messageShapes`. Default: each message's format is recognized from its fields.
   */
  readonly shape?: ShapeName | null | undefined;
  /**
   * The options of `budget` that a count depends on: the cost of a message and of the reply's start, and recorded usage.
   * The count of messages includes `tools`.
   */
  readonly budget?:
    | Pick<BudgetConfig, "tools" | "toolChoice" | "tokensPerMessage" | "tokensPerName" | "tokensPriming" | "usage">
    | undefined;
}

/** A count. */
export interface TokenCount {
  /** The number of tokens. */
  readonly tokens: number;
  /**
   * True if the count is exact: for the named model, or for the encoding if only that is named, and if no image, audio
   * or file is counted. False if neither is named, because the model may use another encoding.
   */
  readonly exact: boolean;
  /** The same in words: what the count is exact for, or why it isn't exact. */
  readonly words: string;
}

const KIND = "token_count_error";

/**
 * Counts the tokens of a text, or of chat messages including everything that a provider's format adds. Fails with
 * `ENCODING_NOT_LOADED` unless the encoding is loaded: see `loadEncoding`.
 */
export function countTokens(input: string | readonly AnyMessage[], options?: CountOptions): TokenCount {
  return publicCall(KIND, "countTokens", () => count(input, options));
}

/** The engine's counter for some options, and whether it is exact. */
interface CountingMethod {
  readonly counter: number;
  readonly exact: boolean;
  readonly words: string;
}

/** The last options for counting a text, and their method. Many texts are counted with the same options. */
let last: { readonly model: unknown; readonly encoding: unknown; readonly counting: CountingMethod } | undefined;

function count(input: string | readonly AnyMessage[], options?: CountOptions): TokenCount {
  return typeof input === "string" ? countOfText(input, options) : countOfMessages(input, options);
}

function countOfText(text: string, options: CountOptions | undefined): TokenCount {
  const { counter, exact, words } = countingOfText(options);
  return { tokens: call(KIND, () => countTokensOf(text, counter)), exact, words };
}

/** Returns the counting method for a text. Options that name nothing but an encoding or a model are read only once. */
function countingOfText(options: CountOptions | undefined): CountingMethod {
  const plain = plainOptions(options);
  if (plain === undefined) {
    return read(options).counting(false, false);
  }
  const { model, encoding } = plain;
  if (last === undefined || last.model !== model || last.encoding !== encoding) {
    last = { model, encoding, counting: read(plain).counting(false, false) };
  }
  return last.counting;
}

/** Returns options that name at most a model or an encoding. Undefined for any others. */
function plainOptions(options: CountOptions | undefined): CountOptions | undefined {
  if (options === undefined) {
    return {};
  }
  if (options === null || Object.getPrototypeOf(options) !== Object.prototype) {
    return undefined;
  }
  for (const name in options) {
    if (name !== "model" && name !== "encoding") {
      return undefined;
    }
  }
  const { model, encoding } = options;
  const isPlain = (value: unknown): boolean => typeof value === "string" || value === undefined;
  return isPlain(model) && isPlain(encoding) ? { model, encoding } : undefined;
}

/** Reads options strictly. */
function read(options: CountOptions | undefined) {
  const config = readConfig(options, KIND);
  refuseHooks(config, KIND);
  const counting = (hasMedia: boolean, hasTools: boolean): CountingMethod =>
    JSON.parse(call(KIND, () => countingOf(config.options, hasMedia, hasTools)));
  return { ...config, counting };
}

function countOfMessages(input: readonly AnyMessage[], options: CountOptions | undefined): TokenCount {
  const { options: plain, shape, counting } = read(options);
  const messages = messageListOf<AnyMessage>(input, KIND);
  if (messages === undefined) {
    throw new ContextError({
      kind: KIND,
      code: "INVALID_TRANSCRIPT",
      message: `expected a text or a list of messages, got ${describe(input)}`,
      nextAction: "Pass a string, or an array of messages.",
    });
  }
  const count = (core: CoreTranscript): TokenCount => {
    const costs = call(KIND, () => core.measure(plain));
    const tokens = costs.reduce((total, cost) => total + cost, 0);
    const { exact, words } = counting(core.hasMedia, core.hasTools);
    return { tokens, exact, words };
  };
  return withCoreOf(messages, KIND, count, { shape });
}
