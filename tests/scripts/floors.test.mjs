// Runs both checks of the floors on small trees with and without violations: scripts/floors.mjs on Rust, Biome on
// TypeScript.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { crates, findings } from "../../scripts/floors.mjs";
import { projectPath, root } from "../../scripts/project.mjs";

const core = crates.find(({ folder }) => folder === "src");

/** Calls `check` on a temporary folder with these files. */
function inTree(files, check) {
  const folder = mkdtempSync(join(tmpdir(), "windrow-floors-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return check(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Violations in a tree of Rust files, whose paths start in `src`. */
function rustFindings(files) {
  return inTree(inFolder("src", files), (folder) => findings(folder, core));
}

/** Violations that Biome reports with the project's configuration. The paths of `files` start in `pkg-template/src`. */
function biomeFindings(files) {
  return inTree(inFolder("pkg-template/src", files), (folder) => {
    mkdirSync(join(folder, "scripts"));
    for (const file of ["biome.json", "scripts/floors.grit"]) {
      copyFileSync(projectPath(file), join(folder, file));
    }
    const biome = projectPath("node_modules/@biomejs/biome/bin/biome");
    const options = ["--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none"];
    const { stdout } = spawnSync(process.execPath, [biome, "lint", ...options], { cwd: folder, encoding: "utf8" });
    return JSON.parse(stdout)
      .diagnostics.filter(({ category }) => ["plugin", "lint/suspicious/noImportCycles"].includes(category))
      .map(({ location, message }) => `${location.path.replace("pkg-template/src/", "")}: ${message}`)
      .sort();
  });
}

function inFolder(folder, files) {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

test("the crates keep their floors", () => {
  for (const crate of crates) {
    assert.deepEqual(findings(root, crate), []);
  }
});

test("every form of a Rust path to a higher floor is found", () => {
  for (const code of [
    "use crate::stages::budget::Fill;",
    "use crate::{base::map::{self, Map}, stages::{budget::Fill, other}};",
    "use super::super::stages::budget::Fill;",
    "use crate::\n    stages::budget::Fill;",
    "const QUOTE: char = '\"'; fn fill() -> crate::stages::budget::Fill { todo!() } const OTHER: char = '\"';",
    "#[cfg(not(test))] mod inner { use crate::stages::budget::Fill; }",
    "fn fill() -> crate::stages::budget::Fill { todo!() }",
    "pub(crate) use crate::stages::budget::{self, Fill as Other};",
  ]) {
    const files = { "log/groups.rs": code, "stages/budget.rs": "pub struct Fill;", "base/map.rs": "" };
    const [finding, ...others] = rustFindings(files);
    assert.match(finding, /log\/groups\.rs uses .*stages\/budget\.rs, which is above it/, code);
    assert.deepEqual(others, []);
  }
});

test("a circle of Rust files is found, through `super` and through a folder's mod.rs", () => {
  const two = { "log/a.rs": "use super::b::B;", "log/b.rs": "use crate::log::a::A;", "log/mod.rs": "mod a;\nmod b;" };
  assert.equal(rustFindings(two).length, 1);
  const parent = { "log/mod.rs": "mod a;\nfn f() { a::g() }", "log/a.rs": "use super::Thing;" };
  assert.match(rustFindings(parent)[0], /in a circle/);
});

test("tests, comments, strings and `mod` declarations of Rust don't count as uses", () => {
  const code = [
    "//! See [`crate::stages::budget`].",
    '/* crate::stages::budget */ const A: &str = "crate::stages::budget";',
    'const B: &str = r#"crate::stages::budget"#;',
    '#[cfg(all(test, not(target_family = "wasm")))]',
    "mod tests { use crate::stages::budget::Fill; }",
  ].join("\n");
  const files = {
    "log/mod.rs": "pub mod groups;",
    "log/groups.rs": code,
    "stages/budget.rs": "use crate::log::groups;",
  };
  assert.deepEqual(rustFindings(files), []);
});

test("a Rust file outside the floors is found", () => {
  assert.match(rustFindings({ "draft.rs": "", "lib.rs": "" })[0], /draft\.rs is on no floor/);
});

/** The floors of TypeScript, bottom to top: folders with a slash at the end, and files. */
const floors = /\$floors = "(.*)"/.exec(readFileSync(projectPath("scripts/floors.grit"), "utf8"))[1].split(" ");

const pathIn = (floor) => (floor.endsWith("/") ? `${floor}a.ts` : floor);

test("everything in pkg-template/src is a floor, and every floor exists", () => {
  const entries = readdirSync(projectPath("pkg-template/src"), { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  assert.deepEqual(names.sort(), floors.toSorted());
});

test("imports of TypeScript from higher floors are found between any two floors, and no others", () => {
  const files = {};
  const expected = [];
  for (const [at, floor] of floors.entries()) {
    const others = floors.filter((other) => other !== floor).map((other) => pathIn(other).replace(".ts", ".js"));
    const places = floor.endsWith("/")
      ? { [`${floor}a.ts`]: "../", [`${floor}deep/b.ts`]: "../../" }
      : { [floor]: "./" };
    for (const [name, start] of Object.entries(places)) {
      files[name] = others.map((other) => `import "${start}${other}";`).join("\n");
      for (const _ of floors.slice(at + 1)) {
        expected.push(`${name}: ${floor}`);
      }
    }
  }
  const found = biomeFindings(files).filter((finding) => !finding.includes("part of a cycle"));
  assert.deepEqual(
    found.map((finding) => finding.replace(/ may only import from itself and lower floors.*/, "")),
    expected.sort(),
  );
});

test("every form of an import is found", () => {
  const forms = [
    'import { b } from "../stores/b.js";',
    'import type {\n  Store,\n} from "../stores/b.js";',
    'import "../stores/b.js";',
    'export { b } from "../stores/b.js";',
    'export * from "../stores/b.js";',
    'export type { Store } from "../stores/b.js";',
    'const b = await import("../stores/b.js");',
    'const b = () => import(\n  /* later */ "../stores/b.js"\n);',
    'type Store = import("../stores/b.js").Store;',
    'import a from "./a.js";\nimport c from "node:fs";\nimport { b } from "../stores/b.js";',
  ];
  const files = Object.fromEntries(forms.map((form, index) => [`base/${index}.ts`, form]));
  const found = biomeFindings({ ...files, "stores/b.ts": "export type Store = 1;\nexport const b = 1;" });
  assert.deepEqual(
    found.map((finding) => finding.split(": ")[0]),
    Object.keys(files),
  );
});

test("circles of TypeScript files are found, through types and dynamic imports too", () => {
  const files = {
    "message/a.ts": 'export { b } from "./b.js";',
    "message/b.ts": 'import "./a.js";',
    "message/c.ts": 'import type { D } from "./d.js";',
    "message/d.ts": 'export type { E } from "./e.js";',
    "message/e.ts": 'export const c = () => import("./c.js");',
    "message/sound.ts": 'import "./a.js";',
  };
  assert.deepEqual(
    biomeFindings(files),
    ["a", "b", "c", "d", "e"].map((name) => `message/${name}.ts: This import is part of a cycle.`),
  );
});

test("comments, strings, packages and names below a floor don't count as imports of TypeScript", () => {
  const files = {
    "message/a.ts": [
      '// import "../session/b.js";',
      'import { b } from "../base/b.js";',
      'import c from "session/b.js";',
      'import d from "./session.js";',
      "export const e = 'import \"../session/b.js\"';",
    ].join("\n"),
    "stores/suite/a.ts": 'import "../index.js";\nimport "../session.js";',
    "base/b.ts": "",
    "session/b.ts": "",
  };
  assert.deepEqual(biomeFindings(files), []);
});
