// Messages of the Model Context Protocol: prompts and sampling.

import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const link = { type: "resource_link", uri: "file:///halls.md", name: "halls" };

const sample = () => [
  { role: "user", content: { type: "text", text: "Which boat house?" } },
  { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
  {
    role: "assistant",
    content: [
      link,
      { type: "resource", resource: { uri: "file:///a.md", mimeType: "text/markdown", text: "Forty people." } },
      { type: "resource", resource: { uri: "file:///a.png", mimeType: "image/png", blob: PIXEL } },
      { type: "tool_use", id: "t1", name: "look", input: { lake: "Bled" } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", toolUseId: "t1", content: [{ type: "text", text: "forty people" }] }],
  },
  { role: "assistant", content: { type: "text", text: LONG } },
];

const plain = [
  { role: "user", content: "Which boat house?" },
  { role: "user", content: [{ type: "image", data: PIXEL, mediaType: "image/png" }] },
  {
    role: "assistant",
    content: [
      JSON.stringify(link),
      "Forty people.",
      { type: "image", data: PIXEL, mediaType: "image/png" },
      { type: "tool-call", toolCallId: "t1", toolName: "look", input: { lake: "Bled" } },
    ],
  },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", output: "forty people" }] },
  { role: "assistant", content: LONG },
];

checkShape({
  name: "mcp",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling look({"lake":"Bled"})]', "halls.md", "Forty people."],
  together: [[2, 3]],
  unknown: () => [
    [{ role: "user", content: { type: "hologram", text: "x" } }, ".content.type"],
    [{ role: "user", content: { type: "text", text: 3 } }, ".content.text"],
    [{ role: "user", content: { type: "image", mimeType: "image/png" } }, ".content"],
    [{ role: "user", content: [{ type: "resource", resource: { uri: "file:///a" } }] }, ".content[0].resource.text"],
  ],
});
