// A Think agent with a scripted model. A request plays a conversation and returns the prompts of the model.

import { Think } from "@cloudflare/think";
import { getAgentByName } from "agents";
import { jsonSchema, tool } from "ai";
import { prepareStep } from "windrow/ai-sdk";

const description = "Looks a word up.";
const inputSchema = { type: "object", properties: { term: { type: "string" } } };

/** The definition that the model receives. Think has further tools, which this turn doesn't offer. */
const definition = { name: "look_up", description, inputSchema };

/** Number of calls in a turn before the model answers. */
const CALLS = 3;

function scriptedModel() {
  const seen = [];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return {
    seen,
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "gpt-4o",
    supportedUrls: {},
    doStream({ prompt, tools }) {
      seen.push({ prompt: structuredClone(prompt), tools: tools.map(({ name }) => name) });
      const isCall = seen.length % (CALLS + 1) !== 0;
      const said = isCall
        ? [{ type: "tool-call", toolCallId: `step_${seen.length}`, toolName: "look_up", input: '{"term":"lantern"}' }]
        : [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "Done." },
            { type: "text-end", id: "1" },
          ];
      const finishReason = { unified: isCall ? "tool-calls" : "stop", raw: undefined };
      const parts = [{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }];
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  };
}

export class Chat extends Think {
  #model = scriptedModel();
  beforeStep = prepareStep({ budget: { maxTokens: 800, tools: [definition] } });

  getModel() {
    return this.#model;
  }

  getTools() {
    const execute = () => ({ found: "brass ".repeat(30) });
    return { look_up: tool({ description, inputSchema: jsonSchema(inputSchema), execute }) };
  }

  beforeTurn() {
    return { activeTools: ["look_up"] };
  }

  async play(history, questions) {
    await this.addMessages(history);
    for (const message of questions) {
      await this.saveMessages([message]);
    }
    return { seen: this.#model.seen, kept: this.messages.length };
  }
}

export default {
  async fetch(request, env) {
    const { history, questions } = await request.json();
    const agent = await getAgentByName(env.Chat, "main");
    return Response.json(await agent.play(history, questions));
  },
};
