// The page of the bench: rankings in a browser.

import * as rankings from "./rankings.mjs";

globalThis.bench = { warmUp: rankings.warmUp, measure: rankings.measure };
