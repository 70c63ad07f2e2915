// Tests the hooks for frameworks with the real packages, which it installs into tests/frameworks.
//
//   npm run test:frameworks              all of them
//   npm run test:frameworks -- FILE …    some files of tests/frameworks

import { readdirSync } from "node:fs";
import { build } from "./build.mjs";
import { isProgram, projectPath, run, runNode, runProgram } from "./project.mjs";
import { findNode, installNpmPackages, setUp } from "./setup.mjs";

const folder = "tests/frameworks";

/** Checks types and runs the tests. Most of the packages need a newer Node than this package does. */
export async function runFrameworkTests(files = []) {
  await installNpmPackages(folder, []);
  await runNode("typescript/bin/tsc", ["--project", projectPath(folder)]);
  const all = readdirSync(projectPath(folder)).filter((name) => name.endsWith(".test.mjs"));
  const names = files.length > 0 ? files : all.map((name) => `${folder}/${name}`);
  await run(findNode(22, folder), ["--test", "--test-reporter=spec", ...names], { output: "stdout" });
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await build();
    await runFrameworkTests(process.argv.slice(2));
  });
}
