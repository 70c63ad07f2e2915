// A new format takes one folder and one line. Everything else that knows formats follows from the folders.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import { formatFiles, writeFormats } from "../../../scripts/formats.mjs";
import { projectPath, runNode } from "../../../scripts/project.mjs";

const sources = projectPath("pkg-template", "src");

mkdirSync(projectPath(".cache"), { recursive: true });
const copy = mkdtempSync(projectPath(".cache", "formats-"));
after(() => rmSync(copy, { recursive: true }));

const READ = `// Recognized by: \`stripes\`.
import type { MessageFormat } from "../../message/format.js";
import { list, required } from "../../message/malformed.js";

export interface ZebraMessageShape {
  readonly stripes: readonly string[];
}

export const zebraShape: MessageFormat = {
  name: "zebra",
  title: "Zebra message",
  signs: ["stripes"],
  fields: new Set(["role", "stripes"]),
  fits: ({ stripes }) => Array.isArray(stripes),
  read: ({ stripes }) => ({
    role: "user",
    content: list(stripes, ".stripes").map((text, at) => ({ type: "text", text: required(text, \`.stripes[\${at}]\`) })),
  }),
  withText: (row, text) => ({ ...row, stripes: [text] }),
  withoutToolCalls: (row) => row,
};
`;

const USE = `
import type { AnyMessage } from "./formats/any-message.js";
import { messageShapes, plainMessage } from "./formats/index.js";

const message: { stripes: string[] } = { stripes: ["Hello.", "It is me."] };
const messages: readonly AnyMessage[] = [message, { role: "user", ...message }];
export const read: readonly unknown[] = messages.map((one) => plainMessage(one));
export const names: readonly string[] = messageShapes.map(({ name }) => name);
`;

test("the generated files are current", () => {
  for (const [name, text] of Object.entries(formatFiles(join(sources, "formats")))) {
    assert.equal(readFileSync(join(sources, "formats", name), "utf8"), text, `${name}: run npm run build`);
  }
});

test("a format takes one folder and one line", async () => {
  const own = join(copy, "src");
  cpSync(sources, own, { recursive: true });
  cpSync(projectPath("pkg-template", "tsconfig.json"), join(copy, "tsconfig.json"));
  for (const name of ["package.json", "dist"]) {
    symlinkSync(projectPath("pkg-template", name), join(copy, name));
  }
  mkdirSync(join(own, "formats", "zebra"));
  writeFileSync(join(own, "formats", "zebra", "read.ts"), READ);
  const list = join(own, "formats", "index.ts");
  const listed = readFileSync(list, "utf8")
    .replace(/^import \{ tanStackShape.+$/m, '$&\nimport { zebraShape } from "./zebra/read.js";')
    .replace(/^\];$/m, "  zebraShape,\n$&");
  writeFileSync(list, listed);
  writeFileSync(join(own, "use.ts"), USE);
  writeFormats(join(own, "formats"));

  await runNode("typescript/bin/tsc", ["--project", copy, "--noEmit", "--emitDeclarationOnly", "false"]);
  const { outputFiles } = await build({
    entryPoints: [join(own, "use.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const { read, names } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  const expected = {
    role: "user",
    content: [
      { type: "text", text: "Hello." },
      { type: "text", text: "It is me." },
    ],
  };
  assert.deepEqual(read, [expected, expected]);
  assert.ok(names.includes("zebra"));
});
