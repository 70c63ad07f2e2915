// Without the core, which the caller hands over. What not every page needs is fetched when it is first needed.

import { requests } from "../formats/requests.js";
import { shapes } from "../message/recognise.js";
import { provideFflate } from "./inflate.js";
import { provideVocabulary } from "./vocabularies.js";

provideFflate();
provideVocabulary();
requests.provideLater(() => import("../formats/providers.js"));
shapes.provideLater(() => import("../formats/index.js"));

export * from "../index.js";
export * from "./hand-over.js";
