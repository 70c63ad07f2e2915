// Test runners write freely to their standard output, so the outcome goes into a file.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { outputOf } from "./programs.mjs";

/** Runs a test that writes its outcome into the file that `OUTCOME` names. */
export async function outcomeOfTest(cwd, programArguments) {
  mkdirSync(`${cwd}dist`, { recursive: true });
  const file = `${cwd}dist/outcome.json`;
  rmSync(file, { force: true });
  await outputOf(process.execPath, programArguments, { cwd, env: { OUTCOME: file } });
  return JSON.parse(readFileSync(file, "utf8"));
}
