// The middleware for LangChain's `createAgent`, with the package itself and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { ContextError } from "windrow";
import { contextMiddleware } from "windrow/langchain";
import { z } from "zod";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

/** A chat model that calls a tool so many times and then answers. */
class Scripted extends BaseChatModel {
  seen = [];
  model = "gpt-4o";
  constructor(callCount) {
    super({});
    this.callCount = callCount;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  _generate(messages) {
    this.seen.push([...messages]);
    const step = this.seen.length;
    const message =
      step <= this.callCount
        ? new AIMessage({
            content: "",
            tool_calls: [{ id: `step_${step}`, name: "look_up", args: { term: "lantern" } }],
          })
        : new AIMessage("Done.");
    return Promise.resolve({ generations: [{ message, text: "" }] });
  }
}

function baseMessages(seed) {
  return longChat(seed).flatMap(({ said, reply, call }) => [
    new HumanMessage(said),
    ...(call === undefined
      ? []
      : [
          new AIMessage({ content: "", tool_calls: [{ id: call.id, name: call.name, args: call.input }] }),
          new ToolMessage({ tool_call_id: call.id, name: call.name, content: call.output }),
        ]),
    new AIMessage(reply),
  ]);
}

const lookUp = tool(() => `Found ${"brass ".repeat(30)}`, {
  name: "look_up",
  description: "Looks a word up.",
  schema: z.object({ term: z.string().describe("What to look up.") }),
});

function agentOf(model, config) {
  return createAgent({
    model,
    tools: [lookUp],
    systemPrompt: "You are brief.",
    middleware: [contextMiddleware(config)],
  });
}

test("every call of the model is within the budget, and the state keeps all", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const model = new Scripted(4);
    const contexts = [];
    const agent = agentOf(model, { budget: { maxTokens: LIMIT }, onContext: (context) => contexts.push(context) });
    const history = baseMessages(seed);
    const state = await agent.invoke({ messages: [...history, new HumanMessage(request)] });
    assert.equal(state.messages.length, history.length + 1 + 4 * 2 + 1, "nothing is removed from the state");
    assert.equal(model.seen.length, 5);
    for (const [at, messages] of model.seen.entries()) {
      assertPaired(
        messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
        messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id])),
      );
      assert.ok(messages.some(({ content }) => content === request));
      assert.equal(messages.filter(({ tool_call_id: id }) => id?.startsWith("step_")).length, at);
      const sent = messages.map(({ content, tool_calls: calls }) => ({ content, calls }));
      assert.ok(tokensIn(sent) <= LIMIT, `${tokensIn(sent)} tokens`);
      assert.equal(messages[0].getType(), "system");
    }
    const format = contexts[0].tokens.sections.find(({ id }) => id === "format");
    assert.ok(format.tokens > 25, "the tool counts");
    assert.match(contexts[0].tokens.words, /gpt-4o/);
  }
});

test("a budget that cannot hold the request fails with what to do", async () => {
  const agent = agentOf(new Scripted(0), { budget: { maxTokens: 50 } });
  const asked = agent.invoke({ messages: [new HumanMessage("word ".repeat(200))] });
  await assert.rejects(asked, (failure) => {
    const causes = [failure, failure.cause];
    assert.ok(
      causes.some((it) => it instanceof ContextError && it.code === "BUDGET_TOO_SMALL"),
      String(failure),
    );
    return true;
  });
});
