// Messages of Mistral's chat, as the API has them and as Mistral's own package names their fields.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync, plainMessage } from "windrow";

const sound = `SUQz${"A".repeat(400)}`;

/** @returns {any[]} */
const chat = (isOfPackage) => [
  {
    role: "user",
    content: [
      { type: "text", text: "How many seats?" },
      isOfPackage
        ? { type: "image_url", imageUrl: { url: "https://example.org/a.png", detail: "low" } }
        : { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } },
      isOfPackage
        ? { type: "document_url", documentUrl: "https://example.org/a.pdf", documentName: "Plan" }
        : { type: "document_url", document_url: "https://example.org/a.pdf", document_name: "Plan" },
      isOfPackage ? { type: "input_audio", inputAudio: sound } : { type: "input_audio", input_audio: sound },
    ],
  },
  {
    role: "assistant",
    content: [
      {
        type: "thinking",
        thinking: [
          { type: "text", text: "The plan says" },
          isOfPackage ? { type: "reference", referenceIds: [1] } : { type: "reference", reference_ids: [1] },
          { type: "tool_reference", tool: "web_search", title: "Plan" },
          { type: "text", text: " forty." },
        ],
      },
      { type: "text", text: "Forty." },
      isOfPackage ? { type: "reference", referenceIds: [1] } : { type: "reference", reference_ids: [1] },
    ],
  },
];

test("both names of each field are read alike", () => {
  const [user, reply] = chat(false).map((message) => plainMessage(message));
  assert.deepEqual(
    chat(true).map((message) => plainMessage(message)),
    [user, reply],
  );
  assert.deepEqual(reply?.content, [
    { type: "reasoning", text: "The plan says forty." },
    { type: "text", text: "Forty." },
  ]);
});

test("no body has the names of the package", () => {
  for (const name of /** @type {const} */ (["openai", "openai-responses", "anthropic", "gemini"])) {
    const taken = chat(true).map((message) => ({
      ...message,
      content: message.content.filter(({ type }) => !/audio|document/.test(type)),
    }));
    const messages = [...taken, { role: "user", content: "And tables?" }];
    const context = buildContextSync(messages, { encoding: "estimate", render: { provider: name } });
    const body = JSON.stringify(context.request(name));
    assert.ok(body.includes("Forty.") && !/imageUrl|referenceIds/.test(body), name);
  }
});
