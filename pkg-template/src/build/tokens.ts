// Counting, without a build.

import { type CoreTranscript, certaintyOf, countText } from "#core";
import { ContextError } from "../base/errors.js";
import type { EncodingChoice } from "../base/generated.js";
import { describe } from "../base/options.js";
import { publicCall } from "../base/public-call.js";
import { call } from "../engine/engine.js";
import { readConfig, refuseHooks } from "../read/config.js";
import type { AnyMessage, ShapeName } from "../read/shapes/index.js";
import { messageListOf, withCoreOf } from "../read/transcript.js";

/** How to count. */
export interface CountOptions {
  /** The model, which chooses the encoding; a model without a public encoding gets the estimator. */
  readonly model?: string | null | undefined;
  /** The encoding; stronger than `model`. Default: `o200k_base`. */
  readonly encoding?: EncodingChoice | null | undefined;
  /** The shape of the messages, one of `messageShapes`. Default: each is recognised by what it holds. */
  readonly shape?: ShapeName | null | undefined;
}

/** A count. */
export interface TokenCount {
  /** How many tokens. */
  readonly tokens: number;
  /**
   * Whether that is exact: for the model that is named, or for the encoding where that alone is named, and without an image,
   * audio or a file. Where neither is named it is not: the model may count in another encoding.
   */
  readonly exact: boolean;
  /** The same in words: what the count is exact for, or why it is not. */
  readonly words: string;
}

const KIND = "token_count_error";

/**
 * Counts the tokens of a text, or of chat messages with all that a provider's format adds to them. Fails with
 * `ENCODING_NOT_LOADED` where the encoding was not loaded before: see `loadEncoding`.
 */
export function countTokens(input: string | readonly AnyMessage[], options?: CountOptions): TokenCount {
  return publicCall(KIND, "countTokens", () => count(input, options));
}

function count(input: string | readonly AnyMessage[], options?: CountOptions): TokenCount {
  const read = readConfig(options, KIND);
  refuseHooks(read, KIND);
  const plain = read.options;
  const certainty = (hasMedia: boolean, hasTools: boolean): Omit<TokenCount, "tokens"> =>
    JSON.parse(call(KIND, () => certaintyOf(plain, hasMedia, hasTools)));
  if (typeof input === "string") {
    return { tokens: call(KIND, () => countText(input, plain)), ...certainty(false, false) };
  }
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
    return { tokens, ...certainty(core.hasMedia, core.hasTools) };
  };
  return withCoreOf(messages, KIND, count, { shape: read.shape });
}
