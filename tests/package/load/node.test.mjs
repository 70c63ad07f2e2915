// Node reads the core and the vocabularies from the package's files, while a bundle for Node includes them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { countTokens, loadEncoding } from "windrow";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const TEXT = "Who brings the projector on Tuesday?";
const SOURCE = `
  import { countTokens, loadEncoding } from "windrow";
  const counts = [];
  for (const encoding of ["o200k_base", "cl100k_base"]) {
    await loadEncoding(encoding);
    counts.push(countTokens(${JSON.stringify(TEXT)}, { encoding }).tokens);
  }
  console.log(JSON.stringify(counts));`;

let folder;

before(() => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "node-test-"));
  writeFileSync(join(folder, "source.mjs"), SOURCE);
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles the source for Node and runs it there. */
async function runBundle(name, options) {
  const outfile = join(folder, name, "main.mjs");
  await build({
    entryPoints: [join(folder, "source.mjs")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
    ...options,
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
  return JSON.parse(stdout);
}

async function counted() {
  const counts = [];
  for (const encoding of /** @type {const} */ (["o200k_base", "cl100k_base"])) {
    await loadEncoding(encoding);
    counts.push(countTokens(TEXT, { encoding }).tokens);
  }
  return counts;
}

test("Node has a separate entry, and bundlers get the one without files", async () => {
  assert.match(import.meta.resolve("windrow"), /\/node\.js$/);
  assert.deepEqual(await runBundle("plain", {}), await counted());
});

test("an error in a bundle with Node's entry names the missing condition", async () => {
  const failure = await runBundle("wrong", { conditions: ["another"] }).then(assert.fail, (failure) => failure);
  assert.match(failure.stderr, /windrow\.wasm cannot be read/);
  assert.match(failure.stderr, /condition "module"/);
});
