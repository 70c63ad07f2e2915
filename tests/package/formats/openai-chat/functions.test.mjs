// OpenAI's first functions: `function_call` on an assistant message, and results with the role `function`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, plainMessage, problemsOf, providers, requestOf } from "windrow";

const asked = { role: "user", content: "How many seats?" };
const called = (hall) => ({
  role: "assistant",
  content: null,
  function_call: { name: "seats", arguments: JSON.stringify({ hall }) },
});
const answer = (content) => ({ role: "function", name: "seats", content });

describe("OpenAI's first functions", () => {
  test("are read as calls and results", () => {
    const [call, result] = [called(1), answer("40")].map((message) => plainMessage(message));
    assert.deepEqual(call.content, [
      { type: "tool-call", toolCallId: "seats", toolName: "seats", input: '{"hall":1}' },
    ]);
    assert.equal(result.role, "tool");
    assert.deepEqual(result.content, [{ type: "tool-result", toolCallId: "", toolName: "seats", output: "40" }]);
  });

  test("become a valid body for every provider, also if one is called again", () => {
    const chat = [
      asked,
      called(1),
      answer("40"),
      called(2),
      answer("50"),
      { role: "assistant", content: "40 and 50." },
    ];
    for (const { name } of providers) {
      const body = requestOf(name, [...chat, asked]);
      assert.deepEqual(problemsOf(name, body), [], name);
      const text = JSON.stringify(body);
      assert.ok(text.indexOf("40") < text.indexOf("50"), name);
      assert.ok(!text.includes("function_call") || name === "openai-responses", name);
    }
  });

  test("get a result, or are left out, if they were interrupted", () => {
    const chat = [asked, { ...called(1), content: "I look." }, { role: "user", content: "Stop." }];
    for (const openCalls of /** @type {const} */ (["close", "drop"])) {
      const context = buildContextSync(chat, { encoding: "estimate", render: { provider: "openai", openCalls } });
      const { messages } = context.request("openai");
      assert.equal(JSON.stringify(messages).includes("interrupted"), openCalls === "close");
      const kept = JSON.stringify(context.messages);
      assert.ok(kept.includes("I look."));
      assert.ok(!kept.includes("function_call"), kept);
    }
  });

  test("count once if a server repeats the only call as a function's", () => {
    const both = { ...called(1), tool_calls: [{ id: "c", type: "function", function: called(1).function_call }] };
    assert.equal(plainMessage(both).content.length, 1);
  });
});
