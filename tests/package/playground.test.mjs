// The playground as a user has it: built by Vite with no configuration, served, and used in Chromium.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const root = fileURLToPath(new URL("../../www", import.meta.url));
const sample = JSON.parse(await readFile(join(root, "sample.json"), "utf8"));
let folder;
let server;
let browser;
let address;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "windrow-playground-"));
  const built = { outDir: folder, emptyOutDir: true };
  await build({ root, logLevel: "error", build: built });
  server = await preview({ root, logLevel: "warn", build: built, preview: { port: 0, host: "127.0.0.1" } });
  address = server.resolvedUrls.local[0];
  browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

let page;
let problems;

beforeEach(async () => {
  await page?.context().close();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  problems = [];
  page.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") {
      problems.push(line.text());
    }
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) {
      problems.push(`requested ${request.url()}`);
    }
  });
  await page.goto(address);
  await page.waitForSelector("body[data-state=built]");
});

/** The figures beside the budget. */
async function summary() {
  const text = await page.textContent("#summary");
  const [, total, limit] = text.match(/^([\d,]+) of ([\d,]+) tokens/) ?? [];
  const [, kept, leftOut] = text.match(/([\d,]+) kept.*?([\d,]+) left out/) ?? [];
  return { total: numberOf(total), limit: numberOf(limit), kept: numberOf(kept), leftOut: numberOf(leftOut) };
}

function numberOf(text) {
  return Number(text?.replaceAll(",", ""));
}

async function setBudget(tokens) {
  await page.fill("#max-tokens", String(tokens));
  await page.waitForFunction(
    (shown) => document.getElementById("summary").textContent.includes(` of ${shown} tokens`),
    tokens.toLocaleString("en"),
  );
}

function dropFile(name, text) {
  return page.evaluate(
    ([name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

test("the sample is shown with its request, every message accounted for", async () => {
  assert.equal(await page.inputValue("#request"), sample.request);
  const { total, limit, kept, leftOut } = await summary();
  assert.equal(kept + leftOut, sample.messages.length);
  assert.ok(total <= limit && kept > 0 && leftOut > 0);
  const sent = JSON.parse(await page.inputValue("#sent"));
  assert.equal(sent.length, kept + 1);
  assert.equal(sent.at(-1).content, sample.request);
  assert.deepEqual(problems, []);
});

test("the budget decides how much is kept and is never exceeded", async () => {
  let last = -1;
  for (const budget of [200, 600, 1500, 10_000]) {
    await setBudget(budget);
    const { total, limit, kept } = await summary();
    assert.equal(limit, budget);
    assert.ok(total <= budget);
    assert.ok(kept > last, `${kept} kept at ${budget}, ${last} before`);
    last = kept;
  }
  assert.equal(last, sample.messages.length);
  await page.focus("#slider");
  await page.keyboard.press("Home");
  await page.waitForSelector("#build-error:not([hidden])");
  assert.match(await page.textContent("#build-error"), /BUDGET_TOO_SMALL · budget\.maxTokens/);
  assert.equal((await summary()).kept, last, "the last good result stays");
  await setBudget(600);
  assert.ok(await page.isHidden("#build-error"));
  assert.deepEqual(problems, []);
});

test("what was left out can be unfolded and opened, with its reason", async () => {
  await setBudget(600);
  const before = await page.locator(".row.message").count();
  await page.locator(".run-head[aria-expanded=false]").first().click();
  assert.ok((await page.locator(".row.message").count()) > before);
  await page.locator(".message.left-out .row-head").first().click();
  const body = await page.textContent(".message-body");
  assert.match(body, /left out by the stage budget:.*would cost \d+ tokens/);
  assert.ok(body.includes(sample.messages[1].content));
  await page.keyboard.press("End");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^80assistant/);
  assert.deepEqual(problems, []);
});

test("formats and options reach the build, and a wrong option is shown at its field", async () => {
  await page.check("input[value=xml]");
  await page.waitForFunction(() => document.getElementById("sent").value.startsWith("<conversation>"));
  await page.click("text=More options");
  await page.fill("#lookback-count", "5");
  await page.waitForFunction(() => document.getElementById("rows").textContent.includes("newest 5 messages"));
  await page.fill("#lookback-count", "-1");
  await page.waitForSelector("#lookback-count[aria-invalid=true]");
  assert.match(await page.textContent("#build-error"), /INVALID_CONFIG · window\.lookbackCount/);
  await page.click("#reset");
  await page.waitForSelector("#build-error", { state: "hidden" });
  assert.deepEqual(problems, []);
});

test("a dropped file is shown as text, its bad rows reported; a broken one changes nothing", async () => {
  const html = '<img src="missing" onerror="document.title = 1">';
  await dropFile("notes.jsonl", `${JSON.stringify({ role: "user", content: html })}\n{oops\n{"role":"boss"}\n`);
  await page.waitForFunction(() => document.getElementById("file-note").textContent === "notes.jsonl, 1 message");
  await page.waitForSelector(".message");
  assert.ok((await page.textContent("#rows")).includes(html));
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.textContent("#skipped"), /2 rows .*Row 2 not JSON.*Row 3 role: unknown role "boss"/s);

  await dropFile("broken.json", '[{"role": "user"');
  await page.waitForSelector("#file-error:not([hidden])");
  assert.match(await page.textContent("#file-error"), /not a conversation.*notes\.jsonl.*INVALID_TRANSCRIPT/);
  assert.equal((await summary()).kept, 1);
  await dropFile("empty.json", "[]");
  await page.waitForSelector("#no-messages:not([hidden])");
  assert.ok(await page.isHidden("#file-error"));
  assert.deepEqual(problems, []);
});

test("20,000 messages scroll and build at once", async () => {
  const messages = Array.from({ length: 20_000 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index} of a long conversation`,
  }));
  await dropFile("long.json", JSON.stringify(messages));
  await page.waitForFunction(() => document.getElementById("summary").textContent.includes("of 4,000 tokens"));
  await setBudget(500_000);
  assert.equal((await summary()).kept, 20_000);
  assert.ok((await page.locator(".row").count()) < 100);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.getElementById("rows").textContent.includes("Message 19999 of"));
  assert.ok((await page.locator(".row").count()) < 100);
  assert.deepEqual(problems, []);
});
