// Public functions return the right answer or throw a `ContextError`, whatever they receive.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAllAreCalled, randomCalls } from "../support/calls.mjs";

test("random calls cover everything that the package exports", checkAllAreCalled);

test("13,000 random calls return a result or throw a ContextError", async () => {
  const { given, failed } = await randomCalls(13_000, 1);
  // Both must happen often enough to be meaningful.
  assert.ok(given > 1000 && failed > 1000, JSON.stringify({ given, failed }));
});
