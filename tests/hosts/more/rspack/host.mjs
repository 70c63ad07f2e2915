// Rspack, configured only with paths.

import { fileURLToPath } from "node:url";
import { versionOf } from "../../support/programs.mjs";
import { builtBy } from "../../support/webpack.mjs";

const context = fileURLToPath(new URL(".", import.meta.url));

export const rspack = {
  name: "Rspack",
  folder: "rspack",
  version: () => versionOf("@rspack/core"),
  checks: [
    {
      what: "a build for production, in Chromium",
      run: async () => builtBy((await import("@rspack/core")).rspack, context),
    },
  ],
};
