// A newcomer's first commands. `.ci/run` runs the first of them in a fresh clone, before anything else is set up.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "windrow-start-"));

/** Runs a command in the project, without a terminal. */
function run(command, ...args) {
  const env = { ...process.env };
  // This test runs inside `node --test`, whose variables a newcomer's shell doesn't have.
  delete env.NODE_TEST_CONTEXT;
  return spawnSync(command, args, { cwd: root, env, encoding: "utf8", maxBuffer: 1 << 28 });
}

after(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("no built wasm or bundle is committed", () => {
  const files = run("git", "ls-files").stdout.split("\n");
  assert.ok(files.includes("Cargo.toml"));
  assert.deepEqual(
    files.filter((name) => /\.(?:wasm|bin)$|^pkg-template\/dist\//.test(name)),
    // Scripts of the repository make these, one of them in an hour. The build only packs them.
    ["crates/meaning/table.bin", "crates/words/src/statements.bin"],
  );
});

test("npm start prints the context of the sample", () => {
  const started = run("npm", "start");
  assert.equal(started.status, 0, started.stderr);
  const sample = JSON.parse(readFileSync(join(root, "www", "sample.json"), "utf8"));
  assert.ok(started.stdout.includes(sample.request), started.stdout.slice(-2000));
  assert.match(started.stderr, /tokens/);
});

test("npm start accepts a file, a request and a budget, and passes the exit code on", () => {
  const file = join(folder, "chat.jsonl");
  const rows = ["Where do we eat?", "At Rosa's.", "When?"].map((content, index) => ({
    role: index === 1 ? "assistant" : "user",
    content,
  }));
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  const started = run("npm", "start", "--", file, "--request", "And then?", "--max-tokens", "14", "--once");
  assert.equal(started.status, 0, started.stderr);
  assert.ok(started.stdout.includes("When?") && started.stdout.includes("And then?"), started.stdout);
  assert.ok(!started.stdout.includes("Where do we eat?"), started.stdout);
  const missing = run("npm", "start", "--", join(folder, "nothing.json"), "--once");
  assert.equal(missing.status, 2);
});

test("npx windrow works in the clone", () => {
  const help = run("npx", "windrow", "--help");
  assert.equal(help.status, 0, help.stderr);
  assert.match(help.stdout, /windrow build FILE/);
});
