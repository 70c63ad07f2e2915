// As edge-light.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideVocabulary } from "./cl100k_base.js";
import { provideFflate } from "./inflate.js";
import module from "./windrow.wasm?module";

provideFflate();
provideVocabulary();
provideModule(() => module);

export * from "./whole.js";
