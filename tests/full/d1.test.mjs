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
    "a write whose answer was lost runs once",
    "an overtaken call does nothing, and is decided again",
    "an append that others always overtake ends with a conflict",
    "a store reports changes of another on the same database, but doesn't know its holds",
  ],
});

test("a cancelled request that holds a session in D1 blocks no other", async () => {
  // The runtime's output about the hanging request is expected.
  await restart({ handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].map((stream) => stream.resume()) });
  const cancelled = await ask("/d1", "held", "hold without end");
  assert.equal(cancelled.status, 500);
  assert.match(await cancelled.text(), /hung/);
  assert.deepEqual(await runCase("/d1", "held", "trim what another request holds"), { removedCount: 2 });
});
