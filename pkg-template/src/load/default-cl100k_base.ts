// As default.ts, with one vocabulary, which is in it: nothing is fetched later.

import base64 from "virtual:windrow-wasm-base64";
import counting from "#parts/counting";
import selection from "#parts/selection";
import { provideModule } from "../engine/engine.js";
import { provideParts } from "../engine/parts.js";
import { provideVocabulary } from "./cl100k_base.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";

provideFflate();
provideVocabulary();
provideModule(() => compiled(base64));
provideParts({ counting: () => compiled(counting), selection: () => compiled(selection) });

export * from "./whole.js";
