// Runs of a thousand steps with the real frameworks. The task needs values that only the first ten steps return, and
// the model knows only its prompt.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { generateText, isStepCount, tool } from "ai";
import { createAgent } from "langchain";
import * as aiSdk from "windrow/ai-sdk";
import * as langChain from "windrow/langchain";
import { contextProcessor } from "windrow/mastra";
import { z } from "zod";
import { tokensIn } from "./support.mjs";

const LIMIT = 6000;
const VALUES = 10;
const TASK = "Open all drawers in turn. Then open the safe: its code is the ten stones of drawers 0 to 9.";
const stoneIn = (drawer) => `stone-${(drawer * 7919 + 104_729).toString(36)}`;

/** The result of opening a drawer: a stone, which only the middle of a text names. */
function drawer(at) {
  const lines = Array.from({ length: 12 }, (_, line) => `shelf ${line} of drawer ${at} holds dust and paper`);
  lines.splice(6, 0, `a small box holds ${at < VALUES ? stoneIn(at) : "nothing"}`);
  return lines.join("\n");
}

/**
 * A scripted model that knows only its prompt. It opens each drawer once and then dials the ten stones. If a stone
 * isn't shown, it calls `retrieve` or opens the drawer again.
 */
class Script {
  calls = 0;
  again = 0;
  most = 0;
  dialed = [];
  constructor(steps, usesTool) {
    Object.assign(this, { steps, usesTool });
  }

  next(prompt) {
    const at = this.calls++;
    this.most = Math.max(this.most, tokensIn(prompt));
    const shown = JSON.stringify(prompt);
    assert.ok(shown.includes(TASK), "the task stays");
    if (at < this.steps) {
      return { id: `drawer_${at}`, name: "open_drawer", input: { drawer: at } };
    }
    const place = this.dialed.length;
    if (place === VALUES) {
      return undefined;
    }
    const stone = shown.match(new RegExp(`drawer ${place} [^]{0,120}?a small box holds (stone-[a-z0-9]+)`))?.[1];
    if (stone !== undefined) {
      this.dialed.push(stone);
      return { id: `dial_${at}`, name: "dial", input: { place, stone } };
    }
    this.again++;
    assert.ok(this.again <= VALUES, `the model runs in a circle: the stone of drawer ${place} isn't shown`);
    return this.usesTool
      ? { id: `ask_${at}`, name: "retrieve", input: { id: `drawer_${place}` } }
      : { id: `again_${at}`, name: "open_drawer", input: { drawer: place } };
  }
}

/** A scripted model that needs all ten stones in one prompt. If one isn't shown, the model reads it again. */
class ScriptOfOnePrompt extends Script {
  next(prompt) {
    const at = this.calls++;
    this.most = Math.max(this.most, tokensIn(prompt));
    const shown = JSON.stringify(prompt);
    const missing = Array.from({ length: VALUES }, (_, drawer) => drawer).filter((it) => !shown.includes(stoneIn(it)));
    if (at < this.steps) {
      return { id: `drawer_${at}`, name: "open_drawer", input: { drawer: at } };
    }
    if (missing.length === 0) {
      this.dialed = Array.from({ length: VALUES }, (_, drawer) => stoneIn(drawer));
      return undefined;
    }
    this.again++;
    assert.ok(this.again <= 2 * VALUES, `the model runs in a circle: drawer ${missing[0]} isn't shown`);
    return { id: `again_${at}`, name: "open_drawer", input: { drawer: missing[0] } };
  }
}

const DESCRIPTION = "Opens a drawer.";
const inputSchema = z.object({ drawer: z.number() });
const DIAL = "Dials a stone.";
const dialSchema = z.object({ place: z.number(), stone: z.string() });

