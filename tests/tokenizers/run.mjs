// Compares one encoding: node tests/tokenizers/run.mjs NAME VOCABULARY CLASSES STRINGS SEED. Prints the result as JSON.
// It counts random strings, and whole chats in the model's own chat template.

import { readFileSync } from "node:fs";
import { countTokens, loadEncoding } from "windrow";
import { compare, compareChats, otherwiseClassed } from "./compare.mjs";
import { REFERENCES, TEMPLATES } from "./references.mjs";

/** @type {any} */
const given = process.argv.slice(2);
const [name, vocabulary, classes, strings, seed] = given;
const { fromPreTrained, tokenizerJSON, tokenizerConfig } = await import(REFERENCES[name]);
const { Template } = await import(TEMPLATES);
const tokenizer = fromPreTrained();
await loadEncoding({ name, bytes: readFileSync(vocabulary) });

/** The byte of each letter in the file. */
let next = 0x100;
const bytes = new Map(
  Array.from({ length: 256 }, (_, byte) => {
    const isSeen = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return [String.fromCharCode(isSeen ? byte : next++), byte];
  }),
);
const decoder = new TextDecoder();
const special = tokenizerJSON.added_tokens.map(({ content }) => content);
const tokens = Object.keys(tokenizerJSON.model.vocab)
  .filter((token) => [...token].every((letter) => bytes.has(letter)))
  .map((token) => decoder.decode(Uint8Array.from([...token].map((letter) => bytes.get(letter)))))
  .filter((text) => !text.includes("\ufffd"));
const composes = tokenizerJSON.normalizer?.type === "NFC";
const result = compare({
  strings: Number(strings),
  seed: Number(seed),
  tokens,
  special,
  others: otherwiseClassed(readFileSync(classes, "utf8")),
  count: (text) => countTokens(composes ? text.normalize("NFC") : text, { encoding: name }).tokens,
  reference: (text) => tokenizer.encode(text, { add_special_tokens: false }).length,
});
const template = new Template(tokenizerConfig.chat_template);
const textOf = (token) => (typeof token === "string" ? token : (token?.content ?? ""));
const marks = { bos_token: textOf(tokenizerConfig.bos_token), eos_token: textOf(tokenizerConfig.eos_token) };
const chats = compareChats({
  seed: Number(seed),
  count: (messages) => countTokens(messages, { encoding: name }).tokens,
  reference: (messages) => {
    const text = template.render({ messages, add_generation_prompt: true, ...marks });
    return tokenizer.encode(text, { add_special_tokens: false }).length;
  },
});
console.log(JSON.stringify({ ...result, chats }));
