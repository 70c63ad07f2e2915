// Form and types of all sources, Rust and TypeScript; changes nothing. `npm run format` repairs what is only form.

import { existsSync } from "node:fs";
import { build } from "./build.mjs";
import { checkFloors } from "./floors.mjs";
import { Failure, isProgram, projectPath, run, runNode, runProgram, step } from "./project.mjs";
import { findCompiler, setUp, wasmEnvironment } from "./setup.mjs";

const wasm = ["--package", "windrow", "--target", "wasm32-unknown-unknown"];

/** Runs every check. It needs the built package: the types of www and of the tests refer to it. */
export async function lint() {
  await step("format of Rust: cargo fmt --check", async () => {
    await run("cargo", ["fmt", "--all", "--check"]);
    for (const folder of ["scripts/test-runner", "tests/fuzz"]) {
      await run("cargo", ["fmt", "--check", "--manifest-path", projectPath(folder, "Cargo.toml")]);
    }
  });
  await step("clippy, native", () =>
    run("cargo", ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
  );
  await step("clippy, wasm", async () => {
    const env = await wasmEnvironment();
    const clippy = ["clippy", ...wasm, "--lib", "--test", "web", "--", "--deny", "warnings"];
    if (env?.RUSTUP_TOOLCHAIN === "debian" && !existsSync("/usr/bin/cargo-clippy")) {
      return "left out, as Debian's toolchain has no clippy";
    }
    await run("cargo", clippy, { env: env ?? {} });
  });
  await step("clippy, the fuzz targets", async () => {
    const compiler = findCompiler();
    if (compiler === null) {
      return "left out, as there is no C++ compiler";
    }
    const manifest = ["--manifest-path", projectPath("tests", "fuzz", "Cargo.toml"), "--locked"];
    const env = { CARGO_TARGET_DIR: projectPath("target", "fuzz"), CXX: compiler };
    await run("cargo", ["clippy", ...manifest, "--all-targets", "--", "--deny", "warnings"], { env });
  });
  await step("cargo doc, native and wasm", async () => {
    const env = { RUSTDOCFLAGS: "--deny warnings" };
    await run("cargo", ["doc", "--workspace", "--no-deps"], { env });
    await run("cargo", ["doc", ...wasm, "--no-deps", "--lib"], { env: { ...env, ...(await wasmEnvironment()) } });
  });
  await step("format and rules of TypeScript: biome check", () =>
    runNode("@biomejs/biome/bin/biome", ["check", "--error-on-warnings"]),
  );
  await step("floors: what imports run up, or in a circle", async () => checkFloors());
  await step("types of TypeScript: tsc", async () => {
    for (const folder of [".", "pkg-template", "www", "examples/worker", "examples/embeddings"]) {
      if (!existsSync(projectPath(folder, "tsconfig.json"))) {
        throw new Failure(`${folder}/tsconfig.json is missing`);
      }
      await runNode("typescript/bin/tsc", ["--project", projectPath(folder), "--noEmit"]);
    }
  });
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("test");
    await build();
    await lint();
  });
}
