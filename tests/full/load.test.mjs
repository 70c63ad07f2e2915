// Longer versions of tests/package/engine/load.test.mjs and base/calls.test.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, openSession } from "windrow";
import { randomCalls } from "../package/support/calls.mjs";
import { checkBigSession } from "../package/support/load-cases.mjs";

test("a session of 300,000 messages is built in every way that reads everything", () => checkBigSession(300_000));

test("130,000 random calls return a result or throw a ContextError", async () => {
  for (let seed = 2; seed < 12; seed++) {
    const { given, failed } = await randomCalls(13_000, seed);
    assert.ok(given > 1000 && failed > 1000, JSON.stringify({ given, failed }));
  }
});

test("importing a file of 100 MB takes linear time and reports progress", async () => {
  const secondsFor = async (byteCount) => {
    const line = JSON.stringify({ role: "user", content: "x".repeat(960), createdAt: "2026-01-01T00:00:00Z" });
    const lineCount = Math.floor(byteCount / (line.length + 1));
    const file = `${line}\n`.repeat(lineCount);
    const session = await openSession("web:a", { store: memoryStore() });
    let toldCount = 0;
    const started = process.cpuUsage().user;
    const { messageCount } = await session.import(file, {
      onProgress: () => {
        toldCount += 1;
      },
    });
    const seconds = (process.cpuUsage().user - started) / 1e6;
    assert.equal(messageCount, lineCount);
    assert.ok(toldCount > 0);
    await session.close();
    return seconds;
  };
  const [ten, hundred] = [await secondsFor(10e6), await secondsFor(100e6)];
  // Ten times as much input, with an allowance for garbage collection.
  assert.ok(hundred < 30 * ten + 1, `10 MB take ${ten} s, 100 MB ${hundred} s`);
});
