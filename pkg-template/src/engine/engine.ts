// The wasm instance. It is created on first use and again after a trap, so the call after a failure works.

import { __wbg_reset_state, initSync, loadVocabulary, readMeaning, startSelection } from "#core";
import { ContextError, type ErrorKind } from "../base/errors.js";

let getModule: (() => WebAssembly.Module) | undefined;
let core: WebAssembly.Module | undefined;
let generation = 0;

/** The ranking module, which is loaded on first use. */
let selection: WebAssembly.Module | undefined;
const vocabularies = new Map<string, Uint8Array>();
let meaning: Uint8Array | undefined;

/** Sets the source of the compiled core. It is called on first use. */
export function provideModule(get: () => WebAssembly.Module): void {
  getModule = get;
}

/** Returns the number of the running instance. Data of earlier instances is gone. */
export function engineGeneration(): number {
  if (generation === 0) {
    if (getModule === undefined) {
      throw new ContextError({
        kind: "context_build_error",
        code: "PART_NOT_LOADED",
        message: "the core is not loaded",
        nextAction: 'Import "windrow", or await init() of "windrow/slim" first.',
      });
    }
    try {
      core = getModule();
      initSync({ module: core });
    } catch (cause) {
      throw new ContextError({
        kind: "context_build_error",
        code: "INTERNAL",
        message: "the core could not be compiled",
        nextAction: "Allow WebAssembly here: under a content security policy, script-src 'wasm-unsafe-eval'.",
        cause,
      });
    }
    generation = 1;
  }
  return generation;
}

/** Calls into the core. Turns anything it throws into a `ContextError` of this kind. */
export function call<T>(kind: ErrorKind, run: () => T): T {
  engineGeneration();
  try {
    return run();
  } catch (failure) {
    throw translate(kind, failure);
  }
}

/** True if the engine has the ranking module. */
export function hasSelection(): boolean {
  return selection !== undefined;
}

/**
 * Links the ranking module with the core and with later instances. Links it once, because linking again would reset its
 * data. Fails with `INVALID_CORE` if it isn't part of this core.
 */
export function giveSelection(module: WebAssembly.Module): void {
  if (hasSelection()) {
    return;
  }
  engineGeneration();
  const [wanted, given] = [core, module].map((module) => module && buildOf(module));
  if (given === undefined || given !== wanted) {
    throw new ContextError({
      kind: "load_error",
      code: "INVALID_CORE",
      path: "selection",
      message: `selection: this is ${given === undefined ? "not part of windrow" : "part of another build of windrow"}`,
      nextAction: "Pass the file windrow/selection.wasm of the same version as the core.",
    });
  }
  call("load_error", () => link(module));
  selection = module;
}

/** Links the ranking module with the core. They share memory and the table through which they call each other. */
function link(module: WebAssembly.Module): void {
  const shared = initSync({ module: core as WebAssembly.Module }); // the core exists already: these are its exports
  new WebAssembly.Instance(module, { __wasm_split: shared as unknown as WebAssembly.ModuleImports });
  startSelection();
}

/** Returns the build id that the package's build wrote into a module. */
function buildOf(module: WebAssembly.Module): string | undefined {
  const [note] = WebAssembly.Module.customSections(module, "windrow");
  return note && new TextDecoder().decode(note);
}

/** Adds a vocabulary to the core and to later instances. */
export function giveVocabulary(name: string, bytes: Uint8Array): void {
  call("encoding_error", () => loadVocabulary(name, bytes));
  vocabularies.set(name, bytes);
}

/** Adds the meaning table to the core and to later instances. The ranking module must be loaded. */
export function giveMeaning(bytes: Uint8Array): void {
  call("load_error", () => readMeaning(bytes));
  meaning = bytes;
}

function translate(kind: ErrorKind, failure: unknown): ContextError {
  if (failure instanceof ContextError) {
    return failure;
  }
  if (typeof failure === "object" && failure !== null && "code" in failure && "nextAction" in failure) {
    return new ContextError({ kind, ...(failure as Omit<ConstructorParameters<typeof ContextError>[0], "kind">) });
  }
  restart();
  const isMemory = failure instanceof RangeError || /memory/i.test(String(failure));
  return new ContextError({
    kind,
    code: "INTERNAL",
    message: isMemory ? "the engine ran out of memory or stack" : "the engine failed",
    nextAction: "The engine has restarted: try again with a smaller input, and report this with the input's shape.",
    cause: failure,
  });
}

/** A trap leaves the instance in an unknown state, so a new one receives its data. */
function restart(): void {
  __wbg_reset_state();
  generation += 1;
  if (selection !== undefined) {
    link(selection);
  }
  if (meaning !== undefined) {
    readMeaning(meaning);
  }
  for (const [name, bytes] of vocabularies) {
    loadVocabulary(name, bytes);
  }
}
