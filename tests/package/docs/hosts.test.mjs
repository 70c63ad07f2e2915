// The table of hosts in docs/hosts.md names every host and everything that is checked in it, and nothing else.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { coreHosts, hosts } from "../../hosts/hosts.mjs";

const page = readFileSync(new URL("../../../docs/hosts.md", import.meta.url), "utf8");
const [, table] = /<!-- hosts -->\n([\s\S]*?)<!-- \/hosts -->/.exec(page);
const rows = table
  .trim()
  .split("\n")
  .slice(2)
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test("the table has a row for each check of each host, in their order", () => {
  const checks = hosts.flatMap(({ name, checks }) => checks.map(({ what }) => [name, what]));
  assert.deepEqual(
    rows.map(([name, , what]) => [name, what]),
    checks,
  );
});

test("the table is from one run without failures", () => {
  for (const [name, version, what, result, date] of rows) {
    assert.match(version, /^\d+\.\d+/, name);
    assert.notEqual(result, "fails", `${name}, ${what}`);
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
  }
  assert.equal(new Set(rows.map((row) => row.at(-1))).size, 1);
});

test("the hosts include those that test every change", () => {
  assert.ok(coreHosts.length > 0 && coreHosts.every((host) => hosts.includes(host)));
});
