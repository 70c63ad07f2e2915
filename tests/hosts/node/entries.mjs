// Imports or requires every entry, and prints its exports.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { exports } = JSON.parse(readFileSync(require.resolve("windrow/package.json"), "utf8"));
// Entries that every Node version can load: no bytes, no newer syntax, and not the entry that needs React.
const entries = Object.keys(exports).filter((name) => !/\.(?:wasm|json|bin)$|^\.\/(?:module|react)$/.test(name));
const names = entries.flatMap((name) =>
  name.endsWith("*") ? ["o200k_base", "cl100k_base"].map((encoding) => name.replace("*", encoding)) : [name],
);
const found = {};
for (const name of names.map((entry) => `windrow${entry.slice(1)}`)) {
  found[name] = Object.keys(process.argv[2] === "require" ? require(name) : await import(name)).sort();
}
console.log(JSON.stringify(found));
