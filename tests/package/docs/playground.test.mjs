// The playground as a user has it: built by Vite with no configuration, served, and used in Chromium.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, preview } from "vite";
import { buildContext, presets, replay } from "windrow";

const root = fileURLToPath(new URL("../../../www", import.meta.url));
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
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: "America/Lima",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  problems = [];
  page = await openTab(context);
});

async function openTab(context, at = address) {
  const tab = await context.newPage();
  tab.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") {
      problems.push(line.text());
    }
  });
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) {
      problems.push(`requested ${request.url()}`);
    }
  });
  await tab.goto(at);
  await tab.waitForSelector("body[data-state=built]");
  return tab;
}

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

async function chooseRanking(ranking) {
  await page.$eval("#ranking", (select) => {
    for (let outer = select.closest("details"); outer; outer = outer.parentElement.closest("details")) {
      outer.open = true;
    }
  });
  await page.selectOption("#ranking", ranking);
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

const names = ["", ...Object.keys(presets)];

async function choosePreset(name) {
  await page.check(`#presets input[value="${name}"]`, { force: true });
  const call = name === "" ? '{ buildContext } from "windrow"' : `...presets.${name},`;
  await callHas(call);
}

/** Waits until the page shows a call with a text in it: then it shows the context of that call. */
function callHas(text) {
  return page.waitForFunction((text) => document.getElementById("call").textContent.includes(text), text);
}

function texts(selector) {
  return page.locator(selector).allTextContents();
}

function hash() {
  return page.textContent("#figures .hash");
}

/** Runs the code that the page shows, and gives the context. */
async function runCall() {
  const code = (await page.textContent("#call")).replace(/^import .*$/m, "");
  const AsyncFunction = (async () => {}).constructor;
  const run = new AsyncFunction("buildContext", "presets", "messages", `"use strict";${code}\nreturn context;`);
  return run(buildContext, presets, sample.messages);
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
  await page.keyboard.press("Enter"); // the last row is a folded run, which Enter opens
  await page.keyboard.press("End");
  const last = new RegExp(`^${sample.messages.length - 1}assistant`);
  assert.match(await page.evaluate(() => document.activeElement.textContent), last);
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

test("every preset sets the options, and the call that is shown builds the same context", async () => {
  assert.deepEqual(await page.$$eval("#presets input", (inputs) => inputs.map(({ value }) => value)), names);
  const hashes = new Set();
  for (const name of [...names.slice(1), ""]) {
    await choosePreset(name);
    const preset = presets[name] ?? {};
    assert.equal(await page.inputValue("input[name='render.format']:checked"), preset.render?.format ?? "messages");
    assert.equal(await page.inputValue("#max-user-turns"), String(preset.window?.maxUserTurns ?? ""));
    const context = await runCall();
    assert.equal(await hash(), context.snapshot.contextHash, name);
    assert.equal(await page.inputValue("#sent"), context.text ?? JSON.stringify(context.messages, null, 2));
    assert.ok((await page.textContent("#preset-hint")).length > 20);
    hashes.add(await hash());
  }
  assert.equal(hashes.size, names.length);
  assert.equal((await summary()).limit, 1000, "without a preset there is a budget again");
  assert.deepEqual(problems, []);
});

test("options say what differs from the preset, and go back to it", async () => {
  await choosePreset("triaged");
  await page.click("text=More options");
  assert.equal(await page.inputValue("#lookback-count"), "25");
  assert.equal(await page.inputValue("select[name='window.unit']"), "exchange");
  assert.equal(await page.textContent("#options-set"), "");
  assert.ok(await page.isDisabled("#reset"));
  assert.deepEqual(await page.$$eval("#roles input:checked", (boxes) => boxes.map(({ value }) => value)), [
    "user",
    "assistant",
  ]);

  await page.fill("#lookback-count", "10");
  await callHas("window: { ...presets.triaged.window, lookbackCount: 10 }");
  await page.uncheck("#sources input[value=scheduled]");
  await callHas('excludeSources: ["briefing"]');
  await page.fill("#min-messages", "");
  await callHas("minMessages: undefined");
  await page.fill("#always-recent", "8");
  await callHas("alwaysIncludeRecent: 8");
  assert.equal(await hash(), (await runCall()).snapshot.contextHash);
  assert.equal(await page.textContent("#options-set"), "3 changes");

  await page.click("#reset");
  await page.waitForFunction(() => !document.getElementById("call").textContent.includes("lookbackCount"));
  assert.equal(await page.inputValue("#lookback-count"), "25");
  assert.ok(await page.isChecked("#sources input[value=scheduled]"));
  await choosePreset("agent");
  assert.equal((await summary()).limit, presets.agent.budget.maxTokens);
  assert.ok(await page.isHidden("#triage"));
  await page.fill("#max-tokens", "5");
  await page.waitForSelector("#max-tokens[aria-invalid=true]");
  await page.fill("#max-tokens", "");
  await callHas("maxTokens: undefined");
  await page.click("text=The call that builds it");
  await page.click("#copy-call");
  await page.waitForFunction(() => document.getElementById("copy-call").textContent === "Copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.textContent("#call"));
  assert.deepEqual(problems, []);
});

test("the visitor plays the fast model, which may also fail or be away", async () => {
  await choosePreset("triaged");
  assert.match(await page.textContent("#question-title"), /^Asked about 20 older exchanges: 1 chosen$/);
  assert.ok(await page.isDisabled("#candidates input"), "it chose by itself");
  const before = await summary();

  await page.selectOption("#triage-by", "you");
  await callHas('return ["m10"];');
  await page.focus("#candidates input");
  await page.keyboard.press("Space");
  await callHas('return ["m08","m10"];');
  assert.equal(await page.textContent("#question-title"), "Asked about 20 older exchanges: 2 chosen");
  assert.equal(await page.evaluate(() => document.activeElement.value), "m08", "the focus stays");
  assert.ok((await summary()).kept > before.kept);
  assert.deepEqual(await texts("#answers li"), ["triage.select chose m08, m10"]);
  assert.equal(await hash(), (await runCall()).snapshot.contextHash);

  await page.selectOption("#triage-by", "failing");
  await page.waitForSelector("#notes:not([hidden])");
  assert.match(await page.textContent("#notes"), /triage\.\w+ failed: the fast model cannot be reached.*triage-failed/);
  assert.deepEqual(await texts("#answers li"), ["triage.select failed: the fast model cannot be reached"]);
  assert.ok((await summary()).kept < before.kept);
  assert.match(await page.textContent("#question-title"), /: no answer$/);
  await page.selectOption("#triage-by", "unavailable");
  await page.waitForFunction(() => document.getElementById("notes").textContent.includes("triage-unavailable"));
  assert.ok((await summary()).kept > before.kept, "all older ones stay");
  assert.deepEqual(await texts("#answers li"), ["triage.select was not available"]);
  assert.equal(await hash(), (await runCall()).snapshot.contextHash);
  assert.deepEqual(problems, []);
});

test("conversations are shown with label, tier and form, by the clock", async () => {
  await choosePreset("tiered");
  const rows = () =>
    page.$$eval("#conversation-rows tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const first = await rows();
  assert.deepEqual(first.slice(0, 3), [
    ["today, 17:55", "final count", "active thread", "in full"],
    ["today, 09:20", "signs", "today", "in full"],
    ["yesterday, 11:33", "canal walk", "yesterday", "by its summary"],
  ]);
  assert.ok(first.some(([, , tier, shown]) => tier === "older" && shown === "by an extract"));
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.getElementById("rows").textContent.includes("is shown by a summary"));

  await page.click("text=More options");
  // The clock is in the visitor's own time zone, seven hours behind the one that the sample is in.
  assert.equal(await page.inputValue("#now"), "2025-09-26T11:05");
  await page.fill("#now", "2025-09-27T11:05");
  await callHas('now: "2025-09-27T16:05:00.000Z"');
  assert.deepEqual((await rows())[0], ["yesterday, 17:55", "final count", "yesterday", "by an extract"]);
  await choosePreset("");
  assert.ok(await page.isHidden("#conversations"));
  assert.equal(await page.inputValue("#now"), "");
  assert.deepEqual(problems, []);
});

test("sections open to what they hold, and say what became of their items", async () => {
  await choosePreset("turnContract");
  const section = (name) => page.locator(".section", { has: page.locator(`.section-name:text-is("${name}")`) });
  await section("checkpoint").locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.equal(await section("checkpoint").locator(".section-text").textContent(), sample.contents.checkpoint);
  await section("toolSnippets").locator("summary").click();
  assert.equal(
    await section("toolSnippets").locator(".hint").textContent(),
    "search_venues: whole; search_caterers: whole",
  );
  assert.match(await page.textContent("#figures"), /Trimmedyes: the budget/);
  await setBudget(330);
  assert.ok(await section("checkpoint").locator(".section-text").isVisible(), "it stays open");
  assert.match(await section("toolSnippets").locator(".hint").textContent(), /by its summary/);
  await setBudget(100);
  assert.match(await page.textContent("#notes"), /required-overflow/);
  assert.ok(await page.isVisible(".section-row.over"));

  await choosePreset("turns");
  assert.match(await page.textContent("#figures"), /Recall2 found, focus balanced \(0\.50\)/);
  assert.match(await section("recall").locator(".section-text").textContent(), /score=.* source=notes\/venue\.md/);
  await dropFile("bare.json", JSON.stringify([{ role: "user", content: "Hello" }]));
  await page.waitForSelector("#notes:not([hidden])");
  assert.match(await page.textContent("#notes"), /recall-unavailable/);
  await choosePreset("triaged");
  assert.ok(await page.isVisible("#unasked"));
  await choosePreset("turns");
  assert.equal(await section("soul").locator(".section-text").textContent(), "SOUL.md is missing.");
  assert.deepEqual(problems, []);
});

test("a recording is downloaded, replayed, and says what differs", async () => {
  await choosePreset("triaged");
  await page.click("text=The recording, and its replay");
  await page.click("#replay");
  await page.waitForSelector("#replayed:not([hidden])");
  assert.match(await page.textContent("#replayed"), /^the same context, byte for byte/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download-recording")]);
  assert.equal(download.suggestedFilename(), "recording.jsonl");
  const buffer = await readFile(await download.path());
  const again = await replay(JSON.parse(buffer), sample.messages);
  assert.deepEqual([again.same, again.differences], [true, []]);
  assert.equal(again.context.text, await page.inputValue("#sent"));

  const upload = (buffer) =>
    page.setInputFiles("#recording-file", { name: "recording.jsonl", mimeType: "application/json", buffer });
  await choosePreset("");
  assert.ok(await page.isHidden("#replayed"), "it was of another context");
  await upload(buffer);
  await page.waitForSelector("#replayed:not([hidden])");
  assert.match(await page.textContent("#replayed"), /^recording\.jsonl: the same context/);

  const changed = sample.messages.map((message) =>
    message.id === "m85" ? { ...message, content: "Something else." } : message,
  );
  await dropFile("changed.json", JSON.stringify(changed));
  await page.waitForFunction(() => document.getElementById("file-note").textContent.startsWith("changed.json"));
  await page.waitForFunction(() => document.getElementById("replayed").hidden);
  await upload(buffer);
  await page.waitForSelector("#replayed:not([hidden])");
  assert.match(await page.textContent("#replayed"), /not the same context\.One of the messages 64 to 84 has changed\./);

  await upload(Buffer.from("no recording"));
  await page.waitForSelector("#replay-error:not([hidden])");
  assert.match(await page.textContent("#replay-error"), /recording\.jsonl is not JSON/);
  await upload(Buffer.from("{}"));
  await page.waitForFunction(() => document.getElementById("replay-error").textContent.includes("INVALID_RECORDING"));
  assert.ok(await page.isHidden("#replayed"));
  assert.deepEqual(problems, []);
});

/** Waits until an element of a tab shows a text. */
function shows(tab, id, text) {
  return tab.waitForFunction(([id, text]) => document.getElementById(id).textContent.includes(text), [id, text]);
}

/** Keeps the conversation on the page under a name. */
async function keepAs(name) {
  await page.$eval("#kept", (panel) => {
    panel.open = true;
  });
  await page.fill("#keep-name", name);
  await page.dblclick("#keep button");
  await shows(page, "file-note", `Kept: ${name},`);
  await shows(page, "call", `await openSession(${JSON.stringify(name)}`);
  await shows(page, "kept-status", `“${name}” is`);
}

/** The kept conversations in the list, with how many messages each has. */
function keptRows(tab = page) {
  return tab.$$eval(".kept-row", (rows) =>
    rows.map((row) => [row.querySelector(".name").textContent, row.querySelector(".figure")?.textContent]),
  );
}

function press(action, key) {
  return page.click(`[data-action="${action}"][data-key="${key}"]`);
}

async function add(tab, role, text) {
  await tab.click("#to-add");
  await tab.selectOption("#add-role", role);
  await tab.fill("#add-text", text);
  await tab.keyboard.press("Control+Enter");
}

async function exported(key) {
  const [download] = await Promise.all([page.waitForEvent("download"), press("save", key)]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** A long conversation as a log. */
function logOf(length) {
  const rows = Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index + 1} of a long conversation`,
    createdAt: new Date(1_750_000_000_000 + index * 60_000).toISOString(),
  }));
  return rows.map((row) => JSON.stringify(row)).join("\n");
}

test("a conversation that is kept gives the same context, and is there again when the page is loaded again", async () => {
  assert.deepEqual(await keptRows(), []);
  const sent = await page.inputValue("#sent");
  await keepAs("Café & venue #1");
  assert.equal(await page.inputValue("#sent"), sent);
  assert.equal(await page.textContent("#kept-status"), "“Café & venue #1” is kept.");
  assert.deepEqual(await keptRows(), [["Café & venue #1", "85 messages"]]);
  assert.equal(await page.textContent("#kept-count"), "1 conversation");
  assert.match(await page.textContent("#call"), /indexedDbStore\(\{ name: "windrow-playground" \}\)/);

  await page.keyboard.press("Shift+Tab");
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "conversation" && location.hash.includes("kept="));
  await page.reload();
  await shows(page, "file-note", "Kept: Café & venue #1, 85 messages");
  await shows(page, "call", "openSession");
  assert.match(await page.textContent("#figures"), /Read85 of 85 messages, 86 rows of the log for this build/);
  await page.fill("#request", sample.request);
  await page.waitForFunction((sent) => document.getElementById("sent").value === sent, sent);
  assert.match(await page.textContent("#figures"), /, 0 rows of the log for this build/);
  for (const name of names.slice(1)) {
    await choosePreset(name);
    assert.ok((await summary()).kept > 0, name);
  }

  await page.click("#sample");
  await shows(page, "file-note", "The sample, 85 messages");
  assert.equal(new URL(page.url()).hash, "");
  assert.ok(await page.isHidden("#add"));
  assert.deepEqual(problems, []);
});

test("of a long one, only what window and budget need is read", async () => {
  await dropFile("trip.jsonl", logOf(2000));
  await shows(page, "file-note", "trip.jsonl, 2,000 messages");
  assert.equal(await page.inputValue("#keep-name"), "trip");
  await chooseRanking("recency");
  await setBudget(500);
  await keepAs("trip");
  const unread = Number(
    (await page.textContent("#unread-count")).match(/^([\d,]+) older messages were not read\.$/)[1].replace(",", ""),
  );
  assert.ok(unread >= 1800, `${unread} were not read`);
  const read = `Read${2000 - unread} of 2,000 messages, `;
  assert.ok((await page.textContent("#figures")).includes(read));
  assert.equal((await summary()).limit, 500, "the options stay");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.querySelector("#rows li:last-child .position").textContent === "2000");

  await page.locator(".message .row-head").last().click();
  await setBudget(1_000_000);
  await shows(page, "unread-count", "All of it was read.");
  assert.equal((await summary()).kept, 2000);
  assert.match(await page.textContent(".message-body"), /Message 2000 of/, "what was open is open");
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => document.querySelector("#rows .position").textContent === "1");
  assert.deepEqual(problems, []);
});

test("a message is added, is in the context, and stays", async () => {
  await choosePreset("agent");
  await keepAs("venue");
  await page.click("text=More options");
  const clock = await page.inputValue("#now");
  await add(page, "user", "Is there a piano?");
  await page.waitForFunction(() => document.getElementById("sent").value.includes("Is there a piano?"));
  assert.equal(await page.inputValue("#add-text"), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "add-text", "the next one can be typed");
  assert.match(await page.textContent("#figures"), /Read86 of 86 messages, 1 row of the log for this build/);
  assert.match(await page.textContent("#rows"), /Is there a piano\?/);
  assert.ok((await page.inputValue("#now")) > clock, "the clock moves on");
  await shows(page, "kept-rows", "86 messages");
  await add(page, "assistant", "Yes, on the first floor.");
  await shows(page, "file-note", "Kept: venue, 87 messages");
  await page.reload();
  await shows(page, "file-note", "Kept: venue, 87 messages");
  await page.waitForFunction(() => document.getElementById("sent").value.includes("Yes, on the first floor."));
  assert.deepEqual(problems, []);
});

test("what another tab does to it shows at once", async () => {
  await keepAs("venue");
  const other = await openTab(page.context(), page.url());
  await shows(other, "file-note", "Kept: venue, 85 messages");
  await add(other, "user", "From the other tab.");
  await page.waitForFunction(() => document.getElementById("sent").value.includes("From the other tab."));
  await shows(page, "file-note", "Kept: venue, 86 messages");
  await shows(page, "kept-rows", "86 messages");
  // Both at once: nothing is lost, and both see the same.
  const texts = (name) => Array.from({ length: 3 }, (_, index) => `${name} ${index}`);
  const addAll = async (tab, name) => {
    for (const text of texts(name)) {
      await add(tab, "user", text);
    }
  };
  await Promise.all([addAll(page, "left"), addAll(other, "right")]);
  for (const tab of [page, other]) {
    await shows(tab, "file-note", "Kept: venue, 92 messages");
    await tab.waitForFunction(
      (texts) => texts.every((text) => document.getElementById("sent").value.includes(text)),
      [...texts("left"), ...texts("right")],
    );
  }
  await page.fill("#request", "");
  const sent = await other.inputValue("#sent");
  await page.waitForFunction((sent) => document.getElementById("sent").value === sent, sent);

  await other.click("#kept summary");
  await other.click('[data-action="ask"]');
  await other.click('[data-action="remove"]');
  for (const tab of [page, other]) {
    await shows(tab, "kept-status", "“venue” was deleted.");
    await shows(tab, "file-note", "The sample, 85 messages");
    await tab.waitForFunction(() => document.getElementById("kept-rows").hidden);
  }
  assert.deepEqual(problems, []);
});

test("a copy up to a message goes its own way", async () => {
  await keepAs("venue");
  await chooseRanking("recency");
  await page.locator(".run-head[aria-expanded=false]").first().click();
  await page.click('.message-head:has(.position:text-is("3"))');
  await page.click(".fork");
  await shows(page, "file-note", "Kept: venue, to 3, 3 messages");
  await shows(page, "figures", "Read3 of 3 messages");
  await add(page, "user", "Another way.");
  await shows(page, "file-note", "Kept: venue, to 3, 4 messages");
  await keepAs("all of the fork");
  assert.deepEqual(Object.fromEntries(await keptRows()), {
    venue: "85 messages",
    "venue, to 3": "4 messages",
    "all of the fork": "4 messages",
  });
  await press("open", "venue");
  await shows(page, "file-note", "Kept: venue, 85 messages");
  // The context of the other one is shown until that of this one is built.
  await page.waitForFunction(() => !document.querySelector("#sent").value.includes("Another way."));
  assert.deepEqual(problems, []);
});

test("a file that was kept is exported byte for byte, and what was added comes after it", async () => {
  const lines = [
    '{"type":"session","session_key":"elsewhere","created_at":"2025-05-05T09:00:00.000Z"}',
    '{"type":"message","role":"user","text":"Is it fr\\u0065e?","created_at":"2025-05-05T09:00:00.000Z","sessionId":"elsewhere"}',
    '{"type":"note", "of":  "something else", "number": 1.0}',
    '{"role":"assistant","content":"It is.","mine":[1e2]}',
  ];
  const file = `${lines.join("\n")}\n`;
  await dropFile("log.jsonl", file);
  await shows(page, "file-note", "log.jsonl, 2 messages");
  await keepAs("a/b: log");
  assert.equal((await summary()).kept, 2, "also what names another session");
  const first = await exported("a/b: log");
  assert.deepEqual(first, { name: "a-b-log.jsonl", text: file });
  await add(page, "user", "Good.");
  await shows(page, "file-note", "3 messages");
  const { text } = await exported("a/b: log");
  assert.ok(text.startsWith(file));
  assert.equal(JSON.parse(text.slice(file.length)).text, "Good.");

  await dropFile("again.jsonl", text);
  await shows(page, "file-note", "again.jsonl, 3 messages");
  await keepAs("again");
  assert.equal((await exported("again")).text, text);
  assert.deepEqual(problems, []);
});

test("a name is taken once, and deleting asks first", async () => {
  await keepAs("venue");
  await page.click("#sample");
  await shows(page, "file-note", "The sample");
  await page.fill("#keep-name", "venue");
  await page.click("#keep button");
  await page.waitForSelector("#kept-error:not([hidden])");
  assert.equal(await page.textContent("#kept-error"), "“venue” is kept already: choose another name");
  await keepAs("second");
  assert.ok(await page.isHidden("#kept-error"));

  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.focus('[data-action="ask"][data-key="venue"]');
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Cancel venue");
  assert.equal(await page.textContent("#kept-question"), "Delete it for good?");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "Delete venue");
  assert.equal((await keptRows()).length, 2);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await shows(page, "kept-status", "“venue” was deleted.");
  assert.deepEqual(await keptRows(), [["second", "85 messages"]]);
  assert.match(await focused(), /second/, "the focus stays in the list");
  assert.match(await page.textContent("#file-note"), /^Kept: second/);

  await press("ask", "second");
  await press("remove", "second");
  await shows(page, "file-note", "The sample, 85 messages");
  assert.equal(new URL(page.url()).hash, "");
  await page.reload();
  await shows(page, "file-note", "The sample, 85 messages");
  assert.deepEqual(await keptRows(), []);

  for (const tab of [page, await openTab(page.context(), `${address}#kept=second`)]) {
    await tab.evaluate(() => {
      location.hash = "#kept=second";
    });
    await shows(tab, "kept-error", "this browser keeps no conversation “second”");
    await shows(tab, "file-note", "The sample, 85 messages");
    await tab.waitForFunction(() => location.hash === "");
  }
  assert.deepEqual(problems, []);
});

test("where the browser keeps nothing, it says so, and all else works", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined }));
  await page.context().close();
  page = await openTab(context, `${address}#kept=venue`);
  await shows(page, "kept-error", "there is no IndexedDB here");
  await shows(page, "file-note", "The sample, 85 messages");
  assert.ok(await page.isVisible("#kept-error"));
  assert.match(await page.textContent("#kept-error"), /memoryStore\(\).*STORE_UNAVAILABLE/);
  assert.equal(await page.textContent("#kept-count"), "not possible here");
  await page.fill("#keep-name", "venue");
  await page.click("#keep button");
  await shows(page, "kept-error", "STORE_UNAVAILABLE");
  assert.equal(await page.textContent("#file-note"), "The sample, 85 messages");
  await setBudget(600);
  assert.ok((await summary()).kept > 0);
  assert.deepEqual(problems, []);
});

