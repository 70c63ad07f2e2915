// Rollup with the plugin that finds packages: in chunks, and in one file, which turns dynamic imports into plain code.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { pageOf } from "../../support/browser.mjs";
import { versionOf } from "../../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

async function bundled(input, output) {
  const { rollup: bundle } = await import("rollup");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const warnings = [];
  const made = await bundle({
    input: { main: `${folder}${input}` },
    plugins: [nodeResolve({ browser: true })],
    onwarn: ({ message }) => warnings.push(message),
  });
  await made.write({ dir: `${folder}dist`, format: "es", ...output });
  await made.close();
  assert.deepEqual(warnings, []);
  return await pageOf(folder);
}

const inOneFile = { inlineDynamicImports: true };

export const rollup = {
  name: "Rollup",
  folder: "rollup",
  version: () => versionOf("rollup"),
  checks: [
    { what: "modules in chunks, in Chromium", run: () => bundled("main.js", {}) },
    { what: "`inlineDynamicImports`, in Chromium", run: () => bundled("main.js", inOneFile) },
    {
      what: "the same, awaited at the top level with `windrow/o200k_base`",
      run: () => bundled("waiting.js", inOneFile),
    },
    {
      what: "the same with `windrow`, whose parts Rollup runs too late",
      gives: [],
      run: async () => {
        const { code, cause } = await bundled("too-late.js", inOneFile);
        assert.equal(code, "PART_NOT_LOADED");
        assert.match(cause, /windrow\/o200k_base/);
        return { result: "refused, and says which entry to import" };
      },
    },
  ],
};
