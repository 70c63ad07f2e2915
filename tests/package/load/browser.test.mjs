// The package in a browser: an application built by Vite without configuration and opened in Chromium returns the same
// as Node.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, createServer } from "vite";
import { findChromium } from "../../../scripts/setup.mjs";
import { runCases } from "../support/host-cases.mjs";
import { portOf } from "../support/servers.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const cases = readFileSync(new URL("../support/host-cases.mjs", import.meta.url), "utf8");

const page = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>windrow</title><link rel="icon" href="data:," /></head>
  <body><script type="module" src="./main.js"></script></body>
</html>
`;
const script = `
import { buildContextSync } from "windrow";
import { runCases } from "./host-cases.js";

// Works before any vocabulary is loaded.
window.estimate = buildContextSync([{ role: "user", content: "hi" }], { encoding: "estimate", now: 0 }).snapshot.contextHash;
window.runCases = runCases;
`;

let folder;
let browser;

before(async () => {
  mkdirSync(cache, { recursive: true });
  // Inside the project, so that "windrow" resolves like an installed package, in node_modules.
  folder = mkdtempSync(join(cache, "browser-test-"));
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "main.js"), script);
  writeFileSync(join(folder, "host-cases.js"), cases);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  browser = await chromium.launch({
    executablePath:
      process.env.CHROME_PATH ?? findChromium()?.chromium ?? assert.fail("Chromium is missing: set CHROME_PATH"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the application, runs the cases in it, and reports its requests and complaints. */
async function open(address) {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const requests = [];
  const complaints = [];
  tab.on("request", (request) => requests.push(request.url()));
  tab.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => complaints.push(String(error)));
  tab.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  try {
    await tab.goto(address);
    await tab.waitForFunction(() => globalThis.runCases !== undefined);
    const estimate = await tab.evaluate(() => globalThis.estimate);
    const atStart = [...requests];
    const found = await tab.evaluate(() => globalThis.runCases());
    return { estimate, found, atStart, later: requests.slice(atStart.length), complaints };
  } finally {
    await context.close();
  }
}

async function checkIsAsInNode({ found, complaints, atStart, later }, address) {
  const expected = await runCases();
  assert.deepEqual(found.results, JSON.parse(JSON.stringify(expected.results)));
  assert.equal(found.parsed, expected.parsed);
  assert.ok(Object.values(found.errors).every((error) => error.isError));
  assert.deepEqual(complaints, []);
  const elsewhere = [...atStart, ...later].filter((url) => !url.startsWith(address) && !url.startsWith("data:"));
  assert.deepEqual(elsewhere, [], "no request to another origin");
}

describe("built by Vite without configuration", () => {
  let server;
  let address;
  let assets;

  before(async () => {
    const outDir = join(folder, "dist");
    await build({ root: folder, configFile: false, logLevel: "warn", build: { outDir, emptyOutDir: true } });
    assets = readdirSync(join(outDir, "assets"));
    server = createHttpServer((request, response) => {
      const name = request.url === "/" ? "/index.html" : request.url;
      const types = { ".html": "text/html", ".js": "text/javascript" };
      try {
        response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
        // The strictest policy that still allows wasm to be compiled.
        response.setHeader("content-security-policy", "default-src 'self' 'wasm-unsafe-eval'; img-src data:");
        response.end(readFileSync(join(outDir, name)));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${portOf(server)}/`;
  });

  after(() => server?.close());

  test("returns the same as Node, quietly, and loads a vocabulary only when it is needed", async () => {
    const result = await open(address);
    assert.equal(result.found.errors.notLoaded.code, "ENCODING_NOT_LOADED");
    await checkIsAsInNode(result, address);
    assert.match(result.estimate, /^ctx_/);
    const names = (urls) => urls.map((url) => url.slice(address.length).replace(/-[\w-]{8}\.js$/, ".js"));
    assert.ok(!names(result.atStart).some((name) => /base|selection/.test(name)), names(result.atStart).join(" "));
    assert.deepEqual(
      names(result.later).sort(),
      ["cl100k_base", "o200k_base", "selection", "table"].map((name) => `assets/${name}.js`),
    );
  });

  test("has each vocabulary, the ranking module and the table of token vectors in separate chunks", () => {
    const sizes = assets.map((name) => [name, readFileSync(join(folder, "dist", "assets", name)).length]);
    const later = sizes.filter(([name]) => /^(o200k_base|cl100k_base|selection|table)/.test(name));
    assert.equal(later.length, 4);
    const rest = sizes.filter((entry) => !later.includes(entry)).reduce((sum, [, size]) => sum + size, 0);
    // The core as base64, and the JavaScript around it. The limit leaves no room for the other files.
    const core = readFileSync(fileURLToPath(import.meta.resolve("windrow/windrow.wasm"))).length;
    assert.ok(rest < (core * 4) / 3 + 435_000, `all else has ${rest} bytes`);
  });
});

test("served by Vite in development, without configuration", async () => {
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: "warn",
    cacheDir: join(folder, "vite"),
    server: { host: "127.0.0.1", port: 0 },
  });
  try {
    await server.listen();
    const address = `http://127.0.0.1:${portOf(server.httpServer)}/`;
    const result = await open(address);
    // Vite's own client logs to the console that it has connected.
    const complaints = result.complaints.filter((complaint) => !/^debug: \[vite\]/.test(complaint));
    await checkIsAsInNode({ ...result, complaints }, address);
  } finally {
    await server.close();
  }
});
