// The hook for LlamaIndexTS, with the real memory and chat engine and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SimpleChatEngine } from "@llamaindex/core/chat-engine";
import { createMemory, staticBlock } from "@llamaindex/core/memory";
import { contextMemory } from "windrow/llamaindex";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

function scripted() {
  const seen = [];
  return {
    seen,
    metadata: {
      model: "gpt-4o",
      contextWindow: 2000,
      maxTokens: 100,
      temperature: 0,
      topP: 1,
      structuredOutput: false,
    },
    chat({ messages }) {
      seen.push(structuredClone(messages));
      return Promise.resolve({ message: { role: "assistant", content: "It was brass." }, raw: {} });
    },
  };
}

const history = (seed) =>
  longChat(seed, 30).flatMap(({ said, reply, call }) => [
    { role: "user", content: said },
    ...(call === undefined
      ? []
      : [
          {
            role: "assistant",
            content: "",
            options: { toolCall: [{ id: call.id, name: call.name, input: call.input }] },
          },
          { role: "user", content: call.output, options: { toolResult: { id: call.id, result: call.output } } },
        ]),
    { role: "assistant", content: reply },
  ]);

test("the model receives a whole context within the budget, and the memory keeps every message", async () => {
  for (let seed = 1; seed <= 2; seed++) {
    const messages = history(seed);
    const memory = contextMemory(createMemory(messages), { budget: { maxTokens: LIMIT } });
    const llm = scripted();
    const engine = new SimpleChatEngine({ llm, memory });
    for (const [turn, message] of [request, "And what else?"].entries()) {
      await engine.chat({ message });
      const sent = llm.seen[turn];
      const options = sent.flatMap(({ options: own }) => (own === undefined ? [] : [own]));
      const calls = options.flatMap(({ toolCall = [] }) => toolCall.map(({ id }) => id));
      const results = options.flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult.id]));
      assertPaired(calls, results);
      assert.equal(sent.at(-1).content, message);
      assert.ok(tokensIn(sent.map(({ content }) => content)) <= LIMIT);
      assert.ok(sent.length > 10 && sent.length < messages.length);
      assert.equal((await memory.get()).length, messages.length + 2 * (turn + 1));
    }
  }
});

test("blocks of the memory are sent and count, as do messages of the call", async () => {
  const instructionTokens = [];
  const received = async (options) => {
    const memory = contextMemory(createMemory(history(1), options), {
      budget: { maxTokens: LIMIT },
      onContext: ({ tokens }) => instructionTokens.push(tokens.sections.find(({ id }) => id === "instructions").tokens),
    });
    return await memory.getLLM(scripted(), [{ role: "user", content: request }]);
  };
  const fact = "The guest is called Ilse.";
  const said = (messages) => messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
  const [sent, bare] = [await received({ memoryBlocks: [staticBlock({ content: fact })] }), await received({})];
  assert.ok(said(sent)[0]?.startsWith("user:") && said(sent)[0].includes(fact), "the block keeps its role");
  assert.ok(!said(bare).some((line) => line.includes(fact)));
  assert.deepEqual([sent.at(-1).content, bare.at(-1).content], [request, request]);
  assert.ok(instructionTokens[0] - instructionTokens[1] >= tokensIn(fact), instructionTokens.join(", "));
});
