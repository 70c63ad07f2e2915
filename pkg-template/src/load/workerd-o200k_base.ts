// As workerd.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import counting from "./counting.wasm";
import { provideVocabulary } from "./o200k_base.js";
import selection from "./selection.wasm";
import module from "./windrow.wasm";

provideVocabulary();
provideModule(() => module);
provideParts({ counting: () => counting, selection: () => selection });

export * from "./whole.js";
