// Vercel's edge runtime: the entry of its condition, bundled into a function. The core is compiled in another realm,
// and the host has no `DecompressionStream`, or, in Next.js, one that throws.

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

/** Next.js compiles an imported wasm module outside and passes it in. */
const wasmOfHost = {
  name: "wasm-of-host",
  setup(bundler) {
    bundler.onResolve({ filter: /\.wasm\?module$/ }, ({ path }) => ({ path, namespace: "host" }));
    bundler.onLoad({ filter: /.*/, namespace: "host" }, ({ path }) => ({
      contents: `export default wasm_of_${/(\w+)\.wasm/.exec(path)[1]};`,
    }));
  },
};

/** Substitutes for `DecompressionStream` that a host may have. */
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
  test(`the same contexts in Vercel's edge runtime as in Node, byte for byte, with ${name} for a DecompressionStream`, async () => {
    await checkIsAsInNode(globals);
  });

  test(`windrow/slim in the edge runtime includes only the function's imports, with ${name} for a DecompressionStream`, async () => {
    await checkCarriesWhatIsImported(globals);
  });
}

async function checkIsAsInNode(globals) {
  const source = `
    import { runHookedCases } from ${cases};
    const answer = runHookedCases;`;
  await inEdgeRuntime(source, globals, async (_, answer) => {
    assert.deepEqual(answer, JSON.parse(JSON.stringify(await runHookedCases())));
  });
}

async function checkCarriesWhatIsImported(globals) {
  const source = `
    import core from "windrow/windrow.wasm";
    import vocabulary from "windrow/encodings/cl100k_base";
    import { buildContext, initSync, loadEncoding } from "windrow/slim";
    initSync(core);
    const config = { encoding: "cl100k_base", request: "Which boat?", budget: { maxTokens: 24 } };
    const messages = ["The boat house is free.", "And the bridge is closed."].map((content) => ({ role: "user", content }));
    const build = async (more) => {
      const { code, tokens } = await buildContext(messages, { ...config, ...more }).catch((failure) => failure);
      return code ?? tokens;
    };
    const answer = async () => {
      await loadEncoding(vocabulary);
      return [
        await build({ encoding: "o200k_base", budget: { maxTokens: 2000 } }),
        await build({}),
        await build({ recall: { ranking: "recency" } }),
      ];
    };`;
  await inEdgeRuntime(source, globals, (inputs, [encoding, selection, tokens]) => {
    const large = inputs.filter((path) => /encodings\/|\.wasm|shapes\.js$|providers\.js$/.test(path));
    assert.deepEqual(large.map((path) => /[\w.]+$/.exec(path.replace("?module", ""))[0]).sort(), [
      "cl100k_base.js",
      "windrow.wasm",
    ]);
    assert.equal(encoding, "ENCODING_NOT_LOADED");
    assert.equal(selection, "PART_NOT_LOADED");
    assert.deepEqual([tokens.exact, tokens.encoding], [true, "cl100k_base"], "the next call works");
  });
}

/**
 * Bundles a source that has a function `answer`, and runs it in the edge runtime. `check` receives the bundle's inputs
 * and the answer.
 */
async function inEdgeRuntime(source, globals, check) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "edge-test-"));
  try {
    const respond =
      "addEventListener('fetch', (event) => event.respondWith(answer().then((found) => Response.json(found))));";
    writeFileSync(join(folder, "source.mjs"), `${source}\n${respond}`);
    const { outputFiles, metafile } = await build({
      entryPoints: [join(folder, "source.mjs")],
      bundle: true,
      write: false,
      metafile: true,
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
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
    await check(inputs, await response.json());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
