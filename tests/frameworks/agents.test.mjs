// Long runs of agents with the real frameworks: the task needs results of the first steps at its end, and a provider refuses a prompt.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createAgent } from "langchain";
import { countTokens } from "windrow";
import * as aiSdk from "windrow/ai-sdk";
import * as langChain from "windrow/langchain";
import { z } from "zod";
import { tokensIn } from "./support.mjs";

const STEPS = 60;
const LIMIT = 3000;
const TASK = "Read all drawers. Then name the stones in drawers 0 to 9.";
const stoneIn = (drawer) => `stone-${(drawer * 7919 + 104_729).toString(36)}`;

/** The result of opening a drawer: a stone that only the middle of a long text names. */
function drawer(at) {
  const lines = Array.from({ length: 60 }, (_, line) => `shelf ${line} holds dust and paper`);
  lines.splice(30, 0, `a small box holds ${stoneIn(at)} here`);
  return lines.join("\n");
}

/**
 * A scripted agent: it reads all drawers, then asks for the first ten again by name, and answers with the stones that it saw since. `shown` is
 * the prompt as a text, and `names` are the names of results in it by drawer.
 */
class Script {
  step = 0;
  /** The stones that it has been shown in answers of the tool. */
  found = new Set();
  tokens = [];

  next(prompt) {
    const shown = JSON.stringify(prompt);
    this.tokens.push(tokensIn(prompt));
    for (let at = 0; at < 10; at++) {
      if (this.step >= STEPS && shown.includes(stoneIn(at))) {
        this.found.add(stoneIn(at));
      }
    }
    const at = this.step++;
    if (at < STEPS) {
      return { name: "open_drawer", input: { drawer: at } };
    }
    if (at < STEPS + 10) {
      return {
        name: "retrieve",
        input: { query: `box stone drawer ${at - STEPS}`, id: `drawer_${at - STEPS}`, max_tokens: 400 },
      };
    }
    return undefined;
  }
}

const versions = [
  { name: "5", ai: ai5, specification: "v2" },
  { name: "6", ai: ai6, specification: "v3" },
  { name: "7", ai: ai7, specification: "v4" },
];

function aiSdkModel(specification, answer) {
  const usage = (tokens) => (specification === "v2" ? tokens : { total: tokens });
  const tokens = { inputTokens: usage(1), outputTokens: usage(1), totalTokens: 2 };
  const result = (content, reason) => ({
    content: [content],
    finishReason: specification === "v2" ? reason : { unified: reason, raw: reason },
    usage: tokens,
    warnings: [],
  });
  return {
    specificationVersion: specification,
    provider: "scripted",
    modelId: "gpt-4o",
    supportedUrls: {},
    doGenerate: ({ prompt }) =>
      new Promise((resolve) => {
        const call = answer(prompt);
        const content =
          call === undefined
            ? { type: "text", text: "Done." }
            : { type: "tool-call", toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.input) };
        resolve(result(content, call === undefined ? "stop" : "tool-calls"));
      }),
  };
}

const idOf = ({ name, input }, step) => (name === "open_drawer" ? `drawer_${input.drawer}` : `ask_${step}`);

describe("a model asks for what its first steps returned", () => {
  for (const { name, ai, specification } of versions) {
    test(`AI SDK ${name}`, async () => {
      const script = new Script();
      const prepareStep = aiSdk.prepareStep({ budget: { maxTokens: LIMIT }, retrieval: true });
      const model = aiSdkModel(specification, (prompt) => {
        const call = script.next(prompt);
        return call && { ...call, id: idOf(call, script.step) };
      });
      const inputSchema = z.object({ drawer: z.number() });
      const open = ai.tool({ description: "Opens a drawer.", inputSchema, execute: (input) => drawer(input.drawer) });
      const { text } = await ai.generateText({
        model,
        messages: [{ role: "user", content: TASK }],
        tools: { open_drawer: open, ...prepareStep.tools },
        stopWhen: (ai.stepCountIs ?? ai.isStepCount)(STEPS + 20),
        prepareStep,
      });
      assert.equal(text, "Done.");
      assert.equal(script.found.size, 10);
      assert.ok(Math.max(...script.tokens) <= LIMIT, `${Math.max(...script.tokens)} tokens`);
    });
  }

  test("LangChain", async () => {
    const script = new Script();
    const model = new ScriptedChat((messages) => {
      const call = script.next(messages.map(({ content, tool_calls }) => [content, tool_calls]));
      return call && { id: idOf(call, script.step), name: call.name, args: call.input };
    });
    const open = langChainTool(({ drawer: at }) => drawer(at), {
      name: "open_drawer",
      description: "Opens a drawer.",
      schema: z.object({ drawer: z.number() }),
    });
    const agent = createAgent({
      model,
      tools: [open],
      middleware: [langChain.contextMiddleware({ budget: { maxTokens: LIMIT }, retrieval: true })],
    });
    const state = await agent.invoke({ messages: [new HumanMessage(TASK)] }, { recursionLimit: 400 });
    assert.equal(state.messages.at(-1).content, "Done.");
    assert.equal(script.found.size, 10);
    assert.ok(
      model.boundTools.some((it) => it.name === "retrieve"),
      "the model is told of the tool",
    );
  });
});

