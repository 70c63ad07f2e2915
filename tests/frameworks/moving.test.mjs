// The examples of docs/moving.md, run with the real packages and scripted models: the old way loses the answer, and
// windrow keeps it.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { scriptedModel, tokensIn } from "./support.mjs";

const page = readFileSync(new URL("../../docs/moving.md", import.meta.url), "utf8");
const blocks = Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code);
const folder = new URL("./.moving/", import.meta.url);
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a block with the values that it leaves to the reader, and returns a value that it defines. */
async function run(at, name, given = {}) {
  mkdirSync(folder, { recursive: true });
  globalThis.given = given;
  const file = new URL(`block-${at}.mjs`, folder);
  const names = Object.keys(given).join(", ");
  writeFileSync(file, `const { ${names} } = globalThis.given;\n${blocks[at]}\nexport { ${name} };\n`);
  return (await import(file.href))[name];
}

/** A chat of two with the answer in its first message. */
const chat = (count) => [
  { role: "user", content: "The boat house is free on 12 June." },
  ...Array.from({ length: count }, (_, at) => [
    { role: "user", content: `What does part ${at} cost?` },
    { role: "assistant", content: `Part ${at} costs ${at} euros. ${"It is sold by the shop at the lake. ".repeat(8)}` },
  ]).flat(),
  { role: "user", content: "On which day is the boat house free?" },
];

const hasAnswer = (list) => list.some(({ content }) => JSON.stringify(content).includes("12 June"));

test("trimMessages loses the answer, and windrow keeps it", async () => {
  const trimmed = await run(0, "trimmed");
  const kept = await run(1, "kept");
  assert.equal(hasAnswer(trimmed), false);
  assert.equal(hasAnswer(kept), true);
  assert.ok(kept.every((message) => typeof message.getType === "function"));
});

test("pruneMessages exceeds the budget, and windrow keeps the answer within it", async () => {
  const messages = chat(200);
  const before = scriptedModel();
  await run(2, "pruned", { messages, model: before.model });
  assert.ok(tokensIn(before.seen[0]) > 8000);
  const after = scriptedModel();
  const context = await run(3, "context", { messages, model: after.model });
  assert.ok(context.tokens.total <= 8000);
  assert.ok(hasAnswer(after.seen[0]));
});

test("TokenLimiter loses the answer, and windrow keeps it", async () => {
  const messages = chat(200);
  for (const [at, isKept] of [
    [4, false],
    [5, true],
  ]) {
    const { model, seen } = scriptedModel();
    const agent = await run(at, "agent", { model });
    await agent.generate(messages);
    assert.equal(hasAnswer(seen[0]), isKept);
  }
});
