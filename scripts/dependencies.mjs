// Checks third-party crates: licenses, sources, advisories, and the Rust version that they need.
//
//   npm run check:dependencies

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cratesOfCore } from "./crates.mjs";
import { capture, Failure, isProgram, projectPath, run, runProgram, step } from "./project.mjs";
import { setUp, toolsEnvironment } from "./setup.mjs";

/** Runs the checks that need no network except package registries. Requires the test setup. */
export async function checkDependencies() {
  await step("licences and sources of crates: cargo deny", () => cargoDeny(["bans", "licenses", "sources"]));
  await step("known faults of crates: cargo deny", async () => {
    if (!hasAdvisories()) {
      return "left out, as there is no database of advisories here; `cargo deny fetch` brings it";
    }
    await cargoDeny(["advisories"]);
  });
  const minimum = /^rust-version = "([\d.]+)"/m.exec(readFileSync(projectPath("Cargo.toml"), "utf8"))?.[1];
  await step(`the least Rust, ${minimum}: what dependencies declare`, () => checkRustVersions(minimum));
  await step(`the least Rust, ${minimum}: cargo check`, async () => {
    const toolchain = await capture("rustc", [`+${minimum}`, "--version"]);
    if (toolchain === null) {
      return `left out, as Rust ${minimum} is not installed; clippy's incompatible_msrv looks at what is used of the library`;
    }
    await run("cargo", [`+${minimum}`, "check", "--locked", "--package", "windrow", "--lib"], {
      env: { CARGO_TARGET_DIR: projectPath("target", "minimum") },
    });
  });
}

async function cargoDeny(checks) {
  for (const folder of [".", "scripts/test-runner"]) {
    const where = [
      "--manifest-path",
      projectPath(folder, "Cargo.toml"),
      "--config",
      projectPath("deny.toml"),
      "--locked",
    ];
    const offline = checks.includes("advisories") ? ["--offline"] : [];
    const check = ["check", "--hide-inclusion-graph", ...checks];
    await run("cargo", ["deny", ...where, ...offline, ...check], { env: toolsEnvironment() });
  }
}

/** True if cargo deny has downloaded its database before. */
function hasAdvisories() {
  const folder = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "advisory-dbs");
  return existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, ".git")));
}

/** Compares the core's dependencies with the promised Rust version. Tests and tools may need a newer one. */
async function checkRustVersions(minimum) {
  const crates = await cratesOfCore((kind) => kind !== "dev");
  const tooNew = crates.filter((found) => isNewer(found.rust_version ?? "1.0", minimum));
  if (tooNew.length > 0) {
    const names = tooNew.map((found) => `${found.name} ${found.version} (${found.rust_version})`);
    throw new Failure(`these need a newer Rust than ${minimum}: ${names.join(", ")}`);
  }
  const silent = crates.filter((found) => !found.rust_version).length;
  return `${crates.length} crates, of which ${silent} declare none`;
}

function isNewer(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [thanMajor, thanMinor] = than.split(".").map(Number);
  return major > thanMajor || (major === thanMajor && minor > thanMinor);
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("full");
    await checkDependencies();
  });
}
