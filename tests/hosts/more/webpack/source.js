import { buildContext, openSession } from "windrow/module";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { outcomeOf } from "../../shared/conversation.js";

window.outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
