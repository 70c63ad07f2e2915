// Counting, without a build.

import { countText, encodingOf } from "#core";
import { readConfig, refuseHooks } from "./config.js";
import { call } from "./engine.js";
import { ContextError } from "./errors.js";
import type { EncodingChoice } from "./generated.js";
import { describe, type MessageInput } from "./messages.js";
import { publicCall } from "./public-call.js";
import { messageListOf, withCoreOf } from "./transcript.js";

/** How to count. */
export interface CountOptions {
  /** The model, which chooses the encoding; a model without a public encoding gets the estimator. */
  readonly model?: string | null | undefined;
  /** The encoding; stronger than `model`. Default: `o200k_base`. */
  readonly encoding?: EncodingChoice | null | undefined;
}

/** A count. */
export interface TokenCount {
  /** How many tokens. */
  readonly tokens: number;
  /** Whether that is exact: counted by an encoding, and without a part of unknown cost (an image, audio, a file). */
  readonly exact: boolean;
}

const KIND = "token_count_error";

/**
 * Counts the tokens of a text, or of chat messages with all that a provider's format adds to them. Fails with
 * `ENCODING_NOT_LOADED` where the encoding was not loaded before: see `loadEncoding`.
 */
export function countTokens(input: string | readonly MessageInput[], options?: CountOptions): TokenCount {
  return publicCall(KIND, "countTokens", () => count(input, options));
}

function count(input: string | readonly MessageInput[], options?: CountOptions): TokenCount {
  const read = readConfig(options, KIND);
  refuseHooks(read, KIND);
  const plain = read.options;
  const exact = call(KIND, () => encodingOf(plain)) !== undefined;
  if (typeof input === "string") {
    return { tokens: call(KIND, () => countText(input, plain)), exact };
  }
  const messages = messageListOf<MessageInput>(input, KIND);
  if (messages === undefined) {
    throw new ContextError({
      kind: KIND,
      code: "INVALID_TRANSCRIPT",
      message: `expected a text or a list of messages, got ${describe(input)}`,
      nextAction: "Pass a string, or an array of messages.",
    });
  }
  return withCoreOf(messages, KIND, (core) => {
    const costs = call(KIND, () => core.measure(plain));
    return { tokens: costs.reduce((total, cost) => total + cost, 0), exact: exact && !core.hasMedia };
  });
}
