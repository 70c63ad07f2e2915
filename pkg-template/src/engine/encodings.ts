// Vocabularies, which are loaded on first use or passed in.

import { isLoaded } from "#core";
import { ContextError } from "../base/errors.js";
import { ENCODINGS, type EncodingName } from "../base/generated.js";
import { describe } from "../base/options.js";
import { inTime } from "../base/parts.js";
import { publicPromise } from "../base/public-call.js";
import { call, giveVocabulary } from "./engine.js";
import { inflated } from "./inflate.js";

/**
 * A vocabulary: the export of `windrow/encodings/o200k_base`, the bytes of `windrow/encodings/o200k_base.bin`, or the
 * bytes that `windrow vocabulary` makes from a `tokenizer.json`.
 */
export type Vocabulary =
  | { readonly name: EncodingName; readonly data: string }
  | { readonly name: EncodingName; readonly bytes: Uint8Array | ArrayBuffer };

/** The encodings whose vocabulary ships with the package. */
const PACKAGED: readonly EncodingName[] = ["o200k_base", "cl100k_base"];

/** Imports of vocabularies, by name. */
export type VocabularyImports = Partial<Record<EncodingName, () => Promise<{ default: Vocabulary }>>>;

let imports: VocabularyImports = {};

/**
 * Registers vocabularies that can be fetched. Each entry calls it, because a bundle contains only the vocabularies that
 * its entry names.
 */
export function provideVocabularies(given: VocabularyImports): void {
  imports = { ...imports, ...given };
}

const loading = new Map<string, Promise<void>>();

/**
 * Loads an encoding for exact token counts. `buildContext` loads it when needed. The synchronous functions need it
 * loaded first. All calls share a loaded encoding. Fails with `INVALID_ENCODING`, or with `ENCODING_NOT_LOADED` if the
 * vocabulary can't be fetched.
 */
export function loadEncoding(encoding: EncodingName | Vocabulary): Promise<void> {
  return publicPromise("encoding_error", "loadEncoding", () => load(encoding));
}

function load(encoding: EncodingName | Vocabulary): Promise<void> {
  const isName = typeof encoding === "string";
  const name = isName ? encoding : encoding?.name;
  if (typeof name !== "string") {
    return Promise.reject(notVocabulary(encoding));
  }
  if (call("encoding_error", () => isLoaded(name))) {
    return Promise.resolve();
  }
  // A vocabulary passed in doesn't wait for one that is being fetched.
  const pending = isName ? loading.get(name) : undefined;
  if (pending !== undefined) {
    return pending;
  }
  const given = isName ? fetchVocabulary(encoding) : Promise.resolve(encoding);
  const result = given.then(bytesOf).then((bytes) => giveVocabulary(name, bytes));
  if (isName) {
    loading.set(
      name,
      result.finally(() => loading.delete(name)),
    );
    return loading.get(name) as Promise<void>;
  }
  return result;
}

async function fetchVocabulary(name: EncodingName): Promise<Vocabulary> {
  const known = ENCODINGS.filter((choice) => choice !== "estimate");
  if (!known.includes(name)) {
    throw new ContextError({
      kind: "encoding_error",
      code: "INVALID_ENCODING",
      message: `unknown encoding ${describe(name)}`,
      nextAction: `Use one of ${known.join(", ")}.`,
    });
  }
  if (!PACKAGED.includes(name)) {
    throw new ContextError({
      kind: "encoding_error",
      code: "ENCODING_NOT_LOADED",
      message: `the vocabulary of ${name} is not loaded, and the package doesn't have it`,
      nextAction: `Make it with "windrow vocabulary tokenizer.json --write ${name}.bin", and pass { name: "${name}", bytes } to loadEncoding.`,
    });
  }
  try {
    const importVocabulary = imports[name];
    if (importVocabulary === undefined) {
      throw new Error(`the imported entry has no vocabulary of ${name}`);
    }
    return inTime(await importVocabulary(), "the vocabulary", `windrow/${name}`).default;
  } catch (cause) {
    throw new ContextError({
      kind: "encoding_error",
      code: "ENCODING_NOT_LOADED",
      message: `the vocabulary of ${name} could not be loaded`,
      nextAction: `Import it from "windrow/encodings/${name}" and pass it to loadEncoding, or set encoding to "estimate".`,
      cause,
    });
  }
}

function bytesOf(vocabulary: Vocabulary): Uint8Array | Promise<Uint8Array> {
  if (typeof vocabulary === "object" && vocabulary !== null) {
    if ("bytes" in vocabulary && (vocabulary.bytes instanceof Uint8Array || vocabulary.bytes instanceof ArrayBuffer)) {
      return new Uint8Array(vocabulary.bytes);
    }
    if ("data" in vocabulary && typeof vocabulary.data === "string") {
      return inflate(vocabulary.data);
    }
  }
  throw notVocabulary(vocabulary);
}

function notVocabulary(given: unknown): ContextError {
  return new ContextError({
    kind: "encoding_error",
    code: "INVALID_ENCODING",
    message: `expected an encoding's name or its vocabulary, got ${describe(given)}`,
    nextAction: 'Pass "o200k_base", or the export of "windrow/encodings/o200k_base".',
  });
}

async function inflate(data: string): Promise<Uint8Array> {
  try {
    return await inflated(data);
  } catch (cause) {
    throw new ContextError({
      kind: "encoding_error",
      code: "INVALID_ENCODING",
      message: "the vocabulary is damaged",
      nextAction: "Load it from the installed package.",
      cause,
    });
  }
}
