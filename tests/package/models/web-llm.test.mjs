// Contexts for WebLLM, whose engine can't count tokens: in Node, workerd and Chromium, with a substitute for it that
// counts with another tokenizer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/cl100k_base";
import * as windrow from "windrow";
import { contextOverflowOf } from "windrow";
import { runInChromium } from "../support/program-in-chromium.mjs";
import { runWebLlm, webLlmEngine } from "../support/web-llm.mjs";
import { startWorker } from "../support/worker.mjs";

const standIn = fileURLToPath(new URL("../support/web-llm.mjs", import.meta.url));
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
    const files = [standIn, fileURLToPath(new URL("../support/prompt-api.mjs", import.meta.url))];
    checkRun(await runInChromium(`${program("./web-llm.mjs")} window.run = run;`, files));
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
