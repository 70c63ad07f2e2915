// The pi hooks with the real package and a scripted stream, and OpenClaw's context engine by its contract.

import assert from "node:assert/strict";
import { test } from "node:test";
import { agentLoop } from "@mariozechner/pi-agent-core";
import { createAssistantMessageEventStream, Type } from "@mariozechner/pi-ai";
import { contextEngine, transformContext } from "windrow/pi";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";
const model = {
  id: "gpt-4o",
  name: "gpt-4o",
  api: "scripted",
  provider: "scripted",
  contextWindow: 128_000,
  maxTokens: 1000,
  input: ["text"],
};
const usage = {
  ...{ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const START = Date.UTC(2026, 0, 5, 9);

function answer(content, stopReason, timestamp) {
  return {
    role: "assistant",
    content,
    api: "scripted",
    provider: "scripted",
    model: "gpt-4o",
    usage,
    stopReason,
    timestamp,
  };
}

function history(seed) {
  let at = START;
  const next = () => {
    at += 60_000;
    return at;
  };
  return longChat(seed).flatMap(({ said, reply, call }) => [
    { role: "user", content: said, timestamp: next() },
    ...(call === undefined
      ? []
      : [
          answer([{ type: "toolCall", id: call.id, name: call.name, arguments: call.input }], "toolUse", next()),
          {
            ...{ role: "toolResult", toolCallId: call.id, toolName: call.name, isError: false, timestamp: next() },
            content: [{ type: "text", text: call.output }],
          },
        ]),
    answer([{ type: "text", text: reply }], "stop", next()),
  ]);
}

/** A stream function that makes `callCount` tool calls and then answers. */
function scripted(callCount) {
  const seen = [];
  const stream = (_, { messages }) => {
    seen.push(structuredClone(messages));
    const step = seen.length;
    const isCall = step <= callCount;
    const content = isCall
      ? [{ type: "toolCall", id: `step_${step}`, name: "look_up", arguments: { term: "lantern" } }]
      : [{ type: "text", text: "Done." }];
    const message = answer(content, isCall ? "toolUse" : "stop", Date.now());
    const events = createAssistantMessageEventStream();
    queueMicrotask(() => {
      events.push({ type: "start", partial: message });
      events.push({ type: "done", reason: message.stopReason, message });
      events.end(message);
    });
    return events;
  };
  return { stream, seen };
}

const lookUp = {
  ...{ name: "look_up", label: "Look up", description: "Looks a word up." },
  parameters: Type.Object({ term: Type.String() }),
  execute: () => Promise.resolve({ content: [{ type: "text", text: `Found ${"brass ".repeat(30)}` }], details: {} }),
};

function idsIn(messages) {
  return {
    calls: messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])) : [],
    ),
    results: messages.flatMap(({ role, toolCallId }) => (role === "toolResult" ? [toolCallId] : [])),
  };
}

const saidIn = (messages) => messages.map(({ content }) => content);

test("every model call is whole and within the budget", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { stream, seen } = scripted(4);
    const context = { systemPrompt: "You are brief.", messages: history(seed), tools: [lookUp] };
    const before = context.messages.length;
    const config = {
      model,
      convertToLlm: (messages) => messages,
      transformContext: transformContext({
        model: "gpt-4o",
        instructions: "You are brief.",
        budget: { maxTokens: LIMIT },
      }),
    };
    const prompts = [{ role: "user", content: request, timestamp: Date.now() }];
    const added = await agentLoop(prompts, context, config, undefined, stream).result();
    assert.equal(added.length, 1 + 4 * 2 + 1);
    assert.equal(context.messages.length, before, "the agent keeps its messages");
    assert.equal(seen.length, 5);
    for (const [at, messages] of seen.entries()) {
      const { calls, results } = idsIn(messages);
      assertPaired(calls, results);
      assert.equal(calls.filter((id) => id.startsWith("step_")).length, at);
      assert.ok(messages.some(({ content }) => content === request));
      assert.ok(tokensIn(saidIn(messages)) <= LIMIT, `${tokensIn(saidIn(messages))} tokens`);
    }
  }
});

test("a failure is reported, and the agent continues with its messages", async () => {
  const failures = [];
  const hook = transformContext({ budget: { maxTokens: 5 }, onError: (failure) => failures.push(failure) });
  const messages = [{ role: "user", content: "word ".repeat(50), timestamp: START }];
  assert.deepEqual(await hook(messages), messages);
  assert.deepEqual(
    failures.map(({ code }) => code),
    ["BUDGET_TOO_SMALL"],
  );
});

test("a context engine assembles within the host's budget, and leaves room for the prompt", async () => {
  const engine = contextEngine({ budget: { maxTokens: 2000 } });
  for (let seed = 1; seed <= 20; seed++) {
    const messages = history(seed);
    const assembled = await engine.assemble({
      sessionId: "s",
      messages,
      tokenBudget: LIMIT,
      model: "gpt-4o",
      prompt: request,
    });
    assert.ok(assembled.messages.length < messages.length);
    assert.ok(assembled.messages.every((message) => messages.includes(message) || message.role === "user"));
    assert.ok(assembled.estimatedTokens <= LIMIT);
    assert.ok(tokensIn(saidIn(assembled.messages), request) <= LIMIT);
    const { calls, results } = idsIn(assembled.messages);
    assertPaired(calls, results);
    const again = await engine.assemble({
      sessionId: "s",
      ...assembled,
      tokenBudget: LIMIT,
      model: "gpt-4o",
      prompt: request,
    });
    assert.deepEqual(again.messages, assembled.messages);
  }
  assert.deepEqual(await engine.ingest({}), { ingested: false });
  assert.equal((await engine.compact({})).compacted, false);
});