function sdkModel(specificationVersion, script) {
  const count = (tokens) => (specificationVersion === "v2" ? tokens : { total: tokens });
  const usage = { inputTokens: count(1), outputTokens: count(1), totalTokens: 2 };
  return {
    specificationVersion,
    provider: "scripted",
    modelId: "gpt-4o",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const call = await script.next(prompt);
      const reason = call === undefined ? "stop" : "tool-calls";
      const content =
        call === undefined
          ? { type: "text", text: "Done." }
          : { type: "tool-call", toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.input) };
      const finishReason = specificationVersion === "v2" ? reason : { unified: reason, raw: reason };
      return { content: [content], finishReason, usage, warnings: [] };
    },
  };
}

class ScriptedChat extends BaseChatModel {
  model = "gpt-4o";
  constructor(script) {
    super({ maxRetries: 0 });
    this.script = script;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const call = await this.script.next(messages.map(({ content, tool_calls }) => [content, tool_calls]));
    const message =
      call === undefined
        ? new AIMessage("Done.")
        : new AIMessage({ content: "", tool_calls: [{ id: call.id, name: call.name, args: call.input }] });
    return { generations: [{ message, text: "" }] };
  }
}

const frameworks = {
  async "AI SDK"(script, config) {
    const prepareStep = aiSdk.prepareStep(config);
    const execute = (input) => drawer(input.drawer);
    await generateText({
      model: sdkModel("v4", script),
      messages: [{ role: "user", content: TASK }],
      tools: {
        open_drawer: tool({ description: DESCRIPTION, inputSchema, execute }),
        dial: tool({ description: DIAL, inputSchema: dialSchema, execute: () => "done" }),
        ...prepareStep.tools,
      },
      stopWhen: isStepCount(script.steps + 40),
      prepareStep,
    });
  },
  async LangChain(script, config) {
    const open = langChainTool(({ drawer: at }) => drawer(at), {
      name: "open_drawer",
      description: DESCRIPTION,
      schema: inputSchema,
    });
    const dial = langChainTool(() => "done", { name: "dial", description: DIAL, schema: dialSchema });
    const middleware = [langChain.contextMiddleware(config)];
    const agent = createAgent({ model: new ScriptedChat(script), tools: [open, dial], middleware });
    await agent.invoke({ messages: [new HumanMessage(TASK)] }, { recursionLimit: 4 * script.steps + 200 });
  },
  async Mastra(script, config) {
    const execute = (input) => Promise.resolve(drawer(input.drawer));
    const agent = new MastraAgent({
      id: "clerk",
      name: "Clerk",
      instructions: "You are brief.",
      model: sdkModel("v2", script),
      tools: {
        open_drawer: createTool({ id: "open_drawer", description: DESCRIPTION, inputSchema, execute }),
        dial: createTool({
          id: "dial",
          description: DIAL,
          inputSchema: dialSchema,
          execute: () => Promise.resolve("done"),
        }),
      },
      inputProcessors: [contextProcessor(config)],
    });
    await agent.generate([{ role: "user", content: TASK }], { maxSteps: script.steps + 40 });
  },
};

/**
 * LangChain and Mastra take 50 and 100 ms for each of 200 steps, and longer for later ones, because they go through all
 * messages.
 */
const STEPS = { "AI SDK": 1000, LangChain: 200, Mastra: 200 };

describe("a long run finishes with values from its first ten steps", () => {
  for (const [name, run] of Object.entries(frameworks)) {
    for (const retrieval of [true, false]) {
      test(`${name}, ${retrieval ? "with" : "without"} the retrieval tool`, async () => {
        const script = new Script(STEPS[name], retrieval);
        await run(script, { budget: { maxTokens: LIMIT }, retrieval });
        assert.deepEqual(
          script.dialed,
          Array.from({ length: VALUES }, (_, at) => stoneIn(at)),
        );
        assert.ok(script.most <= LIMIT, `${script.most} tokens`);
      });
    }
  }
});

describe("a long run finishes if its model needs ten results in one prompt", () => {
  for (const [name, run] of Object.entries(frameworks)) {
    test(name, async () => {
      const script = new ScriptOfOnePrompt(150, false);
      await run(script, { budget: { maxTokens: LIMIT } });
      assert.equal(script.dialed.length, VALUES);
      assert.ok(script.most <= LIMIT, `${script.most} tokens`);
    });
  }
});
