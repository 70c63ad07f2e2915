// Cloudflare's Think with the AI SDK's hook: the real package in workerd, with a scripted model.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
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

let folder;
let miniflare;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "think-test-"));
  await build({
    entryPoints: { worker: fileURLToPath(new URL("think/worker.mjs", import.meta.url)) },
    outdir: folder,
    bundle: true,
    format: "esm",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [nodeModules],
    // A few packages are CommonJS.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
    loader: { ".wasm": "copy" },
    logLevel: "error",
  });
  const files = readdirSync(folder).toSorted((left) => (left === "worker.js" ? -1 : 1));
  miniflare = new Miniflare({
    modulesRoot: folder,
    modules: files.map((name) => ({
      type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
      path: join(folder, name),
    })),
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: { Chat: { className: "Chat", useSQLite: true } },
    outboundService: () => new Response("no network here", { status: 500 }),
  });
});

after(async () => {
  await miniflare?.dispose();
  rmSync(folder, { recursive: true, force: true });
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
