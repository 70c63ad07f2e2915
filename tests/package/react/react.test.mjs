// `useWindrow` on a server, its errors, and its size. tests/frameworks runs it in a browser, with each version of
// React.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { transform } from "esbuild";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { memoryStore, openSession } from "windrow";
import { useWindrow } from "windrow/react";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";

/** Renders a component that uses the hook. Returns the states that it saw. */
function render(...given) {
  const states = [];
  renderToString(
    createElement(() => {
      states.push(useWindrow(.../** @type {[any]} */ (given)));
      return null;
    }),
  );
  return states;
}

test("a server sees a loading session, with the same functions at each render", async () => {
  const session = await openSession("web:main", { store: memoryStore() });
  await session.append({ role: "user", content: "hi" });
  const [first] = render(session);
  const { append, build, ...state } = first;
  assert.deepEqual(state, { messages: [], hasOlder: false, context: undefined, status: "loading", error: undefined });
  const [again] = render(session, { limit: 3 });
  assert.equal(again.append, append);
  assert.equal(again.build, build);
  const context = await build({ encoding: "estimate" });
  assert.equal(context.messages.length, 1);
  assert.equal((await append({ role: "user", content: "again" })).messages.length, 1);
});

test("wrong sessions and options fail with one error that names the next step", async () => {
  const session = await openSession("web:main", { store: memoryStore() });
  const values = [
    null,
    undefined,
    0,
    "web:main",
    [],
    {},
    Promise.resolve(session),
    () => session,
    memoryStore(),
    session,
  ];
  const options = [undefined, null, {}, [], { limit: 0 }, { limit: 2.5 }, { limit: "9" }, { limits: 3 }, { limit: 3 }];
  await forEachSeedAsync(async (random) => {
    const [value, option] = [random.pick(values), random.pick(options)];
    const isRight =
      (value == null || value === session) && (option === undefined || [2, 8].includes(options.indexOf(option)));
    if (isRight) {
      assert.equal(render(value, option)[0].status, "loading");
      return;
    }
    const failure = await errorOf(() => render(value, option));
    const isOption = option === null || /^(?:options|limits?)\b/.test(failure.message);
    checkContextError(failure, { kind: "session_error", code: isOption ? "INVALID_CONFIG" : "INVALID_SESSION" });
  });
});

test("is smaller than 2 kB", async () => {
  const entry = fileURLToPath(import.meta.resolve("windrow/react"));
  const { code } = await transform(readFileSync(entry, "utf8"), { minify: true, format: "esm" });
  assert.ok(brotliCompressSync(code).length < 2000, `${brotliCompressSync(code).length} bytes`);
});
