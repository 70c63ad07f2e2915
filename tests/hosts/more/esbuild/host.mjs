// esbuild: as modules in chunks, and as one classic script.

import { fileURLToPath } from "node:url";
import { pageOf } from "../../support/browser.mjs";
import { versionOf } from "../../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

async function bundled(options) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: folder,
    entryPoints: ["main.js"],
    outdir: "dist",
    bundle: true,
    minify: true,
    logLevel: "error",
    ...options,
  });
  return await pageOf(folder);
}

export const esbuild = {
  name: "esbuild",
  folder: "esbuild",
  version: () => versionOf("esbuild"),
  checks: [
    { what: "modules in chunks, in Chromium", run: () => bundled({ format: "esm", splitting: true }) },
    { what: "one script (`iife`), in Chromium", run: () => bundled({ format: "iife" }) },
  ],
};
