// A first visit with a ChatGPT export: its conversations, the model, comparisons, and a paste that fails.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import {
  afterBuild,
  assertQuiet,
  built,
  callOf,
  dropFile,
  openForTests,
  openPanel,
  openTab,
  shows,
  summary,
  turnsKnown,
} from "../support/page.mjs";

const { page, problems } = await openForTests();

const topics = ["Sourdough", "Bicycle repair", "A trip to Porto", "Spanish verbs", "Balcony plants"];

/** One conversation of ChatGPT's export, which ends with a reply: a tree of messages with a root. */
function exported(title, number) {
  const words = [
    `How do I begin with ${title.toLowerCase()}?`,
    `Begin with the basics of ${title.toLowerCase()}: read a little, try a little.`,
    `What do I need for it? I have about ${number * 10} euros.`,
    "Not much: patience, a free afternoon, and a notebook.",
  ];
  const startedAt = Date.UTC(2026, number, 3) / 1000;
  const mapping = { root: { id: "root", message: null, parent: null, children: ["0"] } };
  for (const [at, text] of words.entries()) {
    mapping[at] = {
      id: String(at),
      parent: at === 0 ? "root" : String(at - 1),
      children: at + 1 < words.length ? [String(at + 1)] : [],
      message: {
        id: String(at),
        author: { role: at % 2 === 0 ? "user" : "assistant" },
        create_time: startedAt + at * 60,
        content: { content_type: "text", parts: [text] },
      },
    };
  }
  return { title, create_time: startedAt, conversation_id: `c-${number}`, current_node: "3", mapping };
}

const chats = JSON.stringify(topics.map(exported));

async function openExport() {
  await dropFile(page, "conversations.json", chats);
  await shows(page, "source-name", "conversations.json");
  await built(page);
}

const titles = () => page.$$eval("#conversations [data-conversation] b", (found) => found.map((b) => b.textContent));

test("every conversation of a ChatGPT export can be found and opened, and the address keeps the choice", async () => {
  await openExport();
  await shows(page, "source", "4 messages, conversation 5 of 5");
  await openPanel(page, "samples");
  assert.deepEqual(await titles(), topics.toReversed(), "newest first");
  await page.fill("#conversation-search", "20 EUROS");
  assert.deepEqual(await titles(), ["A trip to Porto"], "by its text");
  await page.fill("#conversation-search", "bicy");
  assert.deepEqual(await titles(), ["Bicycle repair"], "by its title");
  await page.fill("#conversation-search", "nothing like it");
  await shows(page, "conversations-found", "No conversation has these words.");
  await page.fill("#conversation-search", "bicy");
  await afterBuild(page, () => page.click("#conversations button"));
  await shows(page, "source", "conversation 2 of 5");
  await shows(page, "rows", "How do I begin with bicycle repair?");

  await page.waitForFunction(() => location.hash.includes("conversation=2"));
  const tab = await openTab(page.context(), page.url(), problems);
  await shows(tab, "rows", "How do I begin with bicycle repair?");
  await tab.close();
  assertQuiet(problems);
});

test("a conversation that ends with a reply shows a hint, not a failure, until something is asked", async () => {
  await openExport();
  await page.waitForSelector("#ends-with-reply");
  await page.waitForTimeout(400); // the refusal is known when the picture has rested
  assert.equal(await page.locator(".failure").count(), 0);
  await afterBuild(page, () => page.fill("#request", "And what next?"));
  await page.waitForSelector("#ends-with-reply", { state: "detached" });
  assert.equal(await page.locator(".failure").count(), 0);
});

