// The check of the floors finds what it is for, in trees made for it, and nothing in a sound one.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findings, halves } from "../../scripts/floors.mjs";
import { root } from "../../scripts/project.mjs";

const rust = halves.find(({ folder }) => folder === "src");
const typescript = halves.find(({ extension }) => extension === ".ts");

/** What is found in a tree of files, which is there for the time of the call. */
function found(half, files) {
  const folder = mkdtempSync(join(tmpdir(), "windrow-floors-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, half.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return findings(folder, half);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the sources of the project keep their floors", () => {
  for (const half of halves) {
    assert.deepEqual(findings(root, half), []);
  }
});

test("an arrow of Rust that runs up is found, however it is written", () => {
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
    const [finding, ...others] = found(rust, files);
    assert.match(finding, /log\/groups\.rs uses .*stages\/budget\.rs, which is above it/, code);
    assert.deepEqual(others, []);
  }
});

test("a circle of Rust is found, through `super` and through the file of the folder", () => {
  const two = { "log/a.rs": "use super::b::B;", "log/b.rs": "use crate::log::a::A;", "log/mod.rs": "mod a;\nmod b;" };
  assert.equal(found(rust, two).length, 1);
  const parent = { "log/mod.rs": "mod a;\nfn f() { a::g() }", "log/a.rs": "use super::Thing;" };
  assert.match(found(rust, parent)[0], /in a circle/);
});

test("tests, comments, strings and declarations of Rust are no arrows", () => {
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
  assert.deepEqual(found(rust, files), []);
});

test("arrows and circles of TypeScript are found, of types too", () => {
  const up = {
    "base/a.ts": 'import type {\n  Store,\n} from "../stores/b.js";',
    "stores/b.ts": "export type Store = 1;",
  };
  assert.match(found(typescript, up)[0], /base\/a\.ts uses .*stores\/b\.ts, which is above it: base may use only base/);
  const dynamic = { "base/a.ts": 'const b = await import("../stores/b.js");', "stores/b.ts": "" };
  assert.equal(found(typescript, dynamic).length, 1);
  const circle = { "read/a.ts": 'export { b } from "./b.js";', "read/b.ts": 'import "./a.js";' };
  assert.match(found(typescript, circle)[0], /in a circle: .*read\/a\.ts -> .*read\/b\.ts -> .*read\/a\.ts/);
  const sound = {
    "read/a.ts": '// import "../session/b.js";\nimport { b } from "../base/b.js";',
    "base/b.ts": "",
    "session/b.ts": "",
  };
  assert.deepEqual(found(typescript, sound), []);
});

test("a file that lies loose is found", () => {
  assert.match(found(rust, { "draft.rs": "", "lib.rs": "" })[0], /draft\.rs is on no floor/);
  assert.match(found(typescript, { "draft.ts": "", "index.ts": "" })[0], /draft\.ts is on no floor/);
});
