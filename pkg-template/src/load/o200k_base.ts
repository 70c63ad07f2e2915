// The vocabulary of o200k_base, available as soon as the entry runs. Nothing is fetched later, so the order of a
// bundle's modules doesn't matter.

import vocabulary from "#encodings/o200k_base";
import { provideVocabularies } from "../engine/encodings.js";

export function provideVocabulary(): void {
  provideVocabularies({ o200k_base: () => Promise.resolve({ default: vocabulary }) });
}
