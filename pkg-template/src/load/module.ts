// Hosts that compile wasm themselves where it is imported by `import source`: newer Node, Deno, webpack.

import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
// TypeScript cannot read `import source` yet: the build writes it.
import counting from "./counting.wasm?source";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?source";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm?source";

provideFflate();
provideAllVocabularies();
provideModule(() => module);
provideParts({ counting: () => counting, selection: () => selection });

export * from "./whole.js";
