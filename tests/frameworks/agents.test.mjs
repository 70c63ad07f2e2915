// Long agent runs with the real frameworks: the task needs results of its first steps at the end, and a provider
// refuses one prompt.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as agentsTool, Runner, setTracingDisabled, Usage } from "@openai/agents";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createAgent } from "langchain";
import { countTokens } from "windrow";
import * as aiSdk from "windrow/ai-sdk";
import * as langChain from "windrow/langchain";
import { contextProcessor } from "windrow/mastra";
import { callModelInputFilter } from "windrow/openai-agents";
import { z } from "zod";
import { tokensIn } from "./support.mjs";

setTracingDisabled(true);
const STEPS = 60;
const LIMIT = 3000;
const TASK = "Read all drawers. Then name the stones in drawers 0 to 9.";
const stoneIn = (drawer) => `stone-${(drawer * 7919 + 104_729).toString(36)}`;

/** The result of opening a drawer: a stone, which only the middle of a long text names. */
function drawer(at) {
  const lines = Array.from({ length: 60 }, (_, line) => `shelf ${line} holds dust and paper`);
  lines.splice(30, 0, `a small box holds ${stoneIn(at)} here`);
  return lines.join("\n");
}

/**
 * A scripted agent. It reads all drawers, then asks for the first ten again by name, and answers with the stones that
 * it has seen since. `shown` is the prompt as a text, and `names` has the names of the results in it by drawer.
 */
class Script {
  step = 0;
  /** Stones that the tool's answers have shown it. */
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
    async doGenerate(options) {
      const call = await answer(options.prompt, options);
      return call === undefined
        ? result({ type: "text", text: "Done." }, "stop")
        : result(
            { type: "tool-call", toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.input) },
            "tool-calls",
          );
    },
    async doStream(options) {
      const { content, finishReason, usage: used } = await this.doGenerate(options);
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: part.text },
              { type: "text-end", id: "1" },
            ]
          : [part],
      );
      const chunks = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage: used }];
      return { stream: ReadableStream.from(chunks) };
    },
  };
}

const idOf = ({ name, input }, step) => (name === "open_drawer" ? `drawer_${input.drawer}` : `ask_${step}`);

describe("a model asks for results of its first steps", () => {
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
      "the model gets the tool",
    );
  });

  for (const method of ["generate", "stream"]) {
    test(`Mastra, ${method}`, async () => {
      const script = new Script();
      const names = new Set();
      const model = aiSdkModel("v2", (prompt, { tools }) => {
        for (const { name } of tools) {
          names.add(name);
        }
        const call = script.next(prompt);
        return call && { ...call, id: idOf(call, script.step) };
      });
      const inputSchema = z.object({ drawer: z.number() });
      const execute = (input) => Promise.resolve(drawer(input.drawer));
      const agent = new MastraAgent({
        id: "clerk",
        name: "Clerk",
        instructions: "You are brief.",
        model,
        tools: { open_drawer: createTool({ id: "open_drawer", description: "Opens a drawer.", inputSchema, execute }) },
        inputProcessors: [contextProcessor({ budget: { maxTokens: LIMIT }, retrieval: true })],
      });
      const result = await agent[method]([{ role: "user", content: TASK }], { maxSteps: STEPS + 20 });
      assert.equal(await result.text, "Done.");
      assert.equal(script.found.size, 10);
      assert.ok(Math.max(...script.tokens) <= LIMIT, `${Math.max(...script.tokens)} tokens`);
      assert.deepEqual([...names].sort(), ["open_drawer", "retrieve"]);
    });
  }

  /** Runs a scripted agent of OpenAI's SDK. */
  async function runAgents(runner, tools, script) {
    const model = agentsModel((input) => {
      const call = script.next(input);
      return call && { ...call, id: idOf(call, script.step) };
    });
    const agent = new Agent({ name: "Clerk", instructions: "You are brief.", model, tools });
    return await runner.run(agent, TASK, { maxTurns: STEPS + 40 });
  }
  const openDrawer = agentsTool({
    name: "open_drawer",
    description: "Opens a drawer.",
    parameters: z.object({ drawer: z.number() }),
    execute: (input) => drawer(input.drawer),
  });

  test("OpenAI Agents", async () => {
    const script = new Script();
    const filter = callModelInputFilter({ model: "gpt-4o", budget: { maxTokens: LIMIT }, retrieval: true });
    const runner = new Runner({ callModelInputFilter: filter });
    const { finalOutput } = await runAgents(runner, [openDrawer, ...filter.tools], script);
    assert.equal(finalOutput, "Done.");
    assert.equal(script.found.size, 10);
    assert.ok(Math.max(...script.tokens) <= LIMIT, `${Math.max(...script.tokens)} tokens`);
  });

  test("OpenAI Agents: concurrent runs never see each other's results", async () => {
    const secretOf = (name) => `secret-of-${name}`;
    const text = (name) => Array.from({ length: 200 }, (_, at) => `${at}: ${name} ${secretOf(name)}`).join("\n");
    // A context for each run, one for all runs, and none.
    for (const contextOf of [
      (name) => ({ name }),
      (
        (shared) => () =>
          shared
      )({}),
      () => undefined,
    ]) {
      const filter = callModelInputFilter({ model: "gpt-4o", budget: { maxTokens: 600 }, retrieval: true });
      const runner = new Runner({ callModelInputFilter: filter });
      const run = async (name) => {
        const seen = [];
        const model = agentsModel((input) => {
          seen.push(input);
          const id = `${name}_${seen.length}`;
          if (seen.length === 1) {
            return { id, name: "read", input: {} };
          }
          return seen.length <= 4 ? { id, name: "retrieve", input: { query: "secret", max_tokens: 150 } } : undefined;
        });
        const execute = () => text(name);
        const read = agentsTool({ name: "read", description: "Reads.", parameters: z.object({}), execute });
        const agent = new Agent({ name: "Clerk", model, tools: [read, ...filter.tools] });
        const { history } = await runner.run(agent, "Read the file.", { context: contextOf(name) });
        return history.filter(({ type, name: tool }) => type === "function_call_result" && tool === "retrieve");
      };
      const names = ["ada", "bob", "eve"];
      const answers = await Promise.all(names.map((name) => run(name)));
      for (const [at, own] of answers.map((results) => JSON.stringify(results)).entries()) {
        assert.ok(own.includes(secretOf(names[at])), `${names[at]} gets its own: ${own}`);
        for (const other of names.filter((name) => name !== names[at])) {
          assert.ok(!own.includes(secretOf(other)), `${names[at]} sees ${other}'s`);
        }
      }
    }
  });
});

