// Every public entry point is typed: whatever a public function receives, and whatever the functions and objects that
// it returns receive, a failure is a `ContextError`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATA, doorsOf, entries, SAME_AS } from "../support/doors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";

// A hook that must not fail reports to the console.
const { error, warn } = console;
before(() => {
  Object.assign(console, { error() {}, warn() {} });
});
after(() => {
  Object.assign(console, { error, warn });
});

test("every entry is called, is data, or has the same names as one that is called", async () => {
  for (const [name, { types }] of Object.entries(entries)) {
    if (DATA.test(name)) {
      continue;
    }
    if (name in SAME_AS) {
      assert.equal(types, entries[SAME_AS[name]].types, name);
      continue;
    }
    assert.ok(Object.keys(await import(name.replace(/^\./, "windrow"))).length > 0, name);
  }
});

describe("every function of every entry fails with a ContextError", () => {
  for (const entry of Object.keys(entries).filter((it) => !DATA.test(it) && !(it in SAME_AS))) {
    test(entry, async () => {
      for (const { call } of await doorsOf(entry)) {
        await forEachSeedAsync(call);
      }
    });
  }
});
