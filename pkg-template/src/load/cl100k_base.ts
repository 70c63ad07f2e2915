// The vocabulary of cl100k_base, available as soon as the entry runs. Nothing is fetched later, so the order of a
// bundle's modules doesn't matter.

import vocabulary from "#encodings/cl100k_base";
import { provideVocabularies } from "../engine/encodings.js";

export function provideVocabulary(): void {
  provideVocabularies({ cl100k_base: () => Promise.resolve({ default: vocabulary }) });
}
