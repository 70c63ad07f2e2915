// The parts of the engine that are loaded when they are first needed: what counts by a vocabulary, and what selects. Each is a module of
// its own that shares the core's memory.

import { ContextError } from "../base/errors.js";
import { publicPromise } from "../base/public-call.js";
import { givePart, hasPart, type PartName } from "./engine.js";

/** Where a part comes from. A host that has it at hand gives it at once. */
export type PartSource = () => WebAssembly.Module | Promise<WebAssembly.Module>;

const sources = new Map<PartName, PartSource>();
const loading = new Map<PartName, Promise<void>>();

/** Says where the parts come from; each is asked for when it is first needed. */
export function provideParts(given: Readonly<Partial<Record<PartName, PartSource>>>): void {
  for (const [name, source] of Object.entries(given)) {
    sources.set(name as PartName, source);
  }
}

/**
 * Loads the part of the engine that ranks and searches messages, and all else that selects among them. `buildContext` and sessions do
 * it by themselves when they first must. In a page `buildContextSync` needs it done before, where there is more than fits. Fails with
 * `PART_NOT_LOADED` where it cannot be fetched.
 */
export function loadSelection(): Promise<void> {
  return publicPromise("load_error", "loadSelection", () => loadPart("selection"));
}

/** Loads a part. */
export async function loadPart(name: PartName): Promise<void> {
  const arriving = loading.get(name) ?? startPart(name);
  if (arriving === undefined) {
    return;
  }
  loading.set(name, arriving);
  try {
    await arriving;
  } finally {
    loading.delete(name);
  }
}

/** Starts a part at once. Fails as if it could not be loaded where the host does not have it at hand. */
export function startPartNow(name: PartName): void {
  const arriving = startPart(name);
  if (arriving instanceof Promise) {
    arriving.catch(() => undefined);
    throw notLoaded(name);
  }
}

function startPart(name: PartName): undefined | Promise<void> {
  if (hasPart(name)) {
    return undefined;
  }
  try {
    const source = sources.get(name);
    if (source === undefined) {
      throw new Error(`nobody said where windrow/${name}.wasm comes from`);
    }
    const given = source();
    if (given instanceof Promise) {
      return given.then(
        (module) => givePart(name, module),
        (cause) => {
          throw notLoaded(name, cause);
        },
      );
    }
    givePart(name, given);
    return undefined;
  } catch (cause) {
    throw notLoaded(name, cause);
  }
}

function notLoaded(name: PartName, cause?: unknown): ContextError {
  if (cause instanceof ContextError) {
    return cause;
  }
  const isSelection = name === "selection";
  return new ContextError({
    kind: "load_error",
    code: isSelection ? "PART_NOT_LOADED" : "ENCODING_NOT_LOADED",
    message: `the part of the engine that ${isSelection ? "selects among messages" : "counts exactly"} ${cause === undefined ? "is not loaded" : "could not be loaded"}`,
    nextAction: `Await ${isSelection ? "loadSelection()" : "loadEncoding()"} first. With "windrow/slim", hand over windrow/${name}.wasm: init(core, { ${name} }).`,
    cause,
  });
}
