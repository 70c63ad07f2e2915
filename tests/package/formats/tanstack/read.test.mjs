// Messages of TanStack AI: the `UIMessage` of its client, and its server's `ModelMessage`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, loadEncoding, plainMessage, requestOf } from "windrow";
import { checkShape } from "../../support/shape-cases.mjs";

await loadEncoding("o200k_base");

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const said = (content) => ({ type: "text", content });
const call = (id, name, input, more = {}) => ({
  type: "tool-call",
  id,
  name,
  arguments: JSON.stringify(input),
  input,
  state: "complete",
  ...more,
});

const sample = () => [
  { id: "s", role: "system", parts: [said("You know every lake.")] },
  {
    id: "a",
    role: "user",
    createdAt: new Date(0),
    parts: [
      said("Which boat house?"),
      { type: "image", source: { type: "data", value: PIXEL, mimeType: "image/png" } },
      { type: "document", source: { type: "url", value: "https://example.org/map.pdf", mimeType: "application/pdf" } },
      { type: "video", source: { type: "url", value: "https://example.org/a.mp4", mimeType: "video/mp4" } },
      { type: "audio", source: { type: "data", value: "UklGRg==", mimeType: "audio/wav" } },
    ],
  },
  {
    id: "b",
    role: "assistant",
    parts: [
      { type: "thinking", content: "Let me look.", signature: "c2ln", stepId: "1" },
      call("t1", "look", { lake: "Bled" }),
      call("t2", "book", {}),
      { type: "tool-result", toolCallId: "t1", content: "forty people", state: "complete" },
      { type: "tool-result", toolCallId: "t2", content: [said("no such day")], state: "error", error: "no" },
      call("t3", "ask", {}, { output: { day: 12 } }),
      call(
        "t4",
        "pay",
        {},
        { state: "approval-responded", approval: { id: "p", needsApproval: true, approved: false } },
      ),
      call("t5", "wait", {}, { state: "input-streaming", arguments: "{" }),
      { type: "ui-resource", resource: { uri: "ui://a", mimeType: "text/html" }, toolCallId: "t1", toolName: "look" },
      said(LONG),
      { type: "structured-output", status: "complete", raw: '{"seats":40}', data: { seats: 40 } },
    ],
  },
  { id: "c", role: "user", parts: [said("How large is the kitchen?")] },
];

const plain = [
  { role: "system", content: "You know every lake." },
  {
    role: "user",
    content: [
      "Which boat house?",
      { type: "image", data: PIXEL, mediaType: "image/png" },
      { type: "file", url: "https://example.org/map.pdf", mediaType: "application/pdf" },
      { type: "file", url: "https://example.org/a.mp4", mediaType: "video/mp4" },
      { type: "audio", data: "UklGRg==", mediaType: "audio/wav" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "tool-call", toolCallId: "t1", toolName: "look", input: { lake: "Bled" } },
      { type: "tool-call", toolCallId: "t2", toolName: "book", input: {} },
      { type: "tool-call", toolCallId: "t3", toolName: "ask", input: {} },
      { type: "tool-call", toolCallId: "t4", toolName: "pay", input: {} },
      { type: "tool-result", toolCallId: "t1", output: "forty people" },
      { type: "tool-result", toolCallId: "t2", output: "no such day" },
      { type: "tool-result", toolCallId: "t3", output: { day: 12 } },
      { type: "tool-result", toolCallId: "t4", output: "Tool execution denied." },
      LONG,
      '{"seats":40}',
    ],
  },
  { role: "user", content: "How large is the kitchen?" },
];

checkShape({
  name: "tanstack",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling look({"lake":"Bled"})]', '"day":12', "no such day", "seats"],
  unknown: () => [
    [{ id: "x", role: "assistant", parts: [said("hi"), { type: "hologram", content: "x" }] }, ".parts[1].type"],
    [{ id: "x", role: "assistant", parts: [said("hi"), { type: "thinking", content: 3 }] }, ".parts[1].content"],
    [
      { id: "x", role: "assistant", parts: [said("hi"), { type: "tool-result", content: "x" }] },
      ".parts[1].toolCallId",
    ],
    [
      { id: "x", role: "user", parts: [said("hi"), { type: "image", source: { type: "data", value: "" } }] },
      ".parts[1]",
    ],
  ],
});

test("a message with a result and nothing else is TanStack's, in every state", () => {
  for (const state of ["complete", "error", "streaming"]) {
    const message = {
      id: "a",
      role: "assistant",
      parts: [{ type: "tool-result", toolCallId: "c", content: "forty", state }],
    };
    assert.deepEqual(plainMessage(message), plainMessage(message, { shape: "tanstack" }));
  }
});

describe("the server's ModelMessage", () => {
  /** @returns {any[]} */
  const chat = () => [
    {
      role: "user",
      content: [said("Which?"), { type: "image", source: { type: "data", value: PIXEL, mimeType: "image/png" } }],
    },
    {
      role: "assistant",
      content: null,
      thinking: [{ content: "hm", signature: "c2ln" }],
      toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
    },
    { role: "tool", content: "forty", toolCallId: "t", name: "look" },
    { role: "user", content: "And?" },
  ];

  test("is read, with its thinking", () => {
    assert.deepEqual(plainMessage(chat()[1]).content, [
      { type: "reasoning", text: "hm", signature: "c2ln", provider: "anthropic" },
      { type: "tool-call", toolCallId: "t", toolName: "look", input: '{"q":1}' },
    ]);
    const { messages } = requestOf("anthropic", chat());
    assert.deepEqual(messages[0].content, [
      { type: "text", text: "Which?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
    ]);
    assert.deepEqual(messages[1].content[0], { type: "thinking", thinking: "hm", signature: "c2ln" });
  });

  test("is shortened in its own form", () => {
    /** @type {any} */
    const long = { role: "user", content: [said(LONG)], pinned: true };
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 60, onRequiredOverflow: "shorten" };
    const [copy] = buildContextSync([long], { encoding: "o200k_base", request: null, budget }).messages;
    assert.deepEqual(Object.keys(copy.content[0]), ["type", "content"]);
    assert.ok(copy.content[0].content.length < LONG.length);
  });
});
