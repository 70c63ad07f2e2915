// The table of the package's parts in docs/hosts.md is true. `UPDATE=1 node --test tests/package/docs/pack.test.mjs`
// writes it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const place = new URL("../../../docs/hosts.md", import.meta.url);
const folder = new URL("../../../pkg-template/", import.meta.url);
const [START, END] = ["<!-- parts of the package -->", "<!-- end of parts of the package -->"];

/**
 * The parts, by the first pattern that a file's path matches.
 *
 * @type {[name: string, pattern: RegExp, use: string][]}
 */
const PARTS = [
  [
    "`dist/page`",
    /^dist\/page\//,
    "the studio, which `npx windrow studio` and `windrow/inspect` serve, with copies of the core, the vocabularies and the table, so that the folder alone works on any static host",
  ],
  [
    "`dist/meaning`",
    /^dist\/meaning\//,
    "the table of token vectors: `.bin` for Node and your own loading, `.js` for pages, which fetch it when a build first ranks by meaning",
  ],
  [
    "`dist/encodings`",
    /^dist\/encodings\//,
    "the vocabularies, `.bin` and `.js` as above; a page fetches the one that it counts in",
  ],
  [
    "`dist/*.wasm`",
    /^dist\/[^/]*\.wasm$/,
    "the core and the ranking module, for Node, workers, the edge and your own loading",
  ],
  [
    "`dist/core`, `dist/shared-*.js`",
    /^dist\/(?:core\/|shared-)/,
    "both modules as base64, for pages and bundlers that load no WebAssembly files; the binding, and code that entries share",
  ],
  ["other `dist/*.js`", /^dist\/[^/]*\.js$/, "the entries"],
  ["`dist/types`", /^dist\/(?:types\/|[^/]*\.d\.ts$)/, "the types"],
  [
    "`bin`, `docs`, `examples`, `*.md`, licenses",
    /^(?:bin|docs|examples)\/|^[A-Z]+\.md$|^LICENSE-|^package\.json$/,
    "the command, and the docs and recipes, which tools for coding read next to the code",
  ],
];

const rounded = (bytes) => (bytes / 1e6).toFixed(2);

/** Rows of the table from the files that npm packs. */
function rowsOfPackage() {
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const [{ files }] = JSON.parse(stdout);
  const found = new Map();
  for (const { path } of files) {
    const part = PARTS.find(([, pattern]) => pattern.test(path)) ?? assert.fail(`${path} belongs to no part`);
    found.set(part, [...(found.get(part) ?? []), readFileSync(new URL(path, folder))]);
  }
  return PARTS.map((part) => {
    const content = Buffer.concat(found.get(part) ?? assert.fail(`no file is in ${part[0]}`));
    return { part, unpacked: rounded(content.length), packed: rounded(gzipSync(content, { level: 9 }).length) };
  });
}

test("docs/hosts.md has the parts of the package and their sizes", () => {
  const text = readFileSync(place, "utf8");
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  assert.ok(start >= 0 && end > start);
  const rows = rowsOfPackage();
  if (process.env.UPDATE !== undefined) {
    const lines = rows.map(
      ({ part: [name, , use], unpacked, packed }) => `| ${name} | ${unpacked} | ${packed} | ${use} |`,
    );
    const table = ["| | unpacked, MB | packed, MB | for |", "|---|---|---|---|", ...lines].join("\n");
    writeFileSync(place, `${text.slice(0, start)}${START}\n${table}\n${text.slice(end)}`);
    return;
  }
  const table = text.slice(start, end);
  for (const {
    part: [name, , use],
    ...sizes
  } of rows) {
    const row = table.split("\n").find((line) => line.startsWith(`| ${name} | `)) ?? assert.fail(`no row for ${name}`);
    const [, , unpacked, packed, written] = row.split("|").map((cell) => cell.trim());
    assert.equal(written, use);
    for (const [now, then] of [
      [sizes.unpacked, unpacked],
      [sizes.packed, packed],
    ]) {
      const difference = Math.abs(Number(now) - Number(then));
      assert.ok(difference <= 0.02 + 0.05 * Number(now), `${name}: ${then} MB are ${now} MB now: UPDATE=1 writes them`);
    }
  }
});
