// A TanStack AI chat. Each model call is sent the context of its messages. The model is scripted.

import { chat } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import { contextMiddleware } from "windrow/tanstack";

const history = Array.from({ length: 40 }, (_, at) => [
  { role: "user", content: `What do we know about boat ${at}?` },
  { role: "assistant", content: `Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.` },
]).flat();

class Scripted extends BaseTextAdapter {
  name = "scripted";

  // biome-ignore lint/suspicious/useAwait: the package asks for an async generator
  async *chatStream({ messages, runId, threadId }) {
    console.log(`${messages.length} messages are sent`);
    const about = { runId, threadId, timestamp: 0 };
    yield { type: "RUN_STARTED", ...about };
    yield { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", ...about };
    yield { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Boat 7 lies in the north harbour.", ...about };
    yield { type: "TEXT_MESSAGE_END", messageId: "m", ...about };
    yield { type: "RUN_FINISHED", finishReason: "stop", ...about };
  }
}

const middleware = contextMiddleware({
  budget: { maxTokens: 300 },
  onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
});
const stream = chat({
  adapter: new Scripted({}, "gpt-4o"),
  systemPrompts: ["You are brief."],
  messages: [...history, { role: "user", content: "Where does boat 7 lie?" }],
  middleware: [middleware],
});
for await (const chunk of stream) {
  if (chunk.type === "TEXT_MESSAGE_CONTENT") {
    console.log(chunk.delta);
  }
}
