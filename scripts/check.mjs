// Runs one check of the graph in package.json: `node scripts/check.mjs NAME`. It needs the built package and the test
// setup.
//
// Each check reports to standard output, and writes its time and number of tests to .cache/checks for the summary.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { checkDependencies } from "./dependencies.mjs";
import { checkFloors } from "./floors.mjs";
import { runFrameworkTests } from "./frameworks.mjs";
import { fuzz, targets } from "./fuzz.mjs";
import { runHosts } from "./hosts.mjs";
import { runPeers } from "./peers.mjs";
import { Failure, projectPath, run, runNode, runProgram } from "./project.mjs";
import { checkProse } from "./prose.mjs";
import { findChromium, findCompiler, toolsEnvironment, wasmEnvironment } from "./setup.mjs";
import { documentCrates } from "./site.mjs";
import { checkSizes } from "./size.mjs";
import { snapshotsOfPackage } from "./snapshots.mjs";
import { testFilesIn } from "./tests-of.mjs";
import { compareTokenizers } from "./tokenizers.mjs";

const WASM = ["--target", "wasm32-unknown-unknown"];
const SHIPPED_CRATES = packages("windrow", "windrow-encoding", "windrow-words");
const CRATES = [...SHIPPED_CRATES, ...packages("windrow-property")];
const DENY_WARNINGS = ["--", "--deny", "warnings"];

/** Repeats failures at the end: they are easy to find there in a log without colors. */
const REPORTER = "--test-reporter=spec";

/** The seconds of fuzzing per change, from a fixed seed. The nightly run fuzzes for an hour. */
const FUZZ_SECONDS = 60;

/** The checks: a name for people, and the function to run. A check may return a note. */
const checks = {
  "rust-format": ["format of Rust", checkRustFormat],
  clippy: ["clippy, native", clippy],
  "clippy-wasm": ["clippy, wasm", clippyForWasm],
  "rust-docs": ["cargo doc", () => documentCrates()],
  biome: ["biome", () => runNode("@biomejs/biome/bin/biome", ["check", "--error-on-warnings"])],
  layers: ["layers of the sources", () => checkFloors()],
  types: ["types of TypeScript and JavaScript", checkTypes],
  prose: ["prose of comments and docs", () => checkProse()],
  sizes: ["sizes", () => checkSizes()],
  dependencies: ["dependencies of the crates", checkDependencies],
  native: ["native tests", () => counted("cargo", ["test", "--no-fail-fast", ...CRATES])],
  binding: ["the binding in Node and Chromium", checkBinding],
  "wasm-pack": ["wasm-pack test, in Node and Chromium", checkWithWasmPack],
  package: ["the package in Node, Chromium and workerd", () => nodeTest(filesOfPackage())],
  page: ["the page in Chromium", () => nodeTest(testFilesIn("tests/package/page"))],
  docs: ["examples and figures of the docs", () => nodeTest(testFilesIn("tests/package/docs"))],
  snapshots: ["snapshots of what people read", checkSnapshots],
  scripts: ["the task verbs", () => nodeTest(testFilesIn("tests/scripts"))],
  frameworks: ["hooks in the real frameworks", () => runFrameworkTests()],
  peers: ["what users reported of peers", () => runPeers()],
  tokenizers: ["counts of other tokenizers", () => compareTokenizers()],
  site: ["the site of the docs in Chromium", () => nodeTest(testFilesIn("tests/site"))],
  hosts: ["the packed package in its hosts", () => runHosts(["--core"])],
  fuzz: ["fuzzing of the core's decoders", () => fuzz(targets, FUZZ_SECONDS, { seed: 1 })],
  // These are large or kill a busy browser, so only two run at a time.
  slow: ["slow tests of the package", () => nodeTest(testFilesIn("tests/full"), 2)],
};

await runProgram(async () => {
  const [name] = process.argv.slice(2);
  if (!Object.hasOwn(checks, name ?? "")) {
    throw new Failure(`there is no check "${name}"; there are ${Object.keys(checks).join(", ")}`);
  }
  const [title, check] = checks[name];
  const started = performance.now();
  const result = await check();
  const took = { title, ms: performance.now() - started, ...(typeof result === "number" ? { passed: result } : {}) };
  mkdirSync(projectPath(".cache", "checks"), { recursive: true });
  writeFileSync(projectPath(".cache", "checks", `${name}.json`), JSON.stringify({ ...took, note: noteOf(result) }));
});

function packages(...names) {
  return names.flatMap((name) => ["--package", name]);
}

