// Writes LICENSE-THIRD-PARTY: the licenses of everything in the package that others made.
//
//   node scripts/notices.mjs --write  writes the file
//   node scripts/notices.mjs          fails if the file would change

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cratesOfCore } from "./crates.mjs";
import { Failure, isProgram, projectPath, runProgram } from "./project.mjs";

const FILE = projectPath("LICENSE-THIRD-PARTY");
const TARGET = "wasm32-unknown-unknown";

/** npm packages whose code is bundled. `checkBundled` refuses a bundle with any other. */
const BUNDLED = {
  fflate: "in dist/*.js",
  idb: "in dist/*.js",
  preact: "in dist/page",
  "@preact/signals": "in dist/page",
  "@preact/signals-core": "in dist/page",
};

/**
 * Returns the crates of others that are compiled into the core, with the macros that generate code for it.
 *
 * @returns {Promise<{ name: string, version: string, license: string, folder: string }[]>}
 */
export async function cratesOfOthers() {
  const crates = await cratesOfCore((kind) => kind === null, ["--filter-platform", TARGET]);
  return crates
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, manifest_path }) => ({ name, version, license, folder: dirname(manifest_path) }));
}

/** Returns the texts that a crate's license requires. Of a choice with MIT, this is MIT's. */
function textsOfCrate({ name, folder }) {
  const files = readdirSync(folder).filter((file) => /^(licen[sc]e|notice|copyright)/i.test(file));
  const mit = files.filter((file) => /-mit$/i.test(file));
  const chosen = mit.length > 0 ? mit : files.filter((file) => /^licen[sc]e/i.test(file));
  const also = files.filter((file) => /notice|unicode|copyright/i.test(file));
  if (chosen.length === 0) {
    throw new Failure(`the crate ${name} has no license file in ${folder}`);
  }
  return [...new Set([...chosen, ...also])].map((file) => readFileSync(join(folder, file), "utf8"));
}

function textsOfNpm(name) {
  const file = projectPath("node_modules", name, "LICENSE");
  if (!existsSync(file)) {
    throw new Failure(`the package ${name} has no LICENSE`);
  }
  return [readFileSync(file, "utf8")];
}

const rule = (title) => `${"=".repeat(100)}\n${title}\n${"=".repeat(100)}\n`;

/** Returns the contents of LICENSE-THIRD-PARTY. */
export async function notices() {
  const crates = await cratesOfOthers();
  const npmVersion = (name) => JSON.parse(readFileSync(projectPath("node_modules", name, "package.json"), "utf8"));
  const unicode = crates.find(({ name }) => name === "unicode-ident");
  /** @type {{ title: string, texts: string[] }[]} */
  const parts = [
    {
      title: "The vocabularies o200k_base and cl100k_base of tiktoken (dist/encodings, dist/page): MIT",
      texts: [readFileSync(projectPath("scripts/notices/tiktoken.txt"), "utf8")],
    },
    {
      title: "The table of token vectors (dist/meaning, dist/page): made with all-MiniLM-L6-v2 and WordNet",
      texts: [readFileSync(projectPath("crates/meaning/LICENSE-meaning"), "utf8")],
    },
    {
      title: "Rust's standard library, with its allocator dlmalloc (in the WebAssembly): MIT OR Apache-2.0",
      texts: [
        "Copyright The Rust Project Contributors. Used under the Apache License, Version 2.0: see LICENSE-APACHE.\n",
      ],
    },
    {
      title: "Tables from the Unicode Character Database (in the WebAssembly): Unicode-3.0",
      texts: [readFileSync(join(unicode?.folder ?? "", "LICENSE-UNICODE"), "utf8")],
    },
    {
      title: "The stemming algorithms of Snowball (in the WebAssembly, by rust-stemmers): BSD-3-Clause",
      texts: [readFileSync(projectPath("scripts/notices/snowball.txt"), "utf8")],
    },
    ...Object.entries(BUNDLED).map(([name, place]) => {
      const { version, license } = npmVersion(name);
      return { title: `${name} ${version} (npm, ${place}): ${license}`, texts: textsOfNpm(name) };
    }),
    ...crates.map((crate) => ({
      title: `${crate.name} ${crate.version} (crate, in the WebAssembly): ${crate.license}`,
      texts: textsOfCrate(crate),
    })),
  ];
  // Parts with the same texts share one section.
  const sections = new Map();
  for (const { title, texts } of parts) {
    const text = texts
      .map((one) =>
        one
          .replaceAll("\r\n", "\n")
          .replace(/[ \t]+$/gm, "")
          .trim(),
      )
      .join("\n\n");
    sections.set(text, [...(sections.get(text) ?? []), title]);
  }
  const body = Array.from(sections, ([text, titles]) => `${rule(titles.join("\n"))}\n${text}\n`);
  const start = "Everything in the package that others made, with its license. scripts/notices.mjs writes this file.\n";
  return `${start}\n${body.join("\n")}`;
}

/**
 * Fails if a bundle contains a package without a notice.
 *
 * @param {string} bundle
 * @param {Iterable<string>} modules paths of the bundled modules
 */
export function checkBundled(bundle, modules) {
  for (const path of modules) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll("\\", "/"))?.[1];
    if (name !== undefined && !Object.hasOwn(BUNDLED, name)) {
      throw new Failure(`${bundle} contains ${name}: add it to scripts/notices.mjs, and run it with --write`);
    }
  }
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const text = await notices();
    if (process.argv.includes("--write")) {
      writeFileSync(FILE, text);
    } else if (text !== readFileSync(FILE, "utf8")) {
      throw new Failure("LICENSE-THIRD-PARTY is out of date: run `node scripts/notices.mjs --write`");
    }
  });
}
