// webpack with no configuration but where things are.

import { fileURLToPath } from "node:url";
import { pageOf } from "../../support/browser.mjs";
import { versionOf } from "../../support/programs.mjs";

const context = fileURLToPath(new URL(".", import.meta.url));

async function bundled(options) {
  const { default: bundle } = await import("webpack");
  const compiler = bundle({
    context,
    mode: "production",
    entry: "./main.js",
    output: { path: `${context}dist`, publicPath: "/dist/", clean: true },
    performance: { hints: false },
    ...options,
  });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((failure, result) => (failure ? reject(failure) : resolve(result)));
  });
  await new Promise((resolve) => compiler.close(resolve));
  if (stats.hasErrors() || stats.hasWarnings()) {
    throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
  }
  return await pageOf(context);
}

export const webpack = {
  name: "webpack",
  folder: "webpack",
  version: () => versionOf("webpack"),
  checks: [
    { what: "a build for production, in Chromium", run: () => bundled({}) },
    {
      what: "`windrow/module` with `experiments.sourceImport`, in Chromium",
      run: () =>
        bundled({ entry: { main: "./source.js" }, experiments: { asyncWebAssembly: true, sourceImport: true } }),
    },
  ],
};
