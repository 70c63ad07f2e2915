// The origin and storage of conversations, and shared views, on the built page in Chromium.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import {
  afterBuild,
  assertQuiet,
  built,
  callOf,
  curveDrawn,
  dropFile,
  hash,
  logOf,
  messagesOf,
  openBeside,
  openForTests,
  openPanel,
  openTab,
  openVisit,
  sample,
  sent,
  sentHas,
  setBudget,
  shows,
  site,
  summary,
} from "../support/page.mjs";

const { page, problems } = await openForTests();

beforeEach(async () => {
  await openPanel(page, "saved");
  for (let count = (await savedRows()).length; count > 0; count--) {
    await page.click("[data-action=ask] >> nth=0");
    await page.click("[data-action=remove]");
    await page.waitForFunction((count) => document.querySelectorAll(".saved-row").length < count, count);
  }
  await page.keyboard.press("Escape");
});

async function saveAs(name, tab = page) {
  await openPanel(tab, "saved");
  await tab.fill("#save-name", name);
  await tab.click("#save button");
  await shows(tab, "saved-status", `“${name}” is saved.`);
  await shows(tab, "source-name", name);
}

function savedRows(tab = page) {
  return tab.$$eval(".saved-row", (rows) =>
    rows.map((row) => [row.querySelector(".name").textContent, row.querySelector(".figure")?.textContent]),
  );
}

function press(action, key) {
  return page.locator(".saved-row", { hasText: key }).locator(`[data-action=${action}]`).first().click();
}

async function add(tab, text) {
  await tab.fill("#add-text", text);
  await tab.press("#add-text", "Enter");
}

async function exported(key) {
  await openPanel(page, "saved");
  const [download] = await Promise.all([page.waitForEvent("download"), press("export", key)]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

test("files in any form are opened, dropped and pasted as text, and an unreadable one changes nothing", async () => {
  const html = '<img src="missing" onerror="document.title = 1">';
  await dropFile(page, "notes.jsonl", `${JSON.stringify({ role: "user", content: html })}\n{oops\n{"role":"boss"}\n`);
  await shows(page, "source-name", "notes.jsonl");
  await shows(page, "rows", html);
  assert.equal(await page.locator("img").count(), 0);
  await openPanel(page, "samples");
  assert.match(await page.textContent("#skipped"), /2 rows .*Row 2 not JSON.*Row 3 role: unknown role "boss"/s);

  await dropFile(page, "broken.json", '[{"role": "user"');
  await page.waitForSelector("#file-failure");
  assert.match(
    await page.textContent("#file-failure"),
    /broken\.json was not opened.*notes\.jsonl.*INVALID_TRANSCRIPT/s,
  );
  assert.equal(await page.locator(".is-old").count(), 0, "the picture is as good as before");
  assert.equal((await summary(page)).kept, 1);
  await page.keyboard.press("Escape");
  await page.click("#file-failure button");
  assert.equal(await page.locator(".is-old").count(), 0);

  const ui = messagesOf(6).map(({ id, role, content }) => ({ id, role, parts: [{ type: "text", text: content }] }));
  await page.setInputFiles("#file", {
    name: "ui-messages.json",
    mimeType: "application/json",
    buffer: Buffer.from(`\ufeff${JSON.stringify(ui)}`, "utf16le"), // as PowerShell writes it
  });
  await shows(page, "source-name", "ui-messages.json");
  await shows(page, "rows", "Message 3 of");

  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify({ messages: messagesOf(9) }));
  await page.focus("#rows");
  await page.keyboard.press("Control+V");
  await shows(page, "source", "9 messages");
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify({ messages: messagesOf(11) }));
  await page.click("#paste");
  await shows(page, "source", "11 messages");
  assertQuiet(problems);
});

