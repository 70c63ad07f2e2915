// Waits for a context at the top level, so its imports must have run before.

import { buildContext, openSession } from "windrow/o200k_base";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { outcomeOf } from "../../shared/conversation.js";

const outcome = await outcomeOf({ buildContext, openSession }, indexedDbStore());
window.outcome = outcome;
