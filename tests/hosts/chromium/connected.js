// A page whose worker builds its contexts. Its sessions build in the page.

import { contextOf, sessionOf } from "/shared/conversation.js";
import { openSession } from "/windrow/dist/default.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";
import { connectWorker } from "/windrow/dist/worker.js";

async function outcome() {
  const engine = connectWorker(new Worker("/in-connected.js", { type: "module" }));
  const context = await contextOf({ buildContext: (...given) => engine.buildContext(...given) });
  return { context, session: await sessionOf({ openSession }, indexedDbStore()) };
}

window.outcome = outcome();
