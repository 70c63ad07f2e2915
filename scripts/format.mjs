// Formats all sources with rustfmt and biome, and applies biome's safe fixes.

import { projectPath, run, runNode, runProgram, step } from "./project.mjs";
import { setUp } from "./setup.mjs";

await runProgram(async () => {
  await setUp("build");
  await step("cargo fmt", async () => {
    await run("cargo", ["fmt", "--all"]);
    await run("cargo", ["fmt", "--manifest-path", projectPath("scripts", "test-runner", "Cargo.toml")]);
  });
  await step("biome check --write", () => runNode("@biomejs/biome/bin/biome", ["check", "--write"]));
});
