// Node, from the oldest version that the package names to the newest: by `import`, and by `require` if Node can require
// modules.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lastLine, outputOf, packageFolder } from "../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** The path of this Node version from npm, or the current Node if npm has none for this platform. */
function programOf(version) {
  const platform = `${process.platform}-${process.arch}`;
  const programs = [`node-${version}-${platform}`, `node-${platform}`].map((name) => `${packageFolder(name)}/bin/node`);
  return programs.find((program) => existsSync(program)) ?? process.execPath;
}

/** Checks with one Node version. */
function nodeHost(version, { canRequire, hasSourceImports }) {
  const runs = async (...programArguments) =>
    lastLine(await outputOf(programOf(version), programArguments, { cwd: folder }));
  return {
    name: "Node",
    folder: "node",
    version: async () => (await outputOf(programOf(version), ["--version"])).trim().slice(1),
    checks: [
      { what: "`import`", run: () => runs("app.mjs") },
      ...(canRequire ? [{ what: "`require`", run: () => runs("app.cjs") }] : []),
      {
        what: canRequire ? "every entry, by `import` and by `require`" : "every entry, by `import`",
        gives: [],
        run: async () => {
          const imported = await runs("entries.mjs", "import");
          assert.ok(Object.values(imported).every((names) => names.length > 0));
          if (canRequire) {
            const required = await runs("entries.mjs", "require");
            for (const [entry, names] of Object.entries(imported)) {
              // `require` adds this name to a module with a default export.
              assert.deepEqual(
                required[entry].filter((it) => it !== "__esModule"),
                names,
                entry,
              );
            }
          }
          return { result: "passes" };
        },
      },
      ...(hasSourceImports ? [{ what: "`windrow/module`", run: () => runs("source.mjs") }] : []),
    ],
  };
}

/** The oldest version, and the most common one. */
export const coreNodes = [
  nodeHost("20.12.0", { canRequire: false, hasSourceImports: false }),
  nodeHost("24.21.0", { canRequire: true, hasSourceImports: true }),
];

/** The first version of each line that can require modules, and the newest. */
export const moreNodes = [
  nodeHost("20.19.0", { canRequire: true, hasSourceImports: false }),
  nodeHost("22.12.0", { canRequire: true, hasSourceImports: false }),
  nodeHost("26.10.0", { canRequire: true, hasSourceImports: true }),
];
