// The AI SDK's own checks of requests made for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convertToModelMessages, modelMessageSchema } from "ai";
import { convertToLanguageModelPrompt, standardizePrompt } from "ai/internal";
import { requestOf } from "windrow";
import { randomConversation } from "../support/conversations.mjs";
import { forEachSeedAsync } from "../support/property.mjs";

/** Stands in for the download that the SDK makes for a provider that doesn't accept URLs. */
const fetched = (plans) => plans.map(() => ({ data: Uint8Array.of(1), mediaType: "image/png" }));

test("random conversations pass the SDK's schema, and become a prompt of its providers", async () => {
  await forEachSeedAsync(async (random) => {
    const { messages } = randomConversation(random, { media: ["image", "file", "audio"] });
    const body = requestOf("ai-sdk", messages);
    for (const message of body.messages) {
      const { success, error } = modelMessageSchema.safeParse(message);
      assert.ok(success, `${error}: ${JSON.stringify(message)}`);
    }
    const prompt = await standardizePrompt(body);
    const sent = await convertToLanguageModelPrompt({ prompt, supportedUrls: {}, download: fetched });
    assert.ok(sent.length >= body.messages.length);
  });
});

test("the SDK's own model messages of a `UIMessage` are unchanged", async () => {
  const messages = await convertToModelMessages([
    { role: "user", parts: [{ type: "text", text: "Which hall?" }] },
    {
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "c2ln" } } },
        { type: "text", text: "I look." },
        { type: "tool-look", toolCallId: "a", state: "output-available", input: { q: 1 }, output: { people: 40 } },
        { type: "tool-ask", toolCallId: "b", state: "output-error", input: {}, errorText: "nobody" },
        { type: "step-start" },
        { type: "text", text: "Forty people." },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "And when?" }] },
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(requestOf("ai-sdk", messages))), JSON.parse(JSON.stringify({ messages })));
  const { messages: sent } = requestOf("anthropic", messages);
  assert.deepEqual(
    sent.map(({ content }) => (typeof content === "string" ? "text" : content.map(({ type }) => type).join())),
    ["text,", "thinking,text,tool_use,tool_use", "tool_result,tool_result", "text", "text,"].map((it) =>
      it.replace(/,$/, ""),
    ),
  );
});
