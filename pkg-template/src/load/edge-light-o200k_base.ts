// As edge-light.ts, with one vocabulary: for a worker, whose bundle has all that its code could import.

import { provideModule } from "../engine/engine.js";
import { provideFflate } from "./inflate.js";
import { provideO200k } from "./vocabularies.js";
import module from "./windrow.wasm?module";

provideFflate();
provideO200k();
provideModule(() => module);

export * from "../index.js";
