// Tests the published package in every supported host: packs it, installs it next to the hosts, and runs them.
//
//   npm run test:hosts              all hosts
//   npm run test:hosts -- HOST …    some of them, by their folders' names
//   npm run test:hosts -- --core    the hosts that every change is tested in, with fewer packages to install
//   npm run test:hosts -- --write   all hosts, and writes the results into the table of docs/hosts.md

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { build } from "./build.mjs";
import { runNpm } from "./npm.mjs";
import { isProgram, projectPath, run, runProgram, step } from "./project.mjs";
import { findChromium, findNode, installChromium, installNpmPackages, setUp } from "./setup.mjs";

const folder = "tests/hosts";
const moreHosts = `${folder}/more`;

/** Runs hosts according to the options. */
export async function runHosts(options) {
  await installNpmPackages(folder, []);
  if (!options.includes("--core")) {
    await installNpmPackages(moreHosts, []);
  }
  await step("the package: npm pack, and installing it beside the hosts", installPacked);
  const env = { CHROME_PATH: findChromium().chromium };
  const program = findNode(22, folder);
  await run(program, ["--test", projectPath(folder, "must-fail.test.mjs")], { output: "stdout" });
  await run(program, [projectPath(folder, "run.mjs"), ...options], { env, output: "stdout" });
}

/** Installs the output of `npm pack` like a published package. */
async function installPacked() {
  const packed = projectPath(".cache", "packed");
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed, { recursive: true });
  await runNpm(["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", packed], {
    cwd: projectPath("pkg-template"),
  });
  const { name, version } = JSON.parse(readFileSync(projectPath("pkg-template", "package.json"), "utf8"));
  const installed = projectPath(folder, "node_modules", name);
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", `${packed}/${name}-${version}.tgz`, "--strip-components=1", "-C", installed]);
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await installChromium();
    await build();
    await runHosts(process.argv.slice(2));
  });
}
