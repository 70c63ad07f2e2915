// As edge-light.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideFflate } from "./inflate.js";
import { provideVocabulary } from "./o200k_base.js";
import module from "./windrow.wasm?module";

provideFflate();
provideVocabulary();
provideModule(() => module);

export * from "./whole.js";
