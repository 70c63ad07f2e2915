// The same contexts in Node, Chromium and workerd, byte for byte.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { chromium } from "playwright-core";
import { findChromium } from "../../../scripts/setup.mjs";
import { runHookedCases } from "../support/hooked-cases.mjs";
import { portOf } from "../support/servers.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const cases = JSON.stringify(fileURLToPath(new URL("../support/hooked-cases.mjs", import.meta.url)));

let folder;

before(() => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "hosts-test-"));
});

after(() => rmSync(folder, { recursive: true, force: true }));

async function bundle(name, source, conditions) {
  writeFileSync(join(folder, `${name}.mjs`), source);
  const outdir = join(folder, name);
  await build({
    entryPoints: { main: join(folder, `${name}.mjs`) },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    conditions,
    loader: { ".wasm": "copy" },
    logLevel: "warning",
  });
  return outdir;
}

async function inWorkerd() {
  const source = `
    import { runHookedCases } from ${cases};
    export default { fetch: async () => Response.json(await runHookedCases()) };`;
  const modulesRoot = await bundle("worker", source, ["workerd", "worker", "browser"]);
  const names = readdirSync(modulesRoot).toSorted((left) => (left === "main.js" ? -1 : 1));
  const modules = names.map((name) => ({
    type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
    path: join(modulesRoot, name),
  }));
  const miniflare = new Miniflare({ modulesRoot, modules, compatibilityDate: "2026-01-01" });
  try {
    const response = await miniflare.dispatchFetch("http://worker/");
    assert.equal(response.status, 200, await response.clone().text());
    return await response.json();
  } finally {
    await miniflare.dispose();
  }
}

async function inChromium() {
  const source = `
    import { runHookedCases } from ${cases};
    window.runHookedCases = runHookedCases;`;
  const root = await bundle("page", source, ["browser"]);
  const server = createServer((request, response) => {
    if (request.url === "/") {
      response.setHeader("content-type", "text/html");
      response.end('<!doctype html><meta charset="utf-8"><script type="module" src="/main.js"></script>');
      return;
    }
    if (!readdirSync(root).includes(request.url.slice(1))) {
      response.writeHead(404).end(); // the icon that every browser requests
      return;
    }
    const type = extname(request.url) === ".js" ? "text/javascript" : "application/octet-stream";
    response.setHeader("content-type", type);
    response.end(readFileSync(join(root, request.url)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const browser = await chromium.launch({
    executablePath:
      process.env.CHROME_PATH ?? findChromium()?.chromium ?? assert.fail("Chromium is missing: set CHROME_PATH"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${portOf(server)}/`);
    await page.waitForFunction(() => globalThis.runHookedCases !== undefined);
    return await page.evaluate(() => globalThis.runHookedCases());
  } finally {
    await browser.close();
    server.close();
  }
}

test("Node, Chromium and workerd build the same contexts, and replay them", async () => {
  const [inNode, workerd, page] = await Promise.all([runHookedCases(), inWorkerd(), inChromium()]);
  for (const [name, context] of Object.entries(inNode)) {
    assert.ok(context.isSame, `${name} is built again from its recording`);
    assert.deepEqual(workerd[name], context, `${name} in workerd`);
    assert.deepEqual(page[name], context, `${name} in Chromium`);
  }
  // The contexts themselves are right: hooks were asked, zones looked up, failures noted.
  assert.equal(inNode.triaged.recording.answers[0].outcome, "given");
  assert.ok(inNode.triaged.recording.zoneOffsets.length > 1, "the clocks were set forward");
  assert.deepEqual(
    inNode.failing.trace.notes.map(({ kind }) => kind),
    ["triage-failed"],
  );
  assert.ok(inNode.turns.recall.hits > 0);
  assert.ok(inNode.tiered.conversations.some(({ form }) => form === "summary"));
  assert.ok(inNode.agent.kept.includes("t3"));
  assert.ok(
    inNode.turnContract.recording.answers.some(({ hook, hash }) => hook === "countTokens" || hash !== undefined),
  );
});
