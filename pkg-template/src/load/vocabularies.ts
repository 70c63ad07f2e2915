// The vocabularies that an entry can fetch. Written out, so that every bundler sees them and makes a lazy chunk of each. An entry that
// has one vocabulary alone has it at once: `o200k_base.ts`, `cl100k_base.ts`.

import { provideVocabularies } from "../engine/encodings.js";

/** All of them, each fetched when it is first needed. */
export function provideAllVocabularies(): void {
  provideVocabularies({
    o200k_base: () => import("#encodings/o200k_base"),
    cl100k_base: () => import("#encodings/cl100k_base"),
  });
}
