// Measures, prints what was measured, and fails where a figure is over its limit.
//
//   npm run bench               the names of the benches
//   npm run bench -- NAME... [--OPTION VALUE...]    runs these, with options that the file of a bench names

import { build } from "./build.mjs";
import { Failure, runProgram, seconds } from "./project.mjs";
import { setUp } from "./setup.mjs";

/** What can be measured: a file of `benches` each, whose `run` prints figures and throws a `Failure` where one is over. */
const benches = {
  tokens: { about: "how fast tokens are counted, beside others", load: () => import("../benches/tokens.mjs") },
  cold: { about: "the first count in a fresh process, beside others", load: () => import("../benches/cold.mjs") },
  build: { about: "contexts of an array, beside trimMessages", load: () => import("../benches/build.mjs") },
  instructions: { about: "how many instructions counting takes", load: () => import("../benches/instructions.mjs") },
  store: { about: "sessions in stores: builds, openings, appends", load: () => import("../benches/store.mjs") },
  turn: { about: "the next turn of a long chat, beside others", load: () => import("../benches/turn.mjs") },
  recall: { about: "rankings: time and memory, beside others", load: () => import("../benches/recall.mjs") },
  "long-texts": {
    about: "long texts of every awkward sort, counted and cut, beside English",
    load: () => import("../benches/long-texts.mjs"),
  },
};

await runProgram(async () => {
  const given = process.argv.slice(2);
  const firstOption = given.findIndex((argument) => argument.startsWith("--"));
  const names = firstOption < 0 ? given : given.slice(0, firstOption);
  const options = given.slice(names.length);
  if (names.length === 0) {
    console.log("npm run bench -- NAME, with one of these names:");
    for (const [name, { about }] of Object.entries(benches)) {
      console.log(`  ${name.padEnd(12)}${about}`);
    }
    return;
  }
  const unknown = names.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) {
    throw new Failure(`there is no bench "${unknown}"; there are ${Object.keys(benches).join(", ")}`);
  }
  await setUp("test");
  await build();
  for (const name of names) {
    const started = performance.now();
    // Only now is there a package to import.
    const { run } = await benches[name].load();
    await run(options);
    console.error(`✓ bench ${name} (${seconds(performance.now() - started)})`);
  }
});
