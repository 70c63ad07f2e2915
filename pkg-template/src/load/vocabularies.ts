// All vocabularies, each fetched on first use. They are written out, so every bundler sees them and makes a lazy chunk
// of each.

import { provideVocabularies } from "../engine/encodings.js";

export function provideVocabulary(): void {
  provideVocabularies({
    o200k_base: () => import("#encodings/o200k_base"),
    cl100k_base: () => import("#encodings/cl100k_base"),
  });
}
