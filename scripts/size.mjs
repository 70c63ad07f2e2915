// Measures the package: every file of dist, and the bundles that applications make from it.
//
//   npm run size             prints raw, gzip and brotli; fails if a size exceeds its limit or the docs disagree
//   npm run size -- --write  writes the figures into the docs first

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "./build.mjs";
import { Failure, isProgram, projectPath, runProgram } from "./project.mjs";
import { setUp } from "./setup.mjs";

const dist = projectPath("pkg-template", "dist");

/** The size limits in bytes: changing one is a decision. Sizes without a limit are only printed. */
const LIMITS = {
  "windrow.wasm": { brotli: 237_600 },
  "selection.wasm": { brotli: 233_700 },
  "page: buildContext": { brotli: 410_500 },
  "slim: buildContext, the core in a separate file": { brotli: 54_200 },
  "first context in a page: all fits": { brotli: 291_900 },
  "first context in a page: exact in o200k_base": { brotli: 746_800 },
  "first context in a page: exact in cl100k_base": { brotli: 503_000 },
  "worker: buildContext, cl100k_base": { gzip: 912_600 },
  "worker: slim, cl100k_base": { gzip: 565_000 },
  "worker: slim, cl100k_base, with the ranking module": { gzip: 850_800 },
  "worker: o200k_base": { gzip: 1_209_600 },
  "worker: cl100k_base": { gzip: 963_300 },
  "worker: both vocabularies": { gzip: 1_419_900 },
};

/** Downloads of a page up to its first context, with `windrow/slim`: the sum of files and bundles. */
const FIRST_CONTEXTS = {
  "first context in a page: all fits": ["slim: buildContext, the core in a separate file", "windrow.wasm"],
  ...Object.fromEntries(
    ["o200k_base", "cl100k_base"].map((name) => [
      `first context in a page: exact in ${name}`,
      ["slim: buildContext, the core in a separate file", "windrow.wasm", `encodings/${name}.js`],
    ]),
  ),
};

/** Exports everything in an entry, so nothing is dropped. */
const everything = (entry) => `export * from "${entry}";`;

/**
 * Bundles of applications: their imports, and their hosts. Code that loads later is a separate file and not in the sum.
 */
const bundles = [
  { name: "page: buildContext", code: 'export { buildContext } from "windrow";', isPage: true },
  { name: "page: everything", code: everything("windrow"), isPage: true },
  {
    name: "slim: buildContext, the core in a separate file",
    code: 'export { buildContext, init } from "windrow/slim";',
    isPage: true,
  },
  {
    name: "slim: the same with all providers",
    code: 'import "windrow/providers"; export { buildContext, init } from "windrow/slim";',
    isPage: true,
  },
  {
    name: "slim: everything, the core beside it",
    code: ["windrow/slim", "windrow/shapes", "windrow/providers"].map(everything).join("\n"),
    isPage: true,
  },
  { name: "worker: buildContext, o200k_base", code: 'export { buildContext } from "windrow/o200k_base";' },
  { name: "worker: buildContext, cl100k_base", code: 'export { buildContext } from "windrow/cl100k_base";' },
  { name: "worker: slim, cl100k_base", code: slimWorker("cl100k_base") },
  { name: "worker: slim, cl100k_base, with the ranking module", code: slimWorker("cl100k_base", { selects: true }) },
  { name: "worker: slim, o200k_base", code: slimWorker("o200k_base") },
  { name: "worker: o200k_base", code: everything("windrow/o200k_base") },
  { name: "worker: cl100k_base", code: everything("windrow/cl100k_base") },
  { name: "worker: both vocabularies", code: everything("windrow") },
];

/**
 * Returns a worker that counts exactly and imports only the parts it needs. `selects` adds the ranking module, for
 * chats that outgrow the budget.
 */
function slimWorker(encoding, { selects = false } = {}) {
  const parts = selects ? "{ selection }" : "{}";
  return `
    import core from "windrow/windrow.wasm";
    ${selects ? 'import selection from "windrow/selection.wasm";' : ""}
    import vocabulary from "windrow/encodings/${encoding}";
    import { buildContext, initSync, loadEncoding } from "windrow/slim";
    initSync(core, ${parts});
    export const build = async (messages) => {
      await loadEncoding(vocabulary);
      return await buildContext(messages, { encoding: "${encoding}" });
    };`;
}

/** Prints all sizes, and fails if one exceeds its limit or the docs disagree. */
export async function checkSizes({ write = false } = {}) {
  const sizes = new Map((await Promise.all([sizesOfFiles(), sizesOfBundles()])).flatMap((rows) => [...rows]));
  for (const [name, parts] of Object.entries(FIRST_CONTEXTS)) {
    sizes.set(name, sumOf(parts.map((part) => sizes.get(part))));
  }
  printSizes(sizes);
  const wrong = overLimit(sizes);
  for (const [file, figures] of Object.entries(figuresOfDocs(sizes))) {
    wrong.push(...figuresIn(file, figures, write));
  }
  const core = shown(sizes.get("windrow.wasm").brotli);
  if (wrong.length > 0) {
    throw new Failure(`size: ${wrong.join("; ")}`);
  }
  console.log(`✓ size: the core has ${core} bytes in brotli; all ${Object.keys(LIMITS).length} limits are kept`);
}

