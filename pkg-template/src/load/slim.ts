// Without the core, which the caller hands over. What not every page needs is fetched when it is first needed.

import { requests } from "../formats/requests.js";
import { shapes } from "../message/recognise.js";
import { provideFflate } from "./inflate.js";
import { provideAllVocabularies } from "./vocabularies.js";

provideFflate();
provideAllVocabularies();
requests.provideLater(() => import("../formats/providers.js"));
shapes.provideLater(() => import("../formats/index.js"));

export * from "../index.js";
export * from "./hand-over.js";
