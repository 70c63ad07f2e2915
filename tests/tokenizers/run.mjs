// Compares one encoding: node tests/tokenizers/run.mjs NAME VOCABULARY CLASSES STRINGS SEED [TEMPLATE MODEL]. Prints the
// result as JSON. It counts random strings, and whole chats in the models' own chat templates. TEMPLATE is the file of
// another one, for the model of this name.

import { readFileSync } from "node:fs";
import { countTokens, loadEncoding } from "windrow";
import { comparePlain, compareTools } from "./chats.mjs";
import { compare, otherwiseClassed } from "./compare.mjs";
import { REFERENCES, RENDERER, TEMPLATES } from "./references.mjs";

/** @type {any} */
const given = process.argv.slice(2);
const [name, vocabulary, classes, strings, seed, file, fileModel] = given;
const { fromPreTrained, tokenizerJSON } = await import(REFERENCES[name]);
const { Template } = await import(RENDERER);
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

/** Compares chats in one chat template. */
async function compareTemplate({ model, from, most, text, ...how }) {
  const { fromPreTrained: load, tokenizerConfig } = await import(from);
  const own = load();
  const textOf = (token) => (typeof token === "string" ? token : (token?.content ?? ""));
  const marks = { bos_token: textOf(tokenizerConfig.bos_token), eos_token: textOf(tokenizerConfig.eos_token) };
  const template = new Template(text ?? tokenizerConfig.chat_template);
  const callOf = ({ function: { arguments: json, ...rest }, ...call }) => ({
    ...call,
    function: { ...rest, arguments: how.takesJson ? json : JSON.parse(json) },
  });
  const rendered = ({ content, tool_calls: calls, ...message }) => ({
    ...message,
    content: content ?? (how.takesEmpty ? "" : null),
    ...(calls && { tool_calls: calls.map(callOf) }),
  });
  const reference = (messages, tools) => {
    const given = { messages: messages.map(rendered), ...(tools && { tools }) };
    const rendering = template.render({ ...given, add_generation_prompt: true, ...marks });
    return own.encode(rendering, { add_special_tokens: false }).length;
  };
  const count = (messages, tools = []) =>
    countTokens(messages, { encoding: name, model, budget: { tools: how.dropsTools ? [] : tools } }).tokens;
  const both = { seed: Number(seed), dropsTexts: how.dropsTexts ?? false, count, reference };
  return { model, plain: comparePlain(both), tools: most > 0 ? compareTools({ ...both, most }) : undefined };
}

const chosen =
  file === undefined
    ? TEMPLATES[name]
    : [{ ...TEMPLATES[name][0], takesJson: false, model: fileModel, text: readFileSync(file, "utf8") }];
const templates = [];
for (const one of chosen) {
  templates.push(await compareTemplate(one));
}
console.log(JSON.stringify({ ...result, templates }));
