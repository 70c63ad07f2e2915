// Updates the snapshots of texts for people, and shows the changes. Commit those that you intended.
//
//   npm run snapshots

import { build } from "./build.mjs";
import { isProgram, run, runProgram } from "./project.mjs";
import { findNode, installNpmPackages, setUp } from "./setup.mjs";

const folder = "tests/snapshots";
const JAVASCRIPT = ["--test", "--test-reporter=spec", `${folder}/words.test.mjs`];

/**
 * Runs the package's snapshot tests. Node 20 can't take snapshots, so `tests/snapshots` installs a newer Node. The root
 * can't depend on it, because npm would put that `node` on the PATH of every script.
 */
export async function snapshotsOfPackage() {
  if (Number.parseInt(process.versions.node, 10) < 22) {
    await installNpmPackages(folder, []);
  }
  return { program: findNode(22, folder), programArguments: JAVASCRIPT };
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await build();
    const rust = ["test", "--package", "windrow", "--test", "core", "words::"];
    await run("cargo", rust, { env: { INSTA_UPDATE: "always", INSTA_FORCE_PASS: "1" } });
    const { program, programArguments } = await snapshotsOfPackage();
    await run(program, ["--test-update-snapshots", ...programArguments]);
    await run("git", ["status", "--short", "--", "tests/core/snapshots", "tests/snapshots"], { output: "stdout" });
    await run("git", ["--no-pager", "diff", "--", "tests/core/snapshots", "tests/snapshots"], { output: "stdout" });
  });
}
