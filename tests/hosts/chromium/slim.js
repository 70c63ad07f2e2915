// The core as a file of its own, compiled while it arrives.

import { outcomeOf } from "/shared/conversation.js";
import { buildContext, init, openSession } from "/windrow/dist/slim.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

window.outcome = init(fetch("/windrow/dist/windrow.wasm")).then(() =>
  outcomeOf({ buildContext, openSession }, indexedDbStore()),
);
