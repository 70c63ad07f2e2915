// The vocabulary of cl100k_base, which is there as soon as the entry is: nothing is fetched later, so no order of a bundle's modules matters.

import vocabulary from "#encodings/cl100k_base";
import { provideVocabularies } from "../engine/encodings.js";

export function provideVocabulary(): void {
  provideVocabularies({ cl100k_base: () => Promise.resolve({ default: vocabulary }) });
}
