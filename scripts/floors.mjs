// Floors of the Rust sources: a folder uses those below it, never one above, and files don't use each other in a
// circle. Part of `npm run lint`. Biome checks TypeScript: `floors.grit` and `noImportCycles`.
//
//   node scripts/floors.mjs        prints violations
//   node scripts/floors.mjs --all  also prints the number of uses between each two folders

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { Failure, isProgram, root, runProgram } from "./project.mjs";

/** Floors of each crate, bottom to top. A named file is a floor; no other file may be at the top level. */
export const crates = [
  {
    folder: "src",
    floors: ["base", "tokens", "config", "log", "recall", "state", "prompt", "stages", "machine", "wasm", "lib.rs"],
  },
  {
    folder: join("crates", "encoding", "src"),
    floors: [
      "classes.rs",
      "pretokenizer.rs",
      "vocabulary.rs",
      "merge.rs",
      "order.rs",
      "asset.rs",
      "cache.rs",
      "lib.rs",
    ],
  },
  {
    folder: join("crates", "words", "src"),
    floors: [
      "hash.rs",
      "language.rs",
      "fold.rs",
      "runs.rs",
      "lists",
      "detect.rs",
      "terms.rs",
      "cues.rs",
      "statements.rs",
      "lib.rs",
    ],
  },
];

/** Violations in one crate, a sentence each. `base` is the folder that contains the crate's folder. */
export function findings(base, { folder, floors }) {
  const uses = usesIn(join(base, folder));
  const named = (file) => join(folder, file);
  const found = [];
  for (const [file, used] of uses) {
    const floor = floors.indexOf(floorOf(file));
    if (floor < 0) {
      found.push(`${named(file)} is on no floor: move it into one of ${floors.join(", ")}`);
      continue;
    }
    for (const other of used) {
      if (floors.indexOf(floorOf(other)) > floor) {
        const allowed = floors.slice(0, floor + 1).join(", ");
        found.push(`${named(file)} uses ${named(other)}, which is above it: ${floorOf(file)} may use only ${allowed}`);
      }
    }
  }
  for (const circle of circlesOf(uses)) {
    const way = [...circle, circle[0]].map(named).join(" -> ");
    found.push(`files use each other in a circle: ${way}`);
  }
  return found;
}

function floorOf(file) {
  return file.split("/")[0];
}

/** Maps each Rust file below a folder to the files that it uses. Paths have slashes. */
function usesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".rs"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const modules = new Map(files.map((file) => [moduleOf(file), file]));
  return new Map(files.map((file) => [file, usedBy(file, readFileSync(join(folder, file), "utf8"), modules)]));
}

/**
 * Lists the files that a Rust file uses, by `use` or by a path in its code. Tests and `mod` declarations don't count.
 */
function usedBy(file, text, modules) {
  const code = withoutTests(withoutWords(text)).replace(/\bmod\s+\w+\s*;/g, "");
  const own = moduleOf(file);
  const used = new Set();
  const note = (path) => {
    // Finds the longest prefix that names a module. The rest names items.
    for (let length = path.length; length > 0; length--) {
      const found = modules.get(path.slice(0, length).join("::"));
      if (found !== undefined) {
        if (found !== file) {
          used.add(found);
        }
        return;
      }
    }
  };
  const parent = own.split("::").slice(0, -1);
  for (const path of pathsIn(code)) {
    const [first, ...rest] = path;
    if (first === "crate") {
      note(rest);
    } else if (first === "super") {
      const up = path.findIndex((name) => name !== "super");
      note([...parent.slice(0, parent.length + 1 - up), ...path.slice(up)]);
    } else {
      const child = first === "self" ? rest : path;
      const inside = own === "" ? child : [own, ...child];
      if (modules.has([own, child[0]].filter(Boolean).join("::"))) {
        note(inside.join("::").split("::"));
      }
    }
  }
  return [...used];
}

/** Yields each path of two or more names. A path in the braces of a `use` includes the path before the braces. */
function* pathsIn(code) {
  for (const match of code.matchAll(/(?<![\w:])((?:[a-z_]\w*::)+)(\{|\w+)/g)) {
    const start = match[1].split("::").filter(Boolean);
    if (match[2] === "{") {
      yield* pathsInBraces(code, match.index + match[0].length, start).paths;
    } else {
      yield [...start, match[2]];
    }
  }
}

/** Reads the paths in braces that open just before `begin`. `at` is the index after the closing brace. */
function pathsInBraces(code, begin, start) {
  const paths = [];
  let at = begin;
  let own = start;
  const end = /::|[{},]|\w+/g;
  for (;;) {
    end.lastIndex = at;
    const match = end.exec(code);
    if (match === null) {
      return { paths, at: code.length };
    }
    at = match.index + match[0].length;
    if (match[0] === "{") {
      const inner = pathsInBraces(code, at, own);
      paths.push(...inner.paths);
      at = inner.at;
    } else if (match[0] === "," || match[0] === "}") {
      own = start;
      if (match[0] === "}") {
        return { paths, at };
      }
    } else if (match[0] !== "::") {
      own = match[0] === "self" ? own : [...own, match[0]];
      paths.push(own);
    }
  }
}

/** Module path of a file: `recall/index/mod.rs` and `recall/index.rs` are `recall::index`. */
function moduleOf(file) {
  return file
    .replace(/\.rs$/, "")
    .replace(/(^|\/)(mod|lib)$/, "")
    .split("/")
    .filter(Boolean)
    .join("::");
}

/** Removes comments and the contents of strings. */
function withoutWords(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\/|r(#+)"[\s\S]*?"\1|'(?:\\.|[^\\'])'|"(?:\\[\s\S]|[^"\\])*"|\/\/.*$/gm, (part) =>
      part.startsWith("/") ? "" : '""',
    )
    .replace(/\s*::\s*/g, "::");
}

/** Cuts off the test module, the last item of a file. */
function withoutTests(code) {
  const at = code.search(/#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*mod\s+tests\s*\{/);
  return at < 0 ? code : code.slice(0, at);
}

/** Finds the circles of files that use each other, one way around each. */
function circlesOf(uses) {
  const circles = [];
  const isDone = new Set();
  const way = [];
  const visit = (file) => {
    const at = way.indexOf(file);
    if (at >= 0) {
      circles.push(way.slice(at));
      return;
    }
    if (isDone.has(file)) {
      return;
    }
    way.push(file);
    for (const other of uses.get(file) ?? []) {
      visit(other);
    }
    way.pop();
    isDone.add(file);
  };
  for (const file of uses.keys()) {
    visit(file);
  }
  return circles;
}

/** Fails with all violations. */
export function checkFloors() {
  const all = crates.flatMap((crate) => findings(root, crate));
  if (all.length > 0) {
    throw new Failure(`the floors of the sources:\n  ${all.join("\n  ")}`);
  }
}

/** Counts uses from each floor to each other one. */
function countsBetween(crate) {
  const counts = new Map();
  for (const [file, used] of usesIn(join(root, crate.folder))) {
    for (const other of used) {
      const [from, to] = [file, other].map(floorOf);
      if (from !== to) {
        counts.set(`${from} -> ${to}`, (counts.get(`${from} -> ${to}`) ?? 0) + 1);
      }
    }
  }
  return counts;
}

if (isProgram(import.meta.url)) {
  await runProgram(() => {
    if (process.argv.includes("--all")) {
      for (const crate of crates) {
        console.log(crate.folder);
        for (const [pair, count] of countsBetween(crate)) {
          console.log(`  ${pair} (${count})`);
        }
      }
    }
    checkFloors();
  });
}
