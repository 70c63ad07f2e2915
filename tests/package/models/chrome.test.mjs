// Contexts for Chrome's Prompt API that fit by the session's own count: in Node, workerd and Chromium, with a
// substitute for the API.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as windrow from "windrow";
import { buildContextSync, contextOverflowOf, plainMessage, requestOf } from "windrow";
import * as models from "windrow/models";
import { chromeContext } from "windrow/models";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { runInChromium } from "../support/program-in-chromium.mjs";
import { promptApi, runPromptApi } from "../support/prompt-api.mjs";
import { forEachSeedAsync } from "../support/property.mjs";
import { startWorker } from "../support/worker.mjs";

const standIn = fileURLToPath(new URL("../support/prompt-api.mjs", import.meta.url));

/** Checks 200 turns in a window of 9,216 tokens. */
function checkRun(run) {
  assert.equal(run.prompts, 200);
  assert.equal(run.overflows, 0);
  assert.ok(run.most <= 9216, `${run.most} tokens`);
  assert.ok(run.trimmedCount > 100, `${run.trimmedCount} turns had too much`);
  assert.ok(run.measures <= 500, `${run.measures} measures of 200 prompts`);
  // The rest is reserved for the reply.
  assert.ok(run.least > 0.75, `${run.least} of the window is used at least`);
}

describe("200 turns in 9,216 tokens never overflow", () => {
  for (const names of /** @type {const} */ (["present", "earlier"])) {
    test(`in Node, with the ${names} names`, async () => {
      checkRun(await runPromptApi(windrow, models, { names }));
    });
  }

  test("in workerd", async () => {
    const source = `
      import * as windrow from "windrow";
      import * as models from "windrow/models";
      import { runPromptApi } from ${JSON.stringify(standIn)};
      export default { fetch: async () => Response.json(await runPromptApi(windrow, models)) };
    `;
    const { ask, stop } = await startWorker(source);
    try {
      checkRun(await (await ask("/")).json());
    } finally {
      await stop();
    }
  });

  test("in Chromium", async () => {
    const program = `
      import * as windrow from "windrow";
      import * as models from "windrow/models";
      import { runPromptApi } from "./prompt-api.mjs";
      window.run = () => runPromptApi(windrow, models);
    `;
    checkRun(await runInChromium(program, [standIn]));
  });
});

test("however a session counts, no context exceeds its room, and its count decides", async () => {
  await forEachSeedAsync(async (random) => {
    const messages = Array.from({ length: random.integer(1, 30) }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: random.text(random.integer(1, 40)),
    }));
    const factor = random.pick([0.3, 0.8, 1, 1.7, 4]);
    const contextWindow = random.integer(50, 3000);
    const contextUsage = random.integer(0, 40);
    const replyTokens = random.pick([undefined, 0, 10]);
    const count = (prompts) => Math.ceil(factor * JSON.stringify(prompts).length);
    const session = { contextWindow, contextUsage, measureContextUsage: (prompts) => Promise.resolve(count(prompts)) };
    const build = (budget) =>
      buildContextSync(messages, { budget, encoding: "estimate", request: "Go on.", render: { provider: "chrome" } });
    const room = contextWindow - contextUsage - (replyTokens ?? Math.floor(contextWindow / 4));
    let context;
    try {
      context = await chromeContext(session, build, { replyTokens });
    } catch (error) {
      checkContextError(error, { code: "BUDGET_TOO_SMALL" });
      return;
    }
    const { initialPrompts, prompt } = context.request("chrome");
    assert.ok(count([...initialPrompts, ...prompt]) <= Math.max(room, 1));
    const again = await chromeContext(session, build, { replyTokens });
    assert.deepEqual(again.request("chrome"), context.request("chrome"));
  });
});

test("a session without a measure gets a context by windrow's count", async () => {
  const budgets = [];
  const messages = [{ role: "user", content: "Which hall?" }];
  const build = (budget) => {
    budgets.push(budget);
    return buildContextSync(messages, { budget, encoding: "estimate", request: null, render: { provider: "chrome" } });
  };
  for (const [session, maxTokens] of /** @type {const} */ ([
    [{ contextWindow: 9216 }, 8192],
    [{ inputQuota: 2000, inputUsage: 100 }, 1400],
    [{ contextWindow: Number.POSITIVE_INFINITY }, Number.MAX_SAFE_INTEGER - 1024],
  ])) {
    await chromeContext(session, build);
    assert.deepEqual(budgets.pop(), { maxTokens });
  }
});

