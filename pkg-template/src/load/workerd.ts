// Cloudflare's workerd refuses to compile bytes: it compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import { provideCl100k, provideO200k } from "./vocabularies.js";
import module from "./windrow.wasm";

provideO200k();
provideCl100k();
provideModule(() => module);

export * from "../index.js";
