// Cloudflare's workerd refuses to compile bytes: it compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm";

provideAllVocabularies();
provideModule(() => module);

export * from "./whole.js";
