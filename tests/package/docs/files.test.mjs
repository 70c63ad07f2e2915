// The tables of docs/files.md match the readers. `UPDATE=1 node --test tests/package/docs/files.test.mjs` writes them.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileKinds } from "windrow/files";
import { APP_FILES, namesOfUnread, tableOfKinds } from "../support/app-files.mjs";
import { sources } from "../support/sources.mjs";

const place = new URL("../../../docs/files.md", import.meta.url);

test("docs/files.md has every kind of file", () => {
  const text = readFileSync(place, "utf8");
  let current = text;
  for (const [name, body] of Object.entries({
    kinds: tableOfKinds(fileKinds),
    unread: `${namesOfUnread(fileKinds)}.`,
  })) {
    const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    assert.ok(current.includes(start) && current.includes(end), `it has a place for ${name}`);
    const [before, rest] = [current.slice(0, current.indexOf(start)), current.slice(current.indexOf(end))];
    current = `${before}${start}\n${body}\n${rest}`;
  }
  if (process.env.UPDATE !== undefined && current !== text) {
    writeFileSync(place, current);
  }
  assert.equal(process.env.UPDATE === undefined ? text : current, current, "UPDATE=1 writes it");
});

test("every reader has a writer in the tests, and so a row in the table", async () => {
  const { KINDS, LOGS } = await sources("files/index.ts", "files/rows.ts");
  const written = new Set(APP_FILES.flatMap(({ kind, names = [kind] }) => names));
  const readers = [...KINDS, ...LOGS, ...fileKinds.filter(({ isRead }) => isRead)];
  const lacking = readers.map(({ name }) => name).filter((name) => !written.has(name));
  assert.deepEqual(lacking, ["file of another app"]); // the readers of `fileKinds`
});
