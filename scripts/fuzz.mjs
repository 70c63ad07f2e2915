// Fuzzes, guided by coverage, all code of the core that parses bytes. The engine, libFuzzer, is built from a crate's
// source, and the targets with stable Rust. Both need a C++ compiler.
//
//   npm run fuzz                            every target, two minutes in total
//   npm run fuzz -- index --seconds 3600    one of them, for an hour
//   npm run fuzz -- index --input FILE      repeats a finding
//
// The corpus stays in .cache/fuzz, so the next run continues from it. A finding is written next to it and fails the
// run.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { capture, Failure, isProgram, projectPath, root, run, runProgram, step } from "./project.mjs";
import { findCompiler, installCompiler, setUp } from "./setup.mjs";

/** All targets, by name. */
export const targets = readdirSync(projectPath("tests", "fuzz", "targets"))
  .map((name) => name.replace(/\.rs$/, ""))
  .sort();

// Instruments every edge and the operands of every comparison, as cargo-fuzz does.
const instruments = [
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Ccodegen-units=1",
];

/** The limits of one input: seconds, megabytes of memory, and length in bytes. */
const limits = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=65536"];

/**
 * Fuzzes targets for `allSeconds` in total. With a seed, a run starts over and makes the same choices each time; how
 * far it gets depends on the machine. Without one, it continues from the corpus of earlier runs.
 *
 * @param {string[]} names
 * @param {number} allSeconds
 * @param {{ seed?: number }} [options]
 */
export async function fuzz(names, allSeconds, { seed } = {}) {
  const folder = await buildTargets();
  for (const name of names) {
    await step(`fuzzing ${name}`, async () => {
      const corpus = placeOf(name, seed === undefined ? "corpus" : `corpus-of-seed-${seed}`);
      const finds = placeOf(name, "finds");
      if (seed !== undefined) {
        rmSync(corpus, { recursive: true, force: true });
      }
      mkdirSync(corpus, { recursive: true });
      mkdirSync(finds, { recursive: true });
      const choices = seed === undefined ? [] : [`-seed=${seed}`];
      const output = [`-artifact_prefix=${finds}/`, "-verbosity=0"];
      const started = Date.now();
      try {
        // The first run writes the initial corpus, and the second uses it.
        const env = { WINDROW_SEEDS: corpus };
        await run(`${folder}/${name}`, ["-runs=1", ...limits, ...output, corpus], { env });
        const time = `-max_total_time=${Math.ceil(allSeconds / names.length)}`;
        await run(`${folder}/${name}`, [time, ...choices, ...limits, ...output, "-print_final_stats=1", corpus]);
      } catch (failure) {
        throw failureOf(name, finds, started, failure);
      }
    });
  }
}

/** Runs a target on one input from an earlier finding. */
async function tryAgain(name, file) {
  const folder = await buildTargets();
  await step(`${name} with ${file}`, () => run(`${folder}/${name}`, [...limits, resolve(file)]));
}

/** Builds the targets, and returns their folder. */
async function buildTargets() {
  const host = /^host: (.+)$/m.exec((await capture("rustc", ["-vV"])) ?? "")?.[1];
  const folder = projectPath("target", "fuzz");
  await step("building the fuzz targets", () =>
    // Naming a target keeps the build's own programs free of instruments.
    run("cargo", ["build", "--package", "windrow-fuzz", "--profile", "fuzz", "--locked", "--target", host], {
      env: { CARGO_TARGET_DIR: folder, CXX: findCompiler(), RUSTFLAGS: instruments.join(" ") },
    }),
  );
  return `${folder}/${host}/fuzz`;
}

function placeOf(name, folder) {
  return projectPath(".cache", "fuzz", name, folder);
}

/** Describes a failed run: the input, and the command that repeats it. */
function failureOf(name, finds, started, failure) {
  const isNew = (file) => statSync(file).mtimeMs >= started - 1000;
  const [file] = readdirSync(finds)
    .map((find) => `${finds}/${find}`)
    .filter(isNew);
  if (file === undefined) {
    return new Failure(`the fuzz target ${name} fails before its first input: ${failure.message}`, failure.exitCode);
  }
  const path = relative(root, file);
  return new Failure(
    `the fuzz target ${name} fails with the input in ${path}: run \`npm run fuzz -- ${name} --input ${path}\` to see it again`,
    failure.exitCode,
  );
}

/** Removes an option and its value from the arguments, and returns the value. */
function takeOption(given, name) {
  const at = given.indexOf(name);
  return at < 0 ? undefined : (given.splice(at, 2)[1] ?? "");
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const given = process.argv.slice(2);
    const allSeconds = Number(takeOption(given, "--seconds") ?? 120);
    const input = takeOption(given, "--input");
    const isKnown = given.every((name) => targets.includes(name));
    if (!isKnown || !(allSeconds > 0) || (input !== undefined && given.length !== 1)) {
      throw new Failure(`usage: npm run fuzz -- [${targets.join("|")}] [--seconds N] [--input FILE]`);
    }
    if (input !== undefined && !existsSync(input)) {
      throw new Failure(`there is no file ${input}`);
    }
    await setUp("build");
    await installCompiler();
    await (input === undefined ? fuzz(given.length > 0 ? given : targets, allSeconds) : tryAgain(given[0], input));
  });
}
