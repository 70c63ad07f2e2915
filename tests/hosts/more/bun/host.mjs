// Bun, with packages installed by npm.

import { fileURLToPath } from "node:url";
import { lastLine, outputOf, packageFolder, versionOf } from "../../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url));

const run = async (file) => {
  const program = `${packageFolder(`@oven/bun-${process.platform}-${process.arch}`)}/bin/bun`;
  return lastLine(await outputOf(program, ["run", file], { cwd }));
};

export const bun = {
  name: "Bun",
  folder: "bun",
  version: () => versionOf("bun"),
  checks: [
    { what: "`import`", run: () => run("app.mjs") },
    { what: "`require`", run: () => run("app.cjs") },
  ],
};
