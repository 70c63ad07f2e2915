// The page's memory over a thousand drags of the budget.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertQuiet, openVisit, startSite, stopSite } from "../package/support/page.mjs";

const DRAGS = 1000;

before(() => startSite());
after(stopSite);

test("memory is steady over 1,000 drags", async () => {
  const { page, context, problems } = await openVisit();
  await page.waitForSelector("#turns[aria-busy=false]");
  const session = await context.newCDPSession(page);
  const { x, y, width, height } = await page.locator("#slider").boundingBox();
  const drag = async (number) => {
    await page.mouse.move(x + width * 0.3, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * (0.35 + 0.5 * ((number * 0.618) % 1)), y + height / 2);
    await page.mouse.up();
  };
  const used = async () => {
    // Waits until the state's pending effects have run.
    await page.waitForTimeout(700);
    await page.waitForSelector("#turns[aria-busy=false]");
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
    const { nodes } = await session.send("Memory.getDOMCounters");
    return { bytes: usedSize + backingStorageSize, nodes };
  };
  for (let number = 0; number < 100; number++) {
    await drag(number);
  }
  const first = await used();
  for (let number = 100; number < DRAGS; number++) {
    await drag(number);
  }
  const last = await used();
  assert.ok(last.bytes < first.bytes * 1.1, `${first.bytes} bytes after 100 drags, ${last.bytes} after 1,000`);
  assert.ok(last.nodes < first.nodes * 1.2 + 200, `${first.nodes} nodes after 100 drags, ${last.nodes} after 1,000`);
  assertQuiet(problems);
  await context.close();
});
