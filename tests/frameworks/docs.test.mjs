// Every code block of the README and the docs compiles with the types of the real packages. TypeScript is checked
// strictly. JavaScript is checked as JavaScript, so types of parameters may be left open.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/** Names that blocks leave to the reader, with their types. */
const LEFT = {
  apiKey: "string",
  askFastModel: "(prompt: string, model: string, signal: AbortSignal) => Promise<string>",
  config: 'import("windrow").ContextConfig',
  id: "string",
  instructions: "string",
  key: "CryptoKey",
  messages: 'import("ai").ModelMessage[]',
  model: "any",
  name: "string",
  request: "string",
  text: "string",
  tools: "any",
};

const root = new URL("../../", import.meta.url);
const folder = new URL(".docs/", import.meta.url);

function blocks() {
  const papers = ["README.md", ...readdirSync(new URL("docs/", root)).map((name) => `docs/${name}`)];
  return papers.flatMap((paper) => {
    const found = readFileSync(new URL(paper, root), "utf8").matchAll(/^```(js|ts)\n(.*?)^```$/gms);
    return Array.from(found, ([, language, code], at) => ({ paper, language, code, at }));
  });
}

/** Returns declarations for the names that a TypeScript block leaves to the reader. */
function declarations(code) {
  const left = Object.entries(LEFT).filter(
    ([name]) => new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`const [^=]*\\b${name}\\b`).test(code),
  );
  return left.map(([name, type]) => `declare const ${name}: ${type};\n`).join("");
}

/** Writes a block as a file that can import other blocks by the file names in their first lines. */
function fileOf({ paper, language, code, at }) {
  const own = /^\/\/ (\S+\.mjs)\n/.exec(code)?.[1];
  const name = own ?? `${paper.replace(/^.*\/|\.md$/g, "")}-${at}.${language === "ts" ? "mts" : "mjs"}`;
  writeFileSync(new URL(name, folder), `${language === "ts" ? declarations(code) : ""}${code}\nexport {};\n`);
  return name;
}

/** Returns the compiler's errors as text, or an empty text if everything compiles. */
function errorsIn(files, options) {
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    noUncheckedIndexedAccess: false,
    types: ["node"],
  };
  const config = {
    extends: "../tsconfig.json",
    compilerOptions: { ...compilerOptions, ...options },
    include: [],
    files: [...files, "../../package/support/workerd.d.ts"],
  };
  writeFileSync(new URL("tsconfig.json", folder), JSON.stringify(config));
  return spawnSync(process.execPath, [compiler, "--project", fileURLToPath(folder)], { encoding: "utf8" }).stdout;
}

test("every block of code compiles", () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const all = blocks().map((block) => ({ ...block, file: fileOf(block) }));
  const filesOf = (language) => all.filter((block) => block.language === language).map(({ file }) => file);
  assert.ok(filesOf("ts").length > 5 && filesOf("js").length > 15);
  const javaScript = { allowJs: true, checkJs: true, noImplicitAny: false };
  assert.equal(errorsIn(filesOf("ts"), {}), "");
  assert.equal(errorsIn(filesOf("js"), javaScript), "");
  // An invalid block is reported.
  writeFileSync(
    new URL("wrong.mjs", folder),
    'import { buildContext } from "windrow";\nbuildContext([], { budget: { tokens: 5 } });\n',
  );
  assert.match(errorsIn(["wrong.mjs"], javaScript), /wrong\.mjs\(2,/);
  rmSync(folder, { recursive: true });
});
