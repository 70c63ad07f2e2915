// The vocabulary of o200k_base, which is there as soon as the entry is: nothing is fetched later, so no order of a bundle's modules matters.

import vocabulary from "#encodings/o200k_base";
import { provideVocabularies } from "../engine/encodings.js";

export function provideVocabulary(): void {
  provideVocabularies({ o200k_base: () => Promise.resolve({ default: vocabulary }) });
}
