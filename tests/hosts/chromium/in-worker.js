import { outcomeOf } from "/shared/conversation.js";
import { buildContext, openSession } from "/windrow/dist/default.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

postMessage(await outcomeOf({ buildContext, openSession }, indexedDbStore()));
