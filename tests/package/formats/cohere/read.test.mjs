// Messages of Cohere's chat: the plan before the calls, and results that are documents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync, plainMessage, providers } from "windrow";

/** @returns {any[]} */
const chat = (data) => [
  { role: "user", content: "How many seats?" },
  {
    role: "assistant",
    tool_plan: "I look it up.",
    tool_calls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
  },
  { role: "tool", tool_call_id: "t", content: [{ type: "document", document: { data, id: "0" } }] },
  { role: "user", content: "And tables?" },
];

test("a document is read as a text, whether its data is a text or an object", () => {
  for (const [data, text] of [
    ['{"seats":"forty"}', '{"seats":"forty"}'],
    [{ seats: "forty" }, '{"seats":"forty"}'],
  ]) {
    const [, , result] = chat(data);
    const [part] = plainMessage(result).content;
    assert.deepEqual(/** @type {any} */ (part).output.value[0].source.data, text);
  }
});

test("the plan and the document are sent to every provider", () => {
  for (const { name } of providers) {
    const context = buildContextSync(chat({ seats: "forty" }), { encoding: "estimate", render: { provider: name } });
    const body = JSON.stringify(context.request(name));
    assert.ok(body.includes("I look it up.") && body.includes("forty"), name);
  }
});

test("the names of Cohere's own package are read too", () => {
  const message = {
    role: "assistant",
    toolPlan: "I look it up.",
    toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: "{}" } }],
  };
  assert.deepEqual(plainMessage(/** @type {any} */ (message)).content, [
    { type: "text", text: "I look it up." },
    { type: "tool-call", toolCallId: "t", toolName: "look", input: "{}" },
  ]);
});
