// Property tests that stop when their time is up. Each property adds a fixed share of time to a run, however slow one
// case is.
//
//   WINDROW_PROPERTY_MS time for each property, in milliseconds (200)
//   WINDROW_CASES minimum number of cases for each property, even if the time is up earlier (5)
//   WINDROW_SEED seed of the random cases (1): the same seed makes the same cases in the same order
//   WINDROW_CASE runs only this case, as a failure names it
//
// A failing case is saved in tests/corpus/seeds.json under its test file. Later runs try the saved cases first, so
// commit the file together with the fix.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Random } from "./random.mjs";

export const TIME_MS = numberFrom("WINDROW_PROPERTY_MS") ?? 200;
export const SEED = numberFrom("WINDROW_SEED") ?? 1;
const FIRST_CASE = (SEED - 1) * 1_000_000 + 1;
const ONLY_CASE = numberFrom("WINDROW_CASE");

/** Minimum number of cases, even if the time is up earlier. */
const LEAST_CASES = numberFrom("WINDROW_CASES") ?? 5;

/** Tolerance of `assertShare`, in standard deviations. A correct share fails once in 30,000 runs. */
const LUCK = 4;

const ROOT = new URL("../../../", import.meta.url);
const CORPUS = new URL("tests/corpus/seeds.json", ROOT);

function numberFrom(name) {
  const text = process.env[name];
  if (text === undefined) {
    return undefined;
  }
  assert.match(text, /^\d+$/, `${name} is ${JSON.stringify(text)}: set it to an integer`);
  return Number(text);
}

/** Tries a property with random cases until its time is up. Returns the number of cases. */
export function forEachSeed(check) {
  const cases = new Cases();
  for (const seed of cases) {
    try {
      check(new Random(seed), seed);
    } catch (cause) {
      throw cases.failure(seed, cause);
    }
  }
  return cases.count;
}

/** Like `forEachSeed`, for asynchronous properties. */
export async function forEachSeedAsync(check) {
  const cases = new Cases();
  for (const seed of cases) {
    try {
      await check(new Random(seed), seed);
    } catch (cause) {
      throw cases.failure(seed, cause);
    }
  }
  return cases.count;
}

/**
 * Fails if clearly fewer than 1 in `oneIn` cases reached the interesting part of a property. Guards against a generator
 * that never reaches the code under test. The number of cases depends on the machine, so the share may fall short by as
 * much as luck explains.
 */
export function assertShare(hits, cases, oneIn, what) {
  const expected = cases / oneIn;
  const deviation = Math.sqrt(expected * (1 - 1 / oneIn));
  assert.ok(hits + LUCK * deviation >= expected, `${hits} of ${cases} ${what}`);
}

/** Seeds of one property: first the saved ones of its file, then new ones until the time is up. */
class Cases {
  count = 0;
  #file = testFile();

  *[Symbol.iterator]() {
    if (ONLY_CASE !== undefined) {
      this.count = 1;
      yield ONLY_CASE;
      return;
    }
    const end = performance.now() + TIME_MS;
    for (const seed of readCorpus()[this.#file] ?? []) {
      yield seed;
    }
    for (let seed = FIRST_CASE; this.count < LEAST_CASES || performance.now() < end; seed++) {
      this.count += 1;
      yield seed;
    }
  }

  failure(seed, cause) {
    const corpus = readCorpus();
    const saved = corpus[this.#file] ?? [];
    if (!saved.includes(seed)) {
      corpus[this.#file] = [...saved, seed];
      writeFileSync(CORPUS, `${JSON.stringify(corpus, null, 2)}\n`);
    }
    return new Error(
      `case ${seed} fails; \`WINDROW_CASE=${seed} node --test ${this.#file}\` runs it alone, and tests/corpus/seeds.json has it now`,
      { cause },
    );
  }
}

function readCorpus() {
  return JSON.parse(readFileSync(CORPUS, "utf8"));
}

/** The test file, by its path from the project's root. Node runs each in a separate process. */
function testFile() {
  return relative(fileURLToPath(ROOT), process.argv[1]).split(sep).join("/");
}
