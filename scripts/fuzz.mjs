// Fuzzes by coverage all that the core reads from bytes. The engine, libFuzzer, is built from a crate's source, and the
// targets with the stable Rust; both want a C++ compiler.
//
//   npm run fuzz                            every target, two minutes in all
//   npm run fuzz -- index --seconds 3600    one of them, an hour
//
// What is found stays in .cache/fuzz, so that the next run goes on from there. A find is written beside it, and fails.

import { mkdirSync, readdirSync } from "node:fs";
import { capture, Failure, isProgram, projectPath, run, runProgram, step } from "./project.mjs";
import { setUp } from "./setup.mjs";

/** Every target by its name. */
export const targets = readdirSync(projectPath("tests", "fuzz", "targets")).map((name) => name.replace(/\.rs$/, ""));

// Counters on every edge and the operands of every comparison, as cargo-fuzz asks for them.
const instruments = [
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Ccodegen-units=1",
];

/** Fuzzes these targets, all of them together for so many seconds. */
export async function fuzz(names, allSeconds) {
  if ((await capture("c++", ["--version"])) === null) {
    throw new Failure("A C++ compiler is missing: install one (Debian: g++), then run this again");
  }
  const host = /^host: (.+)$/m.exec((await capture("rustc", ["-vV"])) ?? "")?.[1];
  const folder = projectPath("target", "fuzz");
  await step("building the targets", () =>
    // With a target named, programs of the build have no instruments.
    run(
      "cargo",
      [
        "build",
        "--release",
        "--locked",
        "--manifest-path",
        projectPath("tests", "fuzz", "Cargo.toml"),
        "--target",
        host,
      ],
      { env: { CARGO_TARGET_DIR: folder, RUSTFLAGS: instruments.join(" ") } },
    ),
  );
  for (const name of names) {
    const place = projectPath(".cache", "fuzz", name);
    mkdirSync(`${place}/corpus`, { recursive: true });
    mkdirSync(`${place}/finds`, { recursive: true });
    const program = `${folder}/${host}/release/${name}`;
    const limits = [`-max_total_time=${Math.ceil(allSeconds / names.length)}`, "-max_len=65536", "-timeout=10"];
    const output = [`-artifact_prefix=${place}/finds/`, "-verbosity=0", "-print_final_stats=1"];
    // The first run writes what to begin with, the second has it.
    await step(`fuzzing ${name}`, async () => {
      const env = { WINDROW_SEEDS: `${place}/corpus` };
      await run(program, ["-runs=1", "-verbosity=0", ...output.slice(0, 1), `${place}/corpus`], { env });
      await run(program, [...limits, ...output, `${place}/corpus`]);
    });
  }
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const given = process.argv.slice(2);
    const at = given.indexOf("--seconds");
    const allSeconds = at < 0 ? 120 : Number(given.splice(at, 2)[1]);
    const unknown = given.find((name) => !targets.includes(name));
    if (unknown !== undefined || !(allSeconds > 0)) {
      throw new Failure(`usage: npm run fuzz -- [${targets.join("|")}] [--seconds N]`);
    }
    await setUp("build");
    await fuzz(given.length > 0 ? given : targets, allSeconds);
  });
}
