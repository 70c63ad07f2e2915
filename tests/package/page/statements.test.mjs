// The user's lasting statements on the built page: listed, forgotten and remembered again.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  afterBuild,
  assertQuiet,
  built,
  callHas,
  callOf,
  dropFile,
  messagesOf,
  openForTests,
  openPanel,
  sent,
  setBudget,
  shows,
} from "../support/page.mjs";

const { page, problems } = await openForTests();

const ALLERGY = "I have a severe peanut allergy.";

/** Opens a chat with two statements, and waits until they are listed. */
async function openChat() {
  const chat = messagesOf(80);
  chat[4].content = ALLERGY;
  chat[10].content = "My daughter is called Ilse.";
  await dropFile(page, "chat.json", JSON.stringify(chat));
  await shows(page, "source-name", "chat.json");
  await setBudget(page, 400);
  await page.waitForSelector(`#statements [aria-label$=": ${ALLERGY}"]`);
}

const listed = () => page.locator("#statements li").allInnerTexts();

test("a statement is listed, and leaves the prompt when it is forgotten", async () => {
  await openChat();
  assert.match((await listed())[0], /peanut allergy\.\s+health · #4\s+Forget/);
  assert.match((await listed())[1], /Ilse\.\s+fact · #10\s+Forget/);
  assert.ok((await sent(page)).includes(ALLERGY));
  await afterBuild(page, () => page.click(`#statements [aria-label="Forget: ${ALLERGY}"]`));
  assert.ok(!(await sent(page)).includes(ALLERGY));
  assert.match((await listed())[0], /forgotten\s+Remember/);
  await callHas(page, "forgotten:");
  // A shared link has no forgotten sentence.
  await page.waitForTimeout(400);
  assert.ok(!(await page.evaluate(() => location.href)).includes("peanut"));
  await afterBuild(page, () => page.click(`#statements [aria-label="Remember: ${ALLERGY}"]`));
  assert.ok((await sent(page)).includes(ALLERGY));
  assertQuiet(problems);
});

test("a sentence leads to its message", async () => {
  await openChat();
  await page.click("#statements .sentence >> nth=0");
  await shows(page, "said", "#4");
  // Another conversation never shows this one's, not even until its own are listed.
  await page.evaluate(() => {
    new MutationObserver(() => {
      const isOther = document.querySelector("#source-name")?.textContent !== "chat.json";
      if (isOther && document.querySelector("#statements")?.textContent.includes("peanut")) {
        document.body.dataset.foreign = "statements";
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await dropFile(page, "other.json", JSON.stringify(messagesOf(30)));
  await shows(page, "source-name", "other.json");
  await page.waitForTimeout(600);
  assert.equal(await page.evaluate(() => document.body.dataset.foreign), undefined);
  assertQuiet(problems);
});

test("a saved conversation keeps the list of forgotten statements", async () => {
  await openChat();
  await openPanel(page, "saved");
  await page.fill("#save-name", "allergies");
  await page.click("#save button");
  await shows(page, "source-name", "allergies");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#statements");
  await afterBuild(page, () => page.click(`#statements [aria-label="Forget: ${ALLERGY}"]`));
  assert.ok(!(await sent(page)).includes(ALLERGY));
  assert.doesNotMatch(await callOf(page), /forgotten/);
  await page.waitForFunction(() => location.hash.includes("saved="));
  await page.reload();
  await built(page);
  await page.waitForSelector("#statements");
  assert.match((await listed())[0], /forgotten\s+Remember/);
  assert.ok(!(await sent(page)).includes(ALLERGY));
  assertQuiet(problems);
});
