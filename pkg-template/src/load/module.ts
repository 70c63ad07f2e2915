// The core for hosts that compile wasm themselves when code imports it with `import source`: newer Node, Deno, webpack.
// TypeScript can't parse `import source` yet, so the build writes it.

import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { provideFflate } from "./inflate.js";
import selection from "./selection.wasm?source";
import module from "./windrow.wasm?source";

export function provideCore(): void {
  provideFflate();
  provideModule(() => module);
  provideSelection(() => selection);
}
