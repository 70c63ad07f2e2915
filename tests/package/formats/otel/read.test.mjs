// Messages of OpenTelemetry's conventions for generative AI, in the form that traces have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plainMessage } from "windrow";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const said = (content) => ({ type: "text", content });

const sample = () => [
  { role: "system", parts: [said("You know every lake.")] },
  {
    role: "user",
    parts: [
      said("Which boat house?"),
      { type: "blob", modality: "image", mime_type: "image/png", content: PIXEL },
      { type: "uri", modality: "document", mime_type: "application/pdf", uri: "https://example.org/map.pdf" },
    ],
    finish_reason: "",
  },
  {
    role: "assistant",
    parts: [
      { type: "reasoning", content: "Let me look." },
      { type: "tool_call", id: "t1", name: "look", arguments: { lake: "Bled" } },
      { type: "tool_call", id: "t2", name: "book", arguments: {} },
    ],
    finish_reason: "tool_call",
  },
  { role: "tool", parts: [{ type: "tool_call_response", id: "t1", response: "forty people" }] },
  { role: "tool", parts: [{ type: "tool_call_response", id: "t2", result: { day: 12 } }] },
  { role: "assistant", parts: [said(LONG)], finish_reason: "stop" },
  { role: "user", parts: [said("How large is the kitchen?")] },
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
      { type: "tool-call", toolCallId: "t1", toolName: "look", input: { lake: "Bled" } },
      { type: "tool-call", toolCallId: "t2", toolName: "book", input: {} },
    ],
  },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", output: "forty people" }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "t2", output: { day: 12 } }] },
  { role: "assistant", content: LONG },
  { role: "user", content: "How large is the kitchen?" },
];

checkShape({
  name: "otel",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling look({"lake":"Bled"})]', '"day":12', "How large"],
  together: [[2, 3, 4]],
  unknown: () => [
    [{ role: "assistant", parts: [{ type: "tool_call", id: "t", arguments: {} }] }, ".parts[0].name"],
    [{ role: "assistant", parts: [{ type: "hologram", content: "x" }], finish_reason: "stop" }, ".parts[0].type"],
    [{ role: "assistant", parts: [{ type: "text", content: 3 }], finish_reason: "stop" }, ".parts[0].content"],
    [{ role: "user", parts: [{ type: "blob", mime_type: "image/png", content: "" }], finish_reason: "" }, ".parts[0]"],
  ],
});

test("OpenTelemetry's calls of a provider's own tools, files by id, and compactions", () => {
  const used = { type: "code_interpreter", code: "20 * 2" };
  const output = { type: "code_interpreter", output: "40" };
  const assistant = {
    role: "assistant",
    parts: [
      { type: "server_tool_call", id: "s", name: "code", server_tool_call: used },
      { type: "server_tool_call_response", id: "s", server_tool_call_response: output },
      { type: "compaction", content: "So far: forty." },
      { type: "compaction" },
    ],
  };
  assert.deepEqual(plainMessage(assistant).content, [
    { type: "tool-call", toolCallId: "s", toolName: "code", input: used, providerExecuted: true },
    { type: "tool-result", toolCallId: "s", output, providerExecuted: true },
    { type: "text", text: "So far: forty." },
  ]);
  const user = {
    role: "user",
    parts: [
      { type: "text", content: "x" },
      { type: "file", modality: "image", file_id: "f" },
    ],
  };
  assert.deepEqual(plainMessage(user).content, [
    { type: "text", text: "x" },
    { type: "image", id: "f" },
  ]);
});
