// A killed browser loses nothing that it has acknowledged. Runs long enough to interrupt every operation.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crash } from "../package/support/crash.mjs";
import { SEED, TIME_MS } from "../package/support/property.mjs";

/** Minimum number of kills, even if the time is up earlier: enough for a second session. */
const LEAST_KILLS = 12;

/** Running time as a multiple of a property's: 90 seconds in `npm run test:full`. */
const TIMES_A_PROPERTY = 180;

test("a browser is killed while it appends, again and again", async (t) => {
  t.diagnostic(`WINDROW_SEED=${SEED}`);
  const sessions = await crash({ seed: SEED, timeMs: TIMES_A_PROPERTY * TIME_MS, leastKills: LEAST_KILLS });
  for (const session of sessions) {
    t.diagnostic(JSON.stringify(session));
  }
  const acknowledged = sessions.reduce((sum, session) => sum + session.acknowledged, 0);
  assert.ok(acknowledged > 1000, `${acknowledged} messages were acknowledged`);
  assert.ok(sessions.some(({ replaced }) => replaced > 0));
  assert.ok(
    sessions.some(({ onTheWay }) => onTheWay > 0),
    "something was on its way when it was killed",
  );
});
