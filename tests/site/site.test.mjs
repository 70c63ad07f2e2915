// The site of the docs, built under a path, as on a host with many sites: its links, its look, search and the
// playground.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildSite } from "../../scripts/site.mjs";
import { VIEWS } from "../../www/site/.vitepress/theme/playground.js";
import { axe, violationsIn } from "../package/support/axe.mjs";
import { hearProblems, site, startSite, stopSite } from "../package/support/page.mjs";

const BASE = "/windrow/";
const output = mkdtempSync(join(tmpdir(), "windrow-site-"));

before(async () => {
  await buildSite({ output, base: BASE });
  await startSite({ root: output, base: BASE, appType: "mpa", configFile: false, build: { outDir: output } });
});

after(async () => {
  await stopSite();
  rmSync(output, { recursive: true, force: true });
});

/** The paths of the built files. */
const paths = () => readdirSync(output, { encoding: "utf8", recursive: true });

/** Opens a page. Returns it with its problems. */
async function open(path, options = {}) {
  const page = await site.browser.newPage({
    viewport: { width: 1440, height: 900 },
    serviceWorkers: "block",
    ...options,
  });
  const problems = [];
  hearProblems(page, problems);
  await page.goto(new URL(path, site.address).href, { waitUntil: "networkidle" });
  return { page, problems };
}

/** The pages by their paths. The documentation of the core is rustdoc's own, and has too many of them. */
const pages = () =>
  new Map(
    paths()
      .filter((path) => path.endsWith(".html") && !/^(core|playground)\//.test(path))
      .map((path) => [path, readFileSync(join(output, path), "utf8")]),
  );

test("every link leads to a file of the site, and every anchor to a place in it", () => {
  const known = new Set(paths());
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path)) {
      const text = readFileSync(join(output, path), "utf8");
      ids.set(path, new Set([...text.matchAll(/ (?:id|name)="([^"]*)"/g)].map(([, id]) => id)));
    }
    return ids.get(path);
  };
  const broken = [];
  let count = 0;
  for (const [path, text] of pages()) {
    for (const [, link] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const target = new URL(link.replaceAll("&amp;", "&"), `https://site.example${BASE}${path}`);
      if (target.origin !== "https://site.example") {
        continue;
      }
      count++;
      const isInside = target.pathname.startsWith(BASE);
      const file = decodeURIComponent(target.pathname.slice(BASE.length)).replace(/(^|\/)$/, "$1index.html");
      // The playground's anchors are views.
      const anchor = file.startsWith("playground/") ? "" : decodeURIComponent(target.hash.slice(1));
      if (!isInside || !known.has(file) || (anchor !== "" && file.endsWith(".html") && !idsOf(file).has(anchor))) {
        broken.push(`${path}: ${link}`);
      }
    }
  }
  assert.deepEqual([...new Set(broken)], []);
  assert.ok(count > 1000, `${count} links`);
});

test("every page of the docs is in the sidebar", () => {
  const sidebar = pages().get("docs/guide.html");
  const docs = [...pages().keys()].filter((path) => path.startsWith("docs/"));
  assert.ok(docs.length > 15);
  for (const path of docs) {
    assert.ok(sidebar.includes(`href="${BASE}${path}"`), path);
  }
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    test(`axe finds no violation, and nothing is wider than the page: ${colorScheme}, ${width} pixels`, async () => {
      for (const path of ["", "docs/guide.html", "docs/reference.html", "api/windrow/providers.html"]) {
        const { page, problems } = await open(path, { colorScheme, viewport: { width, height: 900 } });
        await page.addScriptTag({ path: axe });
        assert.deepEqual(await violationsIn(page), [], path);
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(excess <= 0, `${path} is ${excess} pixels wider than the window`);
        assert.deepEqual(problems, []);
        await page.close();
      }
    });
  }
}

test("search finds an option, and its page opens at the place", async () => {
  const { page, problems } = await open("");
  await page.click(".DocSearch-Button");
  await page.waitForSelector(".VPLocalSearchBox input");
  await page.keyboard.type("onRequiredOverflow");
  await page.waitForSelector(".VPLocalSearchBox .result");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("onRequiredOverflow"));
  assert.match(page.url(), /\.html#/);
  assert.deepEqual(problems, []);
});

test("the playground opens from the site, and builds a context", async () => {
  const { page, problems } = await open("docs/guide.html");
  await page.click("text=Playground");
  await page.waitForSelector("body[data-state=built]");
  assert.match(page.url(), /\/windrow\/playground\/index\.html/);
  assert.deepEqual(problems, []);
});

test("a page's link into the playground shows its sample in its setup", async () => {
  for (const [path, view] of Object.entries(VIEWS)) {
    const { page, problems } = await open(path.replace(/md$/, "html"));
    await page.click("text=Try it in the playground");
    await page.waitForSelector("body[data-state=built]");
    assert.equal(Number(await page.inputValue("#budget")), view.budget, path);
    assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("sample"), view.sample);
    assert.equal(await page.locator("#build-failure").count(), 0, path);
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test("the documentation of the core opens from the site", async () => {
  const { page, problems } = await open("");
  await page.click("text=Core in Rust");
  await page.waitForSelector("h1:has-text('Crate windrow')");
  // rustdoc preloads its fonts in a way that Chromium warns about.
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith("A preload for")),
    [],
  );
});
