// Vercel's edge runtime: as workerd, with its own way to ask for a compiled module.

import { provideModule } from "../engine/engine.js";
import module from "./windrow.wasm?module";

provideModule(() => module);

export * from "../index.js";
