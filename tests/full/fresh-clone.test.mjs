// What a newcomer does: clone, and run the first command. The clone shares nothing with this folder but what the machine
// has installed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "windrow-clone-"));
const clone = join(folder, "windrow");

/** Runs a command in the clone, without a terminal. */
function run(command, ...args) {
  const env = { ...process.env };
  // This test runs below `node --test`, whose own variables are not a newcomer's.
  delete env.NODE_TEST_CONTEXT;
  return spawnSync(command, args, { cwd: clone, env, encoding: "utf8", maxBuffer: 1 << 28 });
}

before(() => {
  const cloned = spawnSync("git", ["clone", "--quiet", root, clone], { encoding: "utf8" });
  assert.equal(cloned.status, 0, cloned.stderr);
});

after(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("no built wasm or bundle is committed", () => {
  assert.equal(existsSync(join(clone, "pkg-template", "dist")), false);
  const files = run("git", "ls-files").stdout.split("\n");
  assert.deepEqual(
    files.filter((name) => name.endsWith(".wasm") || name.endsWith(".bin")),
    [],
  );
});

test("npm start sets up, builds, and prints the context of the sample", () => {
  const started = run("npm", "start");
  assert.equal(started.status, 0, started.stderr);
  const sample = JSON.parse(readFileSync(join(clone, "www", "sample.json"), "utf8"));
  assert.ok(started.stdout.includes(sample.request), started.stdout.slice(-2000));
  assert.match(started.stderr, /tokens/);
});

test("npm start takes a file, a request and a budget, and passes the exit code on", () => {
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
