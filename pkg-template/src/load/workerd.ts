// Cloudflare's workerd refuses to compile bytes: it compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import counting from "./counting.wasm";
import selection from "./selection.wasm";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm";

provideAllVocabularies();
provideModule(() => module);
provideParts({ counting: () => counting, selection: () => selection });

export * from "./whole.js";
