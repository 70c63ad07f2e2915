// How Vite builds the page: one bundle that page and worker share, a strict policy, and a service worker that keeps it
// all.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { headerPolicy, metaPolicy } from "../pkg-template/src/studio/policy.ts";

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

/**
 * Writes the page twice. `studio.html` has no policy: the studio sends one with every response. `index.html` has it in
 * a `meta` tag, for hosts that send no headers. `_headers` has the header, for hosts that read such a file.
 */
function policy() {
  return {
    name: "content-security-policy",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      const meta = `<meta http-equiv="Content-Security-Policy" content="${metaPolicy()}" />`;
      const [before, after, ...more] = page.source.split("<head>");
      if (after === undefined || more.length > 0) {
        this.error("the page has no place for its policy");
      }
      this.emitFile({ type: "asset", fileName: "studio.html", source: page.source });
      page.source = `${before}<head>\n    ${meta}${after}`;
      const headers = `/*\n  Content-Security-Policy: ${headerPolicy()}\n`;
      this.emitFile({ type: "asset", fileName: "_headers", source: headers });
    },
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
      const names = Object.keys(bundle)
        .filter((name) => name !== "_headers")
        .sort();
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
