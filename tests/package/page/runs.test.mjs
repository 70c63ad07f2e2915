// The page with the run of an agent: every step, and shortened results.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContext } from "windrow";
import { assertQuiet, dropFile, openForTests, setBudget, shows, site, turnsKnown } from "../support/page.mjs";

const { page, problems } = await openForTests();

const STEPS = 9;

/** A run that reads a file in each step. Its task has about as many words as `words`. */
function run(words) {
  const task = `Rename handler_12 to onSave. ${"Keep the tests green. ".repeat(words / 4)}`;
  const steps = Array.from({ length: STEPS }, (_, at) => {
    const asked = { name: "read_file", arguments: JSON.stringify({ path: `src/router_${at}.ts` }) };
    const lines = Array.from(
      { length: 60 },
      (_, line) => `${line}: const handler_${at}_${line} = makeHandler(${line});`,
    );
    return [
      { role: "assistant", content: null, tool_calls: [{ id: `call_${at}`, type: "function", function: asked }] },
      { role: "tool", tool_call_id: `call_${at}`, content: lines.join("\n") },
    ];
  });
  return [{ role: "user", content: task }, ...steps.flat()];
}

test("a run opens with a budget for its task, even a long one", async () => {
  for (const words of [8, 800, 4000]) {
    const messages = run(words);
    await dropFile(page, `run-${words}.json`, JSON.stringify(messages));
    await shows(page, "source-name", `run-${words}.json`);
    await page.waitForSelector("body[data-state=built]");
    await page.waitForSelector(`#rows [data-position="0"]`);
    assert.equal(await page.locator("#build-failure").count(), 0);
    const maxTokens = Number(await page.inputValue("#budget"));
    const context = await buildContext(messages, { budget: { maxTokens } });
    assert.ok(context.tokens.total <= maxTokens);
  }
  assertQuiet(problems);
});

test("every step can be played", async () => {
  await dropFile(page, "run.json", JSON.stringify(run(8)));
  await shows(page, "source-name", "run.json");
  await page.waitForFunction(() => document.querySelector(".strip-head b")?.textContent === "Every step");
  await turnsKnown(page);
  // A bar for the task, one for each result, and one for the current step.
  assert.equal(Number(await page.getAttribute("#turns", "aria-valuemax")), STEPS + 2);
  await page.focus("#turns");
  await page.keyboard.press("Home");
  for (let at = 0; at <= STEPS; at++) {
    const words = `step ${at + 1} of ${STEPS + 1}`;
    await page.waitForFunction(
      (words) => document.getElementById("turns")?.getAttribute("aria-valuetext")?.startsWith(words),
      words,
    );
    await page.waitForFunction(
      (count) => document.querySelector("#rows [data-position]")?.getAttribute("aria-setsize") === String(count),
      1 + 2 * at,
    );
    await page.keyboard.press("ArrowRight");
  }
  assertQuiet(problems);
});

test("a shortened result has its original and a tool call next to it", async () => {
  await dropFile(page, "run.json", JSON.stringify(run(8)));
  await shows(page, "source-name", "run.json");
  await setBudget(page, 1500);
  const cut = page.locator("#rows .is-cut").first();
  const position = await cut.getAttribute("data-position");
  await cut.click();
  await shows(page, "asking", `retrieve({ id: "r${position}" })`);
  assert.ok((await page.locator("#said del").count()) > 0);
  const original = run(8)[Number(position)].content;
  assert.equal(await page.$eval("#said .said", (said) => said.textContent), original);
  assertQuiet(problems);
});

test("a conversation is shown even if its first budget is too small", async () => {
  const context = await site.browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  const visit = await context.newPage();
  await visit.goto(`${site.address}#sample=&budget=10`);
  await visit.waitForSelector("#build-failure");
  await visit.waitForSelector("#rows [data-position]");
  assert.equal(await visit.locator('#rows [data-fate="left out"]').count(), 0);
  await visit.fill("#budget", "2000");
  await visit.waitForSelector("body[data-state=built]");
  assert.equal(await visit.locator("#build-failure").count(), 0);
  await context.close();
});
