// The graph of what is built and checked. `package.json` declares it in `wireit`: what each node reads, writes and needs. A node
// whose inputs haven't changed since it last passed is skipped.

import { runNpm } from "./npm.mjs";

/** Runs a node of the graph and everything it needs. Only what fails is printed. */
export async function runGraph(name) {
  await runNpm(["run", "--silent", name], {
    env: {
      // Outputs stay in place, so copies of them would be of no use.
      WIREIT_CACHE: "none",
      WIREIT_LOGGER: process.env.WIREIT_LOGGER ?? (process.stderr.isTTY ? "quiet" : "quiet-ci"),
      // Cargo's commands wait for each other: a third process keeps two cores busy.
      WIREIT_PARALLEL: process.env.WIREIT_PARALLEL ?? "3",
      // After one failure the others still finish, so that one run shows all of them.
      WIREIT_FAILURES: "continue",
    },
  });
}