test("wrong values, an aborted signal and a failed measure are reported", async () => {
  const { create } = promptApi();
  const session = await create();
  const build = () => buildContextSync([{ role: "user", content: "hi" }], { encoding: "estimate", request: null });
  /** @type {[run: () => Promise<unknown>, expected: object][]} */
  const cases = [
    [() => chromeContext(wrong(undefined), build), { code: "INVALID_CONFIG", path: "session" }],
    [() => chromeContext(wrong("session"), build), { code: "INVALID_CONFIG", path: "session" }],
    [() => chromeContext({}, build), { code: "INVALID_CONFIG", path: "session" }],
    [() => chromeContext({ contextWindow: 0 }, build), { code: "INVALID_CONFIG", path: "session" }],
    [() => chromeContext(Object.create(null), build), { code: "INVALID_CONFIG", path: "session" }],
    [() => chromeContext(session, wrong(undefined)), { code: "INVALID_CONFIG", path: "build" }],
    [() => chromeContext(session, build, wrong({ replyToken: 5 })), { code: "INVALID_CONFIG", path: "replyToken" }],
    [() => chromeContext(session, build, { replyTokens: -1 }), { code: "INVALID_CONFIG", path: "replyTokens" }],
    [() => chromeContext(session, build, wrong(null)), { code: "INVALID_CONFIG", path: "options" }],
    [() => chromeContext(session, () => wrong({})), {}],
    [() => chromeContext(session, build, { signal: AbortSignal.abort() }), { code: "ABORTED" }],
    [
      () => chromeContext({ contextWindow: 9, measureContextUsage: () => Promise.resolve(wrong("5")) }, build),
      { code: "HOOK_FAILED" },
    ],
    [
      () => chromeContext({ contextWindow: 9, measureContextUsage: () => Promise.resolve(Number.NaN) }, build),
      { code: "HOOK_FAILED" },
    ],
  ];
  for (const [run, expected] of cases) {
    checkContextError(await errorOf(run), { kind: "context_build_error", ...expected });
  }
});

describe("a request for the Prompt API", () => {
  const call = { type: "tool-call", value: { callId: "a", name: "look", arguments: { day: 12 } } };
  const responses = [
    { callId: "a", name: "look", result: [{ type: "text", value: "forty seats" }] },
    { callId: "a", name: "look", result: [{ type: "object", value: { seats: 40 } }] },
    { callId: "a", name: "look", errorMessage: "no such hall" },
  ];

  test("returns the API's own messages, with calls and their results", () => {
    for (const value of responses) {
      /** @type {any[]} */
      const messages = [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", value: "See:" },
            { type: "image", value: new Uint8Array([137, 80, 78, 71]) },
          ],
        },
        { role: "assistant", content: [{ type: "text", value: "I look." }, call] },
        { role: "user", content: [{ type: "tool-response", value }] },
        { role: "assistant", content: "It." },
        { role: "user", content: "And now?" },
      ];
      const body = requestOf("chrome", messages);
      assert.deepEqual(body, { initialPrompts: messages.slice(0, -1), prompt: messages.slice(-1) });
      const items = requestOf("openai", [messages[0], ...messages.slice(2)]).messages;
      assert.deepEqual(
        items.map(({ role }) => role),
        ["system", "assistant", "tool", "assistant", "user"],
      );
    }
  });

  test("accepts any object that a tool returned, and thoughts, and keeps the mark of a prefix", () => {
    const objects = [{ type: "content", value: [1] }, { type: "text", value: "q" }, { type: "image" }, { a: [] }, [1]];
    for (const value of objects) {
      for (const others of [[], [{ type: "text", value: "and more" }]]) {
        /** @type {any[]} */
        const messages = [
          { role: "assistant", content: [{ type: "thought", value: "I must look." }, call] },
          {
            role: "user",
            content: [
              {
                type: "tool-response",
                value: { callId: "a", name: "look", result: [{ type: "object", value }, ...others] },
              },
            ],
          },
          { role: "assistant", content: "```toml", prefix: true },
        ];
        const { initialPrompts, prompt } = requestOf("chrome", messages);
        assert.deepEqual(prompt, [messages[2]]);
        assert.deepEqual(initialPrompts[0].content, [call]);
        const [response] = /** @type {any} */ (initialPrompts[1].content);
        const texts = response.value.result.map(({ type, value: said }) =>
          type === "text" ? said : JSON.stringify(said),
        );
        assert.equal(texts.join("\n"), [JSON.stringify(value), ...others.map(({ value: said }) => said)].join("\n"));
        const again = requestOf("chrome", /** @type {any[]} */ ([...initialPrompts, ...prompt]));
        assert.deepEqual(again, { initialPrompts, prompt });
        assert.ok(JSON.stringify(plainMessage(messages[0])).includes("I must look."));
      }
    }
  });

  test("names the place of a call that has no id", async () => {
    const message = { role: "assistant", content: [{ type: "tool-call", value: { name: "look" } }] };
    const failure = await errorOf(() => requestOf("chrome", /** @type {any[]} */ ([message])));
    checkContextError(failure, { code: "INVALID_TRANSCRIPT", path: "messages[0].content[0].value.callId" });
  });

  test("has the browser's own instances if it has their classes", () => {
    const made = [];
    const classNames = ["LanguageModelToolCall", "LanguageModelToolSuccess", "LanguageModelToolError"];
    for (const name of classNames) {
      /** @type {any} */ (globalThis)[name] = class {
        constructor(value) {
          Object.assign(this, value);
          made.push(name);
        }
      };
    }
    try {
      for (const value of responses) {
        /** @type {any[]} */
        const messages = [
          { role: "assistant", content: [call] },
          { role: "user", content: [{ type: "tool-response", value }] },
        ];
        requestOf("chrome", messages);
      }
      assert.deepEqual(
        made.toSorted(),
        ["LanguageModelToolCall", "LanguageModelToolCall", ...classNames, "LanguageModelToolSuccess"].toSorted(),
      );
    } finally {
      for (const name of classNames) {
        delete (/** @type {any} */ (globalThis)[name]);
      }
    }
  });
});

test("WebLLM's error about a prompt that is too long states the length", () => {
  const error = new Error(
    "Prompt tokens exceed context window size: number of prompt tokens: 4200; context window size: 4096\nConsider shortening",
  );
  assert.deepEqual(contextOverflowOf(error), { inputTokens: 4200, maxInputTokens: 4096 });
});
