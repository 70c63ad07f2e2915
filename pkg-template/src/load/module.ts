// Hosts that compile wasm themselves where it is imported by `import source`: newer Node, Deno, webpack.

import { provideModule } from "../engine/engine.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";
// TypeScript cannot read `import source` yet: the build writes it.
import module from "./windrow.wasm?source";

provideFflate();
provideAllVocabularies();
provideModule(() => module);

export * from "./whole.js";
