// A new format of messages takes one folder and one line, and a new kind of file one folder. Everything else that knows
// them follows from the folders.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import { homeFiles, writeHomes } from "../../../scripts/homes.mjs";
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

const KIND = `import { type KnownKind, isText } from "../../kind.js";

export const zebraKind: KnownKind = {
  name: "Zebra herd",
  file: ({ herd }) => Array.isArray(herd),
  row: ({ stripe }) => isText(stripe),
  text: /^HERD /,
};
`;

const READ_FILE = `import { listIn, textIn } from "../../file.js";
import type { KindReader } from "../../readers.js";
import { chatStep } from "../said.js";
import { zebraKind } from "./kind.js";

export const zebra: KindReader = {
  kind: zebraKind,
  open: ({ herd }) => [{ rows: listIn(herd) }],
  openText: (text) => [{ rows: [{ stripe: text.slice("HERD ".length) }] }],
  rowReader: () => ({ stripe }) => chatStep({ lines: [textIn(stripe)] }),
};
`;

/** Returns the exports of a module that is added to a copy of the sources, after a check of its types. */
async function moduleIn(own, text) {
  writeFileSync(join(own, "use.ts"), text);
  await runNode("typescript/bin/tsc", ["--project", join(own, ".."), "--noEmit", "--emitDeclarationOnly", "false"]);
  const { outputFiles } = await build({
    entryPoints: [join(own, "use.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Copies the sources into a separate folder. */
function copyOfSources(name) {
  const folder = join(copy, name);
  const own = join(folder, "src");
  cpSync(sources, own, { recursive: true });
  cpSync(projectPath("pkg-template", "tsconfig.json"), join(folder, "tsconfig.json"));
  for (const part of ["package.json", "dist"]) {
    symlinkSync(projectPath("pkg-template", part), join(folder, part));
  }
  return own;
}

test("the generated files are current", () => {
  for (const [path, text] of Object.entries(homeFiles(sources))) {
    assert.equal(readFileSync(join(sources, path), "utf8"), text, `${path}: run npm run build`);
  }
});

test("a format takes one folder and one line", async () => {
  const own = copyOfSources("formats");
  mkdirSync(join(own, "formats", "zebra"));
  writeFileSync(join(own, "formats", "zebra", "read.ts"), READ);
  const list = join(own, "formats", "index.ts");
  const listed = readFileSync(list, "utf8")
    .replace(/^import \{ tanStackShape.+$/m, '$&\nimport { zebraShape } from "./zebra/read.js";')
    .replace(/^\];$/m, "  zebraShape,\n$&");
  writeFileSync(list, listed);
  writeHomes(own);

  const { read, names } = await moduleIn(own, USE);
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

test("a kind of file takes one folder", async () => {
  const own = copyOfSources("files");
  mkdirSync(join(own, "files", "apps", "zebra"));
  writeFileSync(join(own, "files", "apps", "zebra", "kind.ts"), KIND);
  writeFileSync(join(own, "files", "apps", "zebra", "read.ts"), READ_FILE);
  writeHomes(own);

  const use =
    'export { messageShapes } from "./formats/index.js";\nexport { parseTranscript } from "./files/parse.js";\n';
  const herd = [{ stripe: "Hello." }, { stripe: "It is me." }];
  const files = [JSON.stringify({ herd }), JSON.stringify(herd), "HERD Hello."];

  const named = await moduleIn(own, use);
  for (const file of files) {
    assert.throws(() => named.parseTranscript(file), {
      message:
        'This looks like a Zebra herd; "windrow/files" reads these, and isn\'t imported. Import "windrow/files" once: it has the reader.',
    });
  }

  const { parseTranscript, fileKinds } = await moduleIn(
    own,
    `${use}export { fileKinds } from "./files/apps/index.js";\n`,
  );
  const said = herd.map(({ stripe }) => ({ role: "user", content: stripe }));
  assert.deepEqual(
    files.map((file) => parseTranscript(file).messages),
    [said, said, said.slice(0, 1)],
  );
  assert.deepEqual(
    fileKinds.filter(({ name }) => name === "Zebra herd"),
    [{ name: "Zebra herd", isRead: true }],
  );
});
