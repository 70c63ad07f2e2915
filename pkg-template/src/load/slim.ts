// Without the core, which the caller hands over. What not every page needs is fetched when it is first needed.

import { requests } from "../providers/index.js";
import { shapes } from "../read/shapes/index.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
requests.provideLater(() => import("../providers/all.js"));
shapes.provideLater(() => import("../read/shapes/all.js"));

export * from "../index.js";
export * from "./hand-over.js";
