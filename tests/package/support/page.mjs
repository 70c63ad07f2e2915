// The page as a visitor sees it: built by Vite, served, and used in Chromium.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { preview } from "vite";

const root = fileURLToPath(new URL("../../../www", import.meta.url));
/** The page as built by `npm run build`. */
const outDir = fileURLToPath(new URL("../../../pkg-template/dist/page", import.meta.url));

export const sample = JSON.parse(await readFile(join(root, "sample.json"), "utf8"));

/** Shared by the tests of a file. Set before the first of them. */
export const site = { address: "", browser: undefined, server: undefined };

/**
 * Serves the page, and starts the browser.
 *
 * @param {import("vite").InlineConfig} [config] another site, as Vite's preview takes it
 */
export async function startSite(config = { root, build: { outDir } }) {
  site.server = await preview({ logLevel: "warn", preview: { port: 0, host: "127.0.0.1" }, ...config });
  site.address = site.server.resolvedUrls.local[0];
  site.browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export async function stopSite() {
  await site.browser?.close();
  await site.server?.close();
}

/** One page for all tests of a file. Only the first loads it, and each starts from its initial state. */
export async function openForTests(options) {
  after(stopSite);
  await startSite();
  const visit = await openVisit(options);
  beforeEach(async () => {
    await visit.page.setViewportSize(DESKTOP);
    await beginAgain(visit.page);
  });
  return visit;
}

/**
 * @typedef {{ hash?: string, prepare?: (context: import("playwright-core").BrowserContext) => unknown, at?: string }}
 * VisitOptions
 */

const DESKTOP = { width: 1440, height: 900 };

/**
 * A visitor with a separate browser: a tab, and the problems that occurred in it.
 *
 * @param {import("playwright-core").BrowserContextOptions & VisitOptions} [options]
 */
export async function openVisit({ hash = "", prepare, at = `${site.address}${hash}`, ...options } = {}) {
  const context = await site.browser.newContext({
    viewport: DESKTOP,
    timezoneId: "America/Lima",
    permissions: ["clipboard-read", "clipboard-write"],
    serviceWorkers: "block",
    ...options,
  });
  await prepare?.(context);
  const problems = [];
  const page = await openTab(context, at, problems);
  return { context, page, problems };
}

/** Opens a tab. */
export async function openTab(context, at, problems = []) {
  const tab = await context.newPage();
  hearProblems(tab, problems);
  await tab.goto(at);
  await built(tab);
  return tab;
}

/** Opens a tab's address in a second window. A background tab has no frames, and would build nothing. */
export async function openBeside(tab, problems) {
  const [beside] = await Promise.all([
    tab.context().waitForEvent("page"),
    tab.evaluate(() => void open(location.href, "_blank", "popup,width=1440,height=900")),
  ]);
  hearProblems(beside, problems);
  await built(beside);
  return beside;
}

/** Errors, warnings and requests to other hosts are problems. */
export function hearProblems(tab, problems) {
  tab.on("console", (line) => {
    const isBlocked = line.text().includes("Service Worker registration blocked");
    if ((line.type() === "error" || line.type() === "warning") && !isBlocked) {
      problems.push(line.text());
    }
  });
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(site.address).origin && protocol !== "blob:") {
      problems.push(`requested ${request.url()}`);
    }
  });
}

let visits = 0;

/** Goes to an address within the page, which resets it. */
export async function beginAgain(tab, view = "sample=workshop") {
  visits += 1;
  await tab.keyboard.press("Escape");
  await tab.mouse.move(5, 5);
  await afterBuild(tab, () =>
    tab.evaluate((hash) => {
      location.hash = hash;
    }, `${view}&visit=${visits}`),
  );
  await built(tab);
}

/** Waits until the page has drawn the current setup. */
export async function built(tab) {
  await tab.waitForSelector("body[data-state=built]");
}

/** Performs an action, and waits until the page has built again. */
export async function afterBuild(tab, act) {
  const before = await tab.evaluate(() => Number(document.body.dataset.builds ?? 0));
  await act();
  await tab.waitForFunction((before) => Number(document.body.dataset.builds) > before, before);
}

export function numberOf(text) {
  return Number(text?.replaceAll(",", ""));
}

