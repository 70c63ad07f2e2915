// The studio and `windrow/inspect`: the command, its checks, and an app whose builds become lines of "Every turn".

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { chromium } from "playwright-core";
import { build as viteBuild } from "vite";
import { buildContext } from "windrow";
import { inspect } from "windrow/inspect";
import { messagesOf, shows, summary } from "../support/page.mjs";

const program = fileURLToPath(new URL("../../../pkg-template/bin/windrow.js", import.meta.url));
let folder;
let studio;
let address;
let browser;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "windrow-studio-"));
  const file = join(folder, "boats.json");
  await writeFile(file, JSON.stringify({ messages: messagesOf(30), request: "What about boats?" }));
  studio = spawn(process.execPath, [program, "studio", file], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(studio.stdout.setEncoding("utf8"), "data");
  address = line.trim();
  browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
});

after(async () => {
  await browser?.close();
  studio?.kill();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The status of a request with headers that `fetch` does not let be set.
 *
 * @param {string} path
 * @param {{ method?: string, [header: string]: string }} [options]
 */
function statusOf(path, { method = "GET", ...headers } = {}) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end(method === "POST" ? "{}" : undefined);
  });
}

test("the studio answers to its own name, its own origin and its own token alone", async () => {
  const { host, hostname, search, searchParams } = new URL(address);
  const authorization = `Bearer ${searchParams.get("token")}`;
  assert.equal(hostname, "127.0.0.1");
  assert.equal(await statusOf(`/${search}`, { host }), 200);
  assert.equal(await statusOf(`/${search}`, { host: "example.com" }), 403, "a name that was made to point here");
  assert.equal(await statusOf("/", { host }), 403, "without the token");
  assert.equal(await statusOf(`/${search}`, { host, origin: "http://example.com" }), 403);
  assert.equal(await statusOf("/file", { host }), 403);
  assert.equal(await statusOf("/file", { host, authorization }), 200);
  assert.equal(await statusOf("/file", { host, authorization, origin: "http://localhost:5173" }), 403);
  assert.equal(await statusOf("/builds", { host, method: "POST" }), 403);
  assert.equal(await statusOf("/builds", { host, method: "POST", authorization, origin: "https://example.com" }), 403);
  assert.equal(await statusOf("/builds", { host, method: "OPTIONS", origin: "http://localhost:5173" }), 204);
  assert.equal(await statusOf("/../../package.json", { host }), 404);
  assert.equal(await statusOf("/%2e%2e/cli.js", { host }), 404);
});

test("the page opens with the file, and each build of an app becomes a line of Every turn", async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(address);
  await page.waitForSelector("body[data-state=built]");
  await shows(page, "source-name", "boats.json");
  assert.equal(await page.inputValue("#request"), "What about boats?");

  const contexts = [];
  for (const [count, maxTokens] of [
    [20, 200],
    [22, 200],
    [24, 260],
  ]) {
    const context = await buildContext(messagesOf(count), { request: "Trains?", budget: { maxTokens } });
    contexts.push(context);
    inspect(context, { studio: address });
    await shows(page, "source-name", `Build ${contexts.length} of your app`);
  }
  await shows(page, "hash", contexts[2].snapshot.contextHash);
  assert.equal(await page.getAttribute("#turns", "aria-valuemax"), "3");
  await page.focus("#turns");
  await page.keyboard.press("Home");
  await shows(page, "hash", contexts[0].snapshot.contextHash);
  assert.equal((await summary(page)).total, contexts[0].tokens.total);
  assert.deepEqual(problems, []);
  await page.close();
});

/** An app that reports a build to a studio that must never hear of it. */
const app = `import { inspect } from "windrow/inspect";
globalThis.fetch = () => { throw new Error("asked"); };
inspect({ source() { throw new Error("read"); } }, { studio: "http://127.0.0.1:9/?token=x" });
`;
const hasCode = (text) => /\/builds|WINDROW_STUDIO/.test(text);
const root = fileURLToPath(new URL("../../..", import.meta.url));

async function byEsbuild(options) {
  const input = { stdin: { contents: app, resolveDir: root }, bundle: true, write: false, format: "esm" };
  const { outputFiles } = await bundle({ ...input, ...options });
  return outputFiles[0].text;
}

test("a production bundle of Vite has nothing of inspect", async (t) => {
  const { NODE_ENV } = process.env;
  t.after(() => {
    // Vite says "production" to all that runs after it.
    Object.assign(process.env, { NODE_ENV });
    if (NODE_ENV === undefined) {
      delete process.env.NODE_ENV;
    }
  });
  const entry = join(folder, "app.js");
  await writeFile(entry, app);
  const fromTheProject = {
    name: "from-the-project",
    resolveId(id) {
      return id === "windrow/inspect" ? this.resolve(id, join(root, "tests", "app.js"), { skipSelf: true }) : null;
    },
  };
  await viteBuild({
    root: folder,
    logLevel: "error",
    plugins: [fromTheProject],
    build: { outDir: join(folder, "vite"), lib: { entry, formats: ["es"], fileName: () => "app.js" } },
  });
  const code = await readFile(join(folder, "vite", "app.js"), "utf8");
  assert.ok(!hasCode(code), code);
});

test("nor has one of esbuild, which knows no condition for it, minified or not", async () => {
  const define = { "process.env.NODE_ENV": '"production"' };
  const bundles = {
    define: { define },
    minified: { define, minify: true },
    browser: { minify: true, platform: "browser" },
  };
  for (const [name, options] of Object.entries(bundles)) {
    const code = await byEsbuild({ platform: "neutral", ...options });
    assert.ok(!hasCode(code), `${name}: ${code}`);
  }
  assert.ok(hasCode(await byEsbuild({ platform: "browser" })), "the check itself sees the code");
});

test("a bundle that says nothing of production does nothing where NODE_ENV does", async () => {
  const file = join(folder, "app.mjs");
  await writeFile(file, await byEsbuild({ platform: "neutral" }));
  const said = async (env) => {
    const program = spawn(process.execPath, [file], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const words = [];
    program.stderr.setEncoding("utf8").on("data", (text) => words.push(text));
    const [code] = await once(program, "close");
    return [code, words.join("")];
  };
  assert.deepEqual(await said({ NODE_ENV: "production" }), [0, ""]);
  const [code, words] = await said({ NODE_ENV: "development" });
  assert.equal(code, 0, "it never fails");
  assert.match(words, /windrow\/inspect: read/);
});
