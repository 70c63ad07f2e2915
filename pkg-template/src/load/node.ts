// Node: the core and the vocabularies are files of the package, read on first use. A bundle has no such files next to
// it, so bundlers get the browser entry.

import { readFileSync } from "node:fs";
import { ContextError } from "../base/errors.js";
import { provideVocabularies } from "../engine/encodings.js";
import { provideModule } from "../engine/engine.js";
import { provideMeaning } from "../engine/meaning.js";
import { provideSelection } from "../engine/selection.js";
import "./files.js";

/** Returns the bytes of a file in the package. */
function fileOf(path: string): Uint8Array<ArrayBuffer> {
  const place = new URL(path, import.meta.url);
  try {
    return readFileSync(place);
  } catch (cause) {
    throw new ContextError({
      kind: "load_error",
      code: "INTERNAL",
      message: `${place} cannot be read`,
      nextAction: 'Leave "windrow" out of the bundle, or let the bundler resolve it under the condition "module".',
      cause,
    });
  }
}

for (const name of ["o200k_base", "cl100k_base"] as const) {
  provideVocabularies({ [name]: async () => ({ default: { name, bytes: fileOf(`./encodings/${name}.bin`) } }) });
}
provideMeaning(async () => ({ default: { bytes: fileOf("./meaning/table.bin") } }));
const moduleOf = (path: string) => new WebAssembly.Module(fileOf(path));
provideModule(() => moduleOf("./windrow.wasm"));
provideSelection(() => moduleOf("./selection.wasm"));

export * from "./whole.js";
