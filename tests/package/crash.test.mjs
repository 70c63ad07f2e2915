// A browser that is killed loses nothing that it has acknowledged. `npm run test:full` does it more often.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crash } from "./support/crash.mjs";

test("a browser is killed while it appends, 3 times", async (t) => {
  const figures = await crash(3);
  t.diagnostic(JSON.stringify(figures));
  assert.ok(figures.every(({ acknowledged }) => acknowledged > 0));
});
