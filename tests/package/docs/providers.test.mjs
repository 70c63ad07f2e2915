// The rules in docs/providers.md match those that check requests.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { providers, servers } from "windrow";

const paper = new URL("../../../docs/providers.md", import.meta.url);

/** A source as a link: a thread by its project and number, or a page by its host. */
function linkOf(source) {
  const { host, pathname } = new URL(source);
  const thread = /^\/([^/]+)\/([^/]+)\/(?:issues|pull)\/(\d+)$/.exec(pathname);
  return `[${thread === null ? host : `${thread[1]}/${thread[2]}#${thread[3]}`}](${source})`;
}

function rulesInWords() {
  return providers
    .map(({ name, title, rules }) => {
      const rows = rules.map(({ id, demands, sources, models }) => {
        const words = demands.replace(/\/(\^\S*\$)\//g, "`$1`").replaceAll("|", "\\|");
        return `| \`${id}\` | ${words}${models === undefined ? "" : ` Holds for ${models}.`} | ${sources.map(linkOf).join(", ")} |`;
      });
      return `### ${title}\n\n\`${name}\`\n\n| rule | | source |\n|---|---|---|\n${rows.join("\n")}\n`;
    })
    .join("\n");
}

function serversInWords() {
  const rows = servers.map(({ name, takesFields, sources }) => {
    return `| \`${name}\` | ${takesFields ? "yes" : "no"} | ${sources.map(linkOf).join(", ")} |`;
  });
  return `| server | gets its fields back | source |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** Checks the text between two markers of the page, and writes it if `UPDATE` is set. */
function checkPart(name, words) {
  const text = readFileSync(paper, "utf8");
  const pattern = new RegExp(`^(.*<!-- ${name}: begin.*? -->\\n)(.*)(<!-- ${name}: end -->\\n.*)$`, "s");
  const [, before, , after] = pattern.exec(text);
  const expected = `${before}\n${words}\n${after}`;
  if (process.env.UPDATE) {
    writeFileSync(paper, expected);
  }
  assert.equal(
    readFileSync(paper, "utf8"),
    expected,
    "run: UPDATE=1 node --test tests/package/docs/providers.test.mjs",
  );
}

test("every server is in the docs, with its sources", () => {
  checkPart("servers", serversInWords());
});

test("every rule is in the docs, with its sources", () => {
  checkPart("rules", rulesInWords());
  assert.ok(providers.every(({ rules }) => rules.length > 5 && rules.every(({ sources }) => sources.length > 0)));
});
