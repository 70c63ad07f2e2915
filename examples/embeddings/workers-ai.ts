// Recall with embeddings from Workers AI, in a Cloudflare worker.

import { buildContext, type EmbedHook, type MessageInput } from "windrow";

const MODEL = "@cf/baai/bge-base-en-v1.5";

/** The binding, in wrangler.jsonc: `"ai": { "binding": "AI" }`. */
export interface Env {
  readonly AI: Ai;
}

const embedWith =
  ({ AI }: Env): EmbedHook =>
  async (texts) => {
    const answer = await AI.run(MODEL, { text: [...texts] });
    return "data" in answer ? answer.data : null;
  };

/** Returns the prompt for a request. The model takes up to 100 texts at a time. */
export async function promptOf(env: Env, messages: readonly MessageInput[], request: string) {
  const context = await buildContext(messages, {
    request,
    budget: { maxTokens: 4_000 },
    recall: { embed: embedWith(env), embedModel: MODEL, embedBatchSize: 100 },
  });
  return context.messages;
}
