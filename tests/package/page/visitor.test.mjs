// A first visit with a ChatGPT export: its conversations, the model, comparisons, and a paste that fails.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import {
  afterBuild,
  assertQuiet,
  beginAgain,
  built,
  callOf,
  curveDrawn,
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

/** A color in OKLab, in which distances are about as large as people see them. */
function oklab(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const middle = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

/** The smallest distance of two colors in a chart. Below it, bars of two or three pixels look the same. */
const DISTINCT = 0.085;

test("each color has one meaning", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const colours = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const whys = ["instruction", "match", "near", "required", "newest", "standing", "history", "request"];
      const names = [
        ...[...whys, "made", "out"].map((why) => `why-${why}`),
        "accent",
        "wrong",
        "same",
        "fresh",
        "curve",
      ];
      return names.map((name) => [name, style.getPropertyValue(`--${name}`)]);
    });
    for (const [at, [name, colour]] of colours.entries()) {
      assert.match(colour, /^#[0-9a-f]{6}$/, name);
      for (const [other, otherColour] of colours.slice(0, at)) {
        const [one, two] = [oklab(colour), oklab(otherColour)];
        const distance = Math.hypot(...one.map((value, axis) => value - two[axis]));
        assert.ok(distance >= DISTINCT, `${colorScheme}: ${name} and ${other} are ${distance.toFixed(3)} apart`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: null });
});

test("a legend names each color in sight, at every width", async () => {
  const meanings = async () => {
    const entries = await page.$$eval("#legend dd", (found) =>
      found.map((entry) => {
        const { left, right } = entry.getBoundingClientRect();
        const isShown = entry.checkVisibility() && left >= 0 && right <= innerWidth;
        const { backgroundColor } = getComputedStyle(entry.querySelector("i"));
        return [entry.textContent, isShown, backgroundColor];
      }),
    );
    assert.deepEqual(
      entries.filter(([, isShown]) => !isShown),
      [],
    );
    return Object.fromEntries(entries.map(([words, , colour]) => [words, colour]));
  };
  await turnsKnown(page);
  await curveDrawn(page);
  for (const width of [1440, 900, 360]) {
    await page.setViewportSize({ width, height: 900 });
    const named = await meanings();
    assert.ok("same as the step before" in named && "new" in named && "messages that fit" in named);
    const inSight = await page.$$eval(".block, .row .mark", (found) =>
      found.map((element) => {
        const { backgroundColor, backgroundImage } = getComputedStyle(element);
        return backgroundImage.match(/rgb\([^)]*\)/)?.[0] ?? backgroundColor;
      }),
    );
    assert.ok(inSight.length > 10);
    assert.deepEqual(
      [...new Set(inSight)].filter((colour) => !Object.values(named).includes(colour)),
      [],
      `at ${width} pixels`,
    );
  }
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
    await turnsKnown(page);
    await page.screenshot({ path: `${folder}/${name}.png` });
    await openPanel(page, "samples");
    await page.screenshot({ path: `${folder}/${name}-list.png` });
    await beginAgain(page);
    await turnsKnown(page);
    await curveDrawn(page);
    await page.screenshot({ path: `${folder}/${name}-sample.png` });
    await page.click("#compare");
    await afterBuild(page, () => page.selectOption("#setup-b #recall-ranking", "recency"));
    await page.keyboard.press("Escape");
    await page.waitForFunction(() =>
      /; B: /.test(document.querySelector("#turns")?.getAttribute("aria-valuetext") ?? ""),
    );
    await page.screenshot({ path: `${folder}/${name}-compared.png` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: null });
});
