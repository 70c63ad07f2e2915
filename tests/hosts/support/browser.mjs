// Folders served by a web server, and pages in a real browser.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { portOf } from "../../package/support/servers.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Runs an action while the folders are served, each below its path. `headers` are added to every response. */
export async function whileServed(folders, action, headers = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const [prefix, folder] = Object.entries(folders)
      .sort(([left], [right]) => right.length - left.length)
      .find(([below]) => path.startsWith(below));
    try {
      const bytes = readFileSync(join(folder, normalize(path.slice(prefix.length))));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", ...headers });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  try {
    return await action(`http://127.0.0.1:${portOf(server)}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

let browser;

async function chromium() {
  const { chromium: launcher } = await import("playwright-core");
  browser ??= launcher.launch({
    executablePath: process.env.CHROME_PATH,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  return await browser;
}

export async function versionOfChromium() {
  return (await chromium()).version();
}

export async function closeBrowser() {
  await (await browser)?.close();
  browser = undefined;
}

async function outcomeIn(page) {
  await page.waitForFunction(() => globalThis.outcome !== undefined);
  return await page.evaluate(() => globalThis.outcome);
}

/** Returns `window.outcome` of a page. Fails if the page logs a complaint or requests another origin. */
export async function outcomeAt(address) {
  const context = await (await chromium()).newContext();
  const complaints = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        complaints.push(`${message.text()} (${message.location().url})`);
      }
    });
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(new URL(address).origin) || /^(?:data|blob):/.test(request.url());
      if (!isOwn) {
        complaints.push(`it asks for ${request.url()}`);
      }
    });
    // Errors that keep the page from running are reported at once.
    const broken = new Promise((_, reject) => page.on("pageerror", reject));
    const outcome = await Promise.race([broken, page.goto(address).then(() => outcomeIn(page))]);
    if (complaints.length > 0) {
      throw new Error(`the page complains:\n${complaints.join("\n")}`);
    }
    return outcome;
  } catch (failure) {
    throw new Error(`${failure.message}\n${complaints.join("\n")}`, { cause: failure });
  } finally {
    await context.close();
  }
}

/** The outcome of a project's page, served under the strictest policy that allows wasm to be compiled. */
export function pageOf(folders, action = outcomeAt) {
  const served = typeof folders === "string" ? { "/": folders } : folders;
  return whileServed(served, action, { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'" });
}
