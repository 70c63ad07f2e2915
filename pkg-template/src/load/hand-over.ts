// The functions of `windrow/slim` that take the core from the caller, who can cache it, stream it or compile it
// elsewhere.

import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { publicCall, publicPromise } from "../base/public-call.js";
import { provideModule } from "../engine/engine.js";
import { provideSelection, provideSelectionLater } from "../engine/selection.js";

/** The core in any form that a host has: compiled, as bytes, or as a response to a request. */
export type CoreInput = WebAssembly.Module | ArrayBuffer | Uint8Array<ArrayBuffer> | Response;

/** A part of the core, or a function that fetches it on first use. */
export type CorePartInput = CoreInput | PromiseLike<CoreInput> | (() => CoreInput | PromiseLike<CoreInput>);

/** Parts of the core that not every page needs. */
export interface CoreParts {
  /**
   * The ranking module `windrow/selection.wasm`, which ranks and searches messages, triages them, and separates
   * conversations. Builds need it when a transcript outgrows its budget.
   */
  readonly selection?: CorePartInput;
}

const KIND = "load_error";
const HAND_OVER =
  "Pass the file windrow/windrow.wasm of this version: its bytes, the Response of a fetch, or the compiled module.";
/** Exports that only the core has. */
const OWN_EXPORTS = ["memory", "corebuild_step", "coretranscript_append", "loadVocabulary"];

/**
 * Takes the core, the file `windrow/windrow.wasm`, and compiles it unless it is compiled. Also takes the ranking module
 * and compiles it on first use. Fails with `INVALID_CORE` if a value isn't the core; an earlier core stays.
 */
export function init(input: CoreInput | PromiseLike<CoreInput>, parts: CoreParts = {}): Promise<void> {
  return publicPromise(KIND, "init", async () => {
    const selection = selectionOf(parts);
    const isFunction = typeof selection === "function";
    if (!isFunction) {
      Promise.resolve(selection).catch(() => undefined); // reported to the call that needs it
    }
    take(await compile(await arrived(input)));
    if (selection !== undefined) {
      provideSelectionLater(async () => await compile(await arrived(isFunction ? selection() : selection)));
    }
  });
}

/** Takes a compiled core and the ranking module. Fails with `INVALID_CORE` if a module isn't the right one. */
export function initSync(module: WebAssembly.Module, parts: { readonly selection?: WebAssembly.Module } = {}): void {
  publicCall(KIND, "initSync", () => {
    const selection = selectionOf(parts);
    if (selection !== undefined && !isModule(selection)) {
      throw invalid(`expected a compiled module, got ${describe(selection)}`, HAND_OVER, undefined, "selection");
    }
    take(module);
    if (selection !== undefined) {
      provideSelection(() => selection);
    }
  });
}

/** Returns the ranking module from the optional parts. */
function selectionOf<T>(parts: { readonly selection?: T }): T | undefined {
  const unknown = Object.keys(parts).find((name) => name !== "selection");
  if (unknown !== undefined) {
    throw invalid(`unknown part "${unknown}"`, "Pass { selection }.", undefined, "parts");
  }
  return parts.selection;
}

function take(module: unknown): void {
  if (!isModule(module)) {
    throw invalid(`expected a compiled module, got ${describe(module)}`, HAND_OVER);
  }
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  if (!OWN_EXPORTS.every((name) => names.includes(name))) {
    throw invalid("this is a WebAssembly module, but not windrow's core", HAND_OVER);
  }
  provideModule(() => module);
}

/** True if a value is a compiled module of any realm. `instanceof` only recognizes those of this realm. */
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}

/** Awaits the input. A request may fail. */
async function arrived(input: unknown): Promise<unknown> {
  try {
    return await input;
  } catch (cause) {
    throw invalid(
      "it was passed as a promise, which was rejected",
      "See the cause: the promise that was passed was rejected.",
      cause,
    );
  }
}

async function compile(input: unknown): Promise<WebAssembly.Module> {
  if (typeof Response === "function" && input instanceof Response) {
    return await compileBytes(await bodyOf(input));
  }
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) {
    return await compileBytes(input as BufferSource);
  }
  if (isModule(input)) {
    return input;
  }
  throw invalid(`expected the core, got ${describe(input)}`, HAND_OVER);
}

/** Returns the bytes of a response, or the response itself if the host can compile it while it streams. */
async function bodyOf(response: Response): Promise<ArrayBuffer | Response> {
  const { ok, status, url, bodyUsed } = response;
  const place = url === "" ? "the answer" : url;
  if (!ok) {
    throw invalid(`${place} has the status ${status}`, "Check the address that the core is fetched from.");
  }
  if (bodyUsed) {
    throw invalid(`${place} was read before`, "Pass an unread Response, or its bytes.");
  }
  if (response.headers.get("content-type")?.startsWith("application/wasm") && "compileStreaming" in WebAssembly) {
    return response;
  }
  try {
    return await response.arrayBuffer();
  } catch (cause) {
    throw invalid(`${place} broke off while it was read`, "Fetch it again.", cause);
  }
}

async function compileBytes(source: BufferSource | Response): Promise<WebAssembly.Module> {
  try {
    return source instanceof ArrayBuffer || ArrayBuffer.isView(source)
      ? await WebAssembly.compile(source)
      : await WebAssembly.compileStreaming(source);
  } catch (cause) {
    throw invalid(
      "it could not be compiled",
      `${HAND_OVER} Under a content security policy, allow script-src 'wasm-unsafe-eval'; workerd takes a compiled module only.`,
      cause,
    );
  }
}

function invalid(problem: string, nextAction: string, cause?: unknown, path = "input"): ContextError {
  return new ContextError({
    kind: KIND,
    code: "INVALID_CORE",
    path,
    message: `${path}: ${problem}`,
    nextAction,
    cause,
  });
}
