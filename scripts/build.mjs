// Builds the npm package in place, into pkg-template/dist:
//
//   Rust -> wasm -> bindgen -> wasm-opt      dist/windrow.wasm, dist/core/
//   tiktoken-rs -> vocabulary                dist/encodings/
//   crates/meaning/table.bin                 dist/meaning/
//   folders of formats and apps -> lists      src/formats, src/files/apps
//   TypeScript -> esbuild, tsc               dist/*.js, dist/types/
//
//   npm run build            builds the parts whose sources have changed
//   npm run build -- --force builds all of them
//   node scripts/build.mjs PART   builds one part, as the graph in package.json does

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { deflateRawSync } from "node:zlib";
import { runGraph } from "./graph.mjs";
import { writeHomes } from "./homes.mjs";
import { checkBundled } from "./notices.mjs";
import { Failure, isProgram, projectPath, root, run, runNode, runProgram, seconds, step } from "./project.mjs";
import { setUp, wasmEnvironment } from "./setup.mjs";

const packageFolder = "pkg-template";
const dist = projectPath(packageFolder, "dist");
const cache = projectPath(".cache");

/**
 * Maximum size of the page in bytes: the engine, its vocabularies and its table of token vectors, the page's own code,
 * and the samples.
 */
const pageLimit = 5_313_000;

/** The modules of the core, with the names that the program `bindgen` uses: see src/wasm/selection.rs. */
const coreModules = { windrow: "windrow_bg.wasm", selection: "split_selection.wasm" };

