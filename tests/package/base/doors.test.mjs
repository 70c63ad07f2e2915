// Every public entry point is typed: whatever a public function receives, and whatever the functions and objects that
// it returns receive, a failure is a `ContextError`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildContextSync, ContextError, memoryStore, openSession, requestOf } from "windrow";
import { contextMiddleware } from "windrow/langchain";
import { createRedactor, findSecrets } from "windrow/redact";
import { contextMiddleware as tanstackMiddleware } from "windrow/tanstack";
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

test("a list with a false length ends at its first hole, wherever it is", async () => {
  /** @type {any} */
  const sparse = [];
  sparse.length = 2 ** 27;
  const user = { role: "user", content: "Where?" };
  const estimate = /** @type {const} */ ({ encoding: "estimate" });
  const { outline } = buildContextSync([user], estimate);
  const build = (more) => buildContextSync([user], { ...estimate, ...more });
  const bound = { model: "m", end: 1, sent: sparse };
  const open = (options) => openSession("web:main", { store: memoryStore(), ...options });
  const calls = {
    kinds: () => createRedactor({ kinds: sparse }),
    findSecrets: () => findSecrets("text", sparse),
    find: () => createRedactor({ find: () => sparse }).messages([user], 0),
    roles: () => open({ accept: { roles: sparse } }),
    formats: () => open({ accept: { formats: sparse } }),
    statementsFrom: () => open({ statementsFrom: sparse }),
    tags: async () => (await open({})).append(/** @type {any} */ ({ ...user, tags: sparse })),
    pieces: () => build({ previous: { ...outline, pieces: sparse } }),
    sent: () => build({ previous: { ...outline, bound } }),
    quotes: () => build({ previous: { ...outline, bound: { ...bound, sent: [], quotes: sparse } } }),
    contextManagement: () => requestOf("anthropic", [user], { contextManagement: sparse }),
    langchain: () => contextMiddleware().wrapModelCall({ messages: [user], tools: sparse }, (request) => request),
    tanstack: () =>
      tanstackMiddleware().onConfig(/** @type {any} */ ({ phase: "beforeModel" }), {
        messages: [user],
        tools: sparse,
        systemPrompts: sparse,
      }),
    types: () => memoryStore().read("web:main", { types: sparse }),
  };
  for (const [name, run] of Object.entries(calls)) {
    const started = process.cpuUsage();
    try {
      await run();
    } catch (failure) {
      assert.ok(failure instanceof ContextError, `${name}: ${failure}`);
    }
    const { user: microseconds } = process.cpuUsage(started);
    assert.ok(microseconds < 1_000_000, `${name} takes ${microseconds / 1e6} s`);
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
