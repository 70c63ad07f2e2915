// What selects among messages: a module of its own that shares the core's memory, and is loaded when it is first needed.

import { ContextError } from "../base/errors.js";
import { publicPromise } from "../base/public-call.js";
import { giveSelection, hasSelection } from "./engine.js";

/** Where it comes from. A host that has it at hand gives it at once. */
export type SelectionSource = () => WebAssembly.Module | Promise<WebAssembly.Module>;

let source: SelectionSource | undefined;
let loading: Promise<void> | undefined;

/** Says where it comes from; it is asked for when it is first needed. */
export function provideSelection(given: SelectionSource): void {
  source = given;
}

/**
 * Loads the part of the engine that ranks and searches messages, and all else that selects among them. `buildContext` and sessions do
 * it by themselves when they first must. In a page `buildContextSync` needs it done before, where there is more than fits. Fails with
 * `PART_NOT_LOADED` where it cannot be fetched.
 */
export function loadSelection(): Promise<void> {
  return publicPromise("load_error", "loadSelection", needSelection);
}

/** Loads it where it is not there yet. */
export async function needSelection(): Promise<void> {
  loading ??= startSelection();
  try {
    await loading;
  } finally {
    loading = undefined;
  }
}

/** Starts it at once. Fails as if it could not be loaded where the host does not have it at hand. */
export function startSelectionNow(): void {
  const arriving = startSelection();
  if (arriving !== undefined) {
    arriving.catch(() => undefined);
    throw notLoaded();
  }
}

function startSelection(): undefined | Promise<void> {
  if (hasSelection()) {
    return undefined;
  }
  try {
    if (source === undefined) {
      throw new Error("nobody said where windrow/selection.wasm comes from");
    }
    const given = source();
    if (given instanceof Promise) {
      return given.then(giveSelection, (cause) => {
        throw notLoaded(cause);
      });
    }
    giveSelection(given);
    return undefined;
  } catch (cause) {
    throw notLoaded(cause);
  }
}

function notLoaded(cause?: unknown): ContextError {
  if (cause instanceof ContextError) {
    return cause;
  }
  return new ContextError({
    kind: "load_error",
    code: "PART_NOT_LOADED",
    message: `the part of the engine that selects among messages ${cause === undefined ? "is not loaded" : "could not be loaded"}`,
    nextAction:
      'Await loadSelection() first. With "windrow/slim", hand over windrow/selection.wasm: init(core, { selection }).',
    cause,
  });
}