/** The features that rustc's wasm uses. wasm-opt needs the list. */
const wasmFeatures = [
  "simd",
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/**
 * The passes of wasm-opt. LLVM has already inlined what pays off. Inlining again makes functions larger, which
 * compresses worse and delays the engine's optimizing compiler. Functions are sorted by name, so copies of one generic
 * function are neighbors and compress well.
 */
const wasmPasses = [
  "-O3",
  ...["--always-inline-max-function-size", "--flexible-inline-max-function-size"].flatMap((option) => [option, "0"]),
  ...["--one-caller-inline-max-function-size", "0"],
  "--converge",
  "--reorder-functions-by-name",
  "--reorder-locals",
];

/**
 * The host entries: the file of `src/load` that provides the core, and the one that provides the vocabularies. An entry
 * with a single vocabulary includes everything from the start.
 */
const hostEntries = {
  default: ["default", "vocabularies"],
  "default-o200k_base": ["default-whole", "o200k_base"],
  "default-cl100k_base": ["default-whole", "cl100k_base"],
  workerd: ["workerd", "vocabularies"],
  "workerd-o200k_base": ["workerd", "o200k_base"],
  "workerd-cl100k_base": ["workerd", "cl100k_base"],
  "edge-light": ["edge-light", "vocabularies"],
  "edge-light-o200k_base": ["edge-light", "o200k_base"],
  "edge-light-cl100k_base": ["edge-light", "cl100k_base"],
  module: ["module", "vocabularies"],
};

/** Writes the entries of hosts. */
const hostEntryModules = {
  name: "host-entries",
  setup(bundler) {
    bundler.onResolve({ filter: /^host-entry:/ }, ({ path }) => ({ path, namespace: "host-entry" }));
    bundler.onLoad({ filter: /.*/, namespace: "host-entry" }, ({ path }) => {
      const [core, vocabulary] = hostEntries[path.slice("host-entry:".length)];
      const lines = [
        `import { provideCore } from "./${core}.js";`,
        `import { provideVocabulary } from "./${vocabulary}.js";`,
        "provideVocabulary();",
        "provideCore();",
        'export * from "./whole.js";',
      ];
      return { contents: lines.join("\n"), resolveDir: projectPath(packageFolder, "src", "load") };
    });
  },
};

/** The package's entries; each becomes dist/<name>.js. They and their shared code are in one folder. */
const entries = {
  ...Object.fromEntries(Object.keys(hostEntries).map((name) => [name, `host-entry:${name}`])),
  node: "src/load/node.ts",
  slim: "src/load/slim.ts",
  "workerd-slim": "src/load/workerd-slim.ts",
  "edge-light-slim": "src/load/edge-light-slim.ts",
  "edge-light-core": "src/load/edge-light-core.ts",
  "edge-light-selection": "src/load/edge-light-selection.ts",
  providers: "src/formats/providers.ts",
  shapes: "src/formats/index.ts",
  stores: "src/stores/index.ts",
  "store-indexeddb": "src/stores/indexeddb.ts",
  "store-durable-object": "src/stores/durable-object.ts",
  "store-d1": "src/stores/d1.ts",
  "store-encrypted": "src/stores/encrypted.ts",
  "store-conformance": "src/stores/conformance.ts",
  models: "src/models/index.ts",
  files: "src/load/files.ts",
  tasks: "src/files/tasks.ts",
  telemetry: "src/telemetry/index.ts",
  react: "src/react/index.ts",
  redact: "src/redact/index.ts",
  worker: "src/worker/connect.ts",
  "worker-thread": "src/worker/thread.ts",
  inspect: "src/studio/inspect.ts",
  "inspect-nothing": "src/studio/inspect-nothing.ts",
  ...frameworkEntries(),
  cli: "src/cli.ts",
  "cli-bar": "src/cli/bar.ts",
};

/** One entry for each framework: the formats that have a `plug.ts`. */
function frameworkEntries() {
  const formats = readdirSync(projectPath(packageFolder, "src/formats"));
  const plugs = formats.map((name) => [name, `src/formats/${name}/plug.ts`]);
  return Object.fromEntries(plugs.filter(([, file]) => existsSync(projectPath(packageFolder, file))));
}

function example(name) {
  return `examples/${name}`;
}

/** Documents and license terms of the package. npm packs them from the package's own folder. */
const papers = [
  "README.md",
  "ARCHITECTURE.md",
  "DESIGN.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "LICENSE-MIT",
  "LICENSE-APACHE",
  "LICENSE-THIRD-PARTY",
  "docs/agents.md",
  "docs/caching.md",
  "docs/prefix.svg",
  "docs/files.md",
  "docs/formats.md",
  "docs/frameworks.md",
  "docs/guide.md",
  "docs/hooks.md",
  "docs/hosts.md",
  "docs/models.md",
  "docs/moving.md",
  "docs/peers.md",
  "docs/presets.md",
  "docs/providers.md",
  "docs/recall.md",
  "docs/recipes.md",
  "docs/redaction.md",
  "docs/reference.md",
  "docs/sessions.md",
  "docs/speed.md",
  "docs/studio.webp",
  "docs/tokens.md",
  "docs/untrusted.md",
  ...[
    "embeddings/transformers.ts",
    "embeddings/workers-ai.ts",
    "embeddings/packages.d.ts",
    "embeddings/tsconfig.json",
  ].map(example),
  ...[
    "agent-loop/agent.mjs",
    "langchain-agent/agent.mjs",
    "react-chat/main.tsx",
    "react-chat/route.ts",
    "support-widget/index.html",
    "support-widget/server.mjs",
    "worker/index.ts",
    "worker/wrangler.jsonc",
  ].map((name) => example(`recipes/${name}`)),
  ...["README.md", "package.json", "tsconfig.json", "wrangler.jsonc"].map((name) => example(`worker/${name}`)),
  ...["chat.ts", "identity.ts", "index.ts", "refusal.ts"].map((name) => example(`worker/src/${name}`)),
];

/** The vocabularies that the package imports: one file each, fetched on first use. */
const encodings = Array.from(
  readFileSync(projectPath(packageFolder, "src", "load", "vocabularies.ts"), "utf8").matchAll(
    /import\("#encodings\/(\w+)"\)/g,
  ),
  ([, name]) => name,
);

/** The parts of the package. The graph in package.json has the inputs, outputs and needs of each. */
const parts = {
  bindgen: buildBindgen,
  core: buildCore,
  encodings: buildEncodings,
  meaning: buildMeaning,
  homes: () => writeHomes(),
  entries: buildEntries,
  types: buildTypes,
  page: buildPage,
  papers: copyPapers,
};

/** Builds the parts that are out of date. */
export async function build({ force = false } = {}) {
  if (force) {
    rmSync(projectPath(".wireit"), { recursive: true, force: true });
  }
  const started = performance.now();
  await runGraph("parts");
  console.error(`✓ build: dist is complete (${seconds(performance.now() - started)})`);
}

// ---- Rust ----

async function buildBindgen() {
  await step("bindgen: building the program that writes the wasm's JavaScript side", async () => {
    await cargo(["build", "--package", "windrow-tools", "--bin", "bindgen"]);
    copyFileSync(projectPath("target", "debug", "bindgen"), join(cache, "bindgen"));
  });
}

async function buildCore() {
  const target = "wasm32-unknown-unknown";
  const glue = join(cache, "glue");
  await step("core: compiling Rust to wasm", async () => {
    const env = await wasmEnvironment();
    if (env === null) {
      throw new Failure("Rust's wasm target is missing: run `npm run setup`");
    }
    await cargo(["build", "--package", "windrow-module", "--release", "--features", "split", "--target", target], {
      ...env,
      CARGO_PROFILE_RELEASE_STRIP: "none",
      // Panic messages contain source paths. They are remapped, so the bytes are the same everywhere and reveal
      // nobody's home folder.
      CARGO_ENCODED_RUSTFLAGS: [
        "-Ctarget-feature=+simd128",
        "-Clink-arg=--emit-relocs", // needed for splitting
        `--remap-path-prefix=${process.env.CARGO_HOME ?? join(homedir(), ".cargo")}=/cargo`,
        `--remap-path-prefix=${root}=/windrow`,
      ].join("\x1f"),
    });
  });
  await step("core: bindgen and wasm-opt", async () => {
    rmSync(glue, { recursive: true, force: true });
    await run(join(cache, "bindgen"), [
      projectPath("target", target, "release", "windrow_module.wasm"),
      glue,
      "windrow",
    ]);
    mkdirSync(join(dist, "core"), { recursive: true });
    for (const name of readdirSync(dist).filter((name) => name.endsWith(".wasm"))) {
      rmSync(join(dist, name));
    }
    const features = wasmFeatures.map((feature) => `--enable-${feature}`);
    const others = readdirSync(glue).filter((name) => name.endsWith(".wasm") && name !== "main.wasm");
    if (others.length !== Object.keys(coreModules).length) {
      throw new Failure(`the core was split into ${others.join(", ")}`);
    }
    for (const [name, file] of Object.entries(coreModules)) {
      await runNode("binaryen/bin/wasm-opt", [
        ...wasmPasses,
        "--strip-debug",
        "--strip-producers",
        "--strip-target-features",
        ...features,
        ...[join(glue, file), "-o", join(dist, `${name}.wasm`)],
      ]);
    }
    // Each module names its build, so it is never linked with a module of another build.
    const modules = Object.keys(coreModules).map((name) => {
      const path = join(dist, `${name}.wasm`);
      return { path, bytes: readFileSync(path) };
    });
    const build = createHash("sha256").update(Buffer.concat(modules.map(({ bytes }) => bytes)));
    const note = customSection("windrow", build.digest("hex").slice(0, 16));
    for (const { path, bytes } of modules) {
      writeFileSync(path, Buffer.concat([bytes, note]));
    }
    const base64 = readFileSync(join(dist, "selection.wasm")).toString("base64");
    writeFileSync(join(dist, "core", "selection.js"), `// selection.wasm in base64.\nexport default "${base64}";\n`);
    writeFileSync(
      join(dist, "core", "selection.d.ts"),
      "/** selection.wasm in base64. */\ndeclare const selection: string;\nexport default selection;\n",
    );
    writeFileSync(
      join(dist, "core", "windrow.js"),
      droppable(acrossRealms(readFileSync(join(glue, "windrow.js"), "utf8"))),
    );
    // The types that only a host has aren't needed, because the package never passes such values.
    const declarations = readFileSync(join(glue, "windrow.d.ts"), "utf8");
    writeFileSync(
      join(dist, "core", "windrow.d.ts"),
      declarations.replaceAll(/RequestInfo \| URL \| Response \| |BufferSource \| /g, ""),
    );
    writeFileSync(join(dist, "windrow.wasm.d.ts"), wasmTypes);
    writeFileSync(join(dist, "bytes.d.ts"), bytesTypes);
    return Object.keys(coreModules)
      .map((name) => `${name} ${count(readFileSync(join(dist, `${name}.wasm`)).length)} bytes`)
      .join(", ");
  });
}

/**
 * Makes the generated classes droppable: a bundler keeps an unused class if a later statement changes it or if it has
 * its own registry. The package frees its objects itself and doesn't use `using`.
 */
function droppable(code) {
  const changed = code
    .replaceAll(/^if \(Symbol\.dispose\) \w+\.prototype\[Symbol\.dispose\] = \w+\.prototype\.free;\n/gm, "")
    .replaceAll(": new FinalizationRegistry(", ": /* @__PURE__ */ new FinalizationRegistry(");
  if (changed.includes("Symbol.dispose]") || !changed.includes("@__PURE__")) {
    throw new Failure("the generated binding has other classes than before: see droppable in scripts/build.mjs");
  }
  return changed;
}

/** Returns a custom section of a module. Both texts must be short, because their lengths are written as one byte. */
function customSection(name, content) {
  const body = [Buffer.of(name.length), Buffer.from(name), Buffer.from(content)];
  const length = Buffer.concat(body).length;
  return Buffer.concat([Buffer.of(0, length), ...body]);
}

/** The types of a binary file that a worker imports as data. */
const bytesTypes = "declare const bytes: ArrayBuffer;\nexport default bytes;\n";

/** The types of the core's import for hosts and bundlers that compile it. */
const wasmTypes = `/** The core, compiled. */
declare const core: WebAssembly.Module;
export default core;
`;

/**
 * The generated binding recognizes modules with `instanceof`. Vercel's edge runtime compiles modules in another realm,
 * so that test fails. The value's own tag is the same in every realm.
 */
function acrossRealms(code) {
  const question = "!(module instanceof WebAssembly.Module)";
  if (code.split(question).length !== 2) {
    throw new Failure(`the generated binding has no longer one \`${question}\`: see acrossRealms in scripts/build.mjs`);
  }
  return code.replace(question, 'Object.prototype.toString.call(module) !== "[object WebAssembly.Module]"');
}

async function buildEncodings() {
  await step("encodings: making the vocabularies", async () => {
    const vocabularies = join(cache, "vocabularies");
    mkdirSync(vocabularies, { recursive: true });
    await cargo(["run", "--package", "windrow-tools", "--bin", "vocabulary", "--", vocabularies]);
    mkdirSync(join(dist, "encodings"), { recursive: true });
    for (const name of encodings) {
      const bytes = readFileSync(join(vocabularies, `${name}.bin`));
      const data = deflateRawSync(bytes, { level: 9 }).toString("base64");
      writeFileSync(join(dist, "encodings", `${name}.bin`), bytes);
      writeFileSync(
        join(dist, "encodings", `${name}.js`),
        `// The vocabulary of ${name}: raw deflate, in base64.\nexport default { name: "${name}", data: "${data}" };\n`,
      );
      writeFileSync(
        join(dist, "encodings", `${name}.d.ts`),
        `/** The vocabulary of ${name}, for \`loadEncoding\`. */\ndeclare const vocabulary: { readonly name: "${name}"; readonly data: string };\nexport default vocabulary;\n`,
      );
    }
  });
}

async function buildMeaning() {
  await step("meaning: the table of token vectors", () => {
    const folder = join(dist, "meaning");
    const bytes = readFileSync(projectPath("crates", "meaning", "table.bin"));
    const data = deflateRawSync(bytes, { level: 9 }).toString("base64");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "table.bin"), bytes);
    writeFileSync(
      join(folder, "table.js"),
      `// The table of token vectors: raw deflate, in base64.\nexport default { data: "${data}" };\n`,
    );
    writeFileSync(
      join(folder, "table.d.ts"),
      "/** The table of token vectors, for `loadMeaning`. */\ndeclare const table: { readonly data: string };\nexport default table;\n",
    );
  });
}

