// The rules in docs/providers.md are those by which requests are checked.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { providers } from "windrow";

const paper = new URL("../../../docs/providers.md", import.meta.url);

/** A source as a link: a thread by its project and number, a page by its host. */
function linkOf(source) {
  const { host, pathname } = new URL(source);
  const thread = /^\/([^/]+)\/([^/]+)\/(?:issues|pull)\/(\d+)$/.exec(pathname);
  return `[${thread === null ? host : `${thread[1]}/${thread[2]}#${thread[3]}`}](${source})`;
}

function rulesInWords() {
  return providers
    .map(({ name, title, rules }) => {
      const rows = rules.map(({ id, demands, sources }) => {
        const words = demands.replace(/\/(\^\S*\$)\//g, "`$1`").replaceAll("|", "\\|");
        return `| \`${id}\` | ${words} | ${sources.map(linkOf).join(", ")} |`;
      });
      return `### ${title}\n\n\`${name}\`\n\n| rule | | known from |\n|---|---|---|\n${rows.join("\n")}\n`;
    })
    .join("\n");
}

test("every rule is in the paper, with its sources", () => {
  const text = readFileSync(paper, "utf8");
  const [, before, , after] = /^(.*<!-- rules: begin.*? -->\n)(.*)(<!-- rules: end -->\n)$/s.exec(text);
  const expected = `${before}\n${rulesInWords()}\n${after}`;
  if (process.env.UPDATE) {
    writeFileSync(paper, expected);
  }
  assert.equal(
    readFileSync(paper, "utf8"),
    expected,
    "run: UPDATE=1 node --test tests/package/docs/providers.test.mjs",
  );
  assert.ok(providers.every(({ rules }) => rules.length > 5 && rules.every(({ sources }) => sources.length > 0)));
});