function noteOf(result) {
  return typeof result === "string" ? result : undefined;
}

/** Runs tests, and returns the number that passed. Fails if none ran. */
async function counted(command, programArguments, options = {}) {
  let text = "";
  await run(command, programArguments, {
    ...options,
    output: "stdout",
    onOutput: (piece) => {
      text += piece;
    },
  });
  const counts = [...text.matchAll(/^test result: ok\. (\d+) passed|^ℹ pass (\d+)|^# pass (\d+)/gm)];
  const passed = counts.reduce((sum, [, ...found]) => sum + Number(found.find(Boolean)), 0);
  if (passed === 0) {
    throw new Failure(`${command} ran no test`);
  }
  return passed;
}

// ---- Rust ----

async function checkRustFormat() {
  await run("cargo", ["fmt", "--all", "--check"]);
  await run("cargo", ["fmt", "--check", "--manifest-path", projectPath("scripts", "test-runner", "Cargo.toml")]);
}

async function clippy() {
  const compiler = findCompiler();
  const exclude = compiler === null ? ["--exclude", "windrow-fuzz"] : [];
  const env = compiler === null ? {} : { CXX: compiler };
  await run("cargo", ["clippy", "--workspace", ...exclude, "--all-targets", ...DENY_WARNINGS], { env });
  return compiler === null ? "without the fuzz targets: there is no C++ compiler" : undefined;
}

async function clippyForWasm() {
  const env = await wasmEnvironment();
  if (env?.RUSTUP_TOOLCHAIN === "debian" && !existsSync("/usr/bin/cargo-clippy")) {
    return "left out: Debian's toolchain has no clippy";
  }
  const targets = ["--package", "windrow", ...WASM, "--lib", "--test", "web"];
  await run("cargo", ["clippy", ...targets, ...DENY_WARNINGS], { env: env ?? {} });
}

/** Runs the binding's tests in both hosts, with the runner that `wasm-pack test` uses. */
async function checkBinding() {
  const env = {
    ...(await testRunnerEnvironment()),
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: projectPath(".tools", "bin", "wasm-bindgen-test-runner"),
  };
  const tests = ["test", "--package", "windrow", ...WASM, "--test", "web"];
  const inNode = await counted("cargo", tests, { env });
  const { chromedriver } = findChromium();
  const inChromium = await counted("cargo", tests, {
    env: { ...env, CHROMEDRIVER: chromedriver, WASM_BINDGEN_USE_BROWSER: "1" },
  });
  return inNode + inChromium;
}

async function checkWithWasmPack() {
  let passed = 0;
  for (const host of [["--node"], ["--headless", "--chrome", "--chromedriver", findChromium().chromedriver]]) {
    const env = {
      ...(await testRunnerEnvironment()),
      // The same test file runs in both hosts, so the environment selects the host.
      ...(host.includes("--chrome") ? { WASM_BINDGEN_USE_BROWSER: "1" } : {}),
    };
    passed += await counted("wasm-pack", ["test", "--mode", "no-install", ...host, "--", "--test", "web"], { env });
  }
  return passed;
}

async function testRunnerEnvironment() {
  return {
    ...toolsEnvironment(),
    ...(await wasmEnvironment()),
    ...browserEnvironment(),
    // A busy machine starts a browser slowly.
    WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60",
    WASM_BINDGEN_TEST_TIMEOUT: "300",
  };
}

/** `webdriver.json` names no browser. CHROME_PATH tells ChromeDriver which one to use. */
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

// ---- TypeScript and JavaScript ----

async function checkTypes() {
  for (const folder of ["pkg-template", "www", "examples/worker", "examples/embeddings", "."]) {
    await runNode("typescript/bin/tsc", ["--project", projectPath(folder), "--noEmit"]);
  }
  await runNode("typescript/bin/tsc", ["--project", projectPath("tests", "types")]);
}

/** Runs test files. Some only wait for a browser, so the concurrency is two above the number of cores. */
function nodeTest(files, fileCount = availableParallelism() + 2) {
  const env = { CHROME_PATH: findChromium().chromium };
  return counted(process.execPath, ["--test", REPORTER, `--test-concurrency=${fileCount}`, ...files], { env });
}

async function checkSnapshots() {
  const { program, programArguments } = await snapshotsOfPackage();
  return counted(program, programArguments);
}

function filesOfPackage() {
  return testFilesIn("tests/package").filter((name) => !/^tests\/package\/(page|docs)\//.test(name));
}
