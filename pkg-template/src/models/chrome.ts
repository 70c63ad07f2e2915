// The model that is built into Chrome: the Prompt API's `LanguageModel`.

import { checkOptions, type OptionRules } from "../base/options.js";
import { type CompletingModel, type SummarizingModel, summaryPrompt } from "./model.js";

/** What of `LanguageModel` is used. */
export interface PromptApi {
  availability(options?: object): Promise<string>;
  create(options?: object): Promise<PromptSession>;
}

interface PromptSession {
  prompt(text: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
  destroy(): void;
}

/** How the built-in model is asked. */
export interface ChromeOptions {
  /** Options of `LanguageModel.create` and `availability`, such as `expectedInputs`. */
  readonly create?: Readonly<Record<string, unknown>> | undefined;
  /** Whether a model that is not on the device yet is fetched: some gigabytes, once. Default: no. */
  readonly download?: boolean | undefined;
  /** The API. Default: the page's `LanguageModel`. */
  readonly api?: PromptApi | undefined;
}

const CHROME: OptionRules<keyof ChromeOptions> = {
  create: ["an object", (value) => typeof value === "object" && value !== null],
  download: ["true or false", (value) => typeof value === "boolean"],
  api: ["the Prompt API", () => true],
};

/**
 * The hooks `triage.complete` and `compact.summarize` by the browser's own model. They say that they are unavailable where the browser has none, or it is not
 * on the device. Each prompt has a session of its own, so that no prompt sees another.
 */
export function chromeModel(options: ChromeOptions = {}): CompletingModel & SummarizingModel {
  checkOptions("context_build_error", options, CHROME);
  const { create = {}, download = false, api } = options;
  const reply = async (prompt: string, signal: AbortSignal): Promise<string | null> => {
    const model = api ?? (globalThis as { readonly LanguageModel?: PromptApi }).LanguageModel;
    const state = await model?.availability(create);
    const isThere = state === "available" || (download && (state === "downloadable" || state === "downloading"));
    if (model === undefined || !isThere) {
      return null;
    }
    const session = await model.create({ ...create, signal });
    try {
      return await session.prompt(prompt, { signal });
    } finally {
      session.destroy();
    }
  };
  return {
    complete: (prompt, { signal }) => reply(prompt, signal),
    summarize: (question) => reply(summaryPrompt(question), question.signal),
  };
}
