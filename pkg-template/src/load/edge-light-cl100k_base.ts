// As edge-light.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import { provideVocabulary } from "./cl100k_base.js";
import counting from "./counting.wasm?module";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?module";
import module from "./windrow.wasm?module";

provideFflate();
provideVocabulary();
provideModule(() => module);
provideParts({ counting: () => counting, selection: () => selection });

export * from "./whole.js";
