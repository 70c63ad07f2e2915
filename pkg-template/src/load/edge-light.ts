// Vercel's edge runtime: as workerd, with its own way to ask for a compiled module.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?module";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm?module";

provideFflate();
provideAllVocabularies();
provideModule(() => module);
provideSelection(() => selection);

export * from "./whole.js";
