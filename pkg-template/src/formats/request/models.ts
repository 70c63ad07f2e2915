// The models that rules apply to, as data with sources.

/** Models that a rule applies to. */
export interface ModelScope {
  /** The models, in words. */
  readonly words: string;
  holds(model: string): boolean;
  /** The pages that state it, and threads about refused requests to such a model. */
  readonly sources: readonly string[];
}

/** Returns the version in a Claude model's name, as 406 for 4.6. Undefined if it has none. */
function claudeVersion(model: string): number | undefined {
  const [, major, minor = "0"] = /claude\D*(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}

const CLAUDE: ModelScope = {
  words: "Claude from 4.6 on",
  holds: (model) => model.includes("claude") && (claudeVersion(model) ?? 406) >= 406,
  sources: [
    "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal",
    "https://github.com/strands-agents/sdk-python/issues/1694",
  ],
};
const MISTRAL: ModelScope = {
  words: "Mistral's models",
  holds: (model) => /mistral|ministral|magistral|codestral|devstral|mixtral/.test(model),
  sources: ["https://github.com/NEKOparapa/AiNiee/issues/641", "https://github.com/crewAIInc/crewAI/issues/2194"],
};
const GEMINI: ModelScope = {
  words: "Gemini",
  holds: (model) => model.includes("gemini"),
  sources: ["https://github.com/crewAIInc/crewAI/pull/6973", "https://github.com/crewAIInc/crewAI/issues/6984"],
};

/** The Claude models that only take instructions at the top, not among the messages. The core has the same. */
export const INSTRUCTIONS_AT_TOP: ModelScope = {
  words: "Claude before 4.8 and Claude Sonnet 5",
  holds(model) {
    const version = claudeVersion(model) ?? 0;
    return version < 408 || (version === 500 && model.includes("sonnet"));
  },
  sources: [
    "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages",
    "https://github.com/simonw/llm-anthropic/issues/73",
  ],
};

/** True if a model takes instructions among the messages. An unnamed one may not. */
export const takesInstructionsLate = (model: string | null | undefined): boolean =>
  model != null && !INSTRUCTIONS_AT_TOP.holds(model.toLowerCase());

function anyOf(scopes: readonly ModelScope[]): ModelScope {
  const words = scopes.map((scope) => scope.words);
  return {
    words: [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((text) => text !== "").join(" and "),
    holds: (model) => scopes.some((scope) => scope.holds(model)),
    sources: scopes.flatMap((scope) => scope.sources),
  };
}

/** The models that don't continue a reply that the assistant has begun, by the API that serves them. */
export const ENDS_WITH_USER: Readonly<Record<"anthropic" | "gemini" | "openai" | "any", ModelScope>> = {
  anthropic: anyOf([CLAUDE]),
  gemini: anyOf([GEMINI]),
  openai: anyOf([CLAUDE, MISTRAL]),
  any: anyOf([CLAUDE, MISTRAL, GEMINI]),
};
