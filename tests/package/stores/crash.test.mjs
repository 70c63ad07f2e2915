// A killed browser loses nothing that it has acknowledged. `npm run test:full` runs this longer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crash } from "../support/crash.mjs";
import { SEED } from "../support/property.mjs";

test("a browser is killed while it appends", async (t) => {
  const sessions = await crash({ seed: SEED, timeMs: 0, leastKills: 1 });
  for (const session of sessions) {
    t.diagnostic(JSON.stringify(session));
  }
  const acknowledged = sessions.reduce((sum, session) => sum + session.acknowledged, 0);
  assert.ok(acknowledged > 20, `${acknowledged} messages were acknowledged`);
});
