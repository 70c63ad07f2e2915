// Accessibility of the page: axe in every state, the keyboard, and the visible parts at each size.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, violationsIn } from "../support/axe.mjs";
import {
  afterBuild,
  assertQuiet,
  beginAgain,
  choosePreset,
  dropFile,
  messagesOf,
  openForTests,
  openPanel,
  sample,
  shows,
  turnsKnown,
} from "../support/page.mjs";

// axe is injected as a visitor's tool, because the page's own policy would block it.
const { page, problems } = await openForTests({ bypassCSP: true });
await page.addScriptTag({ path: axe });

/** Asserts that no axe rule reports a violation. */
async function isClean(state) {
  const found = await violationsIn(page);
  assert.deepEqual(found, [], state);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no violation in any state, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    await isClean("as it opens");
    await page.click('#rows [data-position="13"]');
    await page.waitForSelector("#spans");
    await isClean("with a message chosen");
    await page.locator("#rows .is-run").first().click();
    await isClean("with a run unfolded");
    for (const panel of ["samples", "saved", "connect", "code", "recording", "share", "body"]) {
      await openPanel(page, panel);
      await isClean(`with the panel ${panel}`);
    }
    await page.keyboard.press("Escape");
    const chats = [1, 2].map((id) => ({ id, title: `Chat ${id}`, messages: messagesOf(4) }));
    await dropFile(page, "chats.json", JSON.stringify(chats));
    await shows(page, "source-name", "chats.json");
    await openPanel(page, "samples");
    await isClean("with the conversations of a file");
    await page.keyboard.press("Escape");
    await page.fill("#budget", "10");
    await page.waitForSelector("#build-failure");
    await isClean("where the budget is too small");
    await dropFile(page, "broken.json", "[");
    await page.waitForSelector("#file-failure");
    await isClean("where a file failed too");
    await page.setViewportSize({ width: 390, height: 800 });
    await isClean("on a phone");
  });
}

test("axe finds no violation in setups, comparisons, triage, tiers and recordings", async () => {
  await choosePreset(page, "triaged");
  await page.selectOption("#judge", "failing");
  await page.click("#question");
  await shows(page, "notes", "triage-failed");
  await isClean("with failed triage");
  await choosePreset(page, "tiered");
  await isClean("with conversations");
  await page.fill("#window-lookbackCount", "-1");
  await page.waitForSelector("#window-lookbackCount[aria-invalid=true]");
  await isClean("with a wrong option");
  await beginAgain(page);
  await page.click("#compare");
  await page.waitForSelector("#setup-b:popover-open");
  await isClean("with B");
  await page.keyboard.press("Escape");
  await isClean("comparing");
  await openPanel(page, "recording");
  await page.setInputFiles("#recording-file", {
    name: "bad.json",
    mimeType: "application/json",
    buffer: Buffer.from("{}"),
  });
  await page.waitForSelector("#replay-failure");
  await isClean("with a recording that fails");
  assertQuiet(problems);
});

const focused = () => page.evaluate(() => document.activeElement.id);

test("the keyboard moves through conversation, prompt and strip", async () => {
  await page.focus("#rows");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const active = () => page.getAttribute("#rows", "aria-activedescendant");
  assert.equal(await active(), "line-1");
  await shows(page, "said", "#1 Mara");
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press("ArrowDown");
  }
  assert.equal(await active(), "line-4-run");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  assert.equal(await active(), "line-4");
  await page.keyboard.press("ArrowUp");
  assert.equal(await active(), "line-4-run");
  await page.keyboard.press("Enter");
  await page.waitForSelector('#rows [data-position="4"]', { state: "detached" });
  await page.keyboard.press("End");
  assert.equal(await active(), `line-${sample.messages.length - 1}`);
  const isInView = await page.$eval("#rows .is-active", (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    const box = document.getElementById("rows").getBoundingClientRect();
    return top >= box.top - 1 && bottom <= box.bottom + 1;
  });
  assert.ok(isInView, "the focused element is in view");

  await page.focus("#blocks");
  await page.keyboard.press("Home");
  assert.equal(await page.getAttribute("#blocks", "aria-activedescendant"), "blocks-0");
  await shows(page, "said", "#0 system");
  await page.keyboard.press("ArrowDown");
  await shows(page, "said", "#1 Mara");
  assert.equal(await active(), "line-1", "the conversation goes along");
  await page.keyboard.press("End");
  await shows(page, "inspector", "the form itself");

  await turnsKnown(page);
  await page.focus("#turns");
  await afterBuild(page, () => page.keyboard.press("ArrowLeft"));
  assert.match(await page.getAttribute("#turns", "aria-valuetext"), /^step /);
  await afterBuild(page, () => page.keyboard.press("End"));
  assert.match(await page.getAttribute("#turns", "aria-valuetext"), /^now/);
  assertQuiet(problems);
});

