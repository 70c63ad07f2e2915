// Runs benches: measures, prints the figures, and fails if one exceeds its limit.
//
// npm run bench               the names of the benches npm run bench -- NAME... [FILE...] [--OPTION VALUE...]    runs
// these; files and options are for the bench before them

import { existsSync } from "node:fs";
import { build } from "./build.mjs";
import { Failure, runProgram, seconds } from "./project.mjs";
import { setUp } from "./setup.mjs";

/**
 * The benches: one file of `benches` each, whose `run` prints figures and throws a `Failure` if one exceeds its limit.
 */
const benches = {
  tokens: { about: "how fast tokens are counted, next to others", load: () => import("../benches/tokens.mjs") },
  vocabularies: {
    about: "how fast the vocabularies of other models count, in relation to o200k_base",
    load: () => import("../benches/vocabularies.mjs"),
  },
  cold: {
    about: "the first count in a fresh process or page, next to others",
    load: () => import("../benches/cold.mjs"),
  },
  build: {
    about: "contexts of an array, next to trimMessages; first ranked builds",
    load: () => import("../benches/build.mjs"),
  },
  instructions: { about: "how many instructions counting takes", load: () => import("../benches/instructions.mjs") },
  store: { about: "sessions in stores: builds, openings, appends", load: () => import("../benches/store.mjs") },
  turn: { about: "the next turn of a long chat, next to others", load: () => import("../benches/turn.mjs") },
  recall: { about: "rankings: time and memory, next to others", load: () => import("../benches/recall.mjs") },
  page: {
    about: "a drag of the budget on the page, until the frame is painted",
    load: () => import("../benches/page.mjs"),
  },
  blocking: {
    about: "how long a page is unresponsive while it or its worker builds a context",
    load: () => import("../benches/blocking.mjs"),
  },
  "long-texts": {
    about: "difficult long texts of every kind, counted and cut, next to English",
    load: () => import("../benches/long-texts.mjs"),
  },
  agent: {
    about: "FILE… [--budgets N,…]: how much of what an agent's next call needs is still in the prompt, next to others",
    load: () => import("../benches/agent.mjs"),
  },
  prefix: {
    about: "FILE… [--plot FILE.svg]: how much of each prompt repeats the one before it, next to others",
    load: () => import("../benches/prefix.mjs"),
  },
};

await runProgram(async () => {
  const runs = runsOf(process.argv.slice(2));
  if (runs.length === 0) {
    console.log("npm run bench -- NAME, with one of these names:");
    for (const [name, { about }] of Object.entries(benches)) {
      console.log(`  ${name.padEnd(14)}${about}`);
    }
    return;
  }
  await setUp("test");
  await build();
  for (const { name, files } of runs) {
    const started = performance.now();
    // The package exists only after the build.
    const { run } = await benches[name].load();
    await run(files);
    console.error(`✓ bench ${name} (${seconds(performance.now() - started)})`);
  }
});

/** Returns the benches to run, each with the files and options that follow its name. */
function runsOf(given) {
  const runs = [];
  for (const argument of given) {
    const last = runs.at(-1);
    if (Object.hasOwn(benches, argument)) {
      runs.push({ name: argument, files: [] });
    } else if (
      last !== undefined &&
      (argument.startsWith("--") || last.files.at(-1)?.startsWith("--") || existsSync(argument))
    ) {
      last.files.push(argument);
    } else {
      throw new Failure(`there is no bench and no file "${argument}"; there are ${Object.keys(benches).join(", ")}`);
    }
  }
  return runs;
}
