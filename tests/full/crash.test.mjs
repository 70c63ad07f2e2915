// A browser that is killed loses nothing that it has acknowledged: often enough to meet all that it may be doing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crash } from "../package/support/crash.mjs";

test("a browser is killed while it appends, 50 times", async (t) => {
  const sessions = await crash(50);
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
