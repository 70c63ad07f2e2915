// Compares exact counts by a vocabulary file with independent tokenizers, which it installs into tests/tokenizers. It
// compares random strings, and random chats in the models' chat templates.
//
//   npm run tokenizers [-- NAME…] [--strings N] [--seed N]    all encodings, or those with these names
//   npm run tokenizers -- NAME --template FILE --model MODEL  with another chat template, for a model of this name
//
// The command fails if the count of a string or of a plain chat differs, or if that of a chat with tools is too low. A
// string may differ by a character that this Node's Unicode version classifies differently.

import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { REFERENCES } from "../tests/tokenizers/references.mjs";
import { build } from "./build.mjs";
import { Failure, isProgram, outputOf, projectPath, runProgram, step } from "./project.mjs";
import { installNpmPackages, setUp } from "./setup.mjs";

const PACKAGES = "tests/tokenizers";
const FOLDER = projectPath(".cache", "tokenizers");

/** The number of strings per encoding, unless `--strings` sets it. */
const STRINGS = 20_000;

/** Compares encodings, and prints a line for each. */
export async function compareTokenizers(names = Object.keys(REFERENCES), strings = STRINGS, seed = 1, template = []) {
  mkdirSync(FOLDER, { recursive: true });
  const classes = await outputOf("cargo", ["run", "--quiet", "--package", "windrow-encoding", "--example", "classes"]);
  writeFileSync(`${FOLDER}/classes.txt`, classes);
  await makeVocabularies(names);
  const wrong = [];
  for (const name of names) {
    await step(`${name} and ${REFERENCES[name]}`, async () => {
      const options = [`${FOLDER}/${name}.bin`, `${FOLDER}/classes.txt`, String(strings), String(seed), ...template];
      const result = JSON.parse(await outputOf(process.execPath, [projectPath(PACKAGES, "run.mjs"), name, ...options]));
      for (const { text, counted, expected } of result.shown) {
        wrong.push(`${name} counts ${counted} tokens, not ${expected}, in ${JSON.stringify(text)}`);
      }
      const lines = result.templates.map(({ model, plain, tools }) => {
        for (const { roles, counted, expected } of [...plain.differences, ...(tools?.differences ?? [])]) {
          wrong.push(`${model}: ${counted} tokens, not ${expected}, in a chat of ${roles.join(", ")}`);
        }
        const more = tools && `${((tools.counted / tools.expected - 1) * 100).toFixed(1)} % more`;
        const withTools = tools && `; with tools ${tools.exact} of ${tools.chats}, and ${more} in total`;
        return `${model}: exact in ${plain.exact} of ${plain.chats} plain chats${withTools ?? ""}`;
      });
      const apart = result.othersDiffer > 0 ? `, and ${result.othersDiffer} by this Node's Unicode` : "";
      const texts = `${result.strings} strings of ${result.tokens} tokens: ${result.differences} differences${apart}`;
      return [texts, ...lines].join("\n  ");
    });
  }
  if (wrong.length > 0) {
    throw new Failure(wrong.join("\n"));
  }
}

/** Installs the tokenizers, makes the vocabularies of these encodings, and returns their folder. */
export async function makeVocabularies(names) {
  await installNpmPackages(PACKAGES, []);
  mkdirSync(FOLDER, { recursive: true });
  for (const name of names) {
    const file = projectPath(PACKAGES, "node_modules", REFERENCES[name], "models", "tokenizer.json");
    const program = projectPath("node_modules", ".bin", "windrow");
    await outputOf(process.execPath, [program, "vocabulary", file, "--write", `${FOLDER}/${name}.bin`]);
  }
  return FOLDER;
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const { values, positionals } = parseArgs({
      options: {
        strings: { type: "string" },
        seed: { type: "string" },
        template: { type: "string" },
        model: { type: "string" },
      },
      allowPositionals: true,
    });
    const unknown = positionals.find((name) => !Object.hasOwn(REFERENCES, name));
    if (unknown !== undefined) {
      throw new Failure(`there is no encoding "${unknown}" here; there are ${Object.keys(REFERENCES).join(", ")}`);
    }
    const { template, model } = values;
    if ((template === undefined) !== (model === undefined) || (template !== undefined && positionals.length !== 1)) {
      throw new Failure("--template needs one encoding and --model");
    }
    await setUp("build");
    await build();
    const names = positionals.length > 0 ? positionals : undefined;
    const other = template === undefined ? [] : [template, model];
    await compareTokenizers(names, Number(values.strings ?? STRINGS), Number(values.seed ?? 1), other);
  });
}
