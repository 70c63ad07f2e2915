// Messages of Semantic Kernel and its successors: as Python and .NET serialize them, and with the fields of Agent
// Framework and Microsoft.Extensions.AI.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plainMessage } from "windrow";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const said = (text) => ({ ai_model_id: null, metadata: {}, content_type: "text", text, encoding: null });
const message = (role, ...items) => ({ content_type: "message", role, metadata: {}, items });
const call = (id, name, input) => ({
  ...{ content_type: "function_call", id, index: null, name: `Lakes-${name}`, function_name: name },
  ...{ plugin_name: "Lakes", arguments: input },
});

const sample = () => [
  message("system", said("You know every lake.")),
  message(
    "user",
    said("Which boat house?"),
    { content_type: "image", data: PIXEL, mime_type: "image/png" },
    { content_type: "binary", uri: "https://example.org/map.pdf", mime_type: "application/pdf" },
  ),
  message(
    "assistant",
    { content_type: "reasoning", text: "Let me look." },
    call("t1", "look", '{"lake":"Bled"}'),
    call("t2", "book", {}),
  ),
  message("tool", { content_type: "function_result", id: "t1", result: "forty people", name: "Lakes-look" }),
  message("tool", { content_type: "function_result", id: "t2", result: { day: 12 }, name: "Lakes-book" }),
  { ...message("assistant", said(LONG)), name: "Guide" },
  message("user", said("How large is the kitchen?")),
];

const plain = [
  { role: "system", content: "You know every lake." },
  {
    role: "user",
    content: [
      "Which boat house?",
      { type: "image", data: PIXEL, mediaType: "image/png" },
      { type: "file", url: "https://example.org/map.pdf", mediaType: "application/pdf" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "tool-call", toolCallId: "t1", toolName: "Lakes-look", input: { lake: "Bled" } },
      { type: "tool-call", toolCallId: "t2", toolName: "Lakes-book", input: {} },
    ],
  },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", output: "forty people" }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "t2", output: { day: 12 } }] },
  { role: "assistant", name: "Guide", content: LONG },
  { role: "user", content: "How large is the kitchen?" },
];

checkShape({
  name: "semantic-kernel",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling Lakes-look({"lake":"Bled"})]', '"day":12', "How large"],
  together: [[2, 3, 4]],
  unknown: () => [
    [message("assistant", { content_type: "function_call", id: "t", arguments: {} }), ".items[0].name"],
    [message("assistant", { content_type: "hologram", text: "x" }), ".items[0].type"],
    [message("assistant", { content_type: "text", text: 3 }), ".items[0].text"],
    [message("user", { content_type: "image", mime_type: "image/png", data: "" }), ".items[0]"],
    [message("wizard", said("x")), ".role"],
  ],
});

test("Semantic Kernel's messages of .NET, Agent Framework and Microsoft.Extensions.AI", () => {
  const text = { type: "text", text: "Hi" };
  const called = { type: "tool-call", toolCallId: "c", toolName: "look", input: { q: 1 } };
  const result = { type: "tool-result", toolCallId: "c", output: "forty" };
  /** @type {[any, string, object][]} */
  const cases = [
    [{ Role: { Label: "user" }, Items: [{ $type: "TextContent", Text: "Hi" }], Metadata: {} }, "user", text],
    [{ Role: { Label: "Assistant" }, Items: [{ $type: "TextContent", Text: "Hi" }] }, "assistant", text],
    [{ role: { label: "user" }, items: [{ $type: "TextContent", text: "Hi" }] }, "user", text],
    [
      {
        Role: { Label: "Assistant" },
        Items: [
          {
            ...{ $type: "FunctionCallContent", Id: "c", PluginName: "Lakes", FunctionName: "look" },
            Arguments: { q: 1 },
          },
        ],
      },
      "assistant",
      { ...called, toolName: "Lakes-look" },
    ],
    [
      { Role: "tool", Items: [{ $type: "FunctionResultContent", CallId: "c", FunctionName: "look", Result: "forty" }] },
      "tool",
      result,
    ],
    [{ type: "chat_message", role: { type: "role", value: "user" }, contents: [text] }, "user", text],
    [
      { role: "assistant", contents: [{ type: "function_call", call_id: "c", name: "look", arguments: '{"q":1}' }] },
      "assistant",
      called,
    ],
    [{ role: "tool", contents: [{ type: "function_result", call_id: "c", result: "forty" }] }, "tool", result],
    [
      { role: "assistant", contents: [{ type: "text_reasoning", text: "Hm." }] },
      "assistant",
      { type: "reasoning", text: "Hm." },
    ],
    [
      { role: "assistant", contents: [{ $type: "functionCall", callId: "c", name: "look", arguments: { q: 1 } }] },
      "assistant",
      called,
    ],
    [{ role: "tool", contents: [{ $type: "functionResult", callId: "c", result: "forty" }] }, "tool", result],
  ];
  for (const [given, role, part] of cases) {
    const { role: read, content } = plainMessage(given);
    assert.deepEqual([read, content], [role, [part]], JSON.stringify(given));
  }
});

test("a message in windrow's own form may have a field with items", () => {
  const given = { role: "user", content: "Hi", metadata: { items: [{ type: "text", text: "no" }] } };
  assert.deepEqual(plainMessage(given).content, [{ type: "text", text: "Hi" }]);
});
