// Provider errors that report a prompt that is too long.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contextOverflowOf, isContextOverflow } from "windrow";
import { forEachSeed } from "../support/property.mjs";

/** Error messages: the words, the tokens of the prompt, and the limit. */
const OVERFLOWS = [
  ["prompt is too long: 200251 tokens > 200000 maximum", 200_251, 200_000],
  [
    "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
    178_959,
    136_000,
  ],
  [
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    122_942,
    122_880,
  ],
  [
    "This model's maximum context length is 4097 tokens, however you requested 4322 tokens (4066 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
    4066,
    3841,
  ],
  [
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 4619 tokens. Please reduce the length of the messages.",
    4619,
    4097,
  ],
  [
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.",
    289_650,
    272_000,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one",
    7884,
    undefined,
  ],
  [
    "400 This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input).",
    42_832,
    32_768,
  ],
  [
    "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
    134_145,
    134_144,
  ],
  [
    "You passed 202753 input tokens and requested 0 output tokens. However, the model's context length is only 202752 tokens",
    202_753,
    202_752,
  ],
  ["The input (61709 tokens) is longer than the model's context length (40960 tokens).", 61_709, 40_960],
  ["Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).", 160_062, 59_862],
  ["The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).", 2_845_475, 1_048_576],
  ["The input token count exceeds the maximum number of tokens allowed 1048576.", undefined, 1_048_576],
  [
    "Unable to submit request because the input token count is 135538 but model only supports up to 32768. Reduce the input token count and try again.",
    135_538,
    32_768,
  ],
  [
    "Prompt contains 240000 tokens and 0 draft tokens, too large for model with 128000 maximum context length",
    240_000,
    128_000,
  ],
  ["Input is too long for requested model.", undefined, undefined],
  ["Too many input tokens. Max input tokens: 8192, request input token count: 9000", 9000, 8192],
  ["This model's maximum prompt length is 131072 but the request contains 136973 tokens.", 136_973, 131_072],
  ["request (65,646 tokens) exceeds the available context size (65,536 tokens), try increasing it", 65_646, 65_536],
  ["the request exceeds the available context size. try increasing the context size", undefined, undefined],
  ["Requested tokens (2285) exceed context window of 2048", 2285, 2048],
  ["prompt too long; exceeded max context length by 4 tokens", undefined, undefined],
  [
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`",
    79_993,
    64_513,
  ],
  ["prompt token count of 140000 exceeds the limit of 128000", 140_000, 128_000],
  ["Your request exceeded model token limit: 262144 (requested: 300000)", 300_000, 262_144],
  ["Range of input length should be [1, 129024]", undefined, 129_024],
  [
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    undefined,
    undefined,
  ],
  ["tokens to keep from the initial prompt is greater than the context length", undefined, undefined],
  ["invalid params, context window exceeds limit", undefined, undefined],
  ["Prompt exceeds maximum context length", undefined, undefined],
  ["Prompt exceeds max length", undefined, undefined],
  ["Please reduce the length of the messages or completion.", undefined, undefined],
];

const OTHERS = [
  "Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.",
  "ThrottlingException: Too many tokens, please wait before trying again.",
  "Number of request tokens has exceeded your daily rate limit",
  "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for this model",
  "You exceeded your current quota, please check your plan and billing details.",
  "Invalid API key",
  "fetch failed",
  "The messages must alternate between user and assistant roles",
  "",
];

/** SDK errors that wrap a provider's words. */
const WRAPPERS = {
  error: (words) => new Error(words),
  text: (words) => words,
  "OpenAI SDK": (words) =>
    Object.assign(new Error(`400 ${words}`), { status: 400, error: { message: words, type: "invalid_request_error" } }),
  "Anthropic SDK": (words) =>
    Object.assign(new Error("400"), {
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error", message: words } },
    }),
  "AI SDK": (words) =>
    Object.assign(new Error("Bad Request"), {
      statusCode: 400,
      responseBody: JSON.stringify({ error: { message: words } }),
    }),
  "AI SDK's retries": (words) =>
    Object.assign(new Error("Failed"), { lastError: new Error(words), errors: [new Error(words)] }),
  cause: (words) => new Error("the call failed", { cause: new Error(words) }),
  "inner server": (words) => ({ code: 502, metadata: { provider_name: "x", raw: words } }),
};

describe("an error about a prompt that is too long", () => {
  for (const [words, inputTokens, maxInputTokens] of OVERFLOWS) {
    test(String(words).slice(0, 72), () => {
      for (const [name, wrapped] of Object.entries(WRAPPERS)) {
        assert.ok(isContextOverflow(wrapped(words)), name);
        assert.deepEqual(contextOverflowOf(wrapped(words)), { inputTokens, maxInputTokens }, name);
      }
    });
  }

  test("is also recognized by codes, names and fields", () => {
    assert.ok(isContextOverflow({ error: { code: "context_length_exceeded", message: "Too long." } }));
    assert.ok(isContextOverflow(Object.assign(new Error("no words"), { name: "ContextOverflowError" })));
    const fields = { error: { type: "exceed_context_size_error", message: "x", n_prompt_tokens: 1407, n_ctx: 256 } };
    assert.deepEqual(contextOverflowOf(fields), { inputTokens: 1407, maxInputTokens: 256 });
  });
});

test("other errors aren't mistaken for one", () => {
  for (const words of OTHERS) {
    for (const wrapped of Object.values(WRAPPERS)) {
      assert.equal(isContextOverflow(wrapped(words)), false, words);
    }
  }
  for (const value of [undefined, null, 1, {}, [], new Error("x")]) {
    assert.equal(isContextOverflow(value), false);
  }
});

test("a circular or deep error is read to the end", () => {
  forEachSeed((random) => {
    const error = { message: random.text(5) };
    let inner = error;
    for (let at = 0; at < random.integer(0, 50); at++) {
      inner = { cause: inner, errors: [inner, error], message: random.text(3) };
    }
    Object.assign(error, { cause: inner });
    assert.equal(isContextOverflow(inner), false);
  });
});
