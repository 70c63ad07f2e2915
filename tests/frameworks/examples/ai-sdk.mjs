// A tool loop with the AI SDK. Each step is sent the context of the chat. The model is scripted.

import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { prepareStep } from "windrow/ai-sdk";
import { z } from "zod";

const history = Array.from({ length: 40 }, (_, at) => [
  { role: "user", content: `What do we know about boat ${at}?` },
  { role: "assistant", content: `Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.` },
]).flat();

let step = 0;
const model = new MockLanguageModelV4({
  modelId: "gpt-4o",
  doGenerate({ prompt }) {
    step += 1;
    console.log(`step ${step}: ${prompt.length} messages are sent`);
    const call = { type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"place":"harbour"}' };
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return step === 1
      ? { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
      : {
          content: [{ type: "text", text: "Boat 7, it stays dry." }],
          finishReason: { unified: "stop" },
          usage,
          warnings: [],
        };
  },
});

const { text } = await generateText({
  model,
  messages: [...history, { role: "user", content: "Which boat do we paint tomorrow, boat 7 or boat 8?" }],
  tools: { weather: tool({ inputSchema: z.object({ place: z.string() }), execute: () => "dry" }) },
  stopWhen: stepCountIs(3),
  prepareStep: prepareStep({
    budget: { maxTokens: 300 },
    onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens: ${tokens.words}`),
  }),
});
console.log(text);
