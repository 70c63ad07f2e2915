// Fast models and embeddings for hooks. This is the one entry that talks to a model, and it does so only where a hook is called.

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
 * Builds a context that fits a session of Chrome's Prompt API by the session's own count: `build` makes one for a budget, with
 * `render.provider` "chrome", and may be called several times.
 */
export const chromeContext: typeof chrome.chromeContext = (session, build, options) =>
  publicPromise(KIND, "chromeContext", () => chrome.chromeContext(session, build, options));
/** The hooks `triage.complete` and `compact.summarize` by the browser's own model: see `ChromeOptions`. */
export const chromeModel: typeof chrome.chromeModel = /* @__PURE__ */ publicFunction(
  KIND,
  "chromeModel",
  chrome.chromeModel,
);
/** The hooks `triage.complete`, `compact.summarize` and `recall.embed` by an endpoint that is compatible with OpenAI's: see `EndpointOptions`. */
export const openAiCompatible: typeof endpoint.openAiCompatible = /* @__PURE__ */ publicFunction(
  KIND,
  "openAiCompatible",
  endpoint.openAiCompatible,
);
/** The hooks `triage.complete`, `compact.summarize` and `recall.embed` by Workers AI: see `WorkersAiOptions`. */
export const workersAi: typeof workers.workersAi = /* @__PURE__ */ publicFunction(KIND, "workersAi", workers.workersAi);
