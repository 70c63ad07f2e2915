// The AI SDK's `UIMessage`, versions 5 to 7.

import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);

const sample = () => [
  {
    id: "a",
    role: "user",
    metadata: { createdAt: 1 },
    parts: [
      { type: "text", text: "Which boat house?" },
      { type: "file", mediaType: "image/png", filename: "lake.png", url: PIXEL },
      { type: "data-weather", data: { city: "Rome" } },
    ],
  },
  {
    id: "b",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Let me look.", state: "done", providerMetadata: { anthropic: { signature: "s" } } },
      { type: "tool-look", toolCallId: "t1", state: "output-available", input: { q: 1 }, output: { people: 40 } },
      {
        type: "dynamic-tool",
        toolName: "ask",
        toolCallId: "t2",
        state: "output-error",
        input: {},
        errorText: "nobody",
      },
      {
        type: "tool-book",
        toolCallId: "t3",
        state: "output-denied",
        input: { day: 12 },
        approval: { id: "p", approved: false },
      },
      { type: "source-url", sourceId: "s", url: "https://example.org/boats" },
      { type: "text", text: LONG, state: "done" },
    ],
  },
  { id: "c", role: "user", parts: [{ type: "text", text: "And the kitchen?" }] },
  {
    id: "d",
    role: "assistant",
    parts: [
      { type: "tool-look", toolCallId: "t4", state: "input-streaming", input: undefined },
      { type: "text", text: "It has one." },
    ],
  },
];

checkShape({
  name: "ai-sdk-ui",
  sample,
  plain: [
    { role: "user", content: ["Which boat house?", { type: "image", url: PIXEL, mediaType: "image/png" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        { type: "tool-call", toolCallId: "t1", toolName: "look", input: { q: 1 } },
        { type: "tool-result", toolCallId: "t1", output: { people: 40 } },
        { type: "tool-call", toolCallId: "t2", toolName: "ask", input: {} },
        { type: "tool-result", toolCallId: "t2", output: "nobody" },
        { type: "tool-call", toolCallId: "t3", toolName: "book", input: { day: 12 } },
        { type: "tool-result", toolCallId: "t3", output: "Tool execution denied." },
        { type: "text", text: LONG },
      ],
    },
    { role: "user", content: "And the kitchen?" },
    { role: "assistant", content: "It has one." },
  ],
  texts: ["Which boat house?", "forty people", "[Calling look(", '"people":40', "nobody"],
  unknown: () => [
    [{ role: "user", parts: [{ type: "hologram", data: "x" }] }, ".parts[0].type"],
    [{ role: "user", parts: [{ type: "text" }] }, ".parts[0].text"],
    [{ role: "assistant", parts: [{ type: "tool-x", toolCallId: "t", state: "odd" }] }, ".parts[0].state"],
    [{ role: "user", parts: [{ type: "text", text: "hi" }], content: "Something else." }, ".content"],
  ],
});
