// Browsers, bundlers, Deno and Bun: the core is inlined, and compiled on first use. What selects is fetched when it is first needed.
import base64 from "virtual:windrow-wasm-base64";
import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
provideModule(() => compiled(base64));
provideSelection(async () => compiled((await import("#selection")).default));

export * from "./whole.js";
