// Servers that take requests in the form of OpenAI's chat completions, as data: what of its own each takes back, and the names of models by
// which it is known.

import { checksum } from "../../base/checksum.js";
import type { Server } from "../../base/generated.js";
import type { Limit } from "../request/calls.js";

/** A server of an OpenAI-compatible endpoint. */
export interface ChatServer {
  readonly name: Server;
  /** True if fields that it set on the assistant's messages go back to it. */
  readonly takesFields: boolean;
  /** The field for reasoning that nothing proves to be another provider's. */
  readonly thoughts?: string;
  /** Names of models, in small letters, that are asked for at this server. */
  readonly models?: RegExp;
  /** The ids of calls that it takes, if they are others than OpenAI's. */
  readonly ids?: Limit;
  /** Its own pages, and threads in which a request was refused. */
  readonly sources: readonly string[];
}

/** Mistral's ids have 9 letters and digits. One that doesn't fit is replaced by a checksum of it. */
const MISTRAL_IDS: Limit = {
  pattern: /^[a-zA-Z0-9]{9}$/,
  unfit: /[^a-zA-Z0-9]/g,
  longest: 9,
  make: (text, count) =>
    checksum(count > 1 ? `${text} ${count}` : text)
      .toString(36)
      .padStart(9, "0"),
};

/** The first server that knows a model is the model's. */
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

/** Returns the server of an endpoint: the one that is named, or the one that is known by the model; undefined if neither is known. */
export function serverOf(name: unknown, model: unknown): ChatServer | undefined {
  if (name != null) {
    return SERVERS.find((server) => server.name === name);
  }
  const asked = typeof model === "string" ? model.toLowerCase() : "";
  return SERVERS.find(({ models }) => models?.test(asked)) ?? routerOf(asked);
}

/** A router names a maker before the model, as in `x-ai/grok-4`. OpenAI's own models were looked up before. */
function routerOf(model: string): ChatServer | undefined {
  return /^[\w.-]+\/[^/]+$/.test(model) && !model.startsWith("openai/")
    ? SERVERS.find(({ name }) => name === "openrouter")
    : undefined;
}
