// Hooks for OpenAI's Agents SDK, with the real package and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, MemorySession, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";
import { callModelInputFilter, sessionInputCallback } from "windrow/openai-agents";
import { z } from "zod";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

setTracingDisabled(true);
const LIMIT = 600;
const request = "What did we say about the lantern?";

/** A model that makes `callCount` tool calls and then answers. */
function scripted(callCount) {
  const seen = [];
  const model = {
    getResponse({ input, systemInstructions }) {
      seen.push({ input: structuredClone(input), systemInstructions });
      const step = seen.length;
      const output =
        step <= callCount
          ? [
              {
                type: "function_call",
                callId: `step_${step}`,
                name: "look_up",
                arguments: '{"term":"lantern"}',
                status: "completed",
              },
            ]
          : [
              {
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: "Done." }],
              },
            ];
      return Promise.resolve({ usage: new Usage(), output });
    },
    getStreamedResponse() {
      throw new Error("nothing streams here");
    },
  };
  return { model, seen };
}

function items(seed) {
  return longChat(seed).flatMap(({ said, reply, call }) => [
    { role: "user", content: said },
    ...(call === undefined
      ? []
      : [
          {
            type: "function_call",
            callId: call.id,
            name: call.name,
            arguments: JSON.stringify(call.input),
            status: "completed",
          },
          {
            type: "function_call_result",
            callId: call.id,
            name: call.name,
            status: "completed",
            output: { type: "text", text: call.output },
          },
        ]),
    { role: "assistant", status: "completed", content: [{ type: "output_text", text: reply }] },
  ]);
}

const lookUp = tool({
  name: "look_up",
  description: "Looks a word up.",
  parameters: z.object({ term: z.string() }),
  execute: () => `Found ${"brass ".repeat(30)}`,
});

function check(seen) {
  for (const { input } of seen) {
    const idsOf = (type) => input.filter((item) => item.type === type).map(({ callId }) => callId);
    assertPaired(idsOf("function_call"), idsOf("function_call_result"));
    assert.ok(JSON.stringify(input).includes(request));
    assert.ok(tokensIn(input) <= LIMIT, `${tokensIn(input)} tokens`);
  }
}

test("every model call is whole and within the budget", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { model, seen } = scripted(4);
    const agent = new Agent({ name: "Clerk", instructions: "You are brief.", model, tools: [lookUp] });
    const filter = callModelInputFilter({ model: "gpt-4o", budget: { maxTokens: LIMIT } });
    const runner = new Runner({ callModelInputFilter: filter });
    const result = await runner.run(agent, [...items(seed), { role: "user", content: request }]);
    assert.equal(result.finalOutput, "Done.");
    assert.equal(seen.length, 5);
    check(seen);
    assert.ok(seen.every(({ systemInstructions }) => systemInstructions === "You are brief."));
    for (const [at, { input }] of seen.entries()) {
      assert.equal(
        input.filter(({ type, callId }) => type === "function_call" && callId.startsWith("step_")).length,
        at,
      );
    }
  }
});

test("a run gets the context of a session, and the session keeps everything", async () => {
  const { model, seen } = scripted(1);
  const session = new MemorySession();
  const history = items(3);
  await session.addItems(history);
  const agent = new Agent({ name: "Clerk", model, tools: [lookUp] });
  const runner = new Runner({
    sessionInputCallback: sessionInputCallback({ model: "gpt-4o", budget: { maxTokens: LIMIT - 150 } }),
  });
  await runner.run(agent, [{ role: "user", content: request }], { session });
  check(seen);
  assert.ok((await session.getItems()).length >= history.length + 2, "the session keeps all");
});

test("input built on the previous step's result changes nothing that fits", async () => {
  const filter = callModelInputFilter({ model: "gpt-4o", budget: { maxTokens: LIMIT } });
  for (let seed = 1; seed <= 40; seed++) {
    const modelData = { input: [...items(seed), { role: "user", content: request }], instructions: "You are brief." };
    const once = await filter({ modelData });
    const twice = await filter({ modelData: once });
    assert.deepEqual(twice, once);
    assert.ok(once.input.length < modelData.input.length);
  }
});