/** A model for OpenAI's Agents SDK that answers with a tool call or with "Done.". */
function agentsModel(answer) {
  return {
    getResponse({ input }) {
      const call = answer(input);
      const content = [{ type: "output_text", text: "Done." }];
      const output =
        call === undefined
          ? { type: "message", role: "assistant", status: "completed", content }
          : {
              type: "function_call",
              callId: call.id,
              name: call.name,
              arguments: JSON.stringify(call.input),
              status: "completed",
            };
      return Promise.resolve({ usage: new Usage(), output: [output] });
    },
    getStreamedResponse() {
      throw new Error("nothing streams here");
    },
  };
}

/** A LangChain chat model that answers with a tool call or with "Done.". */
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

describe("a provider reports that the prompt is too long", () => {
  const messages = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Word ${at} ${"lantern ".repeat(20)}`,
  }));
  const asked = { role: "user", content: "And now?" };
  /** Tokens of a prompt as this provider counts them: 1.5 times windrow's count. */
  const countOf = (prompt) => Math.ceil(countTokens(JSON.stringify(prompt), { encoding: "o200k_base" }).tokens * 1.5);
  const WINDOW = 900;

  /** Fails like a provider if a prompt is too long. */
  function refuse(prompt, seen) {
    const tokens = countOf(prompt);
    seen.push(tokens);
    if (tokens > WINDOW) {
      throw Object.assign(new Error(`prompt is too long: ${tokens} tokens > ${WINDOW} maximum`), { status: 400 });
    }
  }

  for (const { name, ai, specification } of versions) {
    test(`AI SDK ${name}: a shorter prompt is built and sent once, and the next call remembers`, async () => {
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

  for (const { name, ai, specification } of versions) {
    test(`AI SDK ${name}: an error at the beginning of a stream is handled too`, async () => {
      for (const [isTooLong, calls] of [
        [true, 2],
        [false, 1],
      ]) {
        const seen = [];
        const model = aiSdkModel(specification, (prompt) => refuse(prompt, seen));
        const { doStream } = model;
        model.doStream = async (options) => {
          try {
            return await doStream.call(model, options);
          } catch (failure) {
            const error = isTooLong ? failure : new Error("overloaded");
            const parts = [
              { type: "stream-start", warnings: [] },
              { type: "error", error },
            ];
            return { stream: ReadableStream.from(parts) };
          }
        };
        const middleware = aiSdk.contextMiddleware({ budget: { maxTokens: 800 } }, specification);
        const bounded = ai.wrapLanguageModel({ model, middleware });
        const errors = [];
        const onError = ({ error }) => errors.push(error.message);
        const { textStream } = ai.streamText({
          model: bounded,
          maxRetries: 0,
          messages: [...messages, asked],
          onError,
        });
        let text = "";
        for await (const part of textStream) {
          text += part;
        }
        assert.equal(text, isTooLong ? "Done." : "");
        assert.equal(seen.length, calls);
        assert.deepEqual(errors, isTooLong ? [] : ["overloaded"]);
      }
    });
  }

  test("LangChain: a shorter prompt is built and sent once, and the next call remembers", async () => {
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

  test("other errors, and a second refusal, reach the caller unchanged", async () => {
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
