// Messages of smolagents' tools: calls and observations in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plainMessage } from "windrow";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const message = (role, ...content) => ({ role, content, tool_calls: null });
const said = (text) => ({ type: "text", text });
const CALLED = "Calling tools:\n[{'id': 'c', 'function': {'name': 'look', 'arguments': {'lake': 'Bled'}}}]";
const SEEN = "Observation:\nforty people";

const sample = () => [
  message("system", said("You know every lake.")),
  message("user", said("New task:\nWhich boat house?")),
  message("assistant", said("Thought: let me look.")),
  message("tool-call", said(CALLED)),
  message("tool-response", said(SEEN), { type: "image", image: PIXEL }),
  message("assistant", said(LONG)),
  { role: "tool-response", content: "Error:\nno kitchen" },
  message("user", said("How large is the kitchen?")),
];

const seen = (text) => ({ type: "text", text, origin: "file" });
const plain = [
  { role: "system", content: "You know every lake." },
  { role: "user", content: "New task:\nWhich boat house?" },
  { role: "assistant", content: "Thought: let me look." },
  { role: "assistant", content: CALLED },
  { role: "user", content: [seen(SEEN), { type: "image", data: PIXEL }] },
  { role: "assistant", content: LONG },
  { role: "user", content: [seen("Error:\nno kitchen")] },
  { role: "user", content: "How large is the kitchen?" },
];

checkShape({
  name: "smolagents",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", "Calling tools", "no kitchen", "How large"],
  together: [],
  unknown: () => [
    [message("tool-call", { type: "hologram" }), ".content[0].type"],
    [message("tool-call", { type: "text", text: 3 }), ".content[0].text"],
    [message("tool-response", { type: "image", image: "" }), ".content[0]"],
  ],
});

test("smolagents' observations aren't the user's own words", () => {
  assert.deepEqual(plainMessage(sample()[4]).content[0], seen(SEEN));
  assert.deepEqual(plainMessage(sample()[3]).content, [{ type: "text", text: CALLED }]);
});
