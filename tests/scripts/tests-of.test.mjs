// `npm test -- PATH` finds tests for every source.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { projectPath } from "../../scripts/project.mjs";
import { testsOf } from "../../scripts/tests-of.mjs";

const sources = (folder, end) =>
  readdirSync(projectPath(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`);

test("every source of the package and of the core has tests", () => {
  const all = [...sources("pkg-template/src", ".ts"), ...sources("src", ".rs")];
  assert.ok(all.length > 200, `${all.length} sources`);
  const without = all.filter((path) => {
    const { cargo, files } = testsOf(path);
    return cargo.length === 0 && files.length === 0;
  });
  assert.deepEqual(without, []);
});
