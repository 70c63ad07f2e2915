// A page with a script and no bundler: it names the package's own files.

import { outcomeOf } from "/shared/conversation.js";
import { buildContext, openSession } from "/windrow/dist/default.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

window.outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
