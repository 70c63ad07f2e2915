// As workerd.ts, with one vocabulary: for a worker, whose bundle has all that its code could import.

import { provideModule } from "../engine/engine.js";
import { provideCl100k } from "./vocabularies.js";
import module from "./windrow.wasm";

provideCl100k();
provideModule(() => module);

export * from "../index.js";
