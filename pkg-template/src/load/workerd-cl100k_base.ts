// As workerd.ts, with one vocabulary, which is in it: nothing is fetched later.

import { provideModule } from "../engine/engine.js";
import { provideVocabulary } from "./cl100k_base.js";
import module from "./windrow.wasm";

provideVocabulary();
provideModule(() => module);

export * from "./whole.js";
