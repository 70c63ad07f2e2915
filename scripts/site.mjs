// Builds the site of the docs: the project's Markdown, the types of the package, the documentation of the core, and the
// playground. The result is static and works on any host.
//
//   npm run build:site [-- --out FOLDER] [--base /PATH/]
//
// FOLDER is www/dist by default. PATH is the site's place on its host, `/` by default.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { Failure, isProgram, projectPath, run, runProgram, step } from "./project.mjs";
import { installNpmPackages, setUp, wasmEnvironment } from "./setup.mjs";

const folder = "www/site";
const WASM = "wasm32-unknown-unknown";
const CRATES = ["windrow", "windrow-encoding", "windrow-words"];
/** The folder of the pages. It is inside the project of the site, so that its tools find their packages. */
const source = projectPath(folder, "source");

/** Builds the site into a folder. `base` is its path on the host. */
export async function buildSite({ output, base }) {
  await installNpmPackages(folder, []);
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  await step("site: the types of the package", documentTypes);
  await step("site: the documentation of the core", documentCore);
  copyPages();
  copyPublic();
  await step("site: its pages", () => buildPages(output, base));
}

/** Writes a page for each entry of the package. Its name is the one that is imported. */
async function documentTypes() {
  const { name, exports } = JSON.parse(readFileSync(projectPath("pkg-template", "package.json"), "utf8"));
  const entries = join(source, "entries");
  const seen = new Set();
  const files = [];
  for (const [path, { types }] of Object.entries(exports)) {
    const isCode = types?.startsWith("./dist/types/");
    if (isCode && !seen.has(types)) {
      seen.add(types);
      const file = join(entries, `${join(name, path)}.ts`);
      const from = projectPath("pkg-template", types).replace(/\.d\.ts$/, ".js");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `export * from ${JSON.stringify(from)};\n`);
      files.push(file);
    }
  }
  await runTool("typedoc", [
    ...["--plugin", "typedoc-plugin-markdown"],
    ...files.flatMap((file) => ["--entryPoints", file]),
    ...["--tsconfig", projectPath(folder, "tsconfig.json")],
    ...["--basePath", entries],
    ...["--out", join(source, "api")],
    ...["--name", "Types of the package", "--entryFileName", "index", "--readme", "none"],
    ...[
      "--router",
      "module",
      "--useHTMLAnchors",
      "--excludeReferences",
      "--disableSources",
      "--hidePageHeader",
      "--hideBreadcrumbs",
    ],
    ...["--skipErrorChecking", "--logLevel", "Error"],
  ]);
  rmSync(entries, { recursive: true });
}

/** Writes the documentation of the crates with rustdoc. */
export async function documentCrates() {
  const env = { RUSTDOCFLAGS: "--deny warnings", ...(await wasmEnvironment()) };
  const crates = CRATES.flatMap((name) => ["--package", name]);
  // The binding exists only for wasm, so only this target has every item.
  await run("cargo", ["doc", ...crates, "--target", WASM, "--no-deps", "--lib", "--quiet"], { env });
}

async function documentCore() {
  await documentCrates();
  cpSync(projectPath("target", WASM, "doc"), join(source, "public", "core"), { recursive: true });
}

/** Copies the Markdown of the project. Links between pages stay valid, because every page keeps its place. */
function copyPages() {
  for (const name of readdirSync(projectPath()).filter((name) => name.endsWith(".md"))) {
    cpSync(projectPath(name), join(source, name));
  }
  cpSync(projectPath("docs"), join(source, "docs"), { recursive: true });
  cpSync(projectPath("examples", "worker", "README.md"), join(source, "examples", "worker", "README.md"));
}

/** Copies the icon, the playground, and the examples that pages link to. */
function copyPublic() {
  cpSync(projectPath("www", "icon.svg"), join(source, "public", "icon.svg"));
  cpSync(projectPath("pkg-template", "dist", "page"), join(source, "public", "playground"), { recursive: true });
  for (const name of ["embeddings", "recipes"]) {
    cpSync(projectPath("examples", name), join(source, "public", "examples", name), { recursive: true });
  }
}

async function buildPages(output, base) {
  // Without the extensions, VitePress takes links to such examples for links to pages.
  const env = { SITE_SOURCE: source, SITE_OUTPUT: output, SITE_BASE: base, VITE_EXTRA_EXTENSIONS: "tsx,jsonc" };
  await runTool("vitepress", ["build", projectPath(folder)], env);
}

/** Runs a tool of the site's own project. */
function runTool(name, options, env = {}) {
  const { bin } = JSON.parse(readFileSync(projectPath(folder, "node_modules", name, "package.json"), "utf8"));
  const program = projectPath(folder, "node_modules", name, typeof bin === "string" ? bin : bin[name]);
  return run(process.execPath, [program, ...options], { cwd: projectPath(folder), env });
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const { values } = parseArgs({ options: { base: { type: "string" }, out: { type: "string" } } });
    const { base = "/", out = projectPath("www", "dist") } = values;
    if (!/^\/(.*\/)?$/.test(base)) {
      throw new Failure("--base: a path that begins and ends with a slash, such as /windrow/", 2);
    }
    const output = resolve(out);
    await setUp("build");
    await build();
    await buildSite({ output, base });
    console.error(`✓ the site is in ${output}`);
  });
}
