// Browsers, bundlers, Deno and Bun: the core is inlined, and compiled on first use. Its parts are fetched when they are first needed.
import base64 from "virtual:windrow-wasm-base64";
import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
provideModule(() => compiled(base64));
provideParts({
  counting: async () => compiled((await import("#parts/counting")).default),
  selection: async () => compiled((await import("#parts/selection")).default),
});

export * from "./whole.js";
