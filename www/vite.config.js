// How Vite builds the page: one bundle that page and worker share, a strict policy, and a service worker that keeps it all.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Nothing is loaded from elsewhere, nothing is sent anywhere; `{connect}` is where the studio puts more. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The worker is a second entry of the same build, so that the engine is in it once. */
function workerEntry() {
  const name = "virtual:worker-address";
  let isBuild = false;
  return {
    name: "worker-entry",
    configResolved(config) {
      isBuild = config.command === "build";
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) {
        return undefined;
      }
      if (!isBuild) {
        return 'export default "/engine/worker.ts";';
      }
      const reference = this.emitFile({ type: "chunk", id: here("./engine/worker.ts"), name: "worker" });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}

function policy() {
  return {
    name: "content-security-policy",
    apply: "build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
    ],
  };
}

/** Writes the service worker with the names of all files, and a version that changes with them. */
function offline() {
  return {
    name: "offline",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const hash = createHash("sha256");
      const names = Object.keys(bundle).sort();
      for (const name of names) {
        const { code, source } = bundle[name];
        hash.update(name).update(code ?? source);
      }
      const files = ["./", ...names.filter((name) => !name.endsWith(".html")).map((name) => `./${name}`)];
      const text = readFileSync(here("./service-worker.js"), "utf8")
        .replace("VERSION_OF_BUILD", hash.digest("hex").slice(0, 12))
        .replace('["FILES_OF_BUILD"]', JSON.stringify(files, null, 2));
      this.emitFile({ type: "asset", fileName: "service-worker.js", source: text });
    },
  };
}

export default {
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 3000 },
  plugins: [workerEntry(), policy(), offline()],
};
