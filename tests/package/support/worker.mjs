// A worker made from a source, in Cloudflare's runtime.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { fetch, Miniflare } from "miniflare";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));

/**
 * Bundles a worker as wrangler does. `source` is an ES module as text, which may import `windrow`. Returns the bundle's
 * files, their folder, a function that starts the worker with further runtime options, and one that removes the folder.
 *
 * @param {string} source
 * @param {import("esbuild").BuildOptions} [options] Further options of the bundler.
 */
export async function bundleWorker(source, options) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "worker-test-"));
  writeFileSync(join(folder, "source.mjs"), source);
  const { metafile } = await build({
    entryPoints: { worker: join(folder, "source.mjs") },
    outdir: join(folder, "out"),
    bundle: true,
    splitting: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    // A wasm file stays a file, and the runtime compiles it.
    loader: { ".wasm": "copy" },
    logLevel: "warning",
    ...options,
    metafile: true,
  });
  const modules = readdirSync(join(folder, "out"))
    .toSorted((left) => (left === "worker.js" ? -1 : 1))
    .map((name) => ({ type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: join(folder, "out", name) }));
  return {
    metafile,
    /** @param {Record<string, unknown>} [options] */
    start: (options = {}) =>
      new Miniflare({
        modulesRoot: join(folder, "out"),
        modules: /** @type {any} */ (modules),
        compatibilityDate: "2026-01-01",
        // The worker can only reach its own deployment.
        outboundService: () => new Response("no network here", { status: 500 }),
        ...options,
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Bundles a worker and starts it.
 *
 * @param {string} source
 * @param {Record<string, unknown>} [options] Further runtime options.
 */
export async function startWorker(source, options) {
  const bundle = await bundleWorker(source);
  const worker = bundle.start(options);
  return {
    /** @returns {Promise<{ status: number, json(): Promise<any> }>} */
    ask: (path) => worker.dispatchFetch(`http://worker${path}`),
    /** Calls a method of V8's inspector. The runtime needs the option `inspectorPort`. */
    async inspect(method) {
      const inspector = (await worker.getInspectorURL()).href.replace(/^ws/, "http");
      const [{ id: name }] = /** @type {any} */ (await (await fetch(`${inspector}json`)).json());
      const { webSocket } = await fetch(inspector + name, { headers: { upgrade: "websocket" } });
      webSocket.accept();
      const answer = new Promise((resolve) => {
        webSocket.addEventListener("message", ({ data }) => {
          const { id, result } = JSON.parse(String(data));
          if (id === 1) {
            resolve(result);
          }
        });
      });
      webSocket.send(JSON.stringify({ id: 1, method }));
      const result = await answer;
      webSocket.close();
      return result;
    },
    async stop() {
      await worker.dispose();
      bundle.remove();
    },
  };
}
