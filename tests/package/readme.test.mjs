// The README's examples run as they stand there, and their comments and outputs are true.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { replay } from "windrow";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const folder = new URL("../../.cache/readme/", import.meta.url);
const program = fileURLToPath(new URL("../../pkg-template/bin/windrow.js", import.meta.url));

/** The examples of a language, each with the text of the README after it. */
function examplesIn(language) {
  const found = readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return Array.from(found, ({ 0: whole, 1: code, index }) => ({ code, after: readme.slice(index + whole.length) }));
}

const examples = examplesIn("js");
const ran = new Set();

/** The one example that has these words. */
function exampleWith(words) {
  const found = examples.filter(({ code }) => code.includes(words));
  assert.equal(found.length, 1, `the README has one example with ${words}`);
  return found[0];
}

/** Runs an example as a module of its own, and gives what it names. */
function run(example, ...names) {
  const position = examples.indexOf(example);
  ran.add(position);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`example-${position}.mjs`, folder);
  writeFileSync(file, `${example.code}\nexport { ${names.join(", ")} };\n`);
  return import(file.href);
}

/** What an example says behind a line. */
function comment({ code }, line) {
  const found = code.split("\n").find((text) => text.startsWith(line));
  assert.ok(found, `the example has a line that begins ${line}`);
  return found.slice(found.indexOf("//") + 2).trim();
}

/** A value as the examples write it. */
function written(value) {
  const inside = (entries) => (entries.length === 0 ? "" : ` ${entries.join(", ")} `);
  if (Array.isArray(value)) {
    return `[${value.map(written).join(", ")}]`;
  }
  return typeof value === "object"
    ? `{${inside(Object.entries(value).map(([key, element]) => `${key}: ${written(element)}`))}}`
    : JSON.stringify(value);
}

/** The text that stands below an example as its output. */
function outputBelow({ after }) {
  const found = after.match(/^\n\n```text\n(.*?)\n```$/ms);
  assert.ok(found?.index === 0, "the output stands right below the example");
  return found[1];
}

test("the first example keeps, leaves out and counts what its comments say", async () => {
  const example = exampleWith("What did we decide about the venue?");
  assert.equal(example, examples[0]);
  const { context, messages } = await run(example, "context", "messages");
  const ids = context.kept.map((message) => message.id);
  assert.ok(comment(example, "context.messages;").endsWith(`${ids.join(", ")} and the request`));
  assert.equal(context.messages.at(-1).content, "What did we decide about the venue?");
  assert.ok(context.kept.every((message) => messages.includes(message)));
  assert.equal(comment(example, "context.tokens.total;"), `${context.tokens.total}, counted exactly`);
  assert.equal(context.tokens.exact, true);
  const { fate, stage, words } = context.explain("2");
  const said = comment(example, 'context.explain("2");');
  assert.ok(said.includes(`fate: "${fate}", stage: "${stage}", words: "${words.split(":")[0]}:`), said);
});

test("the example of a vocabulary that is handed over runs", async () => {
  await run(exampleWith("windrow/encodings/o200k_base"), "o200k");
});

test("the example of the parts runs, and replays to the same", async () => {
  const example = exampleWith("createTranscript");
  const { context, again, countTokens } = await run(example, "context", "again", "countTokens");
  assert.equal(again.same, true);
  assert.ok(context.text.includes("At Rosa's, at eight."));
  assert.equal(comment(example, 'countTokens("How many is this?");'), written(countTokens("How many is this?")));
});

test("the example of triage gives the text below it, and its hook is not asked again", async () => {
  const example = exampleWith("presets.triaged");
  const { context, messages } = await run(example, "context", "messages");
  assert.equal(context.text, outputBelow(example));
  assert.equal(comment(example, 'context.explain("3").words;'), written(context.explain("3").words));
  assert.deepEqual(
    context.recording.answers.map(({ hook, outcome, ids }) => ({ hook, outcome, ids })),
    [{ hook: "triage.select", outcome: "given", ids: ["1"] }],
  );
  assert.equal((await replay(context.recording, messages)).same, true);
});

test("the example of a turn is made of what its comments say", async () => {
  const example = exampleWith("presets.turnContract");
  const { context } = await run(example, "context");
  assert.ok(comment(example, "context.messages.length;").startsWith(`${context.messages.length}:`));
  assert.deepEqual(
    context.messages.map(({ content }) => content.split(/[\s:]/)[0]),
    ["Find", "I", "Last", "Tool", "Which"],
  );
  assert.equal(context.sections[5].id, "toolSnippets");
  assert.equal(comment(example, "context.sections[5].items;"), written(context.sections[5].items));
  assert.equal(comment(example, "context.tokens.total;"), `${context.tokens.total} of ${context.tokens.limit}`);
  assert.equal(comment(example, "context.snapshot.sourceCounts;"), written(context.snapshot.sourceCounts));
});

test("the example of conversations gives the text below it", async () => {
  const example = exampleWith("presets.tiered");
  const { context } = await run(example, "context");
  assert.equal(context.text, outputBelow(example));
  const labels = context.conversations.map(({ label }) => label);
  assert.equal(comment(example, "context.conversations.map"), written(labels));
});

test("every example was run", () => {
  assert.deepEqual([...ran].sort(), [...examples.keys()]);
});

test("the lines for the shell do what stands there", () => {
  mkdirSync(folder, { recursive: true });
  const cwd = mkdtempSync(join(fileURLToPath(folder), "shell-"));
  try {
    writeFileSync(join(cwd, "chat.json"), JSON.stringify([{ role: "user", content: "What did we decide?" }]));
    const lines = examplesIn("sh").flatMap(({ code }) => code.split("\n"));
    const own = lines.filter((line) => line.startsWith("npx windrow "));
    assert.equal(own.length, 3);
    for (const line of own) {
      const [command, said] = line.split("#").map((part) => part.trim());
      const words = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words.slice(2)], {
        cwd,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      assert.ok(said === undefined || stdout.startsWith(said.replace("…", "")), `${line}: ${stdout}`);
    }
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
