// Contexts for WebLLM, whose engine can't count tokens: in Node, workerd and Chromium, with a substitute for it that
// counts with another tokenizer.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/cl100k_base";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import * as windrow from "windrow";
import { contextOverflowOf } from "windrow";
import { findChromium } from "../../../scripts/setup.mjs";
import { runWebLlm, webLlmEngine } from "../support/web-llm.mjs";
import { startWorker } from "../support/worker.mjs";

const standIn = fileURLToPath(new URL("../support/web-llm.mjs", import.meta.url));
const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const tokenizer = new Tiktoken(ranks);
const encode = (text) => tokenizer.encode(text, [], []);

/** A program that runs the substitute with its own tokenizer. */
const program = (path) => `
  import { Tiktoken } from "js-tiktoken/lite";
  import ranks from "js-tiktoken/ranks/cl100k_base";
  import * as windrow from "windrow";
  import { runWebLlm } from ${JSON.stringify(path)};
  const tokenizer = new Tiktoken(ranks);
  export const run = () => runWebLlm(windrow, (text) => tokenizer.encode(text, [], []));
`;

/** Checks 200 turns in a window of 9,216 tokens. */
function checkRun(run) {
  assert.equal(run.prompts, 200);
  assert.equal(run.overflows, 0);
  assert.ok(run.most <= 9216, `${run.most} tokens`);
  assert.ok(run.trimmedCount > 100, `${run.trimmedCount} turns had too much`);
  assert.ok(run.least > 0.95, `${run.least} of the room is used at least`);
}

describe("200 turns in 9,216 tokens never overflow", () => {
  test("in Node", async () => checkRun(await runWebLlm(windrow, encode)));

  test("in workerd", async () => {
    const { ask, stop } = await startWorker(`
      import "windrow/cl100k_base";
      ${program(standIn)}
      export default { fetch: async () => Response.json(await run()) };
    `);
    try {
      checkRun(await (await ask("/")).json());
    } finally {
      await stop();
    }
  });

  test("in Chromium", async () => {
    mkdirSync(cache, { recursive: true });
    const root = mkdtempSync(join(cache, "web-llm-"));
    writeFileSync(join(root, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
    writeFileSync(join(root, "package.json"), '{ "type": "module", "private": true }');
    copyFileSync(standIn, join(root, "web-llm.js"));
    writeFileSync(join(root, "main.js"), `${program("./web-llm.js")} window.run = run;`);
    const server = await createServer({ root, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
    const executablePath = process.env.CHROME_PATH ?? findChromium()?.chromium;
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      await server.listen();
      const page = await browser.newPage();
      await page.goto(String(server.resolvedUrls?.local[0]));
      await page.waitForFunction(() => "run" in globalThis);
      checkRun(await page.evaluate(() => /** @type {any} */ (globalThis).run()));
    } finally {
      await browser.close();
      await server.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

test("the error of a prompt that is too long states the figures", async () => {
  const { engine } = webLlmEngine({ encode, window: 100, replyOf: () => "Yes." });
  const messages = [{ role: "user", content: "boat ".repeat(200) }];
  const failure = await engine.chat.completions.create({ messages, max_tokens: 20 }).catch((error) => error);
  const overflow = contextOverflowOf(failure);
  assert.ok((overflow?.inputTokens ?? 0) > 200);
  assert.equal(overflow?.maxInputTokens, 80);
});
