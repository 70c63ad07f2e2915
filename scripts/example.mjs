// Runs an example of a framework with a scripted model. Installs the framework and needs no API key.
//
//   npm run example             names the examples
//   npm run example -- ai-sdk   runs one

import { readdirSync } from "node:fs";
import { build } from "./build.mjs";
import { Failure, projectPath, run, runProgram } from "./project.mjs";
import { findNode, installNpmPackages, setUp } from "./setup.mjs";

const packages = "tests/frameworks";
const folder = `${packages}/examples`;

await runProgram(async () => {
  const names = readdirSync(projectPath(folder)).map((name) => name.replace(/\.mjs$/, ""));
  const name = process.argv[2];
  if (name === undefined) {
    console.log(`npm run example -- NAME, where NAME is one of ${names.join(", ")}`);
    return;
  }
  if (!names.includes(name)) {
    throw new Failure(`there is no example ${name}: give one of ${names.join(", ")}`);
  }
  await setUp("build");
  await build();
  await installNpmPackages(packages, []);
  await run(findNode(22, packages), [projectPath(folder, `${name}.mjs`)], { output: "stdout" });
});
