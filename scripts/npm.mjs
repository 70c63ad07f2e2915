// Runs npm.

import { run } from "./project.mjs";

/** Runs the npm that runs this script, or the one on PATH. */
export function runNpm(npmArguments, options) {
  const npmProgram = process.env.npm_execpath;
  return npmProgram?.endsWith(".js")
    ? run(process.execPath, [npmProgram, ...npmArguments], options)
    : run(process.platform === "win32" ? "npm.cmd" : "npm", npmArguments, options);
}
