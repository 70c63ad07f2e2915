// A release is refused unless the tag, the packages and the changelog name the same version.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { projectPath } from "../../scripts/project.mjs";
import { releaseFaults } from "../../scripts/release.mjs";

const { version } = JSON.parse(readFileSync(projectPath("pkg-template/package.json"), "utf8"));
const crate = (own, other) => `[package]\nname = "a"\nversion = "${own}"\n\n[dependencies]\n${other}\n`;
const texts = (changed = {}) => ({
  package: '{ "version": "0.2.0" }',
  changelog: "# Changelog\n\n## Unreleased\n\n## 0.2.0 — 1 December 2026\n",
  manifests: { "Cargo.toml": crate("0.2.0", 'windrow-words = { path = "crates/words", version = "0.2.0" }') },
  ...changed,
});

test("a single version everywhere is released", () => assert.deepEqual(releaseFaults("v0.2.0", texts()), []));

test("each other version is named with its place", () => {
  /** @type {[tag: string, given: ReturnType<typeof texts>, fault: RegExp][]} */
  const cases = [
    ["0.2.0", texts(), /isn't a version/],
    [undefined, texts(), /isn't a version/],
    ["v0.2.0", texts({ package: '{ "version": "0.1.0" }' }), /^pkg-template\/package\.json has version 0\.1\.0/],
    ["v0.2.0", texts({ changelog: "## Unreleased\n## 0.2.01\n" }), /^CHANGELOG\.md has no section/],
    ["v0.2.0", texts({ manifests: { "Cargo.toml": crate("0.1.0", "") } }), /^Cargo\.toml has version 0\.1\.0/],
    [
      "v0.2.0",
      texts({
        manifests: { "Cargo.toml": crate("0.2.0", 'windrow-words = { path = "w", version = "0.1.0" }') },
      }),
      /dependency windrow-words, has version 0\.1\.0/,
    ],
  ];
  for (const [tag, given, fault] of cases) {
    const faults = releaseFaults(tag, given);
    assert.equal(faults.length, 1, faults.join());
    assert.match(faults[0], fault);
  }
});

test("the crates have the package's version", () => {
  assert.deepEqual(
    releaseFaults(`v${version}`).filter((fault) => !fault.startsWith("CHANGELOG.md")),
    [],
  );
});
