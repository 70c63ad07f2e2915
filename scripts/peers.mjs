// Runs users' bug reports against this package and its peers, which it installs.
//
//   npm run peers             prints who fails on each report, and fails if this package does
//   npm run peers -- --write  also writes the table into docs/peers.md

import { build } from "./build.mjs";
import { isProgram, projectPath, run, runProgram } from "./project.mjs";
import { findNode, installNpmPackages, setUp } from "./setup.mjs";

const packages = "tests/frameworks";

/** Runs the suite, and the test that each of its checks can fail. */
export async function runPeers(options = []) {
  await installNpmPackages(packages, []);
  const program = findNode(22, packages);
  await run(program, ["--test", projectPath(`${packages}/peers/must-fail.test.mjs`)], { output: "stdout" });
  await run(program, [projectPath(`${packages}/peers/run.mjs`), ...options], { output: "stdout" });
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await build();
    await runPeers(process.argv.slice(2));
  });
}
