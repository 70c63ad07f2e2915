// The core for hosts that compile wasm themselves if it is imported by `import source`: newer Node, Deno, webpack. TypeScript can't read
// `import source` yet, so the build writes it.

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
