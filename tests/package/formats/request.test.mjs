// A built context as a provider's request, and the errors that this can raise.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, buildContextSync, loadEncoding, problemsOf, providers, requestOf } from "windrow";
import { randomConversation } from "../support/conversations.mjs";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { tryBuild } from "../support/transcripts.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);
const user = (content) => ({ role: "user", content });

before(() => loadEncoding(encoding));

describe("context.request", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    user("Which hall?"),
    { role: "assistant", content: "The boat house." },
  ];

  test("returns the parts of a request for the context", async () => {
    const context = await buildContext(messages, { encoding, request: "And when?" });
    assert.deepEqual(context.request("openai"), { messages: [...messages, user("And when?")] });
    assert.deepEqual(context.request("anthropic"), {
      system: "Be brief.",
      messages: [...messages.slice(1), user("And when?")],
    });
    for (const name of NAMES) {
      assert.deepEqual(context.request(name), requestOf(name, context.messages));
    }
  });

  test("isn't affected if the caller changes the arrays that it returned", async () => {
    const context = await buildContext(messages, {
      encoding,
      request: "And when?",
      budget: { cut: {}, maxTokens: 1000 },
    });
    const again = await buildContext(messages, {
      encoding,
      request: "And when?",
      budget: { cut: {}, maxTokens: 1000 },
    });
    assert.notEqual(context.kept, again.kept);
    const { cacheBreakpoints } = again;
    context.messages.length = 1;
    context.messages.push(user("Changed."));
    context.kept.splice(0);
    for (const name of NAMES) {
      assert.deepEqual(context.request(name), again.request(name));
    }
    assert.deepEqual(context.cacheBreakpoints, cacheBreakpoints);
    assert.deepEqual(context.explain(1), again.explain(1));
    assert.equal(messages.length, 3);
  });

  test("a turn that the provider paused is sent back unchanged, as the last message", async () => {
    const paused = {
      role: "assistant",
      content: [
        { type: "text", text: "ok" },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "u" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      ],
    };
    for (const message of [paused, { ...paused, content: paused.content.slice(0, 2) }]) {
      const chat = [user("search"), message];
      const context = await buildContext(chat, { encoding, render: { provider: "anthropic" } });
      assert.deepEqual(context.request("anthropic"), { messages: chat });
    }
  });

  test("sections and shortened copies are in it, without windrow's own fields", () => {
    const context = buildContextSync([{ ...user("long ".repeat(300)), pinned: true }], {
      encoding,
      request: "Now?",
      budget: { maxTokens: 80, onRequiredOverflow: "shorten" },
    });
    assert.ok(context.messages.some((message) => "shortened" in message && message.shortened));
    assert.ok(!JSON.stringify(context.request("openai")).includes('"shortened"'));
  });

  test("doesn't exist for text formats", async () => {
    for (const format of /** @type {const} */ (["text", "xml", "conversations"])) {
      const context = buildContextSync(messages, { encoding, render: { format } });
      const failure = await errorOf(() => context.request("openai"));
      checkContextError(failure, { code: "INVALID_CONFIG", path: "render.format" });
    }
  });

  test("random conversations, cut by any budget, make valid requests for every provider", () => {
    let count = 0;
    const cases = forEachSeed((random) => {
      const { messages } = randomConversation(random, { mostTurns: 14 });
      const config = { encoding, request: "And now?", budget: { maxTokens: random.integer(60, 1200) } };
      const context = tryBuild(messages, config);
      for (const name of context === undefined ? [] : NAMES) {
        count += 1;
        assert.deepEqual(problemsOf(name, context.request(name)), []);
      }
    });
    assertShare(count, cases * NAMES.length, 2, "requests were made");
  });
});

describe("unsendable contents", () => {
  const call = { role: "assistant", toolCalls: [{ id: "a", name: "f" }] };
  const result = { role: "tool", toolCallId: "a", content: "x" };
  const cases = {
    "has-messages": [[], [{ role: "system", content: "Be brief." }], [user(" ")]],
    "ends-with-user": [[user("hi"), { role: "assistant", content: "ho" }]],
    "results-follow-calls": [
      [user("hi"), { role: "assistant", content: "ho" }, result],
      [user("hi"), { role: "assistant", content: "ho" }, result, call, user("now")],
    ],
  };

  for (const [rule, lists] of Object.entries(cases)) {
    test(`fail by the rule ${rule}, with the place`, async () => {
      for (const name of NAMES) {
        for (const messages of lists) {
          if (rule === "has-messages" && name.startsWith("openai") && messages.length > 0) {
            continue; // There, instructions are messages.
          }
          if (rule === "ends-with-user" && name === "chrome") {
            continue; // There, the model continues its last message.
          }
          const failure = await errorOf(() => requestOf(name, messages));
          checkContextError(failure, { code: "NOT_SENDABLE" });
          assert.equal(failure.rule, rule, failure.message);
          assert.match(failure.path, /^(?:messages|input|contents|initialPrompts|prompt)(?:\[\d+\]|$)/);
          assert.ok(failure.message.includes(rule));
          assert.equal(failure.record.code, "NOT_SENDABLE");
        }
      }
    });
  }

  test("fail for a value that isn't a readable message, with its place", async () => {
    for (const [message, path] of /** @type {[message: any, path: string][]} */ ([
      [{ role: "user", content: [{ type: "hologram" }] }, "messages[1].content[0].type"],
      [{ role: "user", content: 5 }, "messages[1].content"],
      [{ role: "human", content: "hi" }, "messages[1].role"],
      [null, "messages[1]"],
      ["hi", "messages[1]"],
      [undefined, "messages[1]"],
    ])) {
      const failure = await errorOf(() => requestOf("openai", [user("hi"), message]));
      checkContextError(failure, { code: "INVALID_TRANSCRIPT", path });
    }
  });

  test("fail for an unknown provider", async () => {
    for (const name of ["opanai", "toString", undefined, 5].map(wrong)) {
      for (const run of [() => requestOf(name, [user("hi")]), () => problemsOf(name, {})]) {
        checkContextError(await errorOf(run), { code: "INVALID_CONFIG", path: "provider" });
      }
    }
  });

  test("fail like every call with an unusable argument", async () => {
    for (const messages of /** @type {any[]} */ ([
      undefined,
      null,
      5,
      [null],
      [undefined],
      ["hi"],
      new Proxy([], { get: () => assert.fail() }),
    ])) {
      checkContextError(await errorOf(() => requestOf("openai", messages)));
    }
  });
});

test("the list of providers cannot be changed", () => {
  assert.deepEqual(NAMES, [
    "openai",
    "openai-responses",
    "anthropic",
    "gemini",
    "bedrock",
    "ai-sdk",
    "chrome",
    "web-llm",
  ]);
  assert.ok(Object.isFrozen(providers) && providers.every((provider) => Object.isFrozen(provider)));
});
