// The floors of the house: a folder of the sources uses those below it, never one above, and no files use each other in a
// circle. Part of `npm run lint`.
//
//   node scripts/floors.mjs        says what is wrong
//   node scripts/floors.mjs --all  prints every arrow between two folders as well

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { Failure, isProgram, root, runProgram } from "./project.mjs";

/** Each half of the sources: its floors, bottom to top. A file that is named is a floor of its own; no other may lie loose. */
export const halves = [
  {
    folder: "src",
    extension: ".rs",
    floors: ["base", "tokens", "config", "log", "recall", "state", "prompt", "stages", "build", "wasm", "lib.rs"],
    importsOf: importsOfRust,
  },
  {
    folder: join("crates", "encoding", "src"),
    extension: ".rs",
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
    importsOf: importsOfRust,
  },
  {
    folder: join("crates", "words", "src"),
    extension: ".rs",
    floors: ["hash.rs", "language.rs", "fold.rs", "lists", "detect.rs", "terms.rs", "cues.rs", "lib.rs"],
    importsOf: importsOfRust,
  },
  {
    folder: join("pkg-template", "src"),
    extension: ".ts",
    floors: [
      "base",
      "engine",
      "stores",
      "read",
      "providers",
      "build",
      "session",
      "index.ts",
      "load",
      "models",
      "studio",
      "frameworks",
      "cli.ts",
    ],
    importsOf: importsOfTypeScript,
  },
];

/** What is wrong with one half below a folder, one sentence each. */
export function findings(folder, half) {
  const { floors } = half;
  const files = sourcesOf(join(folder, half.folder), half.extension);
  const arrows = new Map(files.map((file) => [file, half.importsOf(file, readFileSync(at(file), "utf8"), files)]));
  function at(file) {
    return join(folder, half.folder, file);
  }
  const named = (file) => join(half.folder, file);
  const floorOf = (file) => file.split("/")[0];
  const found = [];
  for (const file of files) {
    if (!floors.includes(floorOf(file))) {
      found.push(`${named(file)} is on no floor: move it into one of ${floors.join(", ")}`);
    }
  }
  for (const [file, used] of arrows) {
    for (const other of used) {
      if (floors.indexOf(floorOf(other)) > floors.indexOf(floorOf(file)) && floors.includes(floorOf(file))) {
        found.push(
          `${named(file)} uses ${named(other)}, which is above it: ${floorOf(file)} may use only ` +
            `${floors.slice(0, floors.indexOf(floorOf(file)) + 1).join(", ")}`,
        );
      }
    }
  }
  for (const circle of circlesOf(arrows)) {
    const way = [...circle, circle[0]].map(named).join(" -> ");
    found.push(`files use each other in a circle: ${way}`);
  }
  return found;
}

/** Every source file below a folder, by its path with slashes. */
function sourcesOf(folder, extension) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

/** The files that a file of TypeScript imports, types included. */
export function importsOfTypeScript(file, text, files) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statement =
    /^\s*(?:import|export)\b[^"';]*?\bfrom\s*"(\.[^"]+)"|^\s*import\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)/gm;
  const used = new Set();
  for (const [, from, alone, dynamic] of code.matchAll(statement)) {
    const target = join(dirname(file), from ?? alone ?? dynamic)
      .split(sep)
      .join("/")
      .replace(/\.js$/, ".ts");
    if (files.includes(target) && target !== file) {
      used.add(target);
    }
  }
  return [...used];
}

/** The files that a file of Rust uses: by `use`, or by a path in its code. Tests and `mod` are no use. */
export function importsOfRust(file, text, files) {
  const code = withoutTests(withoutWords(text)).replace(/\bmod\s+\w+\s*;/g, "");
  const own = moduleOf(file);
  const modules = new Map(files.map((other) => [moduleOf(other), other]));
  const used = new Set();
  const note = (path) => {
    // The longest beginning of the path that is a module: behind it are the names of items.
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

/** Every path of two names or more, those in the braces of a `use` each with the path before the braces. */
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

/** The paths in braces that were opened before a place, and the place behind them. */
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

/** A file's module path: `recall/index/mod.rs` and `recall/index.rs` are `recall::index`. */
function moduleOf(file) {
  return file
    .replace(/\.rs$/, "")
    .replace(/(^|\/)(mod|lib)$/, "")
    .split("/")
    .filter(Boolean)
    .join("::");
}

/** Code without comments and without the contents of strings. */
function withoutWords(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\/|r(#+)"[\s\S]*?"\1|'(?:\\.|[^\\'])'|"(?:\\[\s\S]|[^"\\])*"|\/\/.*$/gm, (part) =>
      part.startsWith("/") ? "" : '""',
    )
    .replace(/\s*::\s*/g, "::");
}

/** Code up to the module of its tests, which is the last of a file. */
function withoutTests(code) {
  const at = code.search(/#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*mod\s+tests\s*\{/);
  return at < 0 ? code : code.slice(0, at);
}

/** Every set of files that use each other in a circle: one way around each. */
function circlesOf(arrows) {
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
    for (const other of arrows.get(file) ?? []) {
      visit(other);
    }
    way.pop();
    isDone.add(file);
  };
  for (const file of arrows.keys()) {
    visit(file);
  }
  return circles;
}

/** Fails with everything that is wrong. */
export function checkFloors() {
  const all = halves.flatMap((half) => findings(root, half));
  if (all.length > 0) {
    throw new Failure(`the floors of the sources:\n  ${all.join("\n  ")}`);
  }
}

/** How many imports run from each folder to each other one. */
function arrowsBetween(half) {
  const files = sourcesOf(join(root, half.folder), half.extension);
  const counts = new Map();
  for (const file of files) {
    const text = readFileSync(join(root, half.folder, file), "utf8");
    for (const other of half.importsOf(file, text, files)) {
      const [from, to] = [file, other].map((path) => path.split("/")[0]);
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
      for (const half of halves) {
        console.log(half.folder);
        for (const [arrow, count] of arrowsBetween(half)) {
          console.log(`  ${arrow} (${count})`);
        }
      }
    }
    checkFloors();
  });
}
