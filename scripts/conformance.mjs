// Runs conformance cases against the built package.
//
//   npm run conformance                  the project's own copy, tests/conformance/cases.json
//   npm run conformance -- CASES.json    any file in that format
//
// Prints each failing case with the expected and the actual result, then the figures of each document, and ends with
// the line `N passed, N failed`. That line counts the strict cases of the file. Other cases are for information, and so
// is wording that no document specifies. Both are reported above the line and never fail.
//
// The exit code is 0 if every strict case with basis `document` passes and at least 95% of the strict cases with basis
// `code`. Otherwise it is 1, and 2 if the file has no cases.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "./build.mjs";
import { Failure, projectPath, runProgram } from "./project.mjs";
import { setUp } from "./setup.mjs";

const UNREADABLE = 2;

await runProgram(async () => {
  const cases = readCases(process.argv.slice(2));
  await setUp("build");
  await build();
  // The package exists only after the build.
  const { documents, runCases } = await import("../tests/conformance/run.mjs");
  const { isGood, reportLines } = await import("../tests/conformance/report.mjs");
  const results = await runCases(cases);
  console.log(reportLines(results, documents).join("\n"));
  process.exitCode = isGood(results) ? 0 : 1;
});

/**
 * Reads the cases of the named file, or the project's own. A path is relative to the folder that npm was started in.
 */
function readCases(given) {
  if (given.length > 1) {
    throw new Failure("give one file of cases: npm run conformance -- CASES.json", UNREADABLE);
  }
  const file =
    given.length === 0
      ? projectPath("tests", "conformance", "cases.json")
      : resolve(process.env.INIT_CWD ?? process.cwd(), given[0]);
  let cases;
  try {
    cases = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Failure(`${file} cannot be read as JSON: ${error.message}`, UNREADABLE);
  }
  if (!Array.isArray(cases) || cases.length === 0) {
    throw new Failure(`${file} holds no list of cases`, UNREADABLE);
  }
  return cases;
}
