// The table of formats in the guide matches the folders of formats: how each format is recognized, and whether windrow
// reads it, writes requests in it and has a hook. `UPDATE=1` writes the table.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { messageShapes, providers } from "windrow";

const formats = new URL("../../../pkg-template/src/formats/", import.meta.url);
const paper = new URL("../../../docs/guide.md", import.meta.url);

/** Folders that formats share. */
const SHARED = new Set(["plug", "request"]);

/** Formats that windrow only writes. Their messages are read as another format's. */
const READ_AS = { "web-llm": "read as `openai-chat`" };

const folders = readdirSync(formats, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.has(entry.name))
  .map(({ name }) => name)
  .sort();

/** How a format's messages are recognized: the comment at the top of its reader. */
function recognizedBy(folder) {
  const source = readFileSync(new URL(`${folder}/read.ts`, formats), "utf8");
  const [, words] = /^\/\/ Recognized by: (.+)\.$/m.exec(source) ?? [];
  assert.ok(words !== undefined, `formats/${folder}/read.ts has no line "// Recognized by: ….""`);
  return words;
}

/** Names that the option `shape` has for the messages of a folder. */
function shapesOf(folder) {
  const sources = readdirSync(new URL(`${folder}/`, formats)).map((file) =>
    readFileSync(new URL(`${folder}/${file}`, formats), "utf8"),
  );
  return messageShapes.filter(({ name }) => sources.some((source) => source.includes(`name: "${name}",\n  title: `)));
}

function rowOf(folder) {
  const has = (file) => existsSync(new URL(`${folder}/${file}`, formats));
  const provider = folder === "openai-chat" ? "openai" : folder;
  assert.equal(
    has("write.ts"),
    providers.some(({ name }) => name === provider),
    `${folder}/write.ts`,
  );
  const names = shapesOf(folder).map(({ name }) => `\`${name}\``);
  const cells = [
    folder,
    READ_AS[folder] ?? recognizedBy(folder),
    names.join(", "),
    has("write.ts") ? `\`request("${provider}")\`` : "",
    has("plug.ts") ? `[\`windrow/${folder}\`](frameworks.md)` : "",
  ];
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
}

test("the table of formats in the guide is current", () => {
  const rows = folders.map(rowOf);
  const table = ["| format | recognized by | `shape` | written by | hook |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
  const text = readFileSync(paper, "utf8");
  const [, begin, , end] = /^(.*<!-- formats: begin.*? -->\n)(.*)(<!-- formats: end -->\n.*)$/s.exec(text) ?? [];
  const expected = `${begin}\n${table}\n\n${end}`;
  if (process.env.UPDATE) {
    writeFileSync(paper, expected);
  }
  assert.equal(readFileSync(paper, "utf8"), expected, "run: UPDATE=1 node --test tests/package/docs/formats.test.mjs");
});

test("every shape belongs to one folder", () => {
  assert.deepEqual(
    folders
      .flatMap(shapesOf)
      .map(({ name }) => name)
      .sort(),
    messageShapes.map(({ name }) => name).sort(),
  );
});
