// Every example runs to its end and prints the sent messages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = new URL("examples/", import.meta.url);

for (const name of readdirSync(folder)) {
  test(name, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL(name, folder))], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /boat 7/i);
    const [, total, limit] = /(\d+) of (\d+) tokens/.exec(stdout) ?? ["", "0", "0"];
    assert.ok(Number(total) <= Number(limit), stdout);
  });
}
