// Fails unless a tag, the packages and the changelog name one version.
//
//   node scripts/release.mjs v0.2.0

import { readFileSync } from "node:fs";
import { Failure, isProgram, projectPath, runProgram } from "./project.mjs";

/** The published crates. They have the package's version. */
const CRATES = ["", "encoding", "from-value", "meaning", "words"];

/** Reads the texts that name a version. */
const readTexts = () => ({
  package: readFileSync(projectPath("pkg-template/package.json"), "utf8"),
  changelog: readFileSync(projectPath("CHANGELOG.md"), "utf8"),
  manifests: Object.fromEntries(
    CRATES.map((crate) => (crate === "" ? "Cargo.toml" : `crates/${crate}/Cargo.toml`)).map((path) => [
      path,
      readFileSync(projectPath(path), "utf8"),
    ]),
  ),
});

/** Returns the reasons why a tag can't be released, in words. Empty if it can. */
export function releaseFaults(tag, texts = readTexts()) {
  const [, version] = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag ?? "") ?? [];
  if (version === undefined) {
    return [`the tag ${JSON.stringify(tag)} isn't a version: expected one like "v0.2.0"`];
  }
  const faults = [];
  const check = (place, found) => {
    if (found !== version) {
      faults.push(`${place} has version ${found ?? "none"}, the tag ${version}`);
    }
  };
  check("pkg-template/package.json", JSON.parse(texts.package).version);
  for (const [path, manifest] of Object.entries(texts.manifests)) {
    check(path, /^version = "(.*)"$/m.exec(manifest)?.[1]);
    for (const [, crate, required] of manifest.matchAll(/^(windrow-[\w-]+) = \{ path = .*version = "(.*?)"/gm)) {
      check(`${path}, dependency ${crate},`, required);
    }
  }
  if (!texts.changelog.split("\n").some((line) => line.startsWith(`## ${version} `) || line === `## ${version}`)) {
    faults.push(`CHANGELOG.md has no section "## ${version}"`);
  }
  return faults;
}

if (isProgram(import.meta.url)) {
  await runProgram(() => {
    const faults = releaseFaults(process.argv[2]);
    if (faults.length > 0) {
      throw new Failure(faults.join("\n"));
    }
  });
}
