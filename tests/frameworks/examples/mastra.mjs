// A Mastra agent. Each model call is sent the context of its prompt. The model is scripted.

import { Agent } from "@mastra/core/agent";
import { MockLanguageModelV2 } from "ai-5/test";
import { contextProcessor } from "windrow/mastra";

const history = Array.from({ length: 40 }, (_, at) => [
  { role: "user", content: `What do we know about boat ${at}?` },
  { role: "assistant", content: `Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.` },
]).flat();

const model = new MockLanguageModelV2({
  modelId: "gpt-4o",
  doGenerate({ prompt }) {
    console.log(`${prompt.length} messages are sent`);
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const content = [{ type: "text", text: "Boat 7 lies in the north harbour." }];
    return Promise.resolve({ content, finishReason: "stop", usage, warnings: [] });
  },
});
const agent = new Agent({
  id: "clerk",
  name: "Clerk",
  instructions: "You are brief.",
  model,
  inputProcessors: [
    contextProcessor({
      budget: { maxTokens: 300 },
      onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
    }),
  ],
});
const { text } = await agent.generate([...history, { role: "user", content: "Where does boat 7 lie?" }]);
console.log(text);
