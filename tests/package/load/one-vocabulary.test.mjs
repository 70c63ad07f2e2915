// A worker that names one vocabulary: its bundle has that one alone, it counts exactly by it, and says what to do for the other.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const NAMES = ["o200k_base", "cl100k_base"];

const worker = (entry) => `
  import { buildContext } from "${entry}";
  const built = async (encoding) => {
    const config = { encoding, request: "Which boat?", budget: { maxTokens: 100 } };
    const { tokens } = await buildContext([{ role: "user", content: "The boat house is free." }], config);
    return { total: tokens.total, words: tokens.words };
  };
  export default {
    fetch: async (request) => {
      const encoding = new URL(request.url).pathname.slice(1);
      return Response.json(await built(encoding).catch(({ code, nextAction }) => ({ code, nextAction })));
    },
  };`;

for (const name of NAMES) {
  test(`windrow/${name} carries ${name} alone`, async () => {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "vocabulary-test-"));
    try {
      writeFileSync(join(folder, "source.mjs"), worker(`windrow/${name}`));
      const { outputFiles, metafile } = await build({
        entryPoints: { worker: join(folder, "source.mjs") },
        outdir: join(folder, "out"),
        bundle: true,
        metafile: true,
        write: false,
        format: "esm",
        conditions: ["workerd", "worker", "browser"],
        loader: { ".wasm": "copy" },
        logLevel: "warning",
      });
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
      assert.deepEqual(
        NAMES.filter((encoding) => inputs.some((path) => path.endsWith(`encodings/${encoding}.js`))),
        [name],
      );
      const modules = outputFiles
        .toSorted((left) => (left.path.endsWith("worker.js") ? -1 : 1))
        .map(({ path, contents }) => ({ type: path.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path, contents }));
      const miniflare = new Miniflare({ modulesRoot: join(folder, "out"), modules, compatibilityDate: "2026-01-01" });
      try {
        const ask = async (encoding) => await (await miniflare.dispatchFetch(`http://worker/${encoding}`)).json();
        const [other] = NAMES.filter((encoding) => encoding !== name);
        assert.deepEqual(await ask(name), { total: 20, words: `exact in ${name}, the encoding that is named` });
        const { code, nextAction } = await ask(other);
        assert.equal(code, "ENCODING_NOT_LOADED");
        assert.match(nextAction, new RegExp(`windrow/encodings/${other}`));
      } finally {
        await miniflare.dispose();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const hosts = {
  workerd: { conditions: ["workerd", "worker", "browser"], loader: { ".wasm": "copy" } },
  "the edge runtime": { conditions: ["edge-light"], external: ["*.wasm?module"] },
  "any other host": { conditions: ["browser"] },
};

for (const [host, options] of Object.entries(hosts)) {
  test(`an entry of one vocabulary has it from the start in ${host}, and one of all fetches each`, async () => {
    const imports = async (entry) => {
      const contents = `export { buildContext } from "${entry}";`;
      const { metafile } = await build({
        stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
        outdir: "out",
        bundle: true,
        splitting: true,
        metafile: true,
        write: false,
        format: "esm",
        logLevel: "warning",
        ...options,
      });
      const all = Object.values(metafile.inputs).flatMap((input) => input.imports);
      const found = all.filter(({ path }) => /encodings\/\w+\.js$/.test(path));
      return found.map(({ path, kind }) => `${kind} ${/(\w+)\.js$/.exec(path)[1]}`).sort();
    };
    for (const name of NAMES) {
      assert.deepEqual(await imports(`windrow/${name}`), [`import-statement ${name}`]);
    }
    assert.deepEqual(await imports("windrow"), NAMES.map((name) => `dynamic-import ${name}`).sort());
  });
}