function cargo(cargoArguments, env = {}) {
  const [subcommand, ...rest] = cargoArguments;
  const locked = process.env.CI ? ["--locked"] : [];
  return run("cargo", [subcommand, ...locked, "--target-dir", projectPath("target"), ...rest], { env });
}

// ---- TypeScript ----

async function buildEntries() {
  await step("entries: bundling TypeScript", async () => {
    const { build: bundle } = await import("esbuild");
    for (const name of existsSync(dist) ? readdirSync(dist) : []) {
      if (name.endsWith(".js")) {
        rmSync(join(dist, name));
      }
    }
    const { version } = JSON.parse(readFileSync(projectPath(packageFolder, "package.json"), "utf8"));
    const crateVersion = /^version = "(.+)"$/m.exec(readFileSync(projectPath("Cargo.toml"), "utf8"))?.[1];
    if (version !== crateVersion) {
      throw new Failure(`${packageFolder}/package.json says version ${version}, Cargo.toml says ${crateVersion}`);
    }
    const members = await membersOfShared(bundle);
    const { metafile } = await bundle({
      absWorkingDir: projectPath(packageFolder),
      entryPoints: { ...entries, shared: SHARED },
      outdir: "dist",
      chunkNames: "shared-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      // A bundle with a top-level await can't be required, nor converted to an older bundle format.
      supported: { "top-level-await": false },
      // Hosts parse ASCII faster.
      charset: "ascii",
      // Not minified, so an uncaught error shows its source line. Bundlers of applications minify.
      minify: false,
      legalComments: "none",
      metafile: true,
      logLevel: "warning",
      // hosts.ts is imported only for its declarations.
      logOverride: { "ignored-bare-import": "silent" },
      // Plugs for frameworks import the entry of their host. Third-party code is bundled, because a page without a
      // bundler, or a worker, couldn't resolve its name.
      external: ["node:*", "windrow", "react"],
      plugins: [hostEntryModules, sharedModule(members), generatedModules],
    });
    writeSourceImport(join(dist, "module.js"));
    checkBundles(metafile);
    checkBundled("dist", Object.keys(metafile.inputs));
  });
}

