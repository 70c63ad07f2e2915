// `windrow/inspect` in a real Vite app, and the options of `windrow studio` that such an app needs: an address that
// survives a restart, and a browser that opens by itself.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { shows } from "../support/page.mjs";
import { portOf } from "../support/servers.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const program = join(root, "pkg-template", "bin", "windrow.js");
const vite = join(root, "node_modules", "vite", "bin", "vite.js");
let folder;
let app;
let browser;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "windrow-inspect-"));
  app = join(folder, "app");
  browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A port that nothing uses. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts the studio.
 *
 * @param {string[]} options
 * @param {Record<string, string>} [env]
 */
async function startStudio(options, env = {}) {
  const child = spawn(process.execPath, [program, "studio", ...options], {
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { text: "" };
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said.text += text;
  });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return {
    address: line.trim(),
    said,
    async stop() {
      child.kill();
      await once(child, "close");
    },
  };
}

/** Waits until a function returns a value. */
async function eventually(look, what) {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look();
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not in time: ${what}`);
}

test("with --port, the address is the same after a restart, and only the user can read its token", async () => {
  const port = await freePort();
  const first = await startStudio(["--port", String(port)]);
  await first.stop();
  const second = await startStudio(["--port", String(port)]);
  await second.stop();
  assert.equal(second.address, first.address);
  assert.equal(new URL(first.address).port, String(port));

  const kept = join(folder, "config", "windrow");
  const [name] = await readdir(kept);
  const file = join(kept, name);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(kept)).mode & 0o777, 0o700);
  assert.equal((await readFile(file, "utf8")).trim(), new URL(first.address).searchParams.get("token"));

  // Others may have read the token in the meantime.
  await chmod(file, 0o644);
  const third = await startStudio(["--port", String(port)]);
  await third.stop();
  assert.notEqual(third.address, first.address);
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  const other = await startStudio([]);
  await other.stop();
  assert.deepEqual(await readdir(kept), [name], "without --port, the token stays in memory");
});

test("a port that is in use is named, with the next step", async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const port = portOf(server);
  const child = spawn(process.execPath, [program, "studio", "--port", String(port)], {
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const words = [];
  child.stderr.setEncoding("utf8").on("data", (text) => words.push(text));
  const [code] = await once(child, "close");
  server.close();
  assert.equal(code, 2);
  assert.equal(words.join(""), `windrow: port ${port} is in use\nPass another --port, or none to get a free one.\n`);
});

test("--open opens an address that works once and doesn't contain the token", async () => {
  // Stands for the desktop's program, and writes down the address.
  const desktop = join(folder, "desktop");
  await mkdir(desktop, { recursive: true });
  const opener = join(desktop, process.platform === "darwin" ? "open" : "xdg-open");
  await writeFile(opener, `#!/bin/sh\necho "$1" > "${folder}/opened"\n`, { mode: 0o755 });
  const studio = await startStudio(["--open"], { PATH: `${desktop}:${process.env.PATH}` });
  const opened = await eventually(() => readFile(join(folder, "opened"), "utf8").catch(() => ""), "the address");
  assert.ok(!opened.includes(new URL(studio.address).searchParams.get("token")), "processes' arguments aren't secret");
  const page = await browser.newPage();
  await page.goto(opened.trim());
  await page.waitForSelector("body[data-state=built]");
  assert.equal(page.url().split("#")[0], studio.address);
  await page.close();
  assert.equal((await fetch(opened.trim())).status, 403, "the second time");
  await studio.stop();

  const without = await startStudio(["--open"], { PATH: join(folder, "nothing") });
  await eventually(() => without.said.text.includes("The studio is at the address above"), "its words");
  assert.match(without.said.text, /^No browser could be opened \(.+ isn't installed\): open the address above\n/);
  await without.stop();
});

test("a Vite app shows its builds in development, and its production build has neither the code nor the address", async () => {
  // The package as npm installs it.
  const installed = join(app, "node_modules", "windrow");
  await mkdir(installed, { recursive: true });
  await cp(join(root, "pkg-template", "package.json"), join(installed, "package.json"));
  await cp(join(root, "pkg-template", "dist"), join(installed, "dist"), {
    recursive: true,
    filter: (path) => !path.endsWith(join("dist", "page")),
  });
  const studio = await startStudio(["--port", String(await freePort())]);
  const files = {
    "package.json": '{ "name": "app", "private": true, "type": "module" }',
    "index.html":
      '<!doctype html><title>App</title><link rel="icon" href="data:,"><p id="said"></p><script type="module" src="/main.js"></script>',
    ".env.development.local": `VITE_WINDROW_STUDIO=${studio.address}\n`,
    "main.js": `import { buildContext } from "windrow";
import { inspect } from "windrow/inspect";

const messages = [
  { role: "user", content: "Where do we meet?" },
  { role: "assistant", content: "In the hall." },
  { role: "user", content: "When?" },
];
const context = await buildContext(messages, { budget: { maxTokens: 100 } });
inspect(context, { studio: import.meta.env.VITE_WINDROW_STUDIO });
document.querySelector("#said").textContent = context.snapshot.contextHash;
`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(app, name), text);
  }
  const port = await freePort();
  const server = spawn(process.execPath, [vite, "--port", String(port), "--strictPort"], { cwd: app, stdio: "pipe" });
  try {
    await eventually(() => fetch(`http://localhost:${port}/`).catch(() => undefined), "Vite");
    const page = await browser.newPage();
    const lines = [];
    page.on("console", (line) => line.type() !== "debug" && lines.push(line.text()));
    page.on("pageerror", (failure) => lines.push(String(failure)));
    await page.goto(`http://localhost:${port}/`);
    await page.waitForFunction(() => document.querySelector("#said")?.textContent !== "");
    const hash = await page.textContent("#said");

    const picture = await browser.newPage();
    await picture.goto(studio.address);
    await shows(picture, "source-name", "Build 1 of your app");
    await shows(picture, "hash", hash);
    assert.deepEqual(lines, []);
    await picture.close();
    await page.close();
  } finally {
    server.kill();
    await once(server, "close");
    await studio.stop();
  }

  const build = spawn(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: app, stdio: "inherit" });
  assert.deepEqual(await once(build, "close"), [0, null]);
  for (const name of await readdir(join(app, "dist"), { recursive: true })) {
    if (name.endsWith(".js")) {
      const code = await readFile(join(app, "dist", name), "utf8");
      const { searchParams } = new URL(studio.address);
      assert.ok(!/\/builds|WINDROW_STUDIO/.test(code) && !code.includes(searchParams.get("token")), name);
    }
  }
});
