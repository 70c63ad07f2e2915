// A program in a page of Chromium, served by Vite.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { findChromium } from "../../../scripts/setup.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));

/**
 * Runs a module that sets `window.run`, and returns the result of that function. The module may import packages, and
 * `files` from its own folder.
 *
 * @param {string} source
 * @param {readonly string[]} files paths
 */
export async function runInChromium(source, files) {
  mkdirSync(cache, { recursive: true });
  const root = mkdtempSync(join(cache, "program-in-chromium-"));
  writeFileSync(join(root, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
  writeFileSync(join(root, "package.json"), '{ "type": "module", "private": true }');
  writeFileSync(join(root, "main.js"), source);
  for (const file of files) {
    copyFileSync(file, join(root, basename(file)));
  }
  const server = await createServer({ root, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
  const executablePath = process.env.CHROME_PATH ?? findChromium()?.chromium;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await server.listen();
    const page = await browser.newPage();
    await page.goto(String(server.resolvedUrls?.local[0]));
    await page.waitForFunction(() => "run" in globalThis);
    return await page.evaluate(() => /** @type {any} */ (globalThis).run());
  } finally {
    await browser.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}
