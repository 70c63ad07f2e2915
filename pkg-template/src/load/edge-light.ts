// The core for Vercel's edge runtime: as workerd, with its own way to ask for a compiled module.

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
