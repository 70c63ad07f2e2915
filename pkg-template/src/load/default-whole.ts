// The core of `default.ts` with the ranking module included. Nothing is fetched later.

import base64 from "virtual:windrow-wasm-base64";
import selection from "#selection";
import { provideModule } from "../engine/engine.js";
import { provideSelection } from "../engine/selection.js";
import { compiled } from "./compiled.js";
import { provideFflate } from "./inflate.js";

export function provideCore(): void {
  provideFflate();
  provideModule(() => compiled(base64));
  provideSelection(() => compiled(selection));
}
