// Serves the playground and rebuilds the package when a source changes. The page reloads by itself.

import { watch } from "node:fs";
import { build } from "./build.mjs";
import { servePlayground } from "./playground.mjs";
import { Failure, projectPath, runProgram } from "./project.mjs";
import { setUp } from "./setup.mjs";

await runProgram(async () => {
  await setUp("build");
  await build();
  console.error(`\nThe playground is at ${await servePlayground()} (Ctrl+C ends it)`);
  let changed = false;
  let building = false;
  const buildAgain = async () => {
    changed = true;
    if (building) {
      return;
    }
    building = true;
    while (changed) {
      changed = false;
      // Editors write several files at once.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await build().catch((error) => console.error(error instanceof Failure ? `✗ ${error.message}` : error));
    }
    building = false;
  };
  for (const folder of ["src", "pkg-template/src", "scripts/tools/src"]) {
    watch(projectPath(folder), { recursive: true }, buildAgain);
  }
});
