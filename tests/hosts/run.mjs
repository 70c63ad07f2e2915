// Runs the hosts, and compares the result of each for the same conversation with Node's, byte for byte.
//
//   node run.mjs [--core] [--write] [HOST …]

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { coreHosts, hosts } from "./hosts.mjs";
import { closeBrowser } from "./support/browser.mjs";
import { judge } from "./support/judge.mjs";

const page = new URL("../../docs/hosts.md", import.meta.url);
const flags = process.argv.slice(2).filter((option) => option.startsWith("--"));
const names = process.argv.slice(2).filter((option) => !option.startsWith("--"));

/** Node's own result for the conversation, with the package installed here. */
async function expectedOutcome() {
  const { buildContext, memoryStore, openSession } = await import("windrow");
  const { outcomeOf } = await import("./shared/conversation.js");
  return await outcomeOf({ buildContext, openSession }, memoryStore());
}

/** Runs the checks of a host one after another. Returns a table row for each. */
async function runHost(host, expected) {
  const rows = [];
  for (const check of host.checks) {
    const started = performance.now();
    const { what } = check;
    const row = { host: host.name, what, ...(await judge(check, expected)), version: await host.version() };
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const mark = row.failure ? "✗" : "✓";
    console.log(`${mark} ${row.host} ${row.version}, ${what}: ${row.result} (${seconds} s)`);
    for (const note of row.notes ?? []) {
      console.log(`    ${note}`);
    }
    if (row.failure) {
      console.log(
        String(row.failure.stack ?? row.failure)
          .replaceAll(/^/gm, "    ")
          .slice(0, 6000),
      );
    }
    rows.push(row);
  }
  return rows;
}

function tableOf(rows) {
  const date = new Date().toISOString().slice(0, 10);
  return [
    "| host | version | what | result | date |",
    "|---|---|---|---|---|",
    ...rows.map(({ host, version, what, result }) => `| ${host} | ${version} | ${what} | ${result} | ${date} |`),
  ].join("\n");
}

const unknown = names.filter((name) => !hosts.some((host) => host.folder === name));
assert.deepEqual(unknown, [], `hosts are called ${hosts.map(({ folder }) => folder).join(", ")}`);
const chosen = flags.includes("--core")
  ? coreHosts
  : hosts.filter(({ folder }) => names.length === 0 || names.includes(folder));
const expected = await expectedOutcome();
assert.ok(JSON.parse(expected.context).isExact, "the conversation is counted exactly");
const rows = [];
try {
  for (const host of chosen) {
    rows.push(...(await runHost(host, expected)));
  }
} finally {
  await closeBrowser();
}
if (flags.includes("--write")) {
  assert.equal(chosen.length, hosts.length, "the table is that of a full run");
  const place = /(<!-- hosts -->\n)[\s\S]*?(<!-- \/hosts -->)/;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(place, (_, before, after) => `${before}${tableOf(rows)}\n${after}`),
  );
}
const failed = rows.filter(({ failure }) => failure !== undefined);
console.log(`\n${rows.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
