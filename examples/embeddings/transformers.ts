// Recall with embeddings from a local model, in the browser or in Node. Nothing leaves the machine.

import { pipeline } from "@huggingface/transformers";
import { buildContext, type EmbedHook, type MessageInput } from "windrow";

const MODEL = "Xenova/all-MiniLM-L6-v2";

// Loaded once, on the first request. A large model may take longer than `recall.timeoutMs`: then await it before.
let loading: ReturnType<typeof load> | undefined;
const load = () => pipeline("feature-extraction", MODEL);

export const embed: EmbedHook = async (texts) => {
  loading ??= load();
  const extract = await loading;
  const vectors = await extract([...texts], { pooling: "mean", normalize: true });
  return vectors.tolist();
};

/** Returns the prompt for a request. */
export async function promptOf(messages: readonly MessageInput[], request: string) {
  const context = await buildContext(messages, {
    request,
    budget: { maxTokens: 4_000 },
    recall: { embed, embedModel: MODEL, embedBatchSize: 16 },
  });
  return context.messages;
}
