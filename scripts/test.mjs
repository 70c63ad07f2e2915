// All tests, from the native ones to a real browser and a real edge worker. Stops at the first failure.
//
//   npm test               everything but what is slow by nature
//   npm run test:full      what is slow by nature: `#[ignore]` tests in release mode, the frameworks that the package is
//                          plugged into, the hosts that every change is tested in, tests/full, and two minutes of fuzzing
//   npm run test:frameworks [FILE …]   the frameworks alone, or these files of tests/frameworks

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { build } from "./build.mjs";
import { checkDependencies } from "./dependencies.mjs";
import { fuzz, targets } from "./fuzz.mjs";
import { runHosts } from "./hosts.mjs";
import { lint } from "./lint.mjs";
import { runPeers } from "./peers.mjs";
import { Failure, projectPath, run, runNode, runProgram, seconds, step } from "./project.mjs";
import { findChromium, findNode, installNpmPackages, setUp, toolsEnvironment, wasmEnvironment } from "./setup.mjs";
import { checkSizes } from "./size.mjs";

// What a run finds does not depend on luck: the same cases each time. Another seed gives others.
process.env.PROPTEST_RNG_SEED ??= "1";

/** Names what failed at the end, also where nobody sees it run. */
const REPORTER = "--test-reporter=spec";

const times = [];

/** A step whose time is in the summary at the end. */
async function timed(title, action) {
  const started = performance.now();
  try {
    await action();
  } catch (error) {
    throw error instanceof Failure ? new Failure(`${title}: ${error.message}`, error.exitCode) : error;
  }
  times.push([title, performance.now() - started]);
}

function tests(title, action) {
  return timed(title, () => step(title, action));
}

await runProgram(async () => {
  const [what, ...files] = process.argv.slice(2);
  if (what === "--frameworks") {
    await timed("set-up", () => setUp("build"));
    await timed("build", () => build());
    await runFrameworkTests(files);
    return;
  }
  const isFull = what === "--full";
  await timed("set-up", () => setUp(isFull ? "full" : "test"));
  await timed("build", () => build());
  if (isFull) {
    await runSlowTests();
  } else {
    await tests("sizes: npm run size", () => checkSizes());
    await timed("lint", lint);
    await timed("dependencies", checkDependencies);
    await runTests();
  }
  console.log("\nAll passed:");
  for (const [title, time] of times) {
    console.log(`  ${seconds(time).padStart(8)}  ${title}`);
  }
  console.log(`  ${seconds(times.reduce((sum, [, time]) => sum + time, 0)).padStart(8)}  in all`);
});

async function runTests() {
  await tests("native tests: cargo test", () =>
    run("cargo", ["test", "--package", "windrow", "--package", "windrow-encoding", "--package", "windrow-words"], {
      output: "stdout",
    }),
  );
  await tests("the binding in Node: wasm-pack test --node", () => wasmPackTest(["--node"]));
  await tests("the binding in Chromium: wasm-pack test --headless --chrome", () =>
    wasmPackTest(["--headless", "--chrome", "--chromedriver", findChromium().chromedriver]),
  );
  await tests("the package's types: tsc", () =>
    runNode("typescript/bin/tsc", ["--project", projectPath("tests", "types")]),
  );
  await tests("the task verbs: node --test", () => nodeTest("tests/scripts"));
  await tests("the package in Node, Chromium and workerd: node --test", () => nodeTest("tests/package"));
}

async function runSlowTests() {
  // Tests want speed and a backtrace, not the small code of the published wasm.
  const env = {
    CARGO_PROFILE_RELEASE_OPT_LEVEL: "3",
    CARGO_PROFILE_RELEASE_LTO: "off",
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
    CARGO_PROFILE_RELEASE_STRIP: "none",
  };
  await tests("slow native tests: cargo test --release -- --ignored", () =>
    run("cargo", ["test", "--package", "windrow", "--release", "--", "--ignored"], { env, output: "stdout" }),
  );
  await runFrameworkTests();
  await tests("what users reported of peers: npm run peers", () => runPeers());
  await tests("the packed package in its hosts: npm run test:hosts, its core", () => runHosts(["--core"]));
  await tests("slow tests of the package: node --test", () => nodeTest("tests/full", 1));
  await tests("fuzzing of the core's decoders: libFuzzer", () => fuzz(targets, 120, { seed: 1 }));
}

/** The package where it is plugged in, with the real packages. Most of them want a newer Node than the package itself. */
function runFrameworkTests(files) {
  return tests("the package in frameworks: node --test", async () => {
    const folder = "tests/frameworks";
    await installNpmPackages(folder, []);
    const names = files?.length ? files : testFiles(folder);
    const program = findNode(22, folder);
    await runNode("typescript/bin/tsc", ["--project", projectPath(folder)]);
    await run(program, ["--test", REPORTER, ...names], { output: "stdout" });
  });
}

async function wasmPackTest(host) {
  const env = {
    ...toolsEnvironment(),
    ...(await wasmEnvironment()),
    ...browserEnvironment(),
    // The same file runs in both hosts: it names neither, so that this says which.
    ...(host.includes("--chrome") ? { WASM_BINDGEN_USE_BROWSER: "1" } : {}),
    // A machine under load starts a browser slowly.
    WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60",
    WASM_BINDGEN_TEST_TIMEOUT: "300",
  };
  let text = "";
  await run("wasm-pack", ["test", "--mode", "no-install", ...host, "--", "--test", "web"], {
    env,
    output: "stdout",
    onOutput: (piece) => {
      text += piece;
    },
  });
  if (!/test result: ok\. [1-9]\d* passed/.test(text)) {
    throw new Failure("no test ran; wasm-pack skips a file whose configuration is for another host");
  }
}

/** `webdriver.json` names no browser, so ChromeDriver looks for one; CHROME_PATH says which. */
function browserEnvironment() {
  if (!process.env.CHROME_PATH) {
    return {};
  }
  const file = projectPath(".cache", "webdriver.json");
  const capabilities = JSON.parse(readFileSync(projectPath("webdriver.json"), "utf8"));
  capabilities["goog:chromeOptions"].binary = process.env.CHROME_PATH;
  mkdirSync(projectPath(".cache"), { recursive: true });
  writeFileSync(file, JSON.stringify(capabilities));
  return { WASM_BINDGEN_TEST_WEBDRIVER_JSON: file };
}

/** Runs the files below a folder, so many at a time: slow ones each for itself, as they measure, or kill what is busy. */
async function nodeTest(folder, fileCount = availableParallelism() + 2) {
  const files = testFiles(folder);
  const env = { CHROME_PATH: findChromium().chromium };
  // Some tests wait for a browser, and use no core meanwhile. On its own, Node leaves one to itself.
  const concurrency = `--test-concurrency=${fileCount}`;
  await run(process.execPath, ["--test", REPORTER, concurrency, ...files], { env, output: "stdout" });
}

/** The test files below a folder, as paths from the project's root. */
function testFiles(folder) {
  const isOwn = (name) => name.endsWith(".test.mjs") && !name.includes("node_modules");
  const files = readdirSync(projectPath(folder), { recursive: true }).filter(isOwn);
  if (files.length === 0) {
    throw new Failure(`${folder} has no *.test.mjs`);
  }
  return files.map((name) => `${folder}/${name}`);
}
