// The studio and `windrow/inspect`: the command, its checks, and an app whose builds become rows of "Every turn".

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { chromium } from "playwright-core";
import { build as viteBuild } from "vite";
import { buildContext } from "windrow";
import { inspect } from "windrow/inspect";
import { messagesOf, openPanel, shows, summary } from "../support/page.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { portOf } from "../support/servers.mjs";

const program = fileURLToPath(new URL("../../../pkg-template/bin/windrow.js", import.meta.url));
const built = fileURLToPath(new URL("../../../pkg-template/dist/page", import.meta.url));
let folder;
let studio;
let address;
/**
 * A model that the studio may call, and a server that nothing may reach. Both allow every origin and list their
 * requests.
 */
let endpoint;
let elsewhere;
let browser;

/** A server that any page may call. */
async function openServer() {
  const asked = [];
  const answer = { choices: [{ message: { content: '{"items":[]}' } }] };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.method !== "OPTIONS") {
        asked.push(`${request.method} ${request.url}`);
      }
      const allow = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
      response.writeHead(200, { ...allow, "access-control-allow-private-network": "true" }).end(JSON.stringify(answer));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  return { server, asked, origin: `http://127.0.0.1:${portOf(server)}` };
}

before(async () => {
  endpoint = await openServer();
  elsewhere = await openServer();
  folder = await mkdtemp(join(tmpdir(), "windrow-studio-"));
  const file = join(folder, "boats.json");
  await writeFile(file, JSON.stringify({ messages: messagesOf(30), request: "What about boats?" }));
  studio = spawn(process.execPath, [program, "studio", file, "--endpoint", `${endpoint.origin}/v1`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
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
  endpoint?.server.close();
  elsewhere?.server.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The status of a request with headers that `fetch` doesn't allow.
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

test("the studio only answers requests with its own host name, origin and token", async () => {
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

/** Requests a URL from a page or a worker. */
const fetchFrom = (place, to) =>
  place.evaluate(
    (to) =>
      fetch(to).then(
        () => "asked",
        () => "blocked",
      ),
    to,
  );

test("the page and its worker reach the studio and the endpoint, and nothing else", async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.waitForSelector("body[data-state=built]");
  // The page starts its worker from a blob. A worker started from the file would have the policy of the file's
  // response.
  const file = (await readdir(join(built, "assets"))).find((name) => name.startsWith("worker-"));
  const [fromFile] = await Promise.all([
    page.waitForEvent("worker"),
    page.evaluate((file) => void new Worker(`./assets/${file}`, { type: "module" }), file),
  ]);
  const places = { page, worker: page.workers().find((worker) => worker !== fromFile), fromFile };
  for (const [name, place] of Object.entries(places)) {
    const nameOfStudio = new URL(address).origin;
    assert.equal(await fetchFrom(place, `${endpoint.origin}/${name}`), "asked");
    assert.equal(await fetchFrom(place, `${nameOfStudio}/assets/${file}`), "asked");
    for (const other of [elsewhere.origin, "https://example.com", endpoint.origin.replace("127.0.0.1", "localhost")]) {
      assert.equal(await fetchFrom(place, `${other}/${name}`), "blocked", `${name} asks ${other}`);
    }
  }
  assert.deepEqual(endpoint.asked.sort(), ["GET /fromFile", "GET /page", "GET /worker"]);
  assert.deepEqual(elsewhere.asked, []);

  // Triage calls the visitor's model.
  endpoint.asked.length = 0;
  await openPanel(page, "setup-a");
  await page.check("[data-presets=a] input[value=triaged]");
  await page.selectOption("#judge", "endpoint");
  await page.fill("#triage input[type=text]", "small");
  await page.check("#triage .check input");
  for (let tries = 0; endpoint.asked.length === 0 && tries < 500; tries++) {
    await page.waitForTimeout(20);
  }
  assert.equal(endpoint.asked[0], "POST /v1/chat/completions");
  await page.close();
});

test("the page opens with the file, and each build of an app becomes a row of Every turn", async () => {
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

test("the static page and its worker only reach their own origin, with and without the host's headers", async () => {
  const lines = (await readFile(join(built, "_headers"), "utf8")).split("\n");
  assert.equal(lines[0], "/*", "for every file");
  const [, name, value] = /^ {2}([\w-]+): (.+)$/.exec(lines[1]);
  for (const headers of [{}, { [name]: value }]) {
    const host = createServer(async (request, response) => {
      const { pathname } = new URL(request.url, "http://host");
      const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
      const file = pathname === "/" ? "/index.html" : pathname;
      const contents = await readFile(join(built, file)).catch(() => undefined);
      response.writeHead(contents === undefined ? 404 : 200, {
        "content-type": types[extname(file)] ?? "",
        ...headers,
      });
      response.end(contents);
    });
    await new Promise((resolve) => host.listen(0, "127.0.0.1", () => resolve(undefined)));
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const problems = [];
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") {
        problems.push(line.text());
      }
    });
    await page.goto(`http://127.0.0.1:${portOf(host)}/`);
    await page.waitForSelector("body[data-state=built]");
    assert.deepEqual(problems, []);
    for (const place of [page, ...page.workers()]) {
      assert.equal(await fetchFrom(place, `${elsewhere.origin}/static`), "blocked");
    }
    assert.equal(page.workers().length, 1);
    await page.close();
    host.close();
  }
  assert.deepEqual(elsewhere.asked, []);
});

/** Status and headers of the response to a request line that no HTTP client would send. */
function answerTo(target, method = "GET", header = "connection: close") {
  const { host, hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${header}\r\n\r\n`, "latin1"));
    });
    const pieces = [];
    socket.on("data", (piece) => pieces.push(piece));
    socket.on("error", reject);
    socket.on("close", () => {
      const [head] = Buffer.concat(pieces).toString("latin1").split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head });
    });
  });
}

test("an address that can't be read is 404, and every response has the policy", async () => {
  const allowed = `connect-src 'self' ${endpoint.origin};`;
  const malformed = [
    "/%zz",
    "//",
    "///",
    "//[",
    "/%",
    "/%c3%28",
    "/%ff",
    "//a:b/",
    "/\\",
    "/%00",
    "/%2e%2e%2f%2e%2e",
    "*",
  ];
  for (const target of malformed) {
    const { status, head } = await answerTo(target);
    assert.equal(status, 404, target);
    assert.ok(head.includes(allowed), head);
  }
  const pieces = [
    "/",
    "//",
    "%",
    "%2",
    "%zz",
    "%00",
    "%ff",
    "..",
    "\\",
    "@",
    ":",
    "[",
    "]",
    "?",
    "#",
    "a",
    "\x7f",
    "\xff",
    "é",
    "*",
  ];
  pieces.push("http://", "assets", "file", "?token=", " ", "\t", "\0", "{", "|", "%e2%80%a8", "x".repeat(5000));
  await forEachSeedAsync(async (random) => {
    const target = Array.from({ length: random.integer(0, 8) }, () => random.pick(pieces)).join("");
    const { status, head } = await answerTo(
      random.chance(0.8) ? `/${target}` : target,
      random.pick(["GET", "POST", "PUT"]),
      `${random.pick(["", "expect: anything\r\n", "transfer-encoding: other\r\n"])}connection: close`,
    );
    assert.ok([400, 403, 404, 405, 417, 431].includes(status), `${JSON.stringify(target)}: ${head}`);
    assert.ok(head.includes(allowed), head);
  });
  const { host, search } = new URL(address);
  assert.equal(await statusOf(`/${search}`, { host }), 200, "the studio goes on");
});

test("the studio's memory is bounded by bytes, and a listener that never reads is dropped", async () => {
  const { host, hostname, port, origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  const stuck = connect(Number(port), hostname, () => {
    stuck.write(`GET /events HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${headers.authorization}\r\n\r\n`);
  }).pause();
  await once(stuck, "connect");
  const last = 19;
  const bytesOfBuild = 8_000_000;
  for (let number = 0; number <= last; number++) {
    const body = JSON.stringify({ number, text: "x".repeat(bytesOfBuild) });
    assert.equal((await fetch(`${origin}/builds`, { method: "POST", headers, body })).status, 204);
  }

  let bytes = 0;
  stuck.on("data", (piece) => {
    bytes += piece.length;
  });
  await once(stuck.resume(), "close");
  assert.ok(bytes < 80_000_000, `it was closed after ${bytes} bytes`);

  const numbers = [];
  let line = "";
  const stop = new AbortController();
  const events = await fetch(`${origin}/events`, { headers, signal: stop.signal });
  for await (const text of events.body.pipeThrough(new TextDecoderStream())) {
    for (const piece of text.split(/(?<=\n)/)) {
      line = (line + piece).slice(0, 40);
      if (piece.endsWith("\n")) {
        numbers.push(Number(/"number":(\d+)/.exec(line)?.[1] ?? Number.NaN));
        line = "";
      }
    }
    if (numbers.at(-1) === last) {
      break;
    }
  }
  stop.abort();
  assert.deepEqual(numbers.filter(Number.isFinite), [13, 14, 15, 16, 17, 18, 19], "the newest that fit into 64 MB");
});

/** An app that tries to report a build to a studio. The report must never arrive. */
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

test("a production bundle by Vite doesn't include inspect", async (t) => {
  const { NODE_ENV } = process.env;
  t.after(() => {
    // Vite sets NODE_ENV to "production" for everything that runs after it.
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

test("neither does one by esbuild, which sets no condition for it, minified or not", async () => {
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

test("a bundle without a mode follows NODE_ENV at run time", async () => {
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
