// As default.ts, with one vocabulary, which is in it: nothing is fetched later.
import base64 from "virtual:windrow-wasm-base64";
import { decodeBase64 } from "../base/base64.js";
import { provideModule } from "../engine/engine.js";
import { provideFflate } from "./inflate.js";
import { provideVocabulary } from "./o200k_base.js";

provideFflate();
provideVocabulary();
provideModule(() => new WebAssembly.Module(decodeBase64(base64)));

export * from "./whole.js";
