// Measures, prints what was measured, and fails where a figure is over its limit.
//
//   npm run bench               the names of the benches
//   npm run bench -- NAME...    runs these

import { build } from "./build.mjs";
import { Failure, runProgram, seconds } from "./project.mjs";
import { setUp } from "./setup.mjs";

/** What can be measured: a file of `benches` each, whose `run` prints figures and throws a `Failure` where one is over. */
const benches = {
  store: { about: "sessions in stores: builds, openings, appends", load: () => import("../benches/store.mjs") },
  turn: { about: "the next turn of a long chat, beside others", load: () => import("../benches/turn.mjs") },
  recall: { about: "rankings: time and memory, beside others", load: () => import("../benches/recall.mjs") },
  page: { about: "a drag of the budget on the page, to the painted frame", load: () => import("../benches/page.mjs") },
  "long-texts": {
    about: "long texts of every awkward sort, counted and cut, beside English",
    load: () => import("../benches/long-texts.mjs"),
  },
};

await runProgram(async () => {
  const names = process.argv.slice(2);
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
    await run();
    console.error(`✓ bench ${name} (${seconds(performance.now() - started)})`);
  }
});
