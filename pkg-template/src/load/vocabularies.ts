// The vocabularies that an entry has. Written out, so that every bundler sees them and makes a lazy chunk of each; one that makes no
// chunks puts them into the bundle, so each is a function of its own.

import { provideVocabularies } from "../engine/encodings.js";

/** o200k_base, which newer models of OpenAI's count in. */
export function provideO200k(): void {
  provideVocabularies({ o200k_base: () => import("#encodings/o200k_base") });
}

/** cl100k_base, which GPT-3.5 and GPT-4 count in. */
export function provideCl100k(): void {
  provideVocabularies({ cl100k_base: () => import("#encodings/cl100k_base") });
}
