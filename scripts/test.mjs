// Runs all tests, from native ones to a real browser and a real edge worker.
//
// npm test                 the checks that a change can affect: those whose inputs haven't changed since they passed
// are skipped npm test -- PATH …       the tests of these sources or tests alone, files or folders npm run test:full
// every check, the slow ones too, with more time for each property npm run lint             format, rules and types
// alone
//
// `package.json` has the graph of checks, and scripts/check.mjs defines each check.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { runGraph } from "./graph.mjs";
import { Failure, projectPath, runProgram, seconds } from "./project.mjs";
import { setUp } from "./setup.mjs";
import { runTestsOf } from "./tests-of.mjs";

/** Nodes of the graph by the option that runs them. */
const nodes = { "--full": "full", "--lint": "form" };

await runProgram(async () => {
  const started = Date.now();
  const [first, ...rest] = process.argv.slice(2);
  if (first !== undefined && !Object.hasOwn(nodes, first)) {
    await runTestsOf([first, ...rest]);
    return;
  }
  const isFull = first === "--full";
  await setUp(isFull ? "full" : "test");
  if (isFull) {
    process.env.WINDROW_PROPERTY_MS ??= "500";
  }
  let failure;
  try {
    await runGraph(nodes[first] ?? "quick");
  } catch (error) {
    failure = error instanceof Failure ? new Failure("a check failed: see its output above", error.exitCode) : error;
  }
  printSummary(started, failure);
  if (failure) {
    throw failure;
  }
});

/**
 * Prints the checks that passed with their times, and the number of skipped ones. The last line has the number of
 * tests.
 */
function printSummary(started, failure) {
  const folder = projectPath(".cache", "checks");
  const rows = (existsSync(folder) ? readdirSync(folder) : []).map((name) => ({
    ...JSON.parse(readFileSync(`${folder}/${name}`, "utf8")),
    isNew: statSync(`${folder}/${name}`).mtimeMs >= started,
  }));
  const ran = rows.filter(({ isNew }) => isNew).sort((left, right) => right.ms - left.ms);
  for (const { title, ms, passed, note } of ran) {
    console.log(
      `  ${seconds(ms).padStart(8)}  ${title}${passed ? `: ${passed} passed` : ""}${note ? `: ${note}` : ""}`,
    );
  }
  const skipped = rows.length - ran.length;
  console.log(
    `  ${seconds(Date.now() - started).padStart(8)}  in all${skipped > 0 ? `; ${skipped} checks had no change to check` : ""}`,
  );
  const passed = ran.reduce((sum, { passed = 0 }) => sum + passed, 0);
  console.log(failure ? `${passed} passed in the checks that passed` : `${passed} passed, 0 failed`);
}
