// Browsers, bundlers, Deno and Bun: the core is inlined, and compiled on first use. What selects is fetched when it is first
// needed, or a little before.
import base64 from "virtual:windrow-wasm-base64";
import { decodeBase64 } from "../base/base64.js";
import { provideModule } from "../engine/engine.js";
import { provideSelectionLater } from "../engine/selection.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
provideModule(() => compiled(base64));
provideSelectionLater(async () => await WebAssembly.compile(decodeBase64((await import("#selection")).default)));

export * from "./whole.js";
