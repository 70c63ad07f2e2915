// As default.ts, with one vocabulary, which is in it: nothing is fetched later.

import base64 from "virtual:windrow-wasm-base64";
import selection from "#selection";
import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";
import { provideVocabulary } from "./o200k_base.js";

provideFflate();
provideVocabulary();
provideModule(() => compiled(base64));
provideSelection(() => compiled(selection));

export * from "./whole.js";
