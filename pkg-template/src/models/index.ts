// Fast models and embeddings for hooks. This is the one entry that talks to a model, and it does so only where a hook is called.

export { type ChromeOptions, chromeModel, type PromptApi } from "./chrome.js";
export type { CompletingModel, EmbeddingModel } from "./model.js";
export { type EndpointOptions, type EndpointRequest, openAiCompatible } from "./openai-compatible.js";
export { type AiBinding, type WorkersAiOptions, workersAi } from "./workers-ai.js";