test("where there is no room, what is not kept is still in its field", async () => {
  await page.context().close();
  const context = await browser.newContext();
  page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { origin } = new URL(address);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 2_000_000 });
  await page.goto(address);
  await page.waitForSelector("body[data-state=built]");
  await keepAs("venue");
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
  const long = noise.repeat(30);
  await page.fill("#add-text", long);
  await page.click("#add button");
  await page.waitForSelector("#add-error:not([hidden])");
  assert.match(await page.textContent("#add-error"), /Remove sessions.*STORE_QUOTA/);
  assert.equal(await page.inputValue("#add-text"), long);
  assert.match(await page.textContent("#file-note"), /85 messages$/);
  await session.send("Storage.overrideQuotaForOrigin", { origin });
});

test("on a phone nothing is wider than the page", async () => {
  await dropFile("One with a name that is longer than a phone is wide.jsonl", logOf(200));
  await keepAs("One with a name that is longer than a phone is wide");
  await page.setViewportSize({ width: 360, height: 800 });
  for (const name of names.slice(1)) {
    await choosePreset(name);
    await page.$$eval("details", (all) => {
      for (const details of all) {
        details.open = true;
      }
    });
    const { scrollWidth, wide } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      wide: [...document.querySelectorAll("main *:not(.visually-hidden)")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("#candidates"))
        .map((element) => element.outerHTML.slice(0, 80)),
    }));
    assert.deepEqual([scrollWidth, wide], [360, []], name);
  }
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
