// Cloudflare's workerd refuses to compile bytes: it compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import selection from "./selection.wasm";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm";

provideAllVocabularies();
provideModule(() => module);
provideSelection(() => selection);

export * from "./whole.js";
