// As workerd.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { provideVocabulary } from "./o200k_base.js";
import selection from "./selection.wasm";
import module from "./windrow.wasm";

provideVocabulary();
provideModule(() => module);
provideSelection(() => selection);

export * from "./whole.js";