test("every sample opens with its request, and all but the first have at least 200 messages", async () => {
  await openPanel(page, "samples");
  const names = await page.$$eval("[data-sample]", (all) => all.map(({ dataset }) => dataset.sample));
  assert.deepEqual(names, ["workshop", "assistant", "friends", "agent", "channel", "languages"]);
  for (const name of names.slice(1)) {
    await openPanel(page, "samples");
    await afterBuild(page, () => page.click(`[data-sample=${name}]`));
    assert.ok((await page.inputValue("#request")).length > 20, name);
    const { kept, leftOut, total, limit } = await summary(page);
    assert.ok(kept + leftOut >= 200 && kept > 0 && total <= limit, `${name}: ${kept} and ${leftOut}`);
  }
  assertQuiet(problems);
});

test("a reload keeps the state in the URL, and an opened file", async () => {
  await dropFile(page, "boats.jsonl", logOf(60));
  await shows(page, "source-name", "boats.jsonl");
  await page.fill("#request", "What about boats?");
  await setBudget(page, 300);
  await openPanel(page, "setup-a");
  await afterBuild(page, () => page.selectOption("#recall-ranking", "bm25"));
  await page.keyboard.press("Escape");
  await afterBuild(page, () => page.check("#shapes input[value=gemini]", { force: true }));
  await page.click("#rows [data-position] >> nth=0");
  await afterBuild(page, () => page.click("#change >> text=Pin"));
  const before = await sent(page);
  const position = await page.getAttribute("#rows [aria-selected=true]", "data-position");
  await page.waitForFunction(() => location.hash.includes("edits="));
  await page.reload();
  await built(page);
  await shows(page, "source-name", "boats.jsonl");
  assert.equal(await sent(page), before);
  assert.equal(await page.inputValue("#request"), "What about boats?");
  assert.equal(await page.getAttribute("#rows [aria-selected=true]", "data-position"), position);
  await openPanel(page, "setup-a");
  assert.equal(await page.inputValue("#recall-ranking"), "bm25");
  await page.keyboard.press("Escape");
  assertQuiet(problems);
});

