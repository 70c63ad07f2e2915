// Hosts that compile wasm themselves where it is imported by `import source`: newer Node, Deno, webpack.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
// TypeScript cannot read `import source` yet: the build writes it.
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?source";
import { provideAllVocabularies } from "./vocabularies.js";
import module from "./windrow.wasm?source";

provideFflate();
provideAllVocabularies();
provideModule(() => module);
provideSelection(() => selection);

export * from "./whole.js";
