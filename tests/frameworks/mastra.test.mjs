// The Mastra processor, with the real package and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { buildContext, presets } from "windrow";
import { contextProcessor } from "windrow/mastra";
import { z } from "zod";
import { assertPaired, longChat, markCount, scriptedModel, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

function history(seed, turnCount) {
  return longChat(seed, turnCount).flatMap(({ said, reply }) => [
    { role: "user", content: said },
    { role: "assistant", content: reply },
  ]);
}

const lookUp = createTool({
  id: "look_up",
  description: "Looks a word up.",
  inputSchema: z.object({ term: z.string() }),
  execute: () => Promise.resolve({ found: "brass ".repeat(30) }),
});

/** An agent whose prompts are built with these `contextProcessor` options. */
function clerk(model, options) {
  return new Agent({
    id: "clerk",
    name: "Clerk",
    instructions: "You are brief.",
    model,
    tools: { look_up: lookUp },
    inputProcessors: [contextProcessor(options)],
  });
}

for (const method of ["generate", "stream"]) {
  test(`${method}: every model call is whole and within the budget`, async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const { model, seen } = scriptedModel(3);
      const agent = clerk(model, { budget: { maxTokens: LIMIT } });
      const messages = [...history(seed), { role: "user", content: request }];
      const result = await agent[method](messages, { maxSteps: 6 });
      assert.equal(await result.text, "Done.");
      assert.equal(seen.length, 4);
      for (const [at, prompt] of seen.entries()) {
        const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []));
        const idsOf = (type) => parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
        assertPaired(idsOf("tool-call"), idsOf("tool-result"));
        assert.equal(idsOf("tool-call").length, at);
        assert.ok(JSON.stringify(prompt).includes(request));
        assert.ok(tokensIn(prompt) <= LIMIT, `${tokensIn(prompt)} tokens`);
        assert.equal(prompt[0].content, "You are brief.");
      }
    }
  });
}

test("the model gets breakpoints, and each step of a loop repeats the one before it", async () => {
  const budget = { ...presets.steady.budget, maxTokens: 4000 };
  let moves = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const { model, seen } = scriptedModel(4);
    const agent = clerk(model, { ...presets.steady, budget });
    await agent.generate([...history(seed, 200), { role: "user", content: request }], { maxSteps: 8 });
    assert.equal(seen.length, 5);
    for (const [at, prompt] of seen.entries()) {
      assert.ok(markCount(prompt) >= 2 && markCount(prompt) <= 4, `${markCount(prompt)} marks`);
      assert.ok(prompt.at(-1).providerOptions.anthropic.cacheControl, "the next step finds the end of this one");
      const said = (messages) => messages.map(({ role, content }) => JSON.stringify({ role, content }));
      const [before, now] = [said(seen[at - 1] ?? []), said(prompt)];
      moves += before.some((message, place) => message !== now[place]) ? 1 : 0;
    }
  }
  assert.ok(moves <= 4, `${moves} moves in 16 steps`);
});

test("the tools of a step count, as the model receives them", async () => {
  const { model, seen } = scriptedModel(1);
  const sent = [];
  const doGenerate = (options) => {
    sent.push(options.tools);
    return model.doGenerate(options);
  };
  const contexts = [];
  const options = { budget: { maxTokens: LIMIT }, onContext: (context) => contexts.push(context) };
  await clerk({ ...model, doGenerate }, options).generate(request, { maxSteps: 3 });
  assert.equal(seen.length, 2);
  for (const [at, { tokens }] of contexts.entries()) {
    const said = { request: { role: "user", content: request }, model: "gpt-4o", render: { provider: "ai-sdk" } };
    const expected = await buildContext([{ role: "system", content: "You are brief." }], {
      ...said,
      budget: { maxTokens: LIMIT, tools: sent[at] },
    });
    assert.ok(tokens.sections[1].tokens > 20);
    assert.deepEqual(tokens.sections[1], expected.tokens.sections[1]);
  }
});
