// Jest with ES modules, which need an experimental flag of Node.

import { fileURLToPath } from "node:url";
import { outcomeOfTest } from "../../support/outcome-file.mjs";
import { packageFolder, versionOf } from "../../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url));

export const jest = {
  name: "Jest",
  folder: "jest",
  version: () => versionOf("jest"),
  checks: [
    {
      what: "a test with `--experimental-vm-modules`",
      run: () =>
        outcomeOfTest(cwd, ["--experimental-vm-modules", `${packageFolder("jest")}/bin/jest.js`, "--rootDir", cwd]),
    },
  ],
};
