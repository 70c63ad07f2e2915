// The middleware for LangChain's `createAgent`, with the real package and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatAnthropic } from "@langchain/anthropic";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { ContextError, presets } from "windrow";
import { contextMiddleware } from "windrow/langchain";
import { z } from "zod";
import { anthropicReplies, assertPaired, checkSteps, longChat, markCount, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

/** A chat model that makes `callCount` tool calls and then answers. */
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

function baseMessages(seed, turnCount) {
  return longChat(seed, turnCount).flatMap(({ said, reply, call }) => [
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

test("every model call is within the budget, and the state keeps everything", async () => {
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
    const tools = contexts[0].tokens.sections.find(({ id }) => id === "tools");
    assert.ok(tools.tokens > 22, "the tool counts");
    assert.match(contexts[0].tokens.words, /gpt-4o/);
  }
});

test("a budget that cannot hold the request fails with a next step", async () => {
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

const steady = { ...presets.steady, budget: { ...presets.steady.budget, maxTokens: 4000 } };

test("for Anthropic it sets breakpoints, and each step of a loop repeats the one before it", async () => {
  let steps = 0;
  let moves = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const { bodies, fetch } = anthropicReplies(6);
    const model = new ChatAnthropic({
      apiKey: "k",
      model: "claude-sonnet-4-5",
      maxRetries: 0,
      clientOptions: { fetch },
    });
    const history = baseMessages(seed, 200);
    const contents = () => structuredClone(history.map(({ content }) => content));
    const before = contents();
    const state = await agentOf(model, steady).invoke({ messages: [...history, new HumanMessage(request)] });
    assert.equal(state.messages.at(-1).content, "Done.");
    assert.equal(bodies.length, 7);
    assert.deepEqual(contents(), before, "the messages don't change");
    assert.ok(!JSON.stringify(state.messages.slice(0, history.length)).includes("cache_control"));
    for (const body of bodies) {
      assert.ok(body.cache_control, "the next step finds the end of this one");
      assert.ok(!JSON.stringify(body).match(/"tool_result"[^}]*"content":[^\]]*cache_control/), "no mark in a result");
    }
    moves += checkSteps(bodies);
    steps += bodies.length - 1;
  }
  assert.ok(moves <= steps / 4, `${moves} moves in ${steps} steps`);
});

test("marked messages are recognized again, even as plain data, and other models get no breakpoints", async () => {
  const middleware = contextMiddleware(steady);
  const model = new ChatAnthropic({ apiKey: "k", model: "claude-sonnet-4-5" });
  const sentOf = (messages, to = model) => middleware.wrapModelCall({ messages, model: to }, (call) => call);
  for (let seed = 1; seed <= 10; seed++) {
    const asked = [...baseMessages(seed, 200), new HumanMessage(request)];
    const once = await sentOf(asked);
    assert.ok(markCount(once.messages) >= 1);
    assert.ok(once.modelSettings.cache_control);
    const twice = await sentOf(once.messages);
    assert.deepEqual(twice.messages, once.messages);
    const data = JSON.parse(JSON.stringify(once.messages));
    assert.deepEqual(JSON.parse(JSON.stringify((await sentOf(data)).messages)), data);
    const plain = await sentOf(once.messages, new Scripted(0));
    assert.equal(markCount(plain.messages), 0);
    assert.equal(plain.modelSettings, undefined);
  }
});
