// As default.ts, with one vocabulary, which is in it: nothing is fetched later.
import base64 from "virtual:windrow-wasm-base64";
import { decodeBase64 } from "../base/base64.js";
import { provideModule } from "../engine/engine.js";
import { provideVocabulary } from "./cl100k_base.js";
import { provideFflate } from "./inflate.js";

provideFflate();
provideVocabulary();
provideModule(() => new WebAssembly.Module(decodeBase64(base64)));

export * from "./whole.js";
