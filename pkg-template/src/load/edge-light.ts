// The core for Vercel's edge runtime. Same as workerd, except for the way to import a compiled module.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?module";
import module from "./windrow.wasm?module";

export function provideCore(): void {
  provideFflate();
  provideModule(() => module);
  provideSelection(() => selection);
}