/** A chat model of LangChain's that answers with a call of a tool, or with "Done.". */
class ScriptedChat extends BaseChatModel {
  model = "gpt-4o";
  boundTools = [];
  constructor(answer) {
    super({ maxRetries: 0 });
    this.answer = answer;
  }
  _llmType() {
    return "scripted";
  }
  bindTools(tools) {
    this.boundTools = tools;
    return this;
  }
  _generate(messages) {
    return new Promise((resolve) => {
      const call = this.answer(messages);
      const message = call === undefined ? new AIMessage("Done.") : new AIMessage({ content: "", tool_calls: [call] });
      resolve({ generations: [{ message, text: "" }] });
    });
  }
}

describe("a provider says that the prompt is too long", () => {
  const messages = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Word ${at} ${"lantern ".repeat(20)}`,
  }));
  const asked = { role: "user", content: "And now?" };
  /** The tokens of a prompt as the provider counts them: half as many again as windrow does. */
  const countOf = (prompt) => Math.ceil(countTokens(JSON.stringify(prompt), { encoding: "o200k_base" }).tokens * 1.5);
  const WINDOW = 900;

  /** Fails as a provider does if a prompt is too long. */
  function refuse(prompt, seen) {
    const tokens = countOf(prompt);
    seen.push(tokens);
    if (tokens > WINDOW) {
      throw Object.assign(new Error(`prompt is too long: ${tokens} tokens > ${WINDOW} maximum`), { status: 400 });
    }
  }

  for (const { name, ai, specification } of versions) {
    test(`AI SDK ${name}: it is built shorter and sent once more, and the next call knows`, async () => {
      const seen = [];
      const model = aiSdkModel(specification, (prompt) => refuse(prompt, seen));
      const middleware = aiSdk.contextMiddleware({ budget: { maxTokens: 800 } }, specification);
      const bounded = ai.wrapLanguageModel({ model, middleware });
      const call = () => ai.generateText({ model: bounded, maxRetries: 0, messages: [...messages, asked] });
      assert.equal((await call()).text, "Done.");
      assert.equal(seen.length, 2);
      assert.ok(seen[0] > WINDOW && seen[1] <= WINDOW && seen[1] > WINDOW / 3, seen.join(", "));
      assert.equal((await call()).text, "Done.");
      assert.equal(seen.length, 3);
    });
  }

  test("LangChain: it is built shorter and sent once more, and the next call knows", async () => {
    const seen = [];
    const model = new ScriptedChat((prompt) =>
      refuse(
        prompt.map(({ content }) => content),
        seen,
      ),
    );
    const middleware = [langChain.contextMiddleware({ budget: { maxTokens: 1200 } })];
    const agent = createAgent({ model, tools: [], middleware });
    const call = async () => (await agent.invoke({ messages: [...messages, asked] })).messages.at(-1).content;
    assert.equal(await call(), "Done.");
    assert.equal(seen.length, 2);
    assert.ok(seen[1] <= WINDOW && seen[1] > WINDOW / 3, seen.join(", "));
    assert.equal(await call(), "Done.");
    assert.equal(seen.length, 3);
  });

  test("another failure, and a second refusal, reach the caller as they are", async () => {
    const middleware = langChain.contextMiddleware({ budget: { maxTokens: 500 } });
    const request = { messages: [new HumanMessage("And now?")], model: { model: "gpt-4o" } };
    for (const [failure, calls] of [
      [new Error("the network is down"), 1],
      [new Error("prompt is too long: 900 tokens > 800 maximum"), 1],
    ]) {
      let count = 0;
      const handler = () => {
        count++;
        throw failure;
      };
      await assert.rejects(middleware.wrapModelCall(request, handler), (thrown) => thrown === failure);
      assert.ok(count >= calls && count <= 2);
    }
  });
});
