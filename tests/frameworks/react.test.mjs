// `useWindrow` with the real React 18 and 19 in Chromium, over sessions in IndexedDB.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/setup.mjs";
import { portOf } from "../package/support/servers.mjs";

const app = fileURLToPath(new URL("react/app.js", import.meta.url));
const entry = fileURLToPath(new URL("../../pkg-template/dist/react.js", import.meta.url));

const require = createRequire(import.meta.url);

/** For each version, the package that depends on it. */
const OWNERS = { 18: new URL("../../package.json", import.meta.url), 19: new URL("package.json", import.meta.url) };

let browser;
before(async () => {
  const executablePath = findChromium()?.chromium ?? assert.fail("Chromium is missing: set CHROME_PATH");
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser?.close());

/** Folders of React and its renderer, to which every import is redirected. */
function aliasOf(version) {
  const { resolve } = createRequire(OWNERS[version]);
  const folder = (name) => dirname(resolve(`${name}/package.json`));
  assert.equal(JSON.parse(readFileSync(resolve("react/package.json"), "utf8")).version.split(".")[0], version);
  return { react: folder("react"), "react-dom": folder("react-dom") };
}

const bundled = (version, options) =>
  build({
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: "out",
    write: false,
    logLevel: "error",
    alias: aliasOf(version),
    define: { "process.env.NODE_ENV": '"development"' },
    external: ["node:*"],
    ...options,
  });

/** A component rendered on a server, as the page receives it. */
async function serverHtml(version) {
  const contents = `
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { useWindrow } from ${JSON.stringify(entry)};
    function Chat() {
      const { status, hasOlder } = useWindrow(undefined);
      return h("section", { "data-status": status, "data-older": String(hasOlder) }, h("ul"), h("output", null, "none"), h("em"));
    }
    export const html = renderToString(h(Chat));`;
  const stdin = { contents, resolveDir: dirname(app) };
  const options = { stdin, splitting: false, platform: "node", format: "cjs" };
  const { outputFiles } = await bundled(version, options);
  const module = { exports: { html: "" } };
  new Function("require", "module", outputFiles[0].text)(require, module);
  const { html } = module.exports;
  return html;
}

for (const version of Object.keys(OWNERS)) {
  describe(`React ${version}`, () => {
    let server;
    let page;
    const complaints = [];
    before(async () => {
      const { outputFiles } = await bundled(version, { entryPoints: [app] });
      const files = new Map(outputFiles.map(({ path, contents }) => [path.replace(/^.*\/out\//, "/"), contents]));
      server = createServer(({ url }, answer) => {
        const file = files.get(url);
        answer.setHeader("content-type", file === undefined ? "text/html" : "text/javascript");
        answer.end(
          file ?? '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>',
        );
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      page = await browser.newPage();
      page.on("console", (line) => ["error", "warning"].includes(line.type()) && complaints.push(line.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`http://127.0.0.1:${portOf(server)}/`);
      await page.waitForFunction("globalThis.cases !== undefined");
    });
    after(async () => {
      await page?.close();
      server?.close();
      server?.closeAllConnections();
    });

    for (const [, name] of readFileSync(app, "utf8").matchAll(/^ {2}async "(.*)"\(/gm)) {
      test(name, async () => {
        const html = name.includes("hydrates") ? await serverHtml(version) : undefined;
        complaints.length = 0;
        await page.evaluate(([name, html]) => globalThis.cases[name](html), [name, html]);
        const isAsked = name.startsWith("errors about wrong options");
        assert.deepEqual(isAsked ? [] : complaints, []);
      });
    }
  });
}
