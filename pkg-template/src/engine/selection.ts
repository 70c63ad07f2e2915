// The ranking module: a separate wasm module that shares the core's memory and is loaded on first use.

import { ContextError } from "../base/errors.js";
import { publicPromise } from "../base/public-call.js";
import { giveSelection, hasSelection } from "./engine.js";

let atHand: (() => WebAssembly.Module) | undefined;
let fetched: (() => Promise<WebAssembly.Module>) | undefined;
let loading: Promise<void> | undefined;

/** Sets the source of the module. It is called on first use. */
export function provideSelection(get: () => WebAssembly.Module): void {
  [atHand, fetched] = [get, undefined];
}

/** Sets the function that fetches the module. It is called on first use, or a little earlier. */
export function provideSelectionLater(fetch: () => Promise<WebAssembly.Module>): void {
  [atHand, fetched] = [undefined, fetch];
}

/**
 * Loads the ranking module, the part of the engine that ranks, searches and selects messages. `buildContext` and
 * sessions load it when they first need it. In a page, load it before `buildContextSync` if a transcript may outgrow
 * its budget. Fails with `PART_NOT_LOADED` if it can't be fetched.
 */
export function loadSelection(): Promise<void> {
  return publicPromise("load_error", "loadSelection", needSelection);
}

/** Loads the module unless it is loaded. */
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

/** Fetches the module ahead of its first use. A failure is reported to the call that then needs it. */
export function fetchSelectionAhead(): void {
  if (fetched !== undefined) {
    needSelection().catch(() => undefined);
  }
}

/** Starts the module if its code is available. */
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
    message: `the ranking module ${cause === undefined ? "is not loaded" : "could not be loaded"}`,
    nextAction:
      'Await loadSelection() first. With "windrow/slim", hand over windrow/selection.wasm: init(core, { selection }).',
    cause,
  });
}
