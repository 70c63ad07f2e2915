// Cloudflare's Workers AI, through a worker's binding.

import { ContextError } from "../base/errors.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import {
  type CompletingModel,
  type EmbeddingModel,
  isName,
  MOST_REPLY_TOKENS,
  type SummarizingModel,
  summaryPrompt,
  unexpected,
  vectorsIn,
} from "./model.js";

/** The methods of the binding that are used: `"ai": { "binding": "AI" }` in wrangler.jsonc. */
export interface AiBinding {
  run(model: never, inputs: never, options?: never): Promise<unknown>;
}

/** The models that answer. */
export interface WorkersAiOptions {
  /** The model that completes: `@cf/meta/llama-3.1-8b-instruct-fast`. */
  readonly model?: string | undefined;
  /** The model for embeddings: `@cf/baai/bge-base-en-v1.5`. */
  readonly embeddingModel?: string | undefined;
  /** Options of `run`, such as a gateway. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

const KIND = "context_build_error";
const MODELS: OptionRules = {
  model: ["the name of a model", isName],
  embeddingModel: ["the name of a model", isName],
  options: ["an object with options of run", isRecord],
};

/** Maximum number of texts per call of an embedding model. */
const BATCH = 100;

/**
 * Returns the hooks `triage.complete`, `compact.summarize` and `recall.embed`, answered by Workers AI. Fails with
 * `INVALID_CONFIG` if the binding is missing or an option is wrong. The hook for a model that isn't named reports that
 * it is unavailable. Each hook rejects if its model fails or answers unexpectedly.
 */
export function workersAi(
  ai: AiBinding,
  models: WorkersAiOptions,
): CompletingModel & SummarizingModel & EmbeddingModel {
  checkOptions(KIND, models, MODELS);
  if (typeof ai?.run !== "function") {
    throw new ContextError({
      kind: KIND,
      code: "INVALID_CONFIG",
      message: `ai: expected the binding of Workers AI, got ${describe(ai)}`,
      path: "ai",
      nextAction: 'Pass env.AI, and name it in wrangler.jsonc: "ai": { "binding": "AI" }.',
    });
  }
  const { model, embeddingModel, options } = models;
  const run = ai.run.bind(ai) as (model: string, inputs: object, options?: object) => Promise<unknown>;
  const reply = async (content: string, maxTokens: number, signal: AbortSignal): Promise<string | null> => {
    if (model === undefined) {
      return null;
    }
    const inputs = { messages: [{ role: "user", content }], temperature: 0, max_tokens: maxTokens };
    const answer = await unless(signal, run(model, inputs, options));
    const { response } = (answer ?? {}) as { readonly response?: unknown };
    // A model that parses its own reply as JSON returns the parsed value.
    if (typeof response !== "string" && (typeof response !== "object" || response === null)) {
      throw unexpected(`the model ${model}`, "a response", answer);
    }
    return typeof response === "string" ? response : JSON.stringify(response);
  };
  return {
    complete: (prompt, { signal }) => reply(prompt, MOST_REPLY_TOKENS, signal),
    summarize: (question) => reply(summaryPrompt(question), question.maxTokens, question.signal),
    async embed(texts, { signal }) {
      if (embeddingModel === undefined) {
        return null;
      }
      const vectors: (readonly number[])[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        const text = texts.slice(at, at + BATCH);
        const answer = await unless(signal, run(embeddingModel, { text }, options));
        const { data } = (answer ?? {}) as { readonly data?: unknown };
        vectors.push(...vectorsIn(data ?? answer, text.length, `the model ${embeddingModel}`));
      }
      return vectors;
    },
  };
}

/** Waits for a promise until the signal aborts. Some versions of the binding take no signal. */
function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) {
      stop();
    }
  });
}
