// LICENSE-THIRD-PARTY has the license of everything in the package that others made.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkBundled, notices } from "../../scripts/notices.mjs";

const written = readFileSync(new URL("../../LICENSE-THIRD-PARTY", import.meta.url), "utf8");

test("every crate in the WebAssembly's dependency tree has its notice", () => {
  // `cargo tree` resolves by itself: the script reads `cargo metadata`.
  const options = ["--package", "windrow", "--target", "wasm32-unknown-unknown", "--edges", "normal"];
  const { status, stdout, stderr } = spawnSync("cargo", ["tree", "--locked", "--prefix", "none", ...options], {
    cwd: new URL("../../", import.meta.url),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const crates = new Set(
    Array.from(stdout.matchAll(/^([\w-]+) v(\S+)/gm), ([, name, version]) => `${name} ${version}`),
  );
  const others = [...crates].filter((crate) => !crate.startsWith("windrow"));
  assert.ok(others.length > 30, stdout);
  assert.deepEqual(
    others.filter((crate) => !written.includes(`\n${crate} (crate, `)),
    [],
  );
});

test("so have the vocabularies, the table, Snowball and the bundled packages, and the file is up to date", async () => {
  for (const words of ["OpenAI, Shantanu Jain", "Princeton University", "sentence-transformers", "Dr Martin Porter"]) {
    assert.ok(written.includes(words), words);
  }
  for (const name of ["preact", "@preact/signals", "fflate", "idb"]) {
    assert.match(written, new RegExp(`\n${name} \\d+\\.\\d+\\.\\d+ \\(npm, `));
  }
  assert.equal(await notices(), written, "run `node scripts/notices.mjs --write`");
});

test("a bundle with a package without a notice is refused", () => {
  checkBundled("dist", [
    "src/index.ts",
    "../node_modules/fflate/esm/browser.js",
    "/a/node_modules/@preact/signals/x.js",
  ]);
  assert.throws(
    () => checkBundled("dist", ["../node_modules/@scope/other/index.js"]),
    /dist contains @scope\/other: add/,
  );
});
