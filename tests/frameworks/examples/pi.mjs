// A pi agent. Each model call is sent the context of the messages. The model is scripted.

import { agentLoop } from "@mariozechner/pi-agent-core";
import { createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import { transformContext } from "windrow/pi";

const model = { id: "gpt-4o", name: "gpt-4o", api: "scripted", provider: "scripted", input: ["text"] };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
const start = Date.UTC(2026, 0, 5, 9);
const reply = (text, timestamp) => ({
  ...{ role: "assistant", content: [{ type: "text", text }], api: "scripted", provider: "scripted", model: "gpt-4o" },
  ...{ usage, stopReason: "stop", timestamp },
});
const messages = Array.from({ length: 40 }, (_, at) => [
  { role: "user", content: `What do we know about boat ${at}?`, timestamp: start + at * 120_000 },
  reply(`Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.`, start + at * 120_000 + 60_000),
]).flat();

function stream(_, context) {
  console.log(`${context.messages.length} of ${messages.length + 1} messages are sent`);
  const events = createAssistantMessageEventStream();
  const message = reply("Boat 7 lies in the north harbour.", Date.now());
  queueMicrotask(() => {
    events.push({ type: "start", partial: message });
    events.push({ type: "done", reason: "stop", message });
    events.end(message);
  });
  return events;
}

const config = {
  model,
  convertToLlm: (all) => all,
  transformContext: transformContext({
    model: "gpt-4o",
    instructions: "You are brief.",
    budget: { maxTokens: 300 },
    onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
  }),
};
const prompts = [{ role: "user", content: "Where does boat 7 lie?", timestamp: Date.now() }];
const context = { systemPrompt: "You are brief.", messages, tools: [] };
const added = await agentLoop(prompts, context, config, undefined, stream).result();
console.log(added.at(-1).content[0].text);
