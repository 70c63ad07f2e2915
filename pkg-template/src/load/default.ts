// Browsers, bundlers, Node, Deno and Bun: the core is inlined, and compiled on first use.
import base64 from "virtual:windrow-wasm-base64";
import { decodeBase64 } from "../base/base64.js";
import { provideModule } from "../engine/engine.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
provideModule(() => new WebAssembly.Module(decodeBase64(base64)));

export * from "./whole.js";
