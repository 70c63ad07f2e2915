// Cloudflare's Think with the AI SDK's hook: the real package in workerd, with a scripted model.

import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundleWorker } from "../package/support/worker.mjs";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 800;
const bare = new Set(builtinModules);

/** Some of Think's packages import Node's modules without `node:`. */
const nodeModules = {
  name: "node-modules",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[a-z_/]+$/ }, ({ path }) =>
      bare.has(path) ? { path: `node:${path}`, external: true } : undefined,
    ),
};

let bundle;
let miniflare;

before(async () => {
  const worker = fileURLToPath(new URL("think/worker.mjs", import.meta.url));
  bundle = await bundleWorker(
    `export * from ${JSON.stringify(worker)}; export { default } from ${JSON.stringify(worker)};`,
    {
      mainFields: ["module", "main"],
      external: ["cloudflare:*", "node:*"],
      plugins: [nodeModules],
      // A few packages are CommonJS.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
      logLevel: "error",
    },
  );
  miniflare = bundle.start({
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: { Chat: { className: "Chat", useSQLite: true } },
  });
});

after(async () => {
  await miniflare?.dispose();
  bundle?.remove();
});

const message = (role, id, text) => ({ role, id, parts: [{ type: "text", text }] });

test("every step of a turn is whole and within the budget, and the agent keeps every message", async () => {
  const history = longChat(1).flatMap(({ said, reply }, at) => [
    message("user", `said_${at}`, said),
    message("assistant", `reply_${at}`, reply),
  ]);
  const questions = ["What did we say about the lantern?", "And about the violin?"].map((text, at) =>
    message("user", `asked_${at}`, text),
  );
  const response = await miniflare.dispatchFetch("http://worker/", {
    method: "POST",
    body: JSON.stringify({ history, questions }),
  });
  assert.equal(response.status, 200);
  const { seen, kept } = await response.json();
  assert.equal(kept, history.length + 4, "the history, two questions and two replies");
  assert.equal(seen.length, 8);
  for (const [at, { prompt, tools }] of seen.entries()) {
    assert.deepEqual(tools, ["look_up"]);
    const parts = (type) => prompt.flatMap(({ content }) => content).filter((part) => part.type === type);
    const callIds = (list) => list.map(({ toolCallId }) => toolCallId);
    assertPaired(callIds(parts("tool-call")), callIds(parts("tool-result")));
    const [{ text: asked }] = questions[Math.floor(at / 4)].parts;
    assert.ok(parts("text").some(({ text }) => text === asked));
    assert.ok(callIds(parts("tool-call")).length >= at % 4, "the turn's own calls are there");
    assert.ok(prompt.length < history.length / 2);
    assert.ok(tokensIn(prompt) <= LIMIT, `${tokensIn(prompt)} tokens`);
  }
});
