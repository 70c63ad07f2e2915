// Runs the graph of builds and checks. `package.json` declares it in `wireit`: the inputs, outputs and dependencies of
// each node. A node whose inputs haven't changed since it last passed is skipped.

import { runNpm } from "./npm.mjs";

/** Runs a node of the graph and its dependencies. Prints only failures. */
export async function runGraph(name) {
  await runNpm(["run", "--silent", name], {
    env: {
      // Outputs stay in place, so cached copies would be useless.
      WIREIT_CACHE: "none",
      WIREIT_LOGGER: process.env.WIREIT_LOGGER ?? (process.stderr.isTTY ? "quiet" : "quiet-ci"),
      // Cargo commands wait for each other, so a third process keeps two cores busy.
      WIREIT_PARALLEL: process.env.WIREIT_PARALLEL ?? "3",
      // After a failure the other nodes still finish, so one run shows all failures.
      WIREIT_FAILURES: "continue",
    },
  });
}
