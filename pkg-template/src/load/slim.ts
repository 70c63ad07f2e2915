// Without the core: the caller hands it over, so that it can be cached, streamed or compiled elsewhere. The parts that not every page
// needs are fetched when they are first needed.

import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { publicCall, publicPromise } from "../base/public-call.js";
import { type PartName, provideModule } from "../engine/engine.js";
import { type PartSource, provideParts } from "../engine/parts.js";
import { requests } from "../providers/index.js";
import { shapes } from "../read/shapes/index.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
requests.provideLater(() => import("../providers/all.js"));
shapes.provideLater(() => import("../read/shapes/all.js"));

export * from "../index.js";

/** The core in any form that a host has it in: compiled, as bytes, or as the answer to a request. */
export type CoreInput = WebAssembly.Module | ArrayBuffer | Uint8Array<ArrayBuffer> | Response;

/** A part of the core, or a function that fetches it when it is first needed. */
export type PartInput = CoreInput | PromiseLike<CoreInput> | (() => CoreInput | PromiseLike<CoreInput>);

/** The parts of the core that not every page needs. */
export interface CoreParts {
  /** What counts exactly, `windrow/counting.wasm`: it is needed with the first vocabulary. */
  readonly counting?: PartInput;
  /** What ranks and searches messages, triages them, and tells conversations apart, `windrow/selection.wasm`: it is needed when there is more than fits. */
  readonly selection?: PartInput;
}

const KIND = "load_error";
const HAND_OVER =
  "Hand over the file windrow/windrow.wasm of this version: its bytes, the Response of a fetch, or the compiled module.";
/** What the core exports and another module does not. */
const OWN_EXPORTS = ["memory", "corebuild_step", "coretranscript_append", "loadVocabulary"];

/**
 * Hands over the core, the file `windrow/windrow.wasm`, and compiles it where it is not compiled yet; and its parts, which are
 * compiled when they are first needed. Fails with `INVALID_CORE` where it is none; what was handed over before stays.
 */
export function init(input: CoreInput | PromiseLike<CoreInput>, parts: CoreParts = {}): Promise<void> {
  return publicPromise(KIND, "init", async () => {
    const sources = Object.entries(readParts(parts)).map(([name, given]) => {
      const isFunction = typeof given === "function";
      if (!isFunction) {
        Promise.resolve(given).catch(() => undefined); // whoever needs it is told
      }
      return [name, async () => await compile(await arrived(isFunction ? given() : given))];
    });
    take(await compile(await arrived(input)));
    provideParts(Object.fromEntries(sources));
  });
}

/** Hands over a compiled core and its compiled parts. Fails with `INVALID_CORE` if a module is not what it should be. */
export function initSync(
  module: WebAssembly.Module,
  parts: Readonly<Partial<Record<PartName, WebAssembly.Module>>> = {},
): void {
  publicCall(KIND, "initSync", () => {
    const sources = Object.entries(readParts(parts)).map(([name, part]): [string, PartSource] => {
      if (!isModule(part)) {
        throw invalid(`expected a compiled module, got ${describe(part)}`, HAND_OVER, undefined, name);
      }
      return [name, () => part];
    });
    take(module);
    provideParts(Object.fromEntries(sources));
  });
}

/** The parts that were handed over, under names that there are. */
function readParts<T extends object>(parts: T): T {
  const names: readonly string[] = ["counting", "selection"] satisfies PartName[];
  const unknown = Object.keys(parts).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalid(`there is no part "${unknown}"`, `Pass ${names.join(", ")}.`, undefined, "parts");
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as T;
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

/** Whether a value is a compiled module, of whichever realm: `instanceof` knows those of its own alone. */
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}

/** What was given, once it is there: a request may fail. */
async function arrived(input: unknown): Promise<unknown> {
  try {
    return await input;
  } catch (cause) {
    throw invalid("it was to come later, and failed", "See the cause: it is the failure of what was passed.", cause);
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

/** The bytes of an answer; the answer itself where the host can compile while it arrives. */
async function bodyOf(response: Response): Promise<ArrayBuffer | Response> {
  const { ok, status, url, bodyUsed } = response;
  const place = url === "" ? "the answer" : url;
  if (!ok) {
    throw invalid(`${place} has the status ${status}`, "Check the address that the core is fetched from.");
  }
  if (bodyUsed) {
    throw invalid(`${place} was read before`, "Hand over a Response that nobody has read, or its bytes.");
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
