// What a page runs that a bundler makes: the store of browsers, and the package under its own name.

import { buildContext, openSession } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { outcomeOf } from "./conversation.js";

window.outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
