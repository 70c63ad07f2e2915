// Pages in a real browser, for tests of data stored there.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { findChromium } from "../../../scripts/setup.mjs";
import { portOf } from "./servers.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const html =
  '<!doctype html><meta charset="utf-8"><title>windrow</title><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>';

/**
 * A host name that resolves to this machine but isn't a secure context, unlike localhost. Its pages lack features that
 * only secure ones have.
 */
const INSECURE_HOST = "windrow.test";

/** Options to start Chromium directly. */
export function chromiumOptions({ args = [] } = {}) {
  return {
    executablePath:
      process.env.CHROME_PATH ?? findChromium()?.chromium ?? assert.fail("Chromium is missing: set CHROME_PATH"),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
      ...args,
    ],
  };
}

/**
 * Serves a page that runs a script: an ES module as text, which may import `windrow` and files next to this one. Every
 * path returns the page, except those of the script's files and of `assets`, which map paths to types and contents. The
 * script may import `modules`, further modules as text, by their names. With `minify` everything is as small as in an
 * application. The page is served until `close`, so that a restarted browser finds its data.
 *
 * @param {object} options
 * @param {string} options.script
 * @param {Record<string, string>} [options.modules]
 * @param {Record<string, readonly [type: string, content: string | Uint8Array]>} [options.assets]
 * @param {boolean} [options.minify]
 */
export async function serveStorePage({ script, modules = {}, assets = {}, minify = false }) {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: here, sourcefile: "main.js" },
    outdir: "/",
    entryNames: "main",
    bundle: true,
    minify,
    splitting: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "warning",
    plugins: [given(modules)],
  });
  /** @type {typeof assets} */
  const files = {
    ...Object.fromEntries(outputFiles.map(({ path, contents }) => [path, ["text/javascript", contents]])),
    ...assets,
  };
  const server = createServer(({ url }, response) => {
    const [type, content] = files[new URL(url, "http://localhost").pathname] ?? ["text/html", html];
    response.setHeader("content-type", type);
    // A sandboxed page has an opaque origin, so its script is cross-origin.
    response.setHeader("access-control-allow-origin", "*");
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const port = portOf(server);
  return {
    address: `http://localhost:${port}/`,
    insecureAddress: `http://${INSECURE_HOST}:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves modules passed as text by their names. */
function given(modules) {
  return {
    name: "given-modules",
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, ({ path }) => (path in modules ? { path, namespace: "given" } : undefined));
      bundler.onLoad({ filter: /.*/, namespace: "given" }, ({ path }) => ({
        contents: modules[path],
        resolveDir: here,
      }));
    },
  };
}

/**
 * Starts a browser with such a page. Pass `served`, the result of `serveStorePage`, if the server must outlive the
 * browser. `folder` keeps the browser's data there. `page()` opens another tab, which shares its data with the others,
 * and waits until its script has run. Its complaints are in `complaints`. `context` is playwright's.
 * `browser.newContext()` creates one with separate data.
 *
 * @param {object} options
 * @param {string} [options.script]
 * @param {Awaited<ReturnType<typeof serveStorePage>>} [options.served]
 * @param {string} [options.folder]
 * @param {string[]} [options.args]
 * @param {string[]} [options.ignoreDefaultArgs] Playwright's default arguments for Chromium to leave out.
 */
export async function openStorePage({ script, served, folder, args, ignoreDefaultArgs = [] }) {
  const pages = served ?? (await serveStorePage({ script }));
  const options = { ...chromiumOptions({ args }), ignoreDefaultArgs };
  const browser = folder === undefined ? await chromium.launch(options) : undefined;
  const context = await (browser?.newContext() ?? chromium.launchPersistentContext(folder, options));
  const complaints = [];
  return {
    browser,
    context,
    complaints,
    address: pages.address,
    insecureAddress: pages.insecureAddress,
    async page({ address = pages.address, in: among = context } = {}) {
      const page = await among.newPage();
      page.on("pageerror", (error) => complaints.push(error.stack ?? String(error)));
      page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
      // The script is a module, so it has run before the page counts as loaded.
      await page.goto(address);
      return page;
    },
    async close() {
      await context.close();
      await browser?.close();
      if (served === undefined) {
        await pages.close();
      }
    },
  };
}
