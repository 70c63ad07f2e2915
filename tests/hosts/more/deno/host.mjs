// Deno, with packages installed by npm.

import { fileURLToPath } from "node:url";
import { lastLine, outputOf, packageFolder, versionOf } from "../../support/programs.mjs";

const cwd = fileURLToPath(new URL(".", import.meta.url));
const runtimes = { "linux-x64": "linux-x64-glibc", "linux-arm64": "linux-arm64-glibc" };
const platform = `${process.platform}-${process.arch}`;

// Read permission only: the package needs nothing else.
const run = async (file) => {
  const program = `${packageFolder(`@deno/${runtimes[platform] ?? platform}`)}/deno`;
  const options = ["run", "--no-prompt", "--allow-read", "--node-modules-dir=manual"];
  return lastLine(await outputOf(program, [...options, file], { cwd }));
};

export const deno = {
  name: "Deno",
  folder: "deno",
  version: () => versionOf("deno"),
  checks: [
    { what: "`import`, allowed to read alone", run: () => run("app.mjs") },
    { what: "`windrow/module`", run: () => run("source.mjs") },
  ],
};
