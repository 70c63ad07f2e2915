// Cloudflare's workerd refuses to compile bytes: it compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import module from "./windrow.wasm";

provideModule(() => module);

export * from "../index.js";
