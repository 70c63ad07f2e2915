// A run of OpenAI's Agents SDK. The model is sent the context of the input. The model is scripted.

import { Agent, Runner, setTracingDisabled, Usage } from "@openai/agents";
import { callModelInputFilter } from "windrow/openai-agents";

setTracingDisabled(true);
const said = (text) => ({ role: "assistant", status: "completed", content: [{ type: "output_text", text }] });
const history = Array.from({ length: 40 }, (_, at) => [
  { role: "user", content: `What do we know about boat ${at}?` },
  said(`Boat ${at} lies in the ${at % 2 ? "north" : "south"} harbour and needs paint.`),
]).flat();

const model = {
  getResponse({ input }) {
    console.log(`${input.length} of ${history.length + 1} items are sent`);
    return Promise.resolve({
      usage: new Usage(),
      output: [{ type: "message", ...said("Boat 7 lies in the north harbour.") }],
    });
  },
};
const runner = new Runner({
  callModelInputFilter: callModelInputFilter({
    model: "gpt-4o",
    budget: { maxTokens: 300 },
    onContext: ({ tokens }) => console.log(`${tokens.total} of ${tokens.limit} tokens`),
  }),
});
const agent = new Agent({ name: "Clerk", instructions: "You are brief.", model });
const { finalOutput } = await runner.run(agent, [...history, { role: "user", content: "Where does boat 7 lie?" }]);
console.log(finalOutput);
