// Fast models and embeddings for hooks. This is the only entry that talks to a model, and it does so only when a hook
// runs.

import { publicFunction, publicPromise } from "../base/public-call.js";
import * as chrome from "./chrome.js";
import * as endpoint from "./openai-compatible.js";
import * as workers from "./workers-ai.js";

export type { ChromeOptions, FitOptions, MeasurableContext, MeasuringSession, PromptApi } from "./chrome.js";
export type { CompletingModel, EmbeddingModel, SummarizingModel } from "./model.js";
export type { EndpointOptions, EndpointRequest } from "./openai-compatible.js";
export type { AiBinding, WorkersAiOptions } from "./workers-ai.js";

const KIND = "context_build_error";

/**
 * Builds a context that fits a session of Chrome's Prompt API by the session's own count. `build` makes a context for a
 * budget, with `render.provider` "chrome", and may run several times.
 */
export const chromeContext: typeof chrome.chromeContext = (session, build, options) =>
  publicPromise(KIND, "chromeContext", () => chrome.chromeContext(session, build, options));
/**
 * Returns the hooks `triage.complete` and `compact.summarize`, answered by the browser's own model. See
 * `ChromeOptions`.
 */
export const chromeModel: typeof chrome.chromeModel = /* @__PURE__ */ publicFunction(
  KIND,
  "chromeModel",
  chrome.chromeModel,
);
/**
 * Returns the hooks `triage.complete`, `compact.summarize` and `recall.embed`, answered by an OpenAI-compatible
 * endpoint. See `EndpointOptions`.
 */
export const openAiCompatible: typeof endpoint.openAiCompatible = /* @__PURE__ */ publicFunction(
  KIND,
  "openAiCompatible",
  endpoint.openAiCompatible,
);
/**
 * Returns the hooks `triage.complete`, `compact.summarize` and `recall.embed`, answered by Workers AI. See
 * `WorkersAiOptions`.
 */
export const workersAi: typeof workers.workersAi = /* @__PURE__ */ publicFunction(KIND, "workersAi", workers.workersAi);
