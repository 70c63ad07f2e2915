// Runs the bench's worker in Cloudflare's runtime.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const source = fileURLToPath(new URL("./store-worker.mjs", import.meta.url));

/**
 * Starts the runtime with its storage in a folder. `ask` runs a command in a session's object. `time` measures it in
 * milliseconds from outside, because the clock inside doesn't advance during work.
 */
export async function startWorker(folder) {
  const code = join(folder, "code");
  mkdirSync(code, { recursive: true });
  await build({
    entryPoints: { worker: source },
    outdir: code,
    bundle: true,
    splitting: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    loader: { ".wasm": "copy" },
    logLevel: "warning",
  });
  const modules = readdirSync(code)
    .toSorted((left) => (left === "worker.js" ? -1 : 1))
    .map((name) => ({ type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: join(code, name) }));
  const miniflare = new Miniflare({
    modulesRoot: code,
    modules,
    compatibilityDate: "2026-01-01",
    durableObjects: { SESSIONS: { className: "Session", useSQLite: true } },
    durableObjectsPersist: join(folder, "objects"),
    outboundService: () => new Response("no network here", { status: 500 }),
  });
  const ask = async (key, action, given) => {
    const body = JSON.stringify({ action, key, given });
    const response = await miniflare.dispatchFetch("http://worker/", { method: "POST", body });
    if (!response.ok) {
      throw new Error(`${action}: ${await response.text()}`);
    }
    await response.arrayBuffer();
  };
  return {
    ask,
    async time(key, action) {
      const started = performance.now();
      await ask(key, action);
      return performance.now() - started;
    },
    dispose: () => miniflare.dispose(),
  };
}
