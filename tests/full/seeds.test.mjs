// The properties of the package's quick tests, over all of their seeds: quick tests try a part of them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../package", import.meta.url));
const isProperty = (path) => path.endsWith(".test.mjs") && /\bforEachSeed/.test(readFileSync(path, "utf8"));

for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  isProperty(join(folder, name)),
)) {
  test(`every seed of ${name}`, () => {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const env = { ...inherited, WINDROW_ALL_SEEDS: "1" };
    const { status, stdout } = spawnSync(process.execPath, ["--test", join(folder, name)], { env, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}
