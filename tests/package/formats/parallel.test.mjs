// Parallel calls and their results cost as much as in the request body: one envelope for results that are sent as one
// message.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildContextSync, ContextError, loadEncoding, problemsOf } from "windrow";
import { tokensOfBody } from "../support/independent-count.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { PROVIDERS } from "../support/shape-bodies.mjs";

before(() => loadEncoding("o200k_base"));

const words = (random) =>
  Array.from({ length: random.integer(1, 30) }, () => random.pick(["kettle", "lamp", "7", "é"])).join(" ");

/** Steps of an agent: parallel calls with their results. */
function randomSteps(random) {
  let made = 0;
  return Array.from({ length: random.integer(1, 4) }, () =>
    Array.from({ length: random.integer(1, 5) }, () => {
      made += 1;
      return {
        id: `call_${made}`,
        name: random.pick(["look", "find"]),
        args: { q: words(random) },
        result: words(random),
      };
    }),
  );
}

const shuffled = (random, list) => {
  const left = [...list];
  return list.map(() => left.splice(random.integer(0, left.length - 1), 1)[0]);
};

/** Messages of one step in a format: its calls, and then their results in any order. */
const SHAPES = {
  openai: (calls, random) => [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    ...shuffled(random, calls).map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
  ],
  anthropic: (calls, random) => [
    { role: "assistant", content: calls.map(({ id, name, args: input }) => ({ type: "tool_use", id, name, input })) },
    {
      role: "user",
      content: shuffled(random, calls).map(({ id, result: content }) => ({
        type: "tool_result",
        tool_use_id: id,
        content,
      })),
    },
  ],
  "openai-responses": (calls, random) => [
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
    ...shuffled(random, calls).map(({ id, result: output }) => ({ type: "function_call_output", call_id: id, output })),
  ],
  "ai-sdk": (calls, random) => [
    {
      role: "assistant",
      content: calls.map(({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args })),
    },
    {
      role: "tool",
      content: shuffled(random, calls).map(({ id, name, result: value }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: { type: "text", value },
      })),
    },
  ],
};

function conversation(random, shape) {
  const steps = randomSteps(random);
  const said = (role) =>
    shape === "openai-responses" ? { type: "message", role, content: words(random) } : { role, content: words(random) };
  return [
    said("user"),
    ...steps.flatMap((calls) => [...SHAPES[shape](calls, random), said("assistant"), said("user")]),
  ];
}

/** @type {any} */
const options = { encoding: "o200k_base", model: "gpt-4o", request: null };

for (const shape of Object.keys(SHAPES)) {
  test(`${shape}: without a limit the count equals the body's, for every provider`, () => {
    forEachSeed((random) => {
      const messages = conversation(random, shape);
      for (const provider of PROVIDERS) {
        const context = buildContextSync(messages, { ...options, render: { provider } });
        const body = context.request(provider);
        assert.equal(context.tokens.total, tokensOfBody(provider, body), `${provider} ${JSON.stringify(body)}`);
      }
    });
  });

  test(`${shape}: within a limit, with open calls, backward clocks and words in between, the count is never below the body's`, () => {
    let built = 0;
    const count = forEachSeed((random) => {
      const isTimed = shape !== "openai-responses" && random.chance(0.3);
      const timed = conversation(random, shape).map((message) =>
        isTimed && random.chance(0.7) ? { ...message, createdAt: 1e12 + 1000 * random.integer(0, 20) } : message,
      );
      // Adds user words next to a result, and messages between a call and its result.
      const mixed = timed.map((message) =>
        message.content?.[0]?.type === "tool_result" && random.chance(0.3)
          ? { ...message, content: [...message.content, { type: "text", text: words(random) }] }
          : message,
      );
      if (random.chance(0.2)) {
        mixed.splice(random.integer(1, mixed.length), 0, { role: "user", content: words(random) });
      }
      const messages = mixed.filter((_, at, { length }) => at === length - 1 || random.chance(0.9));
      const provider = random.pick(PROVIDERS);
      const openCalls = random.pick(["close", "drop"]);
      const budget = { maxTokens: random.integer(60, 700) };
      try {
        const context = buildContextSync(messages, { ...options, budget, render: { provider, openCalls } });
        const body = context.request(provider);
        // Sorted by time, a reply may come last.
        const problems = problemsOf(provider, body).filter(({ rule }) => rule !== "ends-with-user");
        assert.deepEqual(problems, []);
        const tokens = tokensOfBody(provider, body);
        assert.ok(tokens <= context.tokens.total, `${tokens} of ${context.tokens.total}: ${JSON.stringify(body)}`);
        assert.ok(context.tokens.total <= budget.maxTokens);
        built += 1;
      } catch (failure) {
        const isExpected = failure.code === "BUDGET_TOO_SMALL" || failure.rule === "ends-with-user";
        assert.ok(failure instanceof ContextError && isExpected, failure.stack);
      }
    });
    assertShare(built, count, 3, "were built");
  });
}
