// The TanStack AI middleware, with the real package and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chat, maxIterations, modelMessagesToUIMessages, toolDefinition } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import { plainMessage } from "windrow";
import { contextMiddleware } from "windrow/tanstack";
import { z } from "zod";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

/** A model that makes several tool calls and then answers. */
class Scripted extends BaseTextAdapter {
  name = "scripted";
  seen = [];
  #callCount;

  constructor(callCount) {
    super({}, "gpt-4o");
    this.#callCount = callCount;
  }

  // biome-ignore lint/suspicious/useAwait: the package asks for an async generator
  async *chatStream({ messages, systemPrompts, runId = "r", threadId = "t" }) {
    this.seen.push(structuredClone({ messages, systemPrompts }));
    const step = this.seen.length;
    const about = { runId, threadId, timestamp: 0, model: this.model };
    yield { type: "RUN_STARTED", ...about };
    if (step <= this.#callCount) {
      const toolCallId = `step_${step}`;
      yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "look_up", toolName: "look_up", index: 0, ...about };
      yield { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"term":"lantern"}', ...about };
      yield { type: "TOOL_CALL_END", toolCallId, toolName: "look_up", ...about };
      yield { type: "RUN_FINISHED", finishReason: "tool_calls", ...about };
    } else {
      yield { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", ...about };
      yield { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Done.", ...about };
      yield { type: "TEXT_MESSAGE_END", messageId: "m", ...about };
      yield { type: "RUN_FINISHED", finishReason: "stop", ...about };
    }
  }

  structuredOutput() {
    return Promise.reject(new Error("nobody asks for it"));
  }
}

const lookUp = toolDefinition({
  name: "look_up",
  description: "Looks a word up.",
  inputSchema: z.object({ term: z.string() }),
}).server(() => ({ found: "brass ".repeat(30) }));

function history(seed) {
  return longChat(seed).flatMap(({ said, reply, call }) => [
    { role: "user", content: said },
    ...(call === undefined
      ? []
      : [
          {
            role: "assistant",
            content: null,
            toolCalls: [
              { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } },
            ],
          },
          { role: "tool", toolCallId: call.id, content: call.output },
        ]),
    { role: "assistant", content: reply },
  ]);
}

/** Runs a chat to its end, and returns the conversation as the middleware after windrow's saw it. */
async function run(adapter, messages, config) {
  const whole = [];
  const watch = {
    name: "watch",
    onConfig: (_, { messages: all }) => {
      whole.push(all.length);
    },
  };
  const stream = chat({
    adapter,
    messages,
    systemPrompts: ["You are brief.", { content: "You are kind." }],
    tools: [lookUp],
    agentLoopStrategy: maxIterations(8),
    middleware: [contextMiddleware(config), watch],
  });
  for await (const { type, ...chunk } of stream) {
    assert.notEqual(type, "RUN_ERROR", JSON.stringify(chunk));
  }
  return whole;
}

test("every model call is whole and within the budget, and the conversation loses nothing", async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const adapter = new Scripted(3);
    const messages = [...history(seed), { role: "user", content: request }];
    const whole = await run(adapter, messages, { budget: { maxTokens: LIMIT } });
    assert.equal(adapter.seen.length, 4);
    for (const [at, { messages: sent, systemPrompts }] of adapter.seen.entries()) {
      const calls = sent.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
      const results = sent.flatMap(({ role, toolCallId }) => (role === "tool" ? [toolCallId] : []));
      assertPaired(calls, results);
      assert.deepEqual(
        calls.filter((id) => id.startsWith("step_")),
        Array.from({ length: at }, (_, step) => `step_${step + 1}`),
      );
      assert.ok(JSON.stringify(sent).includes(request));
      assert.ok(sent.every(({ role }) => ["user", "assistant", "tool"].includes(role)));
      assert.ok(tokensIn(sent, systemPrompts) <= LIMIT, `${tokensIn(sent, systemPrompts)} tokens`);
    }
    assert.equal(whole.at(-1), messages.length + 6, "all messages are still there in the last step");
  }
});

test("system prompts and tools count, and a chat that fits is unchanged", async () => {
  const contexts = [];
  const adapter = new Scripted(1);
  const messages = [{ role: "user", content: request }];
  await run(adapter, messages, { budget: { maxTokens: 4000 }, onContext: (context) => contexts.push(context) });
  assert.deepEqual(adapter.seen[0].messages, messages);
  assert.equal(contexts.length, 2);
  const [{ tokens }] = contexts;
  assert.ok(tokens.total > tokensIn(messages) + tokensIn("You are brief.", "You are kind.", "Looks a word up."));
});

test("messages of its client are read the same as by its own converter", () => {
  const messages = history(1);
  const said = (list) => list.flatMap((message) => plainMessage(message).content).map((part) => JSON.stringify(part));
  const ui = modelMessagesToUIMessages(messages);
  assert.ok(ui.some(({ parts }) => parts.length > 1));
  assert.deepEqual(said(ui).sort(), said(messages).sort());
});
