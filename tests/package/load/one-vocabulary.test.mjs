// Workers that name their vocabulary: the bundle includes only that one, counts exactly with it, and has a next step
// for the other.

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

/**
 * Bundles a worker as wrangler does, and runs it in workerd. `check` receives the paths in its bundle and a function
 * that sends requests.
 */
async function inWorkerd(source, check) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "vocabulary-test-"));
  try {
    writeFileSync(join(folder, "source.mjs"), source);
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
    const modules = outputFiles
      .toSorted((left) => (left.path.endsWith("worker.js") ? -1 : 1))
      .map(({ path, contents }) => ({ type: path.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path, contents }));
    const miniflare = new Miniflare({ modulesRoot: join(folder, "out"), modules, compatibilityDate: "2026-01-01" });
    try {
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
      await check(inputs, async (path) => await (await miniflare.dispatchFetch(`http://worker/${path}`)).json());
    } finally {
      await miniflare.dispose();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function vocabulariesIn(inputs) {
  return NAMES.filter((encoding) => inputs.some((path) => path.endsWith(`encodings/${encoding}.js`)));
}

for (const name of NAMES) {
  test(`windrow/${name} includes only ${name}`, async () => {
    await inWorkerd(worker(`windrow/${name}`), async (inputs, ask) => {
      assert.deepEqual(vocabulariesIn(inputs), [name]);
      const [other] = NAMES.filter((encoding) => encoding !== name);
      assert.deepEqual(await ask(name), { total: 20, words: `exact in ${name}, the named encoding` });
      const { code, nextAction } = await ask(other);
      assert.equal(code, "ENCODING_NOT_LOADED");
      assert.match(nextAction, new RegExp(`windrow/encodings/${other}`));
    });
  });
}

/** A `windrow/slim` worker with further imports. Each path returns the data of a context, or its error. */
const slimWorker = (imports, parts = "{}") => `
  import core from "windrow/windrow.wasm";
  import vocabulary from "windrow/encodings/cl100k_base";
  import { buildContext, initSync, loadEncoding } from "windrow/slim";
  ${imports}
  initSync(core, ${parts});
  const plain = [{ role: "user", content: "The boat house is free." }, { role: "user", content: "And the bridge is closed." }];
  const foreign = [{ role: "user", parts: [{ type: "text", text: "The boat house is free." }] }];
  const less = { request: "Which boat?", budget: { maxTokens: 24 } };
  const answers = {
    plain: (config) => buildContext(plain, config),
    foreign: (config) => buildContext(foreign, config),
    request: (config) => buildContext(plain, { ...config, render: { provider: "openai" } }),
    otherEncoding: (config) => buildContext(plain, { ...config, encoding: "o200k_base" }),
    tooMuch: (config) => buildContext(plain, { ...config, ...less }),
    newest: (config) => buildContext(plain, { ...config, ...less, recall: { ranking: "recency" } }),
  };
  export default {
    fetch: async (request) => {
      await loadEncoding(vocabulary);
      const build = answers[new URL(request.url).pathname.slice(1)];
      const answer = await build({ encoding: "cl100k_base", budget: { maxTokens: 2000 } }).catch((failure) => failure);
      const { code, nextAction, messages, tokens } = answer;
      return Response.json({ code, nextAction, kept: messages?.length, exact: tokens?.exact });
    },
  };`;

test("windrow/slim in a worker includes only the worker's imports, and names missing parts", async () => {
  await inWorkerd(slimWorker(""), async (inputs, ask) => {
    assert.deepEqual(vocabulariesIn(inputs), ["cl100k_base"]);
    assert.deepEqual(
      inputs.filter((path) => /selection\.wasm$|fflate/.test(path)),
      [],
    );
    assert.deepEqual(await ask("plain"), { kept: 2, exact: true });
    assert.deepEqual(await ask("newest"), { kept: 2, exact: true }, "the newest message and the request");
    /** @type {Record<string, [code: string, nextAction: RegExp]>} */
    const missing = {
      otherEncoding: ["ENCODING_NOT_LOADED", /windrow\/encodings\/o200k_base/],
      tooMuch: ["PART_NOT_LOADED", /windrow\/selection\.wasm/],
      foreign: ["PART_NOT_LOADED", /windrow\/shapes/],
      request: ["PART_NOT_LOADED", /windrow\/providers/],
    };
    for (const [path, [code, nextAction]] of Object.entries(missing)) {
      const answer = await ask(path);
      assert.equal(answer.code, code, path);
      assert.match(answer.nextAction, nextAction);
    }
    assert.deepEqual(await ask("plain"), { kept: 2, exact: true }, "the next call works");
  });
});

test("windrow/slim in a worker with every import does everything", async () => {
  const imports = ["windrow/shapes", "windrow/providers"].map((entry) => `import "${entry}";`);
  imports.push('import selection from "windrow/selection.wasm";');
  await inWorkerd(slimWorker(imports.join("\n"), "{ selection }"), async (_, ask) => {
    assert.deepEqual(await ask("tooMuch"), { kept: 2, exact: true });
    assert.deepEqual(await ask("foreign"), { kept: 1, exact: true });
    assert.deepEqual(await ask("request"), { kept: 2, exact: true });
  });
});

/** @type {Record<string, import("esbuild").BuildOptions>} */
const hosts = {
  workerd: { conditions: ["workerd", "worker", "browser"], loader: { ".wasm": "copy" } },
  "the edge runtime": { conditions: ["edge-light"], external: ["*.wasm?module"] },
  "any other host": { conditions: ["browser"] },
};

for (const [host, options] of Object.entries(hosts)) {
  test(`an entry with one vocabulary has it from the start in ${host}, and one with all fetches each`, async () => {
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
