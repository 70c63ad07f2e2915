// webpack, configured only with paths.

import { fileURLToPath } from "node:url";
import { versionOf } from "../../support/programs.mjs";
import { builtBy } from "../../support/webpack.mjs";

const context = fileURLToPath(new URL(".", import.meta.url));

const bundled = async (options) => builtBy((await import("webpack")).default, context, options);

export const webpack = {
  name: "webpack",
  folder: "webpack",
  version: () => versionOf("webpack"),
  checks: [
    { what: "a build for production, in Chromium", run: () => bundled() },
    {
      what: "`windrow/module` with `experiments.sourceImport`, in Chromium",
      run: () =>
        bundled({ entry: { main: "./source.js" }, experiments: { asyncWebAssembly: true, sourceImport: true } }),
    },
  ],
};