/** Writes the import of the core with `import source`, which TypeScript can't parse. */
function writeSourceImport(path) {
  const code = readFileSync(path, "utf8");
  const written = code.replaceAll(
    /import ([\w$]+) from ?"\.\/(\w+)\.wasm\?source";/g,
    'import source $1 from "./$2.wasm";',
  );
  if (written.split("import source").length !== 1 + Object.keys(coreModules).length) {
    throw new Failure(`${path} does not import each module of the core by "?source"`);
  }
  writeFileSync(path, written);
}

/**
 * The file shared by all entries, `dist/shared.js`, with every module that `index.ts` reaches. One file loads faster
 * than the fifteen chunks that a bundler would make, one for each set of entries.
 */
const SHARED = "virtual:windrow-shared";

/** Returns the paths of its modules within the package. */
async function membersOfShared(bundle) {
  const { metafile } = await bundle({
    absWorkingDir: projectPath(packageFolder),
    entryPoints: ["src/index.ts"],
    bundle: true,
    format: "esm",
    platform: "neutral",
    metafile: true,
    write: false,
    logOverride: { "ignored-bare-import": "silent" },
  });
  // The exports of `index.ts` are public. Entries may import anything from the other modules.
  return new Set(Object.keys(metafile.inputs).filter((path) => path !== "src/index.ts"));
}

