// Building: the engine decides, and stops where it needs something; this drives it.

import { CoreBuild, type CoreTranscript } from "#core";
import { type ContextConfig, type FormatOf, type ReadConfig, readConfig } from "./config.js";
import { BuiltContext, type Finished } from "./context.js";
import { loadEncoding } from "./encodings.js";
import { call, engineGeneration } from "./engine.js";
import { ContextError } from "./errors.js";
import type { EncodingName, Format } from "./generated.js";
import type { MessageInput } from "./messages.js";
import { coreOf, type Source, sourceOf, type Transcript, withCoreOf } from "./transcript.js";

const KIND = "context_build_error";

/**
 * Builds the context of a request: decides which messages go into the prompt under the budget, and says why.
 *
 * The transcript is taken as it is when the call is made. Fails with a `ContextError`: `INVALID_TRANSCRIPT`,
 * `INVALID_CONFIG`, `BUDGET_TOO_SMALL`, `ENCODING_NOT_LOADED`.
 */
export async function buildContext<M extends MessageInput, const C extends ContextConfig = Record<never, never>>(
  transcript: readonly M[] | Transcript<M>,
  config?: C,
): Promise<BuiltContext<M, FormatOf<C>>> {
  const attempt = begin(transcript, config);
  try {
    for (;;) {
      const result = attempt.run<FormatOf<C>>();
      if (typeof result !== "string") {
        return result;
      }
      await loadEncoding(result);
    }
  } finally {
    attempt.free();
  }
}

/**
 * Builds at once, as `buildContext` does. What it needs must be loaded before: it fails with `ENCODING_NOT_LOADED`
 * otherwise, and never falls back to an estimate by itself.
 */
export function buildContextSync<M extends MessageInput, const C extends ContextConfig = Record<never, never>>(
  transcript: readonly M[] | Transcript<M>,
  config?: C,
): BuiltContext<M, FormatOf<C>> {
  const attempt = begin(transcript, config);
  try {
    const result = attempt.run<FormatOf<C>>();
    if (typeof result === "string") {
      throw notLoaded(result);
    }
    return result;
  } finally {
    attempt.free();
  }
}

function begin<M extends MessageInput>(
  transcript: readonly M[] | Transcript<M>,
  config: ContextConfig | undefined,
): Attempt<M> {
  // The config first: reading it may run code of the caller's, which may change the list.
  const read = readConfig(config, KIND);
  return new Attempt<M>(sourceOf(transcript, KIND), read);
}

function notLoaded(name: EncodingName): ContextError {
  return new ContextError({
    kind: KIND,
    code: "ENCODING_NOT_LOADED",
    message: `the vocabulary of ${name} is not loaded`,
    nextAction: `Await loadEncoding("${name}") first, call buildContext instead, or set encoding to "estimate".`,
  });
}

/** One build. It holds what it was given, so that it can go on after a pause. */
class Attempt<M extends MessageInput> {
  readonly #messages: readonly M[];
  readonly #length: number;
  readonly #config: ReadConfig;
  readonly #now: number = Date.now();
  #build: CoreBuild;
  #generation: number = engineGeneration();

  constructor(source: Source<M>, config: ReadConfig) {
    this.#messages = source.messages;
    this.#length = source.messages.length;
    this.#config = config;
    this.#build = this.#start(source.core);
  }

  /** Runs on: gives the context, or the name of the encoding that must be loaded first. */
  run<F extends Format>(): BuiltContext<M, F> | EncodingName {
    if (this.#generation !== engineGeneration()) {
      // Another call made the engine restart during the pause, and this build went with it.
      const core = coreOf(this.#messages.slice(0, this.#length), KIND);
      this.#generation = engineGeneration();
      this.#build = this.#start(core);
      core.free();
    }
    const result = call(KIND, () => this.#build.step() as Finished | EncodingName);
    if (typeof result === "string") {
      return result;
    }
    const options = this.#config.options;
    const measure = (message: M, position: number) => costOf(message, position, options);
    return call(KIND, () => new BuiltContext(result, this.#messages, this.#config.request, measure));
  }

  /** Gives back the engine's memory. */
  free(): void {
    if (this.#generation === engineGeneration()) {
      this.#build.free();
    }
  }

  #start(core: CoreTranscript): CoreBuild {
    const { request, options } = this.#config;
    // The engine takes the request over.
    const asked = request === undefined ? undefined : coreOf([request], KIND, () => "request");
    return call(KIND, () => new CoreBuild(core, asked, options, this.#now));
  }
}

/** What a message costs in the form that the options ask for. */
function costOf(message: MessageInput, position: number, options: ReadConfig["options"]): number {
  const path = () => `messages[${position}]`;
  return withCoreOf([message], KIND, (core) => call(KIND, () => core.measure(options))[1] ?? 0, path);
}
