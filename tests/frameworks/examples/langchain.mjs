// A LangChain agent. Each model call is sent the context of the messages. The model is scripted.

import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createAgent } from "langchain";
import { contextMiddleware } from "windrow/langchain";

const history = Array.from({ length: 40 }, (_, at) => [
  new HumanMessage(`What do we know about boat ${at}?`),
  new AIMessage(`Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.`),
]).flat();

const agent = createAgent({
  model: new FakeListChatModel({ responses: ["Boat 7 lies in the north harbour."] }),
  systemPrompt: "You are brief.",
  middleware: [
    contextMiddleware({
      model: "gpt-4o",
      budget: { maxTokens: 300 },
      onContext: ({ tokens, kept }) =>
        console.log(`${kept.length} messages, ${tokens.total} of ${tokens.limit} tokens`),
    }),
  ],
});
const state = await agent.invoke({ messages: [...history, new HumanMessage("Where does boat 7 lie?")] });
console.log(`the state keeps ${state.messages.length} messages; the last: ${state.messages.at(-1).content}`);
