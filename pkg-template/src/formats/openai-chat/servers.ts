// Servers with OpenAI's chat completions API, as data: the fields that each accepts back, and the model names that
// identify it.

import { checksum } from "../../base/checksum.js";
import type { Server } from "../../base/generated.js";
import type { Limit } from "../request/calls.js";

/** A server of an OpenAI-compatible endpoint. */
export interface ChatServer {
  readonly name: Server;
  /** True if fields that it set on the assistant's messages go back to it. */
  readonly takesFields: boolean;
  /** The field for reasoning, unless it is proven to be another provider's. */
  readonly thoughts?: string;
  /** The names of models, in lower case, that imply this server. */
  readonly models?: RegExp;
  /** The format of call ids, if different from OpenAI's. */
  readonly ids?: Limit;
  /** The sources of these facts: pages of the server, and threads about refused requests. */
  readonly sources: readonly string[];
}

/** Mistral's ids have 9 letters and digits. A checksum replaces an id that doesn't fit. */
const MISTRAL_IDS: Limit = {
  pattern: /^[a-zA-Z0-9]{9}$/,
  unfit: /[^a-zA-Z0-9]/g,
  longest: 9,
  make: (text, count) =>
    checksum(count > 1 ? `${text} ${count}` : text)
      .toString(36)
      .padStart(9, "0"),
};

/** The first server with a matching model name wins. */
export const SERVERS: readonly ChatServer[] = [
  {
    name: "openai",
    takesFields: false,
    models: /^(?:openai\/)?(?:ft:)*(?:gpt-|chatgpt-|o\d|codex-)/,
    sources: ["https://github.com/transitive-bullshit/agentic/issues/531"],
  },
  {
    name: "mistral",
    takesFields: false,
    models: /mistral|ministral|magistral|codestral|devstral|mixtral/,
    ids: MISTRAL_IDS,
    sources: ["https://github.com/BerriAI/litellm/issues/30835", "https://github.com/charmbracelet/crush/issues/1590"],
  },
  { name: "groq", takesFields: false, models: /^groq\//, sources: ["https://github.com/janhq/jan/issues/8136"] },
  {
    name: "openrouter",
    takesFields: true,
    thoughts: "reasoning",
    models: /^openrouter\//,
    sources: ["https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks"],
  },
  {
    name: "deepseek",
    takesFields: true,
    thoughts: "reasoning_content",
    models: /deepseek/,
    sources: [
      "https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
      "https://github.com/anomalyco/opencode/issues/24722",
    ],
  },
  {
    name: "moonshot",
    takesFields: true,
    thoughts: "reasoning_content",
    models: /kimi|moonshot/,
    sources: [
      "https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model",
      "https://github.com/continuedev/continue/issues/11600",
    ],
  },
  {
    name: "zai",
    takesFields: true,
    thoughts: "reasoning_content",
    models: /(?:^|\/)glm-/,
    sources: ["https://docs.z.ai/guides/capabilities/thinking-mode"],
  },
  {
    name: "gemini",
    takesFields: true,
    models: /gemini/,
    sources: ["https://ai.google.dev/gemini-api/docs/thought-signatures"],
  },
  { name: "other", takesFields: true, sources: [] },
];

/**
 * Returns the server of an endpoint: the named one, or the one that the model implies. Undefined if neither is known.
 */
export function serverOf(name: unknown, model: unknown): ChatServer | undefined {
  if (name != null) {
    return SERVERS.find((server) => server.name === name);
  }
  const asked = typeof model === "string" ? model.toLowerCase() : "";
  return SERVERS.find(({ models }) => models?.test(asked)) ?? routerOf(asked);
}

/** A router names the model's maker first, as in `x-ai/grok-4`. OpenAI's own models were already looked up. */
function routerOf(model: string): ChatServer | undefined {
  return /^[\w.-]+\/[^/]+$/.test(model) && !model.startsWith("openai/")
    ? SERVERS.find(({ name }) => name === "openrouter")
    : undefined;
}