test("Tab reaches every control, in the order of the page", async () => {
  await page.focus(".skip");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the conversation");
  const order = [];
  for (let step = 0; step < 40 && order.at(-1) !== "figures"; step++) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  const wanted = [
    "source",
    "file",
    "paste",
    "saved-button",
    "connect-button",
    "setup-a-button",
    "compare",
    "code-button",
    "request",
    "budget",
    "slider",
    "turns",
    "rows",
    "blocks",
    "figures",
  ];
  assert.deepEqual(
    order.filter((id) => wanted.includes(id)),
    wanted,
  );
});

test("at 1440 x 900 fifteen messages and the whole prompt are visible, and at 720 the first message is above the fold", async () => {
  const inView = () =>
    page.evaluate(() => {
      const box = document.getElementById("rows").getBoundingClientRect();
      const bottom = Math.min(box.bottom, innerHeight);
      const isIn = (element) => {
        const { top, bottom: end } = element.getBoundingClientRect();
        return top >= box.top - 1 && end <= bottom + 1;
      };
      const blocks = [...document.querySelectorAll("#blocks .block")].map((block) => block.getBoundingClientRect());
      return {
        messages: [...document.querySelectorAll("#rows [data-position]")].filter(isIn).length,
        first: document.querySelector('#rows [data-position="0"]').getBoundingClientRect().bottom,
        promptEnd: Math.max(...blocks.map(({ bottom: end }) => end)),
        height: innerHeight,
        tall: box.height,
        wide: document.documentElement.scrollWidth - innerWidth,
      };
    });
  const large = await inView();
  assert.ok(large.messages >= 15, `${large.messages} messages`);
  assert.ok(large.promptEnd <= large.height);
  for (const [width, height] of [
    [1024, 768],
    [720, 900],
    [390, 800],
    // Back again: the picture takes the size of its place, not vice versa.
    [1440, 900],
  ]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(100);
    const { first, promptEnd, height: fold, wide, tall } = await inView();
    assert.ok(tall < fold, `at ${width} the conversation is ${tall} pixels tall`);
    assert.ok(first < fold && promptEnd < fold, `at ${width} the first message ends at ${first} of ${fold}`);
    assert.ok(wide <= 0, `at ${width} the page is ${wide} pixels too wide`);
  }
});

test("no panel is wider than its place on a phone", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const panel of ["samples", "saved", "connect", "setup-a", "code", "recording", "share", "body"]) {
    await openPanel(page, panel);
    const over = await page.$eval(`#${panel}`, ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.ok(over <= 0, `${panel} is ${over} pixels too wide`);
  }
  await page.keyboard.press("Escape");
});

test("20,000 messages scroll with few rows in the document", async () => {
  const fewRows = async () => {
    const { rows, height } = await page.$eval("#rows", (box) => ({
      rows: box.querySelectorAll(".row").length,
      height: box.clientHeight,
    }));
    assert.ok(rows < 60, `${rows} lines in ${height} pixels`);
  };
  await dropFile(page, "long.json", JSON.stringify(messagesOf(20_000)));
  await shows(page, "source", "20,000 messages");
  await page.waitForFunction(() => document.getElementById("counts").textContent.includes("left out"));
  await fewRows();
  await page.focus("#rows");
  await page.keyboard.press("End");
  await shows(page, "rows", "Message 19999 of");
  await fewRows();
  assertQuiet(problems);
});
