// The package itself: checked by publint and attw, and its types in a project with the types of one host or of none.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { outputOf, packageFolder, versionOf } from "../../support/programs.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const packed = fileURLToPath(new URL("../../../../.cache/packed/", import.meta.url));
const passes = { result: "passes" };

async function lintPackage() {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const pkgDir = packageFolder("windrow");
  const { messages } = await publint({ pkgDir, strict: true });
  const pkg = JSON.parse(readFileSync(`${pkgDir}/package.json`, "utf8"));
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  );
  return passes;
}

async function checkTypes() {
  const attw = `${packageFolder("@arethetypeswrong/cli")}/dist/index.js`;
  const [file] = readdirSync(packed);
  await outputOf(process.execPath, [attw, `${packed}${file}`, "--profile", "esm-only", "--format", "table"]);
  return passes;
}

/** Checks the declarations of all entries with TypeScript but without any host's types. */
async function checkWithoutHost() {
  const { exports } = JSON.parse(readFileSync(`${packageFolder("windrow")}/package.json`, "utf8"));
  // IndexedDB exists only in pages.
  const names = Object.keys(exports).filter((name) => !/\*|json$|indexeddb$/.test(name));
  mkdirSync(`${folder}dist`, { recursive: true });
  const imports = names.map((name, at) => `export * as entry${at} from "windrow${name.slice(1)}";`);
  writeFileSync(`${folder}dist/all.ts`, imports.join("\n"));
  const modules = { target: "es2022", module: "nodenext", lib: ["es2023"], types: [] };
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false };
  const options = { compilerOptions: { ...modules, ...strict }, include: ["all.ts"] };
  writeFileSync(`${folder}dist/tsconfig.json`, JSON.stringify(options));
  await outputOf(process.execPath, [`${packageFolder("typescript")}/bin/tsc`, "--project", `${folder}dist`]);
  return passes;
}

const tool = (name, folderName, what, run) => ({
  name,
  folder: "package",
  version: () => versionOf(folderName),
  checks: [{ what, gives: [], run }],
});

export const packageTools = [
  tool("publint", "publint", "the package, `strict`", lintPackage),
  tool("attw", "@arethetypeswrong/cli", "the types of every entry, `--profile esm-only`", checkTypes),
  tool("TypeScript", "typescript", "the types of every entry without the DOM's, or any host's", checkWithoutHost),
];
