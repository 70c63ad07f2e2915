// The README's examples run as they stand there, and their comments are true.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const folder = new URL("../../.cache/readme/", import.meta.url);
const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]);

/** Runs an example as a module of its own, and gives what it names. */
function run(position, ...names) {
  mkdirSync(folder, { recursive: true });
  const file = new URL(`example-${position}.mjs`, folder);
  writeFileSync(file, `${examples[position]}\nexport { ${names.join(", ")} };\n`);
  return import(file.href);
}

/** What the README says behind a line. */
function comment(line) {
  const found = readme.split("\n").find((text) => text.startsWith(line));
  assert.ok(found, `the README has a line that begins ${line}`);
  return found.slice(found.indexOf("//") + 2).trim();
}

test("the first example keeps, leaves out and counts what its comments say", async () => {
  const { context, messages } = await run(0, "context", "messages");
  const ids = context.kept.map((message) => message.id);
  assert.ok(comment("context.messages;").endsWith(`${ids.join(", ")} and the request`));
  assert.equal(context.messages.at(-1).content, "What did we decide about the venue?");
  assert.ok(context.kept.every((message) => messages.includes(message)));
  assert.equal(comment("context.tokens.total;"), `${context.tokens.total}, counted exactly`);
  assert.equal(context.tokens.exact, true);
  const { fate, stage, words } = context.explain("2");
  const said = comment('context.explain("2");');
  assert.ok(said.includes(`fate: "${fate}", stage: "${stage}", words: "${words.split(":")[0]}:`), said);
});

test("the example of a vocabulary that is handed over runs", async () => {
  await run(1, "o200k");
});

test("the example of the parts runs, and replays to the same", async () => {
  const { context, again, countTokens } = await run(2, "context", "again", "countTokens");
  assert.equal(again.same, true);
  assert.ok(context.text.includes("At Rosa's, at eight."));
  const { tokens, exact } = countTokens("How many is this?");
  assert.equal(comment('countTokens("How many is this?");'), `{ tokens: ${tokens}, exact: ${exact} }`);
});
