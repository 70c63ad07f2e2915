// Both core modules as separate files, compiled while they arrive.

import { outcomeOf } from "/shared/conversation.js";
import { buildContext, init, openSession } from "/windrow/dist/slim.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

const selection = () => fetch("/windrow/dist/selection.wasm");
window.outcome = init(fetch("/windrow/dist/windrow.wasm"), { selection }).then(() =>
  outcomeOf({ buildContext, openSession }, indexedDbStore()),
);
