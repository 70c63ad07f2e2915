// Cloudflare's workerd, running the files that wrangler would deploy.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { outputOf, packageFolder, versionOf } from "../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

const made = `${folder}dist`;

let bundled;

/** Bundles the worker with wrangler, once. */
function bundle() {
  const wrangler = `${packageFolder("wrangler")}/bin/wrangler.js`;
  if (bundled === undefined) {
    rmSync(made, { recursive: true, force: true }); // modules of earlier builds have other names and would remain
  }
  bundled ??= outputOf(process.execPath, [wrangler, "deploy", "--dry-run", "--minify", "--outdir", made], {
    cwd: folder,
  });
  return bundled;
}

/** Runs the files that wrangler would deploy, and requests a session in one of its stores. */
async function deployed(store) {
  await bundle();
  const { Miniflare } = await import("miniflare");
  const files = readdirSync(made).filter((name) => /\.(?:js|wasm)$/.test(name));
  const contentOf = (name) => readFileSync(`${made}/${name}`);
  // Miniflare's module types depend on its version.
  /** @type {(name: string) => any} */
  const moduleOf = (name) =>
    name.endsWith(".wasm")
      ? { type: "wasm", contents: new Uint8Array(contentOf(name)) }
      : { type: "esm", contents: contentOf(name).toString("utf8") };
  const miniflare = new Miniflare({
    workers: [
      {
        config: {
          name: "windrow",
          compatibilityDate: "2026-01-01",
          manifest: {
            mainModule: files.find((name) => name.endsWith(".js")),
            modules: Object.fromEntries(files.map((name) => [name, moduleOf(name)])),
          },
          env: {
            CHATS: { type: "durable-object", worker: "windrow", exportName: "Chat" },
            DATABASE: { type: "d1", id: "windrow" },
          },
          exports: { Chat: { type: "durable-object", storage: "sqlite" } },
        },
      },
    ],
  });
  try {
    const response = await miniflare.dispatchFetch(`http://worker/${store}`);
    return { ...JSON.parse(await response.text()), notes: sizesOf(made, files) };
  } finally {
    await miniflare.dispose();
  }
}

/** The total size of the files, as a platform counts them. */
function sizesOf(made, files) {
  const bytes = files.map((name) => gzipSync(readFileSync(`${made}/${name}`), { level: 9 }).length);
  return [`${Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1024)} KiB gzip, minified, with the core`];
}

export const workerd = {
  name: "wrangler, workerd",
  folder: "workerd",
  version: () => `${versionOf("wrangler")}, ${versionOf("workerd")}`,
  checks: [
    { what: "`wrangler deploy --dry-run`, with a Durable Object", run: () => deployed("durable-object") },
    { what: "`wrangler deploy --dry-run`, with D1", run: () => deployed("d1") },
  ],
};
