// Installs missing tools without questions. It can run again and leaves installed tools alone.
//
//   node scripts/setup.mjs          for building: npm packages, Rust's wasm target
//   node scripts/setup.mjs test     also for npm test: the test runner of wasm-bindgen, Chromium
//   node scripts/setup.mjs full     also for npm run test:full: wasm-pack, cargo-deny, a C++ compiler

import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runNpm } from "./npm.mjs";
import { capture, digest, Failure, isProgram, projectPath, run, runProgram, seconds, step } from "./project.mjs";

const wasmTarget = "wasm32-unknown-unknown";
const wasmPackVersion = "0.15.1";
const cargoDenyVersion = "0.20.2";

const levels = ["build", "test", "full"];

/** Installs the tools for a level: "build", "test" or "full". */
export async function setUp(level) {
  const started = performance.now();
  requireNode();
  await installNpmPackages();
  await requireRust();
  await installWasmTarget();
  if (level !== "build") {
    await installRustComponents();
    await installTestRunner();
    await installChromium();
  }
  if (level === "full") {
    await installWasmPack();
    await installTool("cargo-deny", cargoDenyVersion, ["cargo-deny", "--version", cargoDenyVersion]);
    await installCompiler();
  }
  rmSync(projectPath(".tools", "target"), { recursive: true, force: true });
  const user = level === "build" ? "build" : "test";
  console.error(`✓ set-up: all that a ${user} needs is in place (${seconds(performance.now() - started)})`);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Failure(`Node ${process.versions.node} is too old: install Node 20.19 or later`);
  }
}