/** The page's summary of its prompt. */
export async function summary(tab) {
  const text = await tab.textContent("#summary");
  const [, total] = text.match(/^([\d,]+)/) ?? [];
  const [, limit] = text.match(/ of ([\d,]+)/) ?? [];
  const counts = await tab.textContent("#counts");
  const count = (fate) => numberOf(counts.match(new RegExp(`([\\d,]+) ${fate}`))?.[1] ?? "0");
  return { total: numberOf(total), limit: numberOf(limit), kept: count("kept"), leftOut: count("left out") };
}

export async function setBudget(tab, tokens) {
  await tab.fill("#budget", String(tokens));
  await shows(tab, "summary", ` of ${tokens.toLocaleString("en")}`);
}

/** Waits until the curve of kept messages is drawn, which is the worker's last word on budgets. */
export function curveDrawn(tab) {
  return tab.waitForSelector(".budget-plot .line:not(.is-rough)", { state: "attached", timeout: 300_000 });
}

/** Waits until every turn is computed. */
export function turnsKnown(tab) {
  return tab.waitForSelector("#turns[aria-busy=false]", { timeout: 300_000 });
}

/** Waits until an element shows a text. Uses a timer, because a busy browser runs no animation frames. */
export async function shows(tab, id, text) {
  const isShown = ([id, text]) => document.getElementById(id)?.textContent.includes(text);
  try {
    await tab.waitForFunction(isShown, [id, text], { polling: 50 });
  } catch (failure) {
    const page = await tab.evaluate((id) => {
      const said = (name) => document.getElementById(name)?.textContent;
      return { [id]: said(id), notice: said("notice"), state: document.body.dataset.state };
    }, id);
    throw new Error(`#${id} does not show "${text}": ${JSON.stringify(page)}`, { cause: failure });
  }
}

export function dropFile(tab, name, text) {
  return tab.evaluate(
    ([name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

/** Opens a panel by its button, unless it is open. */
export async function openPanel(tab, name) {
  const isOpen = await tab.$eval(`#${name}`, (panel) => panel.matches(":popover-open")).catch(() => false);
  if (!isOpen) {
    await tab.keyboard.press("Escape");
    const button = { samples: "source", body: undefined }[name] ?? `${name}-button`;
    await tab.click(name === "body" ? ".prompt-foot button" : `#${button}`);
    await tab.waitForSelector(`#${name}:popover-open`);
  }
}

/** Chooses a preset for a side, and waits for its prompt. */
export async function choosePreset(tab, name, side = "a") {
  await openPanel(tab, `setup-${side}`);
  const radio = tab.locator(`[data-presets=${side}] input[value="${name}"]`);
  if (!(await radio.isChecked())) {
    await afterBuild(tab, () => radio.check());
  }
}

/** The text of the sent body. */
export function sent(tab) {
  return inPanel(tab, "body", "#body-text");
}

/** The call shown on the page. */
export function callOf(tab) {
  return inPanel(tab, "code", "#call");
}

/** The contents of a panel. Reopens the panel that was open before. */
async function inPanel(tab, name, selector) {
  const before = await tab.evaluate((name) => {
    const open = document.querySelector(":popover-open")?.id;
    if (open !== name) {
      document.getElementById(name).showPopover();
    }
    return open;
  }, name);
  const text = await tab.textContent(selector);
  if (before !== name) {
    await tab.evaluate(
      ([name, before]) =>
        before === undefined
          ? document.getElementById(name).hidePopover()
          : document.getElementById(before).showPopover(),
      [name, before],
    );
  }
  return text;
}

/** Waits until the shown call contains a text. */
export function callHas(tab, text) {
  return has(tab, callOf, text);
}

/** Waits until the sent body contains a text. */
export function sentHas(tab, text) {
  return has(tab, sent, text);
}

async function has(tab, read, text) {
  for (let tries = 0; !(await read(tab)).includes(text); tries++) {
    if (tries === 200) {
      throw new Error(`${text} is not in ${await read(tab)}`);
    }
    await tab.waitForTimeout(20);
  }
}

/** The context's hash, shown if no message is selected. */
export async function hash(tab) {
  return await tab.textContent("#hash");
}

/** A conversation of `length` messages. */
export function messagesOf(length) {
  return Array.from({ length }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index} of a long conversation about ${["boats", "trains", "bridges", "maps"][index % 4]}`,
    createdAt: new Date(1_750_000_000_000 + index * 60_000).toISOString(),
  }));
}

/** The same as a log. */
export function logOf(length) {
  return messagesOf(length)
    .map(({ id: _, ...row }) => JSON.stringify(row))
    .join("\n");
}

export function assertQuiet(problems) {
  assert.deepEqual(problems, []);
}
