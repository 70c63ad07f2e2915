// The core for browsers, bundlers, Deno and Bun: inlined, and compiled on first use. The ranking module is fetched on
// first use, or a little earlier.

import base64 from "virtual:windrow-wasm-base64";
import { decodeBase64 } from "../base/base64.js";
import { inTime } from "../base/parts.js";
import { provideModule } from "../engine/engine.js";
import { provideMeaning } from "../engine/meaning.js";
import { provideSelectionLater } from "../engine/selection.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";

export function provideCore(): void {
  provideFflate();
  provideModule(() => compiled(base64));
  provideMeaning(() => import("#meaning"));
  provideSelectionLater(async () => {
    const selection = inTime(await import("#selection"), "the ranking module", "windrow/o200k_base");
    return await WebAssembly.compile(decodeBase64(selection.default));
  });
}