/** Installs the packages in a folder's lock file. `manifests` are the other files that determine them. */
export async function installNpmPackages(folder = ".", manifests = ["pkg-template/package.json"]) {
  const lock = join(folder, "package-lock.json");
  const stampFile = projectPath(folder, "node_modules", ".windrow-setup");
  const wanted = digest(lock, join(folder, "package.json"), ...manifests, {
    text: `${process.platform} ${process.arch}`,
  });
  if (readIfExists(stampFile) === wanted) {
    return;
  }
  await step(`npm packages: installing what ${lock} names`, async () => {
    // None of them needs its install script, so no third-party script runs.
    const flags = ["--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
    await runNpm(["ci", ...flags], { cwd: projectPath(folder) });
    writeFileSync(stampFile, wanted);
  });
}

/** Returns a Node of at least this version: the running one, or the one installed in the project in `folder`. */
export function findNode(major, folder) {
  if (Number(process.versions.node.split(".")[0]) >= major) {
    return process.execPath;
  }
  const program = projectPath(folder, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (!existsSync(program)) {
    throw new Failure(`Node ${process.versions.node} is too old here: run this with Node ${major} or later`);
  }
  return program;
}

async function requireRust() {
  if ((await capture("cargo", ["--version"])) === null) {
    // A shell opened before rustup was installed doesn't have cargo's folder on PATH.
    const cargoFolder = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
    process.env.PATH = `${cargoFolder}${delimiter}${process.env.PATH}`;
  }
  const version = await capture("rustc", ["--version"]);
  if (version === null || (await capture("cargo", ["--version"])) === null) {
    throw new Failure("Rust is missing: install its stable toolchain with rustup, then run this again");
  }
  const minimum = /^rust-version = "(\d+)\.(\d+)/m.exec(readFileSync(projectPath("Cargo.toml"), "utf8"));
  const found = /(\d+)\.(\d+)/.exec(version);
  if (minimum && found && Number(found[1]) * 1000 + Number(found[2]) < Number(minimum[1]) * 1000 + Number(minimum[2])) {
    throw new Failure(`${version} is too old: run \`rustup update stable\` for ${minimum[1]}.${minimum[2]} or later`);
  }
}

// ---- The wasm target: from rustup, or built from Debian's sources ----

/**
 * Returns additional environment variables for a cargo command for wasm: none if the default toolchain has the target,
 * the selection of Debian's toolchain if only that has it, and null if neither does.
 */
export async function wasmEnvironment() {
  if (await hasWasmTarget({})) {
    return {};
  }
  const debian = await debianEnvironment();
  return (await hasWasmTarget(debian)) ? debian : null;
}

async function hasWasmTarget(env) {
  const folder = await capture("rustc", ["--print", "target-libdir", "--target", wasmTarget], { env });
  const files = folder !== null && existsSync(folder) ? readdirSync(folder) : [];
  return ["libstd-", "libtest-"].every((library) => files.some((name) => name.startsWith(library)));
}

async function debianEnvironment() {
  const toolchainFolder = await capture("rustc", ["--print", "sysroot"], { env: { RUSTUP_TOOLCHAIN: "stable" } });
  const host = /^host: (.+)$/m.exec((await capture("rustc", ["-vV"])) ?? "")?.[1];
  const linker = join(toolchainFolder ?? "", "lib", "rustlib", host ?? "", "bin", "rust-lld");
  return {
    RUSTUP_TOOLCHAIN: "debian",
    ...(existsSync(linker) ? { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker } : {}),
  };
}

async function installWasmTarget() {
  if ((await wasmEnvironment()) !== null) {
    return;
  }
  await step(`Rust's wasm target: rustup target add ${wasmTarget}`, async () => {
    const added = await run("rustup", ["target", "add", wasmTarget]).then(
      () => true,
      () => false,
    );
    return added ? "added" : "not possible here";
  });
  if ((await wasmEnvironment()) !== null) {
    return;
  }
  if (!isDebianRoot() || (await capture("rustup", ["--version"])) === null) {
    throw new Failure(
      `Rust's wasm target is missing: run \`rustup target add ${wasmTarget}\` where its server can be reached, then run this again`,
    );
  }
  await step("Rust's wasm target, from Debian's sources: installing rustc-web, cargo-web and rust-web-src", () =>
    installDebianPackages(["rustc-web", "cargo-web", "rust-web-src"]),
  );
  await step("Rust's wasm target, from Debian's sources: building the standard library", buildStandardLibrary);
  if ((await wasmEnvironment()) === null) {
    throw new Failure("The wasm target was built, and yet Debian's rustc does not find it; see the output above");
  }
}

async function buildStandardLibrary() {
  const folder = mkdtempSync(join(tmpdir(), "windrow-standard-library-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src", "lib.rs"), "");
    writeFileSync(join(folder, "Cargo.toml"), '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n');
    const env = {
      PATH: `/usr/bin${delimiter}${process.env.PATH}`,
      CARGO_TARGET_DIR: join(folder, "target"),
      RUSTC_BOOTSTRAP: "1",
    };
    await run(
      "/usr/bin/cargo",
      ["build", "--release", "-Z", "build-std=std,panic_abort,test", "--target", wasmTarget],
      {
        cwd: folder,
        env,
      },
    );
    const built = join(folder, "target", wasmTarget, "release", "deps");
    const installed = join("/usr/lib/rustlib", wasmTarget, "lib");
    rmSync(installed, { recursive: true, force: true });
    mkdirSync(installed, { recursive: true });
    for (const name of readdirSync(built).filter((file) => file.endsWith(".rlib") && !file.startsWith("libempty-"))) {
      cpSync(join(built, name), join(installed, name));
    }
    await run("rustup", ["toolchain", "link", "debian", "/usr"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// ---- Tools for the tests only ----

async function installRustComponents() {
  for (const [component, subcommand] of [
    ["clippy", "clippy"],
    ["rustfmt", "fmt"],
  ]) {
    if ((await capture("cargo", [subcommand, "--version"])) !== null) {
      continue;
    }
    await step(`${component}: rustup component add ${component}`, async () => {
      try {
        await run("rustup", ["component", "add", component]);
      } catch {
        throw new Failure(`${component} is missing: run \`rustup component add ${component}\`, then run this again`);
      }
    });
  }
}

async function installTestRunner() {
  const wanted = digest("scripts/test-runner");
  await installTool("wasm-bindgen-test-runner", wanted, ["--path", projectPath("scripts", "test-runner")]);
}

async function installWasmPack() {
  await installTool("wasm-pack", wasmPackVersion, ["wasm-pack", "--version", wasmPackVersion]);
}

/** Builds a tool into `.tools`, unless it was already built from the same source. */
async function installTool(name, wanted, cargoArguments) {
  const stampFile = projectPath(".tools", `${name}.installed`);
  if (readIfExists(stampFile) === wanted && existsSync(projectPath(".tools", "bin", name))) {
    return;
  }
  await step(`${name}: building it into .tools (some minutes, once)`, async () => {
    const folders = ["--root", projectPath(".tools"), "--target-dir", projectPath(".tools", "target")];
    await run("cargo", ["install", "--debug", "--locked", "--force", ...folders, ...cargoArguments], {
      env: { CARGO_PROFILE_DEV_DEBUG: "0", ...toolsEnvironment() },
    });
    writeFileSync(stampFile, wanted);
  });
}

/** Adds `.tools/bin` to the front of PATH. */
export function toolsEnvironment() {
  return { PATH: `${projectPath(".tools", "bin")}${delimiter}${process.env.PATH}` };
}

/**
 * Returns the paths of Chromium and ChromeDriver, from CHROME_PATH and CHROMEDRIVER or from PATH. Null if one is
 * missing.
 */
export function findChromium() {
  const chromium = process.env.CHROME_PATH ?? findOnPath(["chromium", "chromium-browser", "google-chrome"]);
  const chromedriver = process.env.CHROMEDRIVER ?? findOnPath(["chromedriver"]);
  return chromium && chromedriver ? { chromium, chromedriver } : null;
}

export async function installChromium() {
  if (findChromium()) {
    return;
  }
  if (isDebianRoot()) {
    await step("Chromium and ChromeDriver: installing Debian's packages", () =>
      installDebianPackages(["chromium", "chromium-driver"]),
    );
  }
  if (!findChromium()) {
    throw new Failure(
      "Chromium or ChromeDriver is missing: install both (Debian: chromium, chromium-driver), or name them in CHROME_PATH and CHROMEDRIVER",
    );
  }
}

/** Returns a C++ compiler, from CXX or from PATH. Null if there isn't one. */
export function findCompiler() {
  return process.env.CXX ?? findOnPath(["c++", "g++", "clang++"]);
}

/** The fuzz targets need a C++ compiler: libFuzzer is built from its source. */
export async function installCompiler() {
  if (findCompiler()) {
    return;
  }
  if (isDebianRoot()) {
    await step("C++ compiler: installing Debian's g++", () => installDebianPackages(["g++"]));
  }
  if (!findCompiler()) {
    throw new Failure("A C++ compiler is missing: install one (Debian: g++), or name it in CXX, then run this again");
  }
}

// ---- The machine ----

function isDebianRoot() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version") && findOnPath(["apt-get"]) !== null;
}

async function installDebianPackages(names) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["-qq", "update"], { env });
  await run("apt-get", ["-qq", "install", "--yes", "--no-install-recommends", ...names], { env });
}

function findOnPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder; the next may have it.
      }
    }
  }
  return null;
}

function readIfExists(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

if (isProgram(import.meta.url)) {
  await runProgram(() => setUp(levels.includes(process.argv[2]) ? process.argv[2] : "build"));
}
