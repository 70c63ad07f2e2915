// As edge-light.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { provideVocabulary } from "./cl100k_base.js";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?module";
import module from "./windrow.wasm?module";

provideFflate();
provideVocabulary();
provideModule(() => module);
provideSelection(() => selection);

export * from "./whole.js";
