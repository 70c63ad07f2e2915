// Vercel's edge runtime: as workerd, with its own way to ask for a compiled module.

import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import counting from "./counting.wasm?module";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?module";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm?module";

provideFflate();
provideAllVocabularies();
provideModule(() => module);
provideParts({ counting: () => counting, selection: () => selection });

export * from "./whole.js";