test("each provider is counted for its own model, and the field names another", async () => {
  const foot = () => page.textContent("#summary");
  assert.match(await foot(), /, exact in o200k_base$/);
  await afterBuild(page, () => page.click('#shapes label:has(input[value="anthropic"])'));
  assert.match(await foot(), /estimate/);
  assert.match(await callOf(page), /model: "claude-/);
  await openPanel(page, "setup-a");
  assert.match((await page.getAttribute("#model", "placeholder")) ?? "", /^claude-/);
  const before = await summary(page);
  await afterBuild(page, async () => {
    await page.fill("#model", "gpt-4o");
    await page.press("#model", "Tab");
  });
  assert.match(await callOf(page), /model: "gpt-4o"/);
  assert.match(await foot(), /, exact( |$)/);
  assert.notEqual((await summary(page)).total, before.total);
});

test("both sides of a comparison are in Every turn and in This prompt", async () => {
  await page.click("#compare");
  await page.waitForSelector("#setup-b:popover-open");
  await afterBuild(page, () => page.selectOption("#setup-b #recall-ranking", "recency"));
  await page.keyboard.press("Escape");
  await turnsKnown(page);
  const label = await page.getAttribute(".marks canvas", "aria-label");
  assert.match(label ?? "", /^This prompt: A: \d+ kept.*; B: \d+ kept/);
  await page.waitForFunction(() =>
    / B: [\d,]+ tokens, \d+ % the same/.test(document.querySelector("#turns")?.getAttribute("aria-valuetext") ?? ""),
  );
  // The lower half of each strip is drawn too.
  for (const strip of [".turns canvas", ".marks canvas"]) {
    const drawn = await page.$eval(strip, (canvas) => {
      const { width, height } = canvas;
      const rows = canvas.getContext("2d").getImageData(0, 0, width, height).data;
      const half = (from) =>
        rows.slice(from * width * 4, (from + Math.floor(height / 2)) * width * 4).some((one) => one > 0);
      return [half(0), half(Math.ceil(height / 2))];
    });
    assert.deepEqual(drawn, [true, true], strip);
  }
});

test("each color has one meaning", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const colours = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const whys = ["instruction", "match", "near", "required", "newest", "standing", "history", "made", "out"];
      const names = [...whys.map((why) => `why-${why}`), "accent", "wrong", "same", "fresh"];
      return names.map((name) => style.getPropertyValue(`--${name}`));
    });
    assert.ok(colours.every((colour) => colour !== ""));
    assert.equal(new Set(colours).size, colours.length, `${colorScheme}: ${colours}`);
  }
  await page.emulateMedia({ colorScheme: null });
});

test("at 1440 pixels the toolbar is one line with a file open, and the page says what it is", async () => {
  await openExport();
  for (const isComparing of [false, true]) {
    if (isComparing) {
      await page.click("#compare");
      await page.keyboard.press("Escape");
    }
    const tops = await page.$$eval(".top > :is(h1, .button)", (found) =>
      found.map((element) => {
        const { top, height, right } = element.getBoundingClientRect();
        return [Math.round(top + height / 2), right];
      }),
    );
    assert.ok(
      Math.max(...tops.map(([middle]) => middle)) - Math.min(...tops.map(([middle]) => middle)) <= 3,
      String(tops),
    );
    assert.ok(
      tops.every(([, right]) => right <= 1440),
      String(tops),
    );
  }
  assert.equal((await page.textContent(".about"))?.match(/\./g)?.length, 1, "one sentence");
});

test("a paste that isn't a conversation leaves the picture unchanged", async () => {
  await openExport();
  const before = { ...(await summary(page)), rows: await page.textContent("#rows") };
  await page.evaluate(() => navigator.clipboard.writeText("Dear all, this is no conversation."));
  await page.click("#paste");
  await page.waitForSelector("#file-failure");
  assert.deepEqual({ ...(await summary(page)), rows: await page.textContent("#rows") }, before);
  assert.equal(await page.locator(".is-old").count(), 0);
  const opacity = await page.$eval(".panes", (panes) => getComputedStyle(panes).opacity);
  assert.equal(opacity, "1");
});

// SHOTS=FOLDER saves screenshots, for people to look at.
test("screenshots", { skip: process.env.SHOTS === undefined }, async () => {
  const folder = process.env.SHOTS ?? "";
  mkdirSync(folder, { recursive: true });
  for (const [name, colorScheme, width] of /** @type {const} */ ([
    ["light", "light", 1440],
    ["dark", "dark", 1440],
    ["narrow", "light", 400],
  ])) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await openExport();
    await page.screenshot({ path: `${folder}/${name}.png` });
    await openPanel(page, "samples");
    await page.screenshot({ path: `${folder}/${name}-list.png` });
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: null });
});
