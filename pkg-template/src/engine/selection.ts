// What selects among messages: a module of its own that shares the core's memory, and is loaded when it is first needed.

import { ContextError } from "../base/errors.js";
import { publicPromise } from "../base/public-call.js";
import { giveSelection, hasSelection } from "./engine.js";

let atHand: (() => WebAssembly.Module) | undefined;
let fetched: (() => Promise<WebAssembly.Module>) | undefined;
let loading: Promise<void> | undefined;

/** Says where it is; it is asked for when it is first needed. */
export function provideSelection(get: () => WebAssembly.Module): void {
  [atHand, fetched] = [get, undefined];
}

/** Says how it is fetched, which happens when it is first needed, or a little before. */
export function provideSelectionLater(fetch: () => Promise<WebAssembly.Module>): void {
  [atHand, fetched] = [undefined, fetch];
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
  if (fetched === undefined) {
    startSelection();
  } else if (!hasSelection()) {
    loading ??= fetched()
      .then(giveSelection)
      .finally(() => {
        loading = undefined;
      });
    try {
      await loading;
    } catch (cause) {
      throw notLoaded(cause);
    }
  }
}

/** Fetches it where it will soon be needed. Whoever needs it then is told if that fails. */
export function fetchSelectionAhead(): void {
  if (fetched !== undefined) {
    needSelection().catch(() => undefined);
  }
}

/** Starts it at once, where it is at hand. */
export function startSelection(): void {
  if (hasSelection()) {
    return;
  }
  if (atHand === undefined) {
    throw notLoaded(fetched === undefined ? new Error("the address of windrow/selection.wasm isn't set") : undefined);
  }
  try {
    giveSelection(atHand());
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