function overLimit(sizes) {
  return Object.entries(LIMITS).flatMap(([name, limits]) =>
    Object.entries(limits)
      .filter(([form, most]) => sizes.get(name)[form] > most)
      .map(([form, most]) => `${name} has ${shown(sizes.get(name)[form])} bytes (${form}), at most ${shown(most)}`),
  );
}

// ---- Measuring ----

/** Returns the sizes of all files of dist that a host loads. */
export async function sizesOfFiles() {
  const files = [
    ...readdirSync(dist).filter((name) => [".js", ".wasm"].includes(extname(name))),
    ...["encodings", "core"].flatMap((folder) =>
      readdirSync(join(dist, folder))
        .filter((name) => extname(name) === ".js")
        .map((name) => join(folder, name)),
    ),
  ];
  const rows = await Promise.all(
    files.sort().map(async (file) => ({ file, size: await sizeOf(readFileSync(join(dist, file))) })),
  );
  return new Map(rows.map(({ file, size }) => [file, size]));
}

async function sizesOfBundles() {
  const rows = [];
  for (const { name, code, isPage } of bundles) {
    const files = isPage ? await pageBundle(code) : await workerBundle(code);
    rows.push(Promise.all(files.map(sizeOf)).then((sizes) => [name, sumOf(sizes)]));
  }
  return Promise.all(rows);
}

function sumOf(sizes) {
  const sum = (form) => sizes.reduce((total, size) => total + size[form], 0);
  return { raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") };
}

/** Returns the files that a page loads before its first build. Vocabularies are chunks that load later. */
function pageBundle(code) {
  return bundleOf(code, { splitting: true }, (path, atOnce) => atOnce.has(path));
}

/**
 * Returns the files of a worker. It has no chunks, so the bundle includes everything it could load, plus the core as a
 * file.
 */
function workerBundle(code) {
  return bundleOf(code, { conditions: ["workerd"], loader: { ".wasm": "copy" } }, () => true);
}

/**
 * Returns the files of a bundle that pass `isLoaded`, which receives a file's path and the paths of all files loaded at
 * once.
 */
async function bundleOf(code, options, isLoaded) {
  const { build: bundle } = await import("esbuild");
  const { outputFiles, metafile } = await bundle({
    stdin: { contents: code, resolveDir: projectPath(), sourcefile: "app.js" },
    entryNames: "app",
    absWorkingDir: projectPath(),
    outdir: "out",
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    metafile: true,
    write: false,
    logLevel: "error",
    // fflate is only fetched on hosts without DecompressionStream.
    external: ["node:*"],
    ...options,
  });
  const entry = Object.keys(metafile.outputs).find((path) => basename(path) === "app.js");
  const atOnce = loadedAtOnce(metafile, entry);
  return outputFiles
    .filter(({ path }) => isLoaded(join(dirname(entry), basename(path)), atOnce))
    .map(({ contents }) => contents);
}

/** Returns the paths of a file and of all files that it imports statically, directly or not. */
function loadedAtOnce({ outputs }, entry) {
  const paths = new Set([entry]);
  for (const path of paths) {
    for (const { path: imported, kind } of outputs[path].imports) {
      if (kind === "import-statement" && outputs[imported] !== undefined) {
        paths.add(imported);
      }
    }
  }
  return paths;
}

/** Sizes already measured, by checksum, because every worker's bundle includes the core. */
const known = new Map();

function sizeOf(bytes) {
  const checksum = createHash("sha256").update(bytes).digest("hex");
  if (!known.has(checksum)) {
    known.set(checksum, measure(bytes));
  }
  return known.get(checksum);
}

async function measure(bytes) {
  const quality = bytes.length > 2e6 ? 9 : 11;
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  ]);
  return { raw: bytes.length, gzip: zipped.length, brotli: brotli.length };
}

// ---- Printing ----

function printSizes(sizes) {
  const line = (name, cells) => `  ${name.padEnd(44)}${cells.map((cell) => cell.padStart(12)).join("")}`;
  console.log(line("bytes", ["raw", "gzip", "brotli", "limit"]));
  for (const [name, { raw, gzip: zipped, brotli }] of sizes) {
    const limit = Object.entries(LIMITS[name] ?? {}).at(-1);
    console.log(line(name, [raw, zipped, brotli].map(shown).concat(limit ? `  ${shown(limit[1])} ${limit[0]}` : "")));
  }
}

function shown(number) {
  return number.toLocaleString("en");
}

// ---- The docs ----

/** The largest relative error of a figure in the docs. */
const TOLERANCE = 0.02;

