// The meaning table for `recall.meaning: "static"`, which is loaded on first use or passed in.

import { hasMeaning } from "#core";
import { ContextError } from "../base/errors.js";
import { describe } from "../base/options.js";
import { publicPromise } from "../base/public-call.js";
import { call, giveMeaning } from "./engine.js";
import { inflated } from "./inflate.js";
import { needSelection } from "./selection.js";

/** The meaning table: the export of `windrow/meaning`, or the bytes of `windrow/meaning.bin`. */
export type MeaningTable = { readonly data: string } | { readonly bytes: Uint8Array | ArrayBuffer };

const KIND = "load_error";

let importTable: (() => Promise<{ default: MeaningTable }>) | undefined;
let loading: Promise<void> | undefined;

/** Provides the import of the table. It runs when a build first needs the table. */
export function provideMeaning(importMeaning: () => Promise<{ default: MeaningTable }>): void {
  importTable = importMeaning;
}

/**
 * Loads the table for `recall.meaning: "static"`. In a page and in Node.js, `buildContext` loads it when needed.
 * Workers and the edge runtime pass the export of `windrow/meaning`, so only bundles that use the table contain it. All
 * calls share a loaded table.
 *
 * Fails with `MEANING_NOT_LOADED` if the table can't be fetched, and with `INVALID_MEANING` if it isn't the table of
 * this version.
 */
export function loadMeaning(table?: MeaningTable): Promise<void> {
  return publicPromise(KIND, "loadMeaning", () => (table === undefined ? needMeaning() : load(table)));
}

/** Loads the table unless it is loaded. */
export async function needMeaning(): Promise<void> {
  if (call(KIND, hasMeaning)) {
    return;
  }
  loading ??= fetched()
    .then(load)
    .finally(() => {
      loading = undefined;
    });
  await loading;
}

async function fetched(): Promise<MeaningTable> {
  if (importTable === undefined) {
    throw meaningNotLoaded();
  }
  try {
    return (await importTable()).default;
  } catch (cause) {
    throw meaningNotLoaded(cause);
  }
}

async function load(table: MeaningTable): Promise<void> {
  const bytes = await bytesOf(table);
  await needSelection(); // the ranking module reads the table
  giveMeaning(bytes);
}

async function bytesOf(table: unknown): Promise<Uint8Array> {
  if (typeof table === "object" && table !== null) {
    if ("bytes" in table && (table.bytes instanceof Uint8Array || table.bytes instanceof ArrayBuffer)) {
      return new Uint8Array(table.bytes);
    }
    if ("data" in table && typeof table.data === "string") {
      try {
        return await inflated(table.data);
      } catch (cause) {
        throw invalid("the table of token vectors is damaged", cause);
      }
    }
  }
  throw invalid(`expected the table of token vectors, got ${describe(table)}`);
}

function invalid(message: string, cause?: unknown): ContextError {
  return new ContextError({
    kind: KIND,
    code: "INVALID_MEANING",
    message,
    nextAction: 'Pass what "windrow/meaning" of this version exports.',
    cause,
  });
}

/** The error of a build that needs the table. */
export function meaningNotLoaded(cause?: unknown): ContextError {
  return new ContextError({
    kind: KIND,
    code: "MEANING_NOT_LOADED",
    path: "recall.meaning",
    message: `recall.meaning: the table of token vectors ${cause === undefined ? "is not loaded" : "could not be loaded"}`,
    nextAction:
      'Import the table from "windrow/meaning" and await loadMeaning(table) first, or set recall.meaning to "none".',
    cause,
  });
}
