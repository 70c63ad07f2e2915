// The core and its parts as files of their own, compiled while they arrive.

import { outcomeOf } from "/shared/conversation.js";
import { buildContext, init, openSession } from "/windrow/dist/slim.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

const partAt = (name) => () => fetch(`/windrow/dist/${name}.wasm`);
const parts = { counting: partAt("counting"), selection: partAt("selection") };
window.outcome = init(fetch("/windrow/dist/windrow.wasm"), parts).then(() =>
  outcomeOf({ buildContext, openSession }, indexedDbStore()),
);
