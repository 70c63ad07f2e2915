// The entry without the core, which the caller passes to `init`. Parts that not every page needs are fetched on first
// use.

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
