// The store in D1, in Cloudflare's runtime. Each of its statements is a request of its own there, which takes time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, checkEdgeStore, restart, runCase } from "../package/support/edge-stores.mjs";

checkEdgeStore({
  title: "D1",
  path: "/d1",
  // What one store holds, others on the same database do not know: its documentation says so.
  conformance: { knowsOthers: false },
  own: [
    "a write whose answer was lost is made once",
    "what is overtaken does nothing, and is decided anew",
    "an append that others always overtake ends with a conflict",
    "what one store on a database changes, another tells of; what it holds, it alone knows",
  ],
});

test("a request that is cancelled while it holds a session in D1 holds up no other", async () => {
  // What the runtime says of the request that hangs is expected.
  await restart({ handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].map((stream) => stream.resume()) });
  const cancelled = await ask("/d1", "held", "hold without end");
  assert.equal(cancelled.status, 500);
  assert.match(await cancelled.text(), /hung/);
  assert.deepEqual(await runCase("/d1", "held", "trim what another request holds"), { removedCount: 2 });
});
