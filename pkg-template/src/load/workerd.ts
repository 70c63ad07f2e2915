// The core for Cloudflare's workerd, which refuses to compile bytes and compiles the imported file itself.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import selection from "./selection.wasm";
import module from "./windrow.wasm";

export function provideCore(): void {
  provideModule(() => module);
  provideSelection(() => selection);
}
