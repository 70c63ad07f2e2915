// Any endpoint with OpenAI's chat completions and embeddings: your own server, a router, a provider.

import { checkOptions, type OptionRules } from "../base/options.js";
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

/** The address of the endpoint, and its model. */
export interface EndpointOptions {
  /** The address before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token. It never appears in an error, note or recording. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional fields of the body. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Makes the request. Default: the host's `fetch`. */
  readonly fetch?: ((url: string, request: EndpointRequest) => Promise<Response>) | undefined;
}

/** A request to the endpoint, as `fetch` takes it. */
export interface EndpointRequest {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

const ENDPOINT = {
  baseUrl: ["the address before /chat/completions, as a text", isName],
  model: ["the name of a model", isName],
  apiKey: ["a text", (value) => typeof value === "string"],
  headers: ["an object with headers", isRecord],
  body: ["an object with fields of the body", isRecord],
  fetch: ["a function like fetch", (value) => typeof value === "function"],
} satisfies OptionRules;

/** Maximum number of texts in one request. */
const BATCH = 96;
/** The longest answer that is read, in characters. Triage and embeddings stay far below it. */
const MOST_CHARS = 64_000_000;

/**
 * Returns the hooks `triage.complete`, `compact.summarize` and `recall.embed`, answered by an OpenAI-compatible
 * endpoint. Fails with `INVALID_CONFIG` for a wrong option. Each hook rejects if the endpoint fails or answers
 * unexpectedly. The error has the status and the beginning of the answer. No request is retried.
 */
export function openAiCompatible(options: EndpointOptions): CompletingModel & SummarizingModel & EmbeddingModel {
  checkOptions("context_build_error", options, ENDPOINT, ["baseUrl", "model"]);
  const reply = async (content: string, maxTokens: number, signal: AbortSignal): Promise<string> => {
    const messages = [{ role: "user", content }];
    const asked = { messages, temperature: 0, max_tokens: maxTokens };
    const answer = await post(options, "/chat/completions", asked, signal);
    const said = (answer as ChatAnswer | null)?.choices?.[0]?.message?.content;
    if (typeof said !== "string") {
      throw unexpected(whoIs(options), "a reply with a text", answer);
    }
    return said;
  };
  return {
    complete: (prompt, { signal }) => reply(prompt, MOST_REPLY_TOKENS, signal),
    summarize: (question) => reply(summaryPrompt(question), question.maxTokens, question.signal),
    async embed(texts, { signal }) {
      const vectors: (readonly number[])[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        const input = texts.slice(at, at + BATCH);
        const answer = await post(options, "/embeddings", { input, encoding_format: "float" }, signal);
        const { data } = (answer ?? {}) as EmbeddingsAnswer;
        const rows = Array.isArray(data)
          ? data.toSorted((left, right) => (left?.index ?? 0) - (right?.index ?? 0))
          : data;
        const found = Array.isArray(rows) ? rows.map((row) => row?.embedding) : answer;
        vectors.push(...vectorsIn(found, input.length, whoIs(options)));
      }
      return vectors;
    },
  };
}

interface ChatAnswer {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
}

interface EmbeddingsAnswer {
  readonly data?: readonly ({ readonly index?: number; readonly embedding?: unknown } | null)[];
}

const whoIs = ({ model }: EndpointOptions): string => `the model ${model}`;

async function post(options: EndpointOptions, path: string, asked: object, signal: AbortSignal): Promise<unknown> {
  const { baseUrl, model, apiKey, headers, body, fetch: request = globalThis.fetch } = options;
  const response = await request(baseUrl.replace(/\/+$/, "") + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: JSON.stringify({ model, ...asked, ...body }),
    signal,
  });
  const text = await textOf(response, signal);
  if (!response.ok) {
    throw unexpected(whoIs(options), "a status of success", `${response.status}: ${text}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(whoIs(options), "JSON", text);
  }
}

/** Reads the text of an answer, up to the length limit and until the caller stops waiting. */
async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const cancel = (): void => {
    reader?.cancel(signal.reason).catch(() => {}); // already gone
  };
  signal.addEventListener("abort", cancel);
  try {
    let text = "";
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      text += read.value;
      if (text.length > MOST_CHARS) {
        cancel();
        throw unexpected("the endpoint", `at most ${MOST_CHARS} characters`, text);
      }
    }
    signal.throwIfAborted();
    return text;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