test("a shared link restores the setup and the sample, and says that a file's conversation isn't included", async () => {
  await setBudget(page, 700);
  await openPanel(page, "share");
  await page.click("#share >> text=Copy the link");
  await shows(page, "share", "Copied");
  const ofSample = await page.evaluate(() => navigator.clipboard.readText());
  const sentThere = await sent(page);
  const other = await openVisit({ at: ofSample });
  assert.equal(await sent(other.page), sentThere);
  assert.equal(await other.page.locator("#notice").count(), 0);
  await other.context.close();

  await dropFile(page, "private.jsonl", logOf(40));
  await shows(page, "source-name", "private.jsonl");
  await setBudget(page, 250);
  await openPanel(page, "share");
  assert.match(await page.textContent("#share"), /The conversation is not in it/);
  await page.click("#share >> text=Copy the link");
  await shows(page, "share", "Copied");
  const ofFile = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(!ofFile.includes("Message"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#share-file")]);
  const file = await readFile(await download.path(), "utf8");
  const sentOfFile = await sent(page);

  const stranger = await openVisit({ at: ofFile });
  assert.match(
    await stranger.page.textContent("#notice"),
    /not the conversation: “private\.jsonl” is not in this browser/,
  );
  assert.equal(await stranger.page.inputValue("#budget"), "250");
  await dropFile(stranger.page, "shared.view.json", file);
  await shows(stranger.page, "source-name", "private.jsonl");
  await sentHas(stranger.page, sentOfFile.slice(-300));
  assert.equal(await sent(stranger.page), sentOfFile);
  assertQuiet([...problems, ...other.problems, ...stranger.problems]);
  await stranger.context.close();
});

test("a saved conversation has the same prompt, and survives a reload", async () => {
  const before = await sent(page);
  await saveAs("Café & venue #1");
  assert.equal(await sent(page), before);
  assert.deepEqual(await savedRows(), [["Café & venue #1", "85 messages"]]);
  assert.match(await callOf(page), /openSession\("Café & venue #1", \{ store \}\)/);
  await page.waitForFunction(() => location.hash.includes("saved="));
  await page.reload();
  await built(page);
  await shows(page, "source-name", "Café & venue #1");
  assert.equal(await sent(page), before);
  assertQuiet(problems);
});

test("an added message is in the prompt, and changes in another tab show at once", async (t) => {
  await saveAs("venue");
  await add(page, "Is there a piano?");
  await sentHas(page, "Is there a piano?");
  assert.equal(await page.inputValue("#add-text"), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "add-text", "the next one can be typed");
  await page.waitForFunction(() => location.hash.includes("saved="));
  const other = await openBeside(page, problems);
  t.after(() => other.close());
  await shows(other, "source", "86 messages");
  await add(other, "From the other tab.");
  await sentHas(page, "From the other tab.");

  const texts = (name) => Array.from({ length: 3 }, (_, index) => `${name} ${index}`);
  const addAll = async (tab, name) => {
    for (const text of texts(name)) {
      await add(tab, text);
      await tab.waitForFunction(
        () => /** @type {HTMLTextAreaElement} */ (document.getElementById("add-text")).value === "",
      );
    }
  };
  await Promise.all([addAll(page, "left"), addAll(other, "right")]);
  for (const tab of [page, other]) {
    await shows(tab, "source", "93 messages");
  }
  // Each tab builds in its next frame.
  for (let tries = 0; tries < 100 && (await sent(page)) !== (await sent(other)); tries++) {
    await page.waitForTimeout(50);
  }
  assert.equal(await sent(page), await sent(other));

  await openPanel(other, "saved");
  await other.click("[data-action=ask]");
  await other.click("[data-action=remove]");
  for (const tab of [page, other]) {
    await shows(tab, "source-name", "Workshop plan");
    await openPanel(tab, "saved");
    await tab.waitForFunction(() => document.querySelector(".saved-row") === null);
  }
  assertQuiet(problems);
});

test("a copy up to a message is independent, a name is used once, and deleting asks first", async () => {
  await saveAs("venue");
  await page.keyboard.press("Escape");
  await page.click('#rows [data-position="2"]');
  await page.click("#fork");
  await shows(page, "source-name", "venue, to ");
  await shows(page, "source", "3 messages");
  await add(page, "Another way.");
  await shows(page, "source", "4 messages");
  await openPanel(page, "saved");
  await page.fill("#save-name", "venue");
  await page.click("#save button");
  await shows(page, "saved-failure", "“venue” is saved already: choose another name");
  await press("open", "venue, to");
  await page
    .locator(".saved-row .name", { hasText: /^venue$/ })
    .locator("..")
    .locator("[data-action=open]")
    .click();
  await shows(page, "source", "85 messages");
  await page
    .locator(".saved-row .name", { hasText: /^venue$/ })
    .locator("..")
    .locator("[data-action=ask]")
    .click();
  assert.match(await page.textContent("#saved-list"), /Delete it for good\?/);
  await page.click("#saved-list >> text=Cancel");
  assert.equal((await savedRows()).length, 2);
  assertQuiet(problems);
});

test("buttons pressed at once act in order, and the same one acts once", async () => {
  await saveAs("first");
  await openPanel(page, "saved");
  await page.fill("#save-name", "second");
  await page.dblclick("#save button");
  await shows(page, "source-name", "second");
  await page.waitForFunction(() => document.querySelectorAll(".saved-row").length >= 2);
  for (const order of [
    ["first", "second", "first"],
    ["first", "second"],
  ]) {
    await page.evaluate((names) => {
      for (const name of names) {
        const rows = [...document.querySelectorAll(".saved-row")];
        const row = rows.find((it) => it.querySelector(".name").textContent === name);
        /** @type {HTMLButtonElement} */ (row.querySelector("[data-action=open]")).click();
      }
    }, order);
    await shows(page, "saved-status", `“${order.at(-1)}” is on the page.`);
    await shows(page, "source-name", order.at(-1));
  }
  // The second click of a double click may come after the first has saved everything.
  await page.evaluate(() => {
    const button = document.querySelector("#save button");
    button.dispatchEvent(new MouseEvent("click", { detail: 2, bubbles: true, cancelable: true }));
  });
  await page.waitForTimeout(200);
  assert.equal((await savedRows()).length, 2);
  assertQuiet(problems);
});

test("a saved file is exported byte for byte, followed by added messages", async () => {
  const lines = [
    '{"type":"session","session_key":"elsewhere","created_at":"2025-05-05T09:00:00.000Z"}',
    '{"type":"message","role":"user","text":"Is it fr\\u0065e?","created_at":"2025-05-05T09:00:00.000Z","sessionId":"elsewhere"}',
    '{"type":"note", "of":  "something else", "number": 1.0}',
    '{"role":"assistant","content":"It is.","mine":[1e2]}',
  ];
  const file = `${lines.join("\n")}\n`;
  await dropFile(page, "log.jsonl", file);
  await shows(page, "source", "2 messages");
  await saveAs("a/b: log");
  assert.equal((await summary(page)).kept, 2, "also what names another session");
  assert.deepEqual(await exported("a/b: log"), { name: "a-b-log.jsonl", text: file });
  await page.keyboard.press("Escape");
  await add(page, "Good.");
  await shows(page, "source", "3 messages");
  const { text } = await exported("a/b: log");
  assert.ok(text.startsWith(file));
  assert.equal(JSON.parse(text.slice(file.length)).text, "Good.");
  assertQuiet(problems);
});

test("if the browser stores nothing, the page says so, and everything else works", async () => {
  const visit = await openVisit({
    hash: "#saved=venue",
    prepare: (fresh) => fresh.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined })),
  });
  await shows(visit.page, "notice", "“venue” is not saved in this browser");
  await openPanel(visit.page, "saved");
  await shows(visit.page, "saved-failure", "IndexedDB isn't available here");
  await visit.page.keyboard.press("Escape");
  await setBudget(visit.page, 600);
  assert.ok((await summary(visit.page)).kept > 0);
  assertQuiet(visit.problems);
  await visit.context.close();
});

