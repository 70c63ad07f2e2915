// Vercel's edge runtime: the entry of its condition, as a bundler makes a function of it. The core is compiled in another realm, and the
// host has no `DecompressionStream`, or, in Next.js, one that throws.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { EdgeRuntime } from "edge-runtime";
import { build } from "esbuild";
import { runHookedCases } from "../support/hooked-cases.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const cases = JSON.stringify(fileURLToPath(new URL("../support/hooked-cases.mjs", import.meta.url)));
const dist = new URL("../../../pkg-template/dist/", import.meta.url);

/** What Next.js makes of an import of a module: it is compiled outside, and handed over. */
const wasmOfHost = {
  name: "wasm-of-host",
  setup(bundler) {
    bundler.onResolve({ filter: /\.wasm\?module$/ }, ({ path }) => ({ path, namespace: "host" }));
    bundler.onLoad({ filter: /.*/, namespace: "host" }, ({ path }) => ({
      contents: `export default wasm_of_${/(\w+)\.wasm/.exec(path)[1]};`,
    }));
  },
};

/** What a host may have in the place of a stream that inflates. */
const streams = {
  none: {},
  "one in name alone": {
    DecompressionStream: class {
      constructor() {
        throw new Error("A Node.js API is used (DecompressionStream) which is not supported in the Edge Runtime.");
      }
    },
  },
};

for (const [name, globals] of Object.entries(streams)) {
  test(`the same contexts in Vercel's edge runtime as in Node, to the byte, with ${name} for a DecompressionStream`, async () => {
    await checkIsAsInNode(globals);
  });
}

async function checkIsAsInNode(globals) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "edge-test-"));
  try {
    const source = `
      import { runHookedCases } from ${cases};
      addEventListener("fetch", (event) => event.respondWith(runHookedCases().then((found) => Response.json(found))));`;
    writeFileSync(join(folder, "source.mjs"), source);
    const { outputFiles } = await build({
      entryPoints: [join(folder, "source.mjs")],
      bundle: true,
      write: false,
      format: "iife",
      conditions: ["edge-light", "worker", "browser"],
      plugins: [wasmOfHost],
      logLevel: "warning",
    });
    const runtime = new EdgeRuntime({
      initialCode: outputFiles[0].text,
      extend: (context) =>
        Object.assign(
          context,
          globals,
          Object.fromEntries(
            ["windrow", "selection"].map((name) => [
              `wasm_of_${name}`,
              new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, dist))),
            ]),
          ),
        ),
    });
    assert.equal(runtime.evaluate("wasm_of_windrow instanceof WebAssembly.Module"), false, "it is of another realm");
    assert.equal(runtime.evaluate("typeof DecompressionStream"), typeof globals.DecompressionStream);
    const response = await runtime.dispatchFetch("http://edge/");
    assert.equal(response.status, 200, await response.clone().text());
    assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(await runHookedCases())));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