/** Modules outside the shared file import its members from it. */
function sharedModule(members) {
  return {
    name: "shared-module",
    setup(bundler) {
      const sourceOf = (path) =>
        relative(projectPath(packageFolder), path).split(sep).join("/").replace(/\.js$/, ".ts");
      bundler.onResolve({ filter: /^virtual:windrow-shared$/ }, ({ path }) => ({ path, namespace: "shared" }));
      bundler.onLoad({ filter: /.*/, namespace: "shared" }, () => ({
        contents: [...members].map((path) => `export * from "./${path}";`).join("\n"),
        resolveDir: projectPath(packageFolder),
      }));
      bundler.onResolve({ filter: /^\.\.?\// }, ({ path, importer, namespace, resolveDir }) => {
        const isInside = namespace === "shared" || members.has(sourceOf(importer));
        return members.has(sourceOf(resolve(resolveDir, path))) && !isInside
          ? { path: "./shared.js", external: true, sideEffects: true }
          : undefined;
      });
    },
  };
}

/** Resolves imports of generated code: inlined, or left as a separate file next to the bundle. */
const generatedModules = {
  name: "generated-modules",
  setup(bundler) {
    const base64 = "virtual:windrow-wasm-base64";
    bundler.onResolve({ filter: /^virtual:windrow-wasm-base64$/ }, () => ({ path: base64, namespace: "generated" }));
    bundler.onLoad({ filter: /.*/, namespace: "generated" }, () => ({
      contents: readFileSync(join(dist, "windrow.wasm")).toString("base64"),
      loader: "text",
    }));
    bundler.onResolve({ filter: /^\.\/\w+\.wasm(\?\w+)?$/ }, ({ path }) => ({ path, external: true }));
    // A vocabulary stays a separate module, so the user's bundler makes a lazy chunk of it.
    bundler.onResolve({ filter: /^#encodings\// }, ({ path }) => ({
      path: `./encodings/${basename(path)}.js`,
      external: true,
    }));
    // The meaning table stays separate too.
    bundler.onResolve({ filter: /^#meaning$/ }, () => ({ path: "./meaning/table.js", external: true }));
    // So does the ranking module.
    bundler.onResolve({ filter: /^#selection$/ }, () => ({ path: "./core/selection.js", external: true }));
    // An entry that another entry imports also stays a separate module, so its code runs once.
    bundler.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      if (kind === "entry-point") {
        return undefined;
      }
      const source = relative(projectPath(packageFolder), resolve(resolveDir, path)).split(sep).join("/");
      const entry = Object.entries(entries).find(([, file]) => file === source.replace(/\.js$/, ".ts"));
      return entry ? { path: `./${entry[0]}.js`, external: true, sideEffects: true } : undefined;
    });
  },
};

/** Checks the guarantees that bundles give to every host. */
function checkBundles(metafile) {
  // Only Node runs these, because they read files of the package.
  const ofNode = ["cli.js", "cli-bar.js", "node.js"];
  const shared = metafile.outputs["dist/shared.js"].exports;
  for (const [path, output] of Object.entries(metafile.outputs)) {
    const name = basename(path);
    const text = readFileSync(projectPath(packageFolder, path), "utf8");
    const refuse = (what) => {
      throw new Failure(`dist/${name} ${what}`);
    };
    for (const [, names] of text.matchAll(/import \{([^}]*)\} from "\.\/shared\.js"/g)) {
      // A name exported by two modules is missing from the shared file.
      const lacking = names.split(",").find((imported) => !shared.includes(imported.trim().split(" as ")[0]));
      if (lacking !== undefined) {
        refuse(`imports${lacking.trimEnd()}, which two modules of shared.js export: rename one of them`);
      }
    }
    if (
      dirname(path) !== "dist" &&
      output.imports.some(({ path: imported }) => /^\.\/(encodings|meaning|core)\//.test(imported))
    ) {
      refuse("imports a vocabulary or the ranking module by a path that only works from dist");
    }
    /** @type {[string, RegExp][]} */
    const refused = [
      ["refers to its own address", /import\.meta/],
      ["refers to a file of wasm-bindgen's", /_bg\.wasm/],
      ["makes code from text", /\beval\(|\bnew Function\(/],
      ["makes a request (import what is used of #core by name, so that the rest is left out)", /\bfetch\(/],
    ];
    for (const [what, pattern] of refused) {
      if (pattern.test(text) && !ofNode.includes(name)) {
        refuse(what);
      }
    }
    if (!ofNode.includes(name) && output.imports.some((imported) => imported.path.startsWith("node:"))) {
      refuse("imports a module of Node's");
    }
  }
}

async function buildTypes() {
  await step("types: checking TypeScript and writing declarations", async () => {
    rmSync(join(dist, "types"), { recursive: true, force: true });
    await runNode("typescript/bin/tsc", ["--project", projectPath(packageFolder)]);
    for (const name of readdirSync(join(dist, "types"), { recursive: true, encoding: "utf8" })) {
      if (name.endsWith(".d.ts")) {
        writeRelativeImports(join(dist, "types", name));
      }
    }
  });
}

/**
 * Refers to the core's declarations by relative path, because not every reader of types resolves the `imports` of
 * package.json.
 */
function writeRelativeImports(path) {
  const code = readFileSync(path, "utf8");
  const core = relative(dirname(path), join(dist, "core", "windrow.js"))
    .split(sep)
    .join("/");
  const written = code.replaceAll('"#core"', `"${core}"`);
  if (/"#\w/.test(written)) {
    throw new Failure(`${path} imports what only the \`imports\` of package.json name`);
  }
  if (written !== code) {
    writeFileSync(path, written);
  }
}

/** Builds the page that the studio serves. The same page can be deployed on any host. */
async function buildPage() {
  await step("page: bundling the page of the studio", async () => {
    const { build: bundle } = await import("vite");
    const folder = join(dist, "page");
    const { NODE_ENV } = process.env;
    const built = await bundle({
      root: projectPath("www"),
      logLevel: "error",
      build: { outDir: folder, emptyOutDir: true },
    });
    const chunks = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
    checkBundled(
      "dist/page",
      chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])),
    );
    // Vite sets "production" for everything that runs later. npm would then skip development tools, and `inspect` would
    // do nothing in tests.
    if (NODE_ENV === undefined) {
      delete process.env.NODE_ENV;
    } else {
      process.env.NODE_ENV = NODE_ENV;
    }
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const size = files.reduce((sum, file) => sum + readFileSync(join(file.parentPath, file.name)).length, 0);
    if (size >= pageLimit) {
      throw new Failure(`the page has ${count(size)} bytes; it must stay below ${count(pageLimit)}`);
    }
    return `${count(size)} bytes`;
  });
}

function copyPapers() {
  // Another revision may have left other licenses, and npm would pack them.
  for (const name of readdirSync(projectPath(packageFolder)).filter((name) => name.startsWith("LICENSE-"))) {
    rmSync(projectPath(packageFolder, name));
  }
  for (const name of papers) {
    mkdirSync(dirname(projectPath(packageFolder, name)), { recursive: true });
    copyFileSync(projectPath(name), projectPath(packageFolder, name));
  }
}

function count(number) {
  return number.toLocaleString("en");
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const [name] = process.argv.slice(2);
    if (Object.hasOwn(parts, name ?? "")) {
      await parts[name]();
      return;
    }
    await setUp("build");
    await build({ force: name === "--force" });
  });
}
