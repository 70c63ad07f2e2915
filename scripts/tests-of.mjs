// Finds the tests for some sources: `npm test -- PATH …` runs them. Tests are in folders with the same names as the
// sources.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { runGraph } from "./graph.mjs";
import { Failure, projectPath, root, run, step } from "./project.mjs";
import { findChromium, setUp } from "./setup.mjs";

/** Runs the tests for files and folders, given as paths from any folder of the project. */
export async function runTestsOf(paths) {
  await setUp("build");
  const cargo = new Map();
  const files = new Set();
  for (const path of paths) {
    const found = testsOf(pathInProject(path));
    for (const [target, filter] of found.cargo) {
      cargo.set(target, [...(cargo.get(target) ?? []), filter]);
    }
    for (const file of found.files) {
      files.add(file);
    }
  }
  if (cargo.size === 0 && files.size === 0) {
    throw new Failure(
      `no test belongs to ${paths.join(", ")}: name a file or folder of src, crates, pkg-template/src, www or tests`,
    );
  }
  for (const [target, filters] of cargo) {
    const title = ["cargo test", target, ...filters].join(" ");
    await step(title, () =>
      run("cargo", ["test", ...target.split(" "), "--", ...filters.filter(Boolean)], { output: "stdout" }),
    );
  }
  if (files.size > 0) {
    await runNodeTests([...files].sort());
  }
}

async function runNodeTests(files) {
  const needsPage = files.some((file) => file.startsWith("tests/package/page/"));
  await step("building what these tests use", () => runGraph(needsPage ? "part:page" : "part:entries"));
  await step(`node --test, ${files.length} ${files.length === 1 ? "file" : "files"}`, () => {
    const env = { CHROME_PATH: findChromium()?.chromium ?? "" };
    return run(process.execPath, ["--test", "--test-reporter=spec", ...files], { env, output: "stdout" });
  });
}

/** Returns a path from the project's root, with slashes. */
function pathInProject(path) {
  const absolute = [resolve(process.env.INIT_CWD ?? process.cwd(), path), projectPath(path)].find((it) =>
    existsSync(it),
  );
  const inside = absolute === undefined ? ".." : relative(root, absolute);
  if (inside.startsWith("..")) {
    throw new Failure(`there is no ${path} in the project`);
  }
  return inside.split(sep).join("/");
}

/** Returns the tests for one path: cargo targets with a filter each, and files for Node's test runner. */
export function testsOf(path) {
  const [first, second, ...rest] = path.split("/");
  const none = { cargo: [], files: [] };
  if (path === "src" || path.startsWith("src/") || path === "tests/core" || path.startsWith("tests/core/")) {
    const isTest = first === "tests";
    const module = moduleOf((isTest ? rest : [second, ...rest]).filter(Boolean));
    const ofTests = isTest ? module : module.split("::")[0];
    // Any source may contain text for people, which the snapshots cover.
    const own = isTest
      ? []
      : [
          ["--package windrow --lib", module],
          ["--package windrow --test core", "words::"],
        ];
    return { ...none, cargo: [...own, ["--package windrow --test core", ofTests]] };
  }
  if (first === "crates") {
    return { ...none, cargo: [[`--package windrow-${second}`, moduleOf(rest.slice(1))]] };
  }
  if (path.startsWith("pkg-template/src")) {
    return { ...none, files: testFilesOf(rest.join("/").replace(/^cli\.ts$/, "cli")) };
  }
  if (first === "www") {
    return { ...none, files: testFilesIn("tests/package/page") };
  }
  if (first === "docs" || path === "README.md") {
    return { ...none, files: testFilesIn("tests/package/docs") };
  }
  return { ...none, files: first === "tests" ? testFilesIn(path) : [] };
}

/** `recall/rank/mod.rs` is `recall::rank`. */
function moduleOf(parts) {
  return parts
    .join("::")
    .replace(/\.rs$/, "")
    .replace(/(^|::)(mod|lib|main)$/, "");
}

/** Folders whose tests are in another folder: contexts test the options, and the command line tests the studio. */
const TESTED_IN = { config: "context", studio: "cli" };

/**
 * Returns the tests for a file or folder of pkg-template/src: those with its name, or else those in its folder. If its
 * folder has none, uses the nearest folder above that has some.
 */
function testFilesOf(source) {
  const named = join("tests/package", dirname(source), `${basename(source, extname(source))}.test.mjs`);
  if (existsSync(projectPath(named))) {
    return [named.split(sep).join("/")];
  }
  const given = extname(source) === "" ? source : dirname(source);
  const own = TESTED_IN[given] ?? given;
  if (existsSync(projectPath("tests/package", own))) {
    return testFilesIn(`tests/package/${own}`.replace(/\/\.?$/, ""));
  }
  let above = dirname(own);
  while (!existsSync(projectPath("tests/package", above))) {
    above = dirname(above);
  }
  const folder = `tests/package/${above}`.replace(/\/\.?$/, "");
  return testFilesIn(folder).filter((name) => dirname(name) === folder);
}

/** Returns the test files below a folder, or a test file itself. For any other file, those of its folder. */
export function testFilesIn(path) {
  if (!existsSync(projectPath(path))) {
    return [];
  }
  if (!statSync(projectPath(path)).isDirectory()) {
    return path.endsWith(".test.mjs") ? [path] : testFilesIn(dirname(path));
  }
  const names = readdirSync(projectPath(path), { recursive: true, encoding: "utf8" });
  const tests = names.filter((name) => name.endsWith(".test.mjs") && !name.includes("node_modules"));
  return tests.map((name) => `${path}/${name.split(sep).join("/")}`).sort();
}
