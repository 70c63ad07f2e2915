// The D1 store in Cloudflare's runtime. Each statement there is a separate request, which takes time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, checkEdgeStore, restart, runCase } from "../package/support/edge-stores.mjs";

checkEdgeStore({
  title: "D1",
  path: "/d1",
  // Stores on the same database don't know about each other's data, as documented.
  conformance: { knowsOthers: false },
  own: [
    "a write whose answer was lost is made once",
    "what is overtaken does nothing, and is decided anew",
    "an append that others always overtake ends with a conflict",
    "what one store on a database changes, another tells of; what it holds, it alone knows",
  ],
});

test("a request that is cancelled while it holds a session in D1 holds up no other", async () => {
  // The runtime's output about the hanging request is expected.
  await restart({ handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].map((stream) => stream.resume()) });
  const cancelled = await ask("/d1", "held", "hold without end");
  assert.equal(cancelled.status, 500);
  assert.match(await cancelled.text(), /hung/);
  assert.deepEqual(await runCase("/d1", "held", "trim what another request holds"), { removedCount: 2 });
});