test("if storage is full, a message that couldn't be added stays in its field", async () => {
  const visit = await openVisit();
  const { page } = visit;
  const session = await visit.context.newCDPSession(page);
  const { origin } = new URL(site.address);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 600_000 });
  await saveAs("venue", page);
  await page.keyboard.press("Escape");
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
  const long = noise.repeat(10);
  await page.fill("#add-text", long);
  await page.click("#add button");
  await page.waitForSelector("#add-error");
  assert.match(await page.textContent("#add-error"), /STORE_QUOTA/);
  assert.equal(await page.inputValue("#add-text"), long);
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  await visit.context.close();
});

test("after the first visit the page opens offline, and contacts no other origin", async () => {
  const visit = await openVisit({ serviceWorkers: "allow" });
  await visit.page.evaluate(() => navigator.serviceWorker.ready);
  await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await visit.context.setOffline(true);
  const again = await openTab(visit.context, `${site.address}#sample=workshop&budget=600`, []);
  const { limit, kept } = await summary(again);
  assert.deepEqual([limit, kept > 0], [600, true]);
  await curveDrawn(again);
  const policy = await again.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content");
  for (const part of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'"]) {
    assert.ok(policy.split("; ").includes(part), policy);
  }
  const asked = await again
    .evaluate(() =>
      fetch("https://example.com/").then(
        () => "asked",
        () => "refused",
      ),
    )
    .catch(() => "refused");
  assert.equal(asked, "refused");
  assertQuiet(visit.problems);
  await visit.context.close();
});

test("a saved conversation from a preset moves its clock with its messages", async () => {
  await saveAs("clocked");
  await openPanel(page, "setup-a");
  await afterBuild(page, () => page.check("[data-presets=a] input[value=agent]"));
  const clock = await page.inputValue("#now");
  await page.keyboard.press("Escape");
  await add(page, "Is there a piano?");
  await shows(page, "source", "86 messages");
  await openPanel(page, "setup-a");
  await page.waitForFunction(
    (clock) => /** @type {HTMLInputElement} */ (document.getElementById("now")).value > clock,
    clock,
  );
  assert.ok((await hash(page)).startsWith("ctx_"));
  assert.equal(sample.messages.length, 85);
  assertQuiet(problems);
});
