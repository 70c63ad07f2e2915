// Updates the snapshots of what people read, and shows what changed. Commit the changes that you mean.
//
//   npm run snapshots

import { build } from "./build.mjs";
import { isProgram, run, runProgram } from "./project.mjs";
import { findNode, setUp } from "./setup.mjs";

const JAVASCRIPT = ["--test", "--test-reporter=spec", "tests/snapshots/words.test.mjs"];

/** A command that runs the snapshots of the package. They want Node 22, as Node 20 has none. */
export function snapshotsOfPackage() {
  return { program: findNode(22, "."), programArguments: JAVASCRIPT };
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await build();
    const rust = ["test", "--package", "windrow", "--test", "core", "words::"];
    await run("cargo", rust, { env: { INSTA_UPDATE: "always", INSTA_FORCE_PASS: "1" } });
    const { program, programArguments } = snapshotsOfPackage();
    await run(program, ["--test-update-snapshots", ...programArguments]);
    await run("git", ["status", "--short", "--", "tests/core/snapshots", "tests/snapshots"], { output: "stdout" });
    await run("git", ["--no-pager", "diff", "--", "tests/core/snapshots", "tests/snapshots"], { output: "stdout" });
  });
}
