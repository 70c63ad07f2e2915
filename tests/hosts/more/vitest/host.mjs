// Vitest without configuration.

import { fileURLToPath } from "node:url";
import { outcomeOfTest } from "../../support/outcome-file.mjs";
import { packageFolder, versionOf } from "../../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url));

export const vitest = {
  name: "Vitest",
  folder: "vitest",
  version: () => versionOf("vitest"),
  checks: [
    {
      what: "a test with no configuration",
      run: () => outcomeOfTest(cwd, [`${packageFolder("vitest")}/vitest.mjs`, "run", "--root", cwd]),
    },
  ],
};