/** The figures in each document: the text before and after a figure, and its value. */
function figuresOfDocs(sizes) {
  const kB = (name, form) => Math.round(sizes.get(name)[form] / 1000);
  const KiB = (name, form) => Math.round(sizes.get(name)[form] / 1024);
  const core = kB("windrow.wasm", "brotli");
  const page = kB("page: buildContext", "brotli");
  const [o200k, cl100k] = ["o200k_base", "cl100k_base"].map((name) => kB(`encodings/${name}.js`, "brotli"));
  return {
    "README.md": [
      ["**\n", " kB of WebAssembly (brotli)", core],
      ["workers and Node, and ", " kB more when", kB("selection.wasm", "brotli")],
      ["Your page can't afford ", " kB of WebAssembly", core + kB("selection.wasm", "brotli")],
      ["| `windrow/slim`, estimated counts | ", " kB |", kB("first context in a page: all fits", "brotli")],
      [
        "| `windrow/slim`, exact in `o200k_base` | ",
        " kB |",
        kB("first context in a page: exact in o200k_base", "brotli"),
      ],
      ["| `windrow`, with the core inlined, estimated counts | ", " kB |", page],
      ["| `windrow`, with the core inlined, exact in `o200k_base` | ", " kB |", page + o200k],
    ],
    "docs/hosts.md": [
      ["| `windrow` | ", " KiB |", KiB("worker: both vocabularies", "gzip")],
      ["| `windrow/o200k_base` | ", " KiB |", KiB("worker: o200k_base", "gzip")],
      ["| `windrow/cl100k_base` | ", " KiB |", KiB("worker: cl100k_base", "gzip")],
      ["| the core: ", " kB of WebAssembly", kB("windrow.wasm", "raw")],
      [" kB of WebAssembly | ", " kB |", core],
      ["the ranking module, `selection.wasm` | ", " kB |", kB("selection.wasm", "brotli")],
      [
        "core and JavaScript of a page while everything fits | ",
        " kB |",
        kB("first context in a page: all fits", "brotli"),
      ],
      [
        "before the first exact context in `o200k_base` | ",
        " kB |",
        kB("first context in a page: exact in o200k_base", "brotli"),
      ],
      [
        "before the first exact context in `cl100k_base` | ",
        " kB |",
        kB("first context in a page: exact in cl100k_base", "brotli"),
      ],
      [
        "for a page that builds contexts but uses no sessions | ",
        " kB |",
        kB("slim: buildContext, the core in a separate file", "brotli"),
      ],
      ["the JavaScript with the providers | ", " kB |", kB("slim: the same with all providers", "brotli")],
      ["all message formats and all providers | ", " kB |", kB("slim: everything, the core beside it", "brotli")],
      ["inlined as base64, and all of that JavaScript | ", " kB |", kB("page: everything", "brotli")],
      ["the IndexedDB store, with a part of `idb` | ", " kB |", kB("store-indexeddb.js", "brotli")],
      ["a vocabulary, a separate file | ", " kB for `o200k_base`", o200k],
      [" kB for `o200k_base`, ", " kB for `cl100k_base`", cl100k],
      ["only `buildContext` takes ", " kB with `windrow/o200k_base`", kB("worker: buildContext, o200k_base", "gzip")],
      ["`windrow/o200k_base`, and ", " kB with `windrow/cl100k_base`", kB("worker: buildContext, cl100k_base", "gzip")],
      ["not all fit, takes ", " kB with `cl100k_base`", kB("worker: slim, cl100k_base", "gzip")],
      ["`cl100k_base` and ", " kB with `o200k_base`:", kB("worker: slim, o200k_base", "gzip")],
      ["the worker then takes ", " kB.", kB("worker: slim, cl100k_base, with the ranking module", "gzip")],
      ["in chunks, downloads ", " kB at first", page],
      ["It downloads another ", " kB for `o200k_base` or", o200k],
      ["for `o200k_base` or ", " kB for `cl100k_base` for", cl100k],
      ["exact count, and ", " kB when not everything fits", kB("core/selection.js", "brotli")],
    ],
  };
}

/** A pattern for a text whose lines may break at any space. */
const escaped = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll(" ", "\\s+");

/** Returns the wrong figures of a file. Writes the right ones first if requested. */
function figuresIn(file, figures, write) {
  let text = readFileSync(projectPath(file), "utf8");
  const wrong = [];
  for (const [before, behind, truth] of figures) {
    const pattern = new RegExp(`(?<=${escaped(before)})[\\d,]+(?=${escaped(behind)})`);
    const said = pattern.exec(text)?.[0];
    if (said === undefined) {
      throw new Failure(`${file} has no figure between "${before}" and "${behind}"`);
    }
    if (write) {
      text = text.replace(pattern, shown(truth));
    } else if (Math.abs(Number(said.replaceAll(",", "")) - truth) > truth * TOLERANCE) {
      wrong.push(`${file} says ${said} where it is ${shown(truth)}: run \`npm run size -- --write\``);
    }
  }
  if (write) {
    writeFileSync(projectPath(file), text);
  }
  return wrong;
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    await setUp("build");
    await build();
    await checkSizes({ write: process.argv.includes("--write") });
  });
}
