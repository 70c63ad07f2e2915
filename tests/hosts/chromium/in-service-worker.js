// A service worker may not call `import()`, so it uses the entry that includes one vocabulary.

import { outcomeOf } from "/shared/conversation.js";
import { buildContext, openSession } from "/windrow/dist/default-o200k_base.js";
import { indexedDbStore } from "/windrow/dist/store-indexeddb.js";

addEventListener("message", (event) => {
  const outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
  event.waitUntil(
    outcome.then(
      (data) => event.source.postMessage({ data }),
      (failure) => event.source.postMessage({ failure: String(failure) }),
    ),
  );
});
