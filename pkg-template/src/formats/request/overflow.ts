// Recognizes providers' errors for a prompt that is too long, and reads the figures in them.

/** A provider's words for a prompt that is too long. */
interface OverflowWords {
  /** The servers that use them. */
  readonly of: string;
  /** A page that quotes them. */
  readonly source: string;
  /**
   * The words, in lower case and without commas in figures. Groups: `input` and `limit` are the tokens of the prompt
   * and of the context window; `output` is the number reserved for the reply.
   */
  readonly words: RegExp;
}

/** A list of such words, maintained by the makers of an agent. */
const PI_LIST = "https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts";

/** The first entry that fits an error wins, so those with figures come first. */
const OVERFLOWS: readonly OverflowWords[] = [
  {
    of: "Anthropic",
    source: "https://github.com/boldsoftware/exe.dev/issues/62",
    words: /(?:prompt|input) is too long: (?<input>\d+) tokens > (?<limit>\d+)/,
  },
  {
    of: "Anthropic",
    source: "https://github.com/docker/docker-agent/issues/569",
    words: /exceed context limit: (?<input>\d+) \+\s*(?<output>\d+) > (?<limit>\d+)/,
  },
  {
    of: "OpenAI, Azure, DeepSeek, vLLM, OpenRouter",
    source: "https://github.com/evalstate/fast-agent/issues/621, https://github.com/OpenHands/OpenHands/issues/9937",
    words:
      /context length is (?<limit>\d+) tokens.{0,40}requested (?:about )?\d+ tokens \((?<input>\d+) (?:in|of) (?:the messages|your prompt|the prompt|text input)(?:[,;] (?<output>\d+))?/,
  },
  {
    of: "OpenAI, Azure",
    source: "https://github.com/ChatGPTNextWeb/NextChat/issues/625",
    words: /context length is (?<limit>\d+) tokens.{0,40}messages resulted in (?<input>\d+) tokens/,
  },
  {
    of: "OpenAI",
    source: "https://github.com/cline/cline/issues/5474",
    words: /configured limit of (?<limit>\d+) tokens.{0,20}messages resulted in (?<input>\d+) tokens/,
  },
  {
    of: "vLLM",
    source: "https://github.com/AIDotNet/OpenCowork/issues/82",
    words:
      /context length is (?<limit>\d+) tokens.{0,40}requested (?<output>\d+) output tokens and your prompt contains (?:at least )?(?<input>\d+)/,
  },
  {
    of: "vLLM",
    source: "https://github.com/proxysoul/Empryo/issues/52",
    words:
      /passed (?<input>\d+) input tokens and requested (?<output>\d+) output tokens.{0,60}context length is only (?<limit>\d+)/,
  },
  {
    of: "SGLang, Together AI",
    source: "https://github.com/QwenLM/Qwen3/issues/1321",
    words: /input \((?<input>\d+) tokens\) is longer than the model's context length \((?<limit>\d+)/,
  },
  {
    of: "SGLang",
    source: "https://github.com/sgl-project/sglang/issues/4048",
    words: /input length \((?<input>\d+)(?: tokens)?\) exceeds .{0,40}length \((?<limit>\d+)/,
  },
  {
    of: "OpenAI-compatible servers",
    source: "https://github.com/langchain-ai/langchain/issues/11001",
    words: /context length is (?<limit>\d+) tokens.{0,40}requested (?:about )?(?<input>\d+) tokens/,
  },
  {
    of: "Gemini",
    source: "https://github.com/google-gemini/gemini-cli/issues/4692, https://github.com/warpdotdev/warp/issues/15662",
    words: /input token count(?: \((?<input>\d+)\))? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)/,
  },
  {
    of: "Vertex AI",
    source: "https://cloud.google.com/vertex-ai/generative-ai/docs/learn/models",
    words: /input token count is (?<input>\d+) but (?:the )?model only supports up to (?<limit>\d+)/,
  },
  {
    of: "Mistral",
    source: PI_LIST,
    words: /prompt contains (?<input>\d+) tokens.{0,40}too large for model with (?<limit>\d+)/,
  },
  {
    of: "Amazon Bedrock",
    source: "https://github.com/topoteretes/cognee-rs/pull/203",
    words: /too many input tokens\. max input tokens: (?<limit>\d+)(?:, request input token count: (?<input>\d+))?/,
  },
  {
    of: "xAI",
    source: "https://github.com/cline/cline/issues/3120",
    words: /maximum prompt length is (?<limit>\d+) but the request contains (?<input>\d+) tokens/,
  },
  {
    of: "llama.cpp",
    source: "https://github.com/ggml-org/llama.cpp/pull/15780",
    words: /n_prompt_tokens"?: ?(?<input>\d+), ?"?n_ctx"?: ?(?<limit>\d+)/,
  },
  {
    of: "llama.cpp",
    source: "https://github.com/continuedev/continue/issues/9797",
    words:
      /(?:request|prompt)(?: \((?<input>\d+) tokens\))? exceeds the available context size(?: \((?<limit>\d+) tokens\))?/,
  },
  {
    of: "WebLLM",
    source: "https://github.com/mlc-ai/web-llm/blob/main/src/error.ts",
    words: /number of prompt tokens: (?<input>\d+); context window size: (?<limit>\d+)/,
  },
  {
    of: "llama-cpp-python",
    source: "https://github.com/abetlen/llama-cpp-python/issues/416",
    words: /requested tokens(?: \((?<input>\d+)\))? exceed context window of (?<limit>\d+)/,
  },
  {
    of: "Ollama",
    source: PI_LIST,
    words: /prompt too long; exceeded (?:max )?context length/,
  },
  {
    of: "Text Generation Inference",
    source: "https://github.com/bytedance/UI-TARS-desktop/issues/626",
    words:
      /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)\. given: (?<input>\d+) `inputs` tokens and (?<output>\d+)/,
  },
  {
    of: "GitHub Copilot",
    source: PI_LIST,
    words: /prompt token count of (?<input>\d+) exceeds the limit of (?<limit>\d+)/,
  },
  {
    of: "Moonshot AI",
    source: PI_LIST,
    words: /exceeded model token limit: (?<limit>\d+)(?: \(requested: (?<input>\d+)\))?/,
  },
  {
    of: "Alibaba DashScope",
    source: PI_LIST,
    words: /range of input length should be \[\d+, ?(?<limit>\d+)\]/,
  },
  // Words that several servers use without figures, or with figures of another meaning.
  {
    of: "codes of OpenAI, llama.cpp, GitHub Copilot and Z.ai, and names of LangChain's and LiteLLM's errors",
    source: "https://github.com/anomalyco/opencode/issues/6071",
    words:
      /\b(?:context_length_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded|(?:model_)?context_window_exceeded|context(?:window)?(?:overflow|exceeded)error)\b/,
  },
  {
    of: "OpenAI, MiniMax, LM Studio, mlx and others",
    source: `https://github.com/refly-ai/refly/issues/1177, https://github.com/ddalcu/mlx-serve/issues/66, ${PI_LIST}`,
    words:
      /(?:exceed\w*|longer than|greater than|larger than|over)(?: \w+(?:'s)?){0,4} context(?:_| )(?:window|length|size|limit)|context(?:_| )(?:window|length|size|limit)(?: \w+){0,2} exceed|maximum context length/,
  },
  {
    of: "Amazon Bedrock, Groq, Z.ai",
    source: `https://github.com/aws-samples/bedrock-chat/issues/95, ${PI_LIST}`,
    words:
      /(?:input|prompt|conversation)(?: is)? too long\b|(?:input|prompt) (?:tokens? )?exceed\w* (?:the )?max|reduce the length of the (?:messages|prompt|input)|too many (?:input )?tokens|token limit exceeded/,
  },
];

/** Words of other failures that mention tokens: rate limits, quotas, and limits of the reply. */
const OTHER_FAILURES =
  /rate.?limit|tokens per (?:min|day|hour)|\b[tr]p[md]\b|quota|throttl|too many requests|max(?:imum|_)?[a-z_ ]*output tokens|wait before trying/;

/** The figures in a provider's error. */
export interface ContextOverflow {
  /** The tokens of the prompt, as the provider counted them. */
  readonly inputTokens?: number | undefined;
  /** Maximum number of tokens for the prompt: the context window minus the room for the reply. */
  readonly maxInputTokens?: number | undefined;
}

/**
 * True if an error says that the prompt was too long for the model. Knows the words of OpenAI, Azure, Anthropic,
 * Gemini, Mistral, Bedrock, vLLM, llama.cpp, Ollama, OpenRouter and others, in errors of their SDKs, of the AI SDK and
 * of LangChain. A rate limit doesn't count.
 */
export function isContextOverflow(error: unknown): boolean {
  return contextOverflowOf(error) !== undefined;
}

/** Returns the figures in an error for a prompt that was too long. Undefined for every other error. */
export function contextOverflowOf(error: unknown): ContextOverflow | undefined {
  const said = wordsOf(error);
  if (said.some((text) => OTHER_FAILURES.test(text))) {
    return undefined;
  }
  for (const { words } of OVERFLOWS) {
    const found = said.map((text) => words.exec(text)).find((match) => match !== null);
    if (found != null) {
      const figures = found.groups ?? {};
      const [input, limit, output = 0] = ["input", "limit", "output"].map((name) => figureIn(figures[name]));
      return {
        inputTokens: input,
        maxInputTokens: limit !== undefined && limit > output ? limit - output : undefined,
      };
    }
  }
  return undefined;
}

const figureIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Fields of errors that hold words, or a nested error. */
const FIELDS = [
  ...["name", "message", "code", "type", "errorCode", "errorType", "errorMessage", "detail", "details"],
  ...["error", "data", "body", "responseBody", "response", "cause", "lastError", "errors", "metadata", "raw"],
];

/** Maximum nesting of errors that is read. */
const MOST_DEPTH = 8;

/** Maximum number of errors of a list that are read, because a list may claim to be longer than memory. */
const MOST_ERRORS = 16;

/** How much of a text is read, in code units. Providers name the fault at the beginning. */
const MOST_LENGTH = 10_000;

/** Returns the texts of an error and its nested errors, in lower case and without commas in figures. */
function wordsOf(error: unknown): readonly string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const read = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      texts.push(
        value
          .slice(0, MOST_LENGTH)
          .toLowerCase()
          .replaceAll(/(?<=\d),(?=\d{3})/g, ""),
      );
    } else if (typeof value === "object" && value !== null && depth < MOST_DEPTH && !seen.has(value)) {
      seen.add(value);
      try {
        readObject(value, depth);
      } catch {
        // A field that throws is skipped.
      }
    }
  };
  const readObject = (value: object, depth: number): void => {
    if (Array.isArray(value)) {
      for (let at = 0; at < MOST_ERRORS; at++) {
        read(value[at], depth + 1);
      }
      return;
    }
    const own = value as Readonly<Record<string, unknown>>;
    // llama.cpp puts its figures in fields.
    const { n_prompt_tokens: input, n_ctx: limit } = own;
    if (typeof input === "number" && typeof limit === "number") {
      read(`n_prompt_tokens: ${input}, n_ctx: ${limit}`, depth);
    }
    for (const field of FIELDS) {
      read(own[field], depth + 1);
    }
  };
  read(error, 0);
  return texts;
}
