// AI SDK hooks with the real package, versions 5, 6 and 7, and a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { buildContext, ContextError, presets } from "windrow";
import { contextMiddleware, prepareStep } from "windrow/ai-sdk";
import { z } from "zod";
import { anthropicReplies, assertPaired, checkSteps, longChat, markCount, tokensIn } from "./support.mjs";

const versions = [
  { name: "5", ai: ai5, specification: "v2" },
  { name: "6", ai: ai6, specification: "v3" },
  { name: "7", ai: ai7, specification: "v4" },
];
const LIMIT = 600;

/** A model that makes `callCount` tool calls and then answers. `seen` collects its prompts. */
function scripted(specification, callCount) {
  const seen = [];
  const usage = (tokens) => (specification === "v2" ? tokens : { total: tokens });
  const model = {
    specificationVersion: specification,
    provider: "scripted",
    modelId: "gpt-4o",
    supportedUrls: {},
    doGenerate({ prompt, tools }) {
      seen.push({ prompt: structuredClone(prompt), tools });
      const step = seen.length;
      const isCall = step <= callCount;
      const content = isCall
        ? [{ type: "tool-call", toolCallId: `step_${step}`, toolName: "look_up", input: '{"term":"lantern"}' }]
        : [{ type: "text", text: "Done." }];
      const reason = isCall ? "tool-calls" : "stop";
      const finishReason = specification === "v2" ? reason : { unified: reason, raw: reason };
      const tokens = { inputTokens: usage(1), outputTokens: usage(1), totalTokens: 2 };
      return Promise.resolve({ content, finishReason, usage: tokens, warnings: [] });
    },
  };
  return { model, seen };
}

/** A long chat as `ModelMessage`s. */
function modelMessages(seed, turnCount) {
  return longChat(seed, turnCount).flatMap(({ said, reply, call }) => [
    { role: "user", content: said },
    ...(call === undefined
      ? []
      : [
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.input }],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: call.id,
                toolName: call.name,
                output: { type: "text", value: call.output },
              },
            ],
          },
        ]),
    { role: "assistant", content: [{ type: "text", text: reply }] },
  ]);
}

function lookUp({ tool }) {
  const inputSchema = z.object({ term: z.string().describe("What to look up.") });
  return tool({ description: "Looks a word up.", inputSchema, execute: () => `Found ${"brass ".repeat(30)}` });
}

function checkPrompts(seen, request) {
  for (const { prompt } of seen) {
    const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const ids = (type) => parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
    assertPaired(ids("tool-call"), ids("tool-result"));
    assert.ok(JSON.stringify(prompt).includes(request), "the request is there");
    assert.ok(tokensIn(prompt) <= LIMIT, `${tokensIn(prompt)} tokens`);
    assert.equal(prompt.find(({ role }) => role !== "system").role, "user");
  }
}

for (const { name, ai, specification } of versions) {
  test(`AI SDK ${name}: every step of a tool loop is whole and within the budget`, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { model, seen } = scripted(specification, 4);
      const messages = modelMessages(seed);
      const before = structuredClone(messages);
      const request = "What did we say about the lantern?";
      const asked = [...messages, { role: "user", content: request }];
      const { text, steps } = await ai.generateText({
        model,
        messages: asked,
        tools: { look_up: lookUp(ai) },
        stopWhen: (ai.stepCountIs ?? ai.isStepCount)(8),
        prepareStep: prepareStep({ budget: { maxTokens: LIMIT } }),
      });
      assert.equal(text, "Done.");
      assert.equal(steps.length, 5);
      assert.equal(seen.length, 5);
      checkPrompts(seen, request);
      assert.deepEqual(messages, before, "the caller's messages don't change");
      for (const [at, { prompt }] of seen.entries()) {
        const inTurn = JSON.stringify(prompt).match(/step_\d/g) ?? [];
        assert.equal(new Set(inTurn).size, at, "what answers the request stays");
      }
    }
  });

  test(`AI SDK ${name}: a middleware sees instructions and tools`, async () => {
    const { model, seen } = scripted(specification, 2);
    const contexts = [];
    const middleware = contextMiddleware(
      { budget: { maxTokens: LIMIT }, onContext: (it) => contexts.push(it) },
      specification,
    );
    const request = "And the kettle?";
    await ai.generateText({
      model: ai.wrapLanguageModel({ model, middleware }),
      system: "You are brief.",
      messages: [...modelMessages(9), { role: "user", content: request }],
      tools: { look_up: lookUp(ai) },
      stopWhen: (ai.stepCountIs ?? ai.isStepCount)(5),
    });
    checkPrompts(seen, request);
    for (const { prompt, tools } of seen) {
      assert.deepEqual([prompt[0].role, prompt[0].content], ["system", "You are brief."]);
      assert.equal(tools.length, 1);
    }
    const [{ tokens }] = contexts;
    assert.match(tokens.words, /gpt-4o.*tools and their calls by formula/);
    assert.ok(tokens.sections.find(({ id }) => id === "tools").tokens > 27, "the tool counts");
  });

  test(`AI SDK ${name}: a budget that cannot hold the request fails with a next step`, async () => {
    const { model } = scripted(specification, 0);
    const options = {
      model,
      messages: [{ role: "user", content: "word ".repeat(200) }],
      prepareStep: prepareStep({ budget: { maxTokens: 50 } }),
    };
    await assert.rejects(ai.generateText(options), (failure) => {
      assert.ok(failure instanceof ContextError);
      assert.equal(failure.code, "BUDGET_TOO_SMALL");
      return true;
    });
  });
}

test("a step built on the previous step's result changes nothing that fits", async () => {
  const hook = prepareStep({ budget: { maxTokens: LIMIT } });
  for (let seed = 1; seed <= 40; seed++) {
    const asked = [...modelMessages(seed), { role: "user", content: "What did we say about the lantern?" }];
    const once = await hook({ messages: asked, model: "gpt-4o" });
    const twice = await hook({ messages: once.messages, model: "gpt-4o" });
    assert.deepEqual(twice.messages, once.messages);
    assert.ok(once.messages.length < asked.length);
    const answer = { role: "assistant", content: "It hangs over the door." };
    const next = await hook({ messages: [...once.messages, answer], model: "gpt-4o" });
    assert.equal(next.messages.at(-1), answer);
  }
});

for (const { name, ai, specification } of versions.filter(({ name }) => name !== "5")) {
  for (const approved of [true, false]) {
    test(`AI SDK ${name}: a call that the user ${approved ? "allows" : "denies"} stays with its answer`, async () => {
      const ask = { role: "user", content: "Paint boat 7." };
      const tools = { look_up: { ...lookUp(ai), needsApproval: true } };
      const hook = { prepareStep: prepareStep({ budget: { maxTokens: LIMIT } }) };
      const first = scripted(specification, 1);
      const asked = await ai.generateText({ model: first.model, messages: [...modelMessages(2), ask], tools, ...hook });
      const request = asked.content.find(({ type }) => type === "tool-approval-request");
      assert.ok(request, "the user is asked");
      const reason = approved ? undefined : "Not today.";
      const answer = { type: "tool-approval-response", approvalId: request.approvalId, approved, reason };
      const messages = [...modelMessages(2), ask, ...asked.response.messages, { role: "tool", content: [answer] }];
      const second = scripted(specification, 0);
      const { text } = await ai.generateText({ model: second.model, messages, tools, ...hook });
      assert.equal(text, "Done.");
      const [{ prompt }] = second.seen;
      const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      const idsOf = (type) => parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
      assertPaired(idsOf("tool-call"), idsOf("tool-result"));
      assert.ok(idsOf("tool-call").includes("step_1"), "the call is there");
      assert.match(
        JSON.stringify(parts.find(({ toolCallId, type }) => type === "tool-result" && toolCallId === "step_1")),
        approved ? /brass/ : /denied|Not today/,
      );
    });
  }
}

// ---- Cache breakpoints ----

const steady = { ...presets.steady, budget: { ...presets.steady.budget, maxTokens: 4000 } };
const asking = { role: "user", content: "What did we say about the lantern?" };
const plainData = (value) => JSON.parse(JSON.stringify(value));

for (const [kind, optionsOf] of [
  ["prepareStep", (model) => ({ model, prepareStep: prepareStep(steady) })],
  [
    "a middleware",
    (model) => ({
      model: ai7.wrapLanguageModel({ model, middleware: contextMiddleware(steady) }),
      system: "Be brief.",
    }),
  ],
]) {
  test(`${kind} sets breakpoints for Anthropic, and each step of a loop repeats the one before it`, async () => {
    let steps = 0;
    let moves = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const { bodies, fetch } = anthropicReplies(6);
      const model = createAnthropic({ apiKey: "k", fetch })("claude-sonnet-4-5");
      const messages = [...modelMessages(seed, 200), asking];
      const given = structuredClone(messages);
      const { text, steps: made } = await ai7.generateText({
        ...optionsOf(model),
        messages,
        tools: { look_up: lookUp(ai7) },
        stopWhen: ai7.isStepCount(9),
      });
      assert.equal(text, "Done.");
      assert.equal(bodies.length, 7);
      assert.deepEqual(messages, given, "the caller's messages don't change");
      assert.deepEqual(
        made.flatMap(({ warnings }) => warnings ?? []),
        [],
      );
      for (const body of bodies) {
        assert.ok(body.messages.at(-1).content.at(-1).cache_control, "the next step finds the end of this one");
      }
      moves += checkSteps(bodies);
      steps += bodies.length - 1;
    }
    assert.ok(moves <= steps / 4, `${moves} moves in ${steps} steps`);
  });
}

for (const { name, ai, specification } of versions) {
  test(`AI SDK ${name}: a model receives windrow's breakpoints and the caller's`, async () => {
    const { model, seen } = scripted(specification, 3);
    const mark = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };
    const rules = { role: "system", content: "Be brief. ".repeat(600), providerOptions: mark };
    const middleware = contextMiddleware(steady, specification);
    await ai.generateText({
      model: ai.wrapLanguageModel({ model, middleware }),
      messages: [rules, ...modelMessages(3, 200), asking],
      tools: { look_up: lookUp(ai) },
      stopWhen: (ai.stepCountIs ?? ai.isStepCount)(8),
      ...(name === "7" ? { allowSystemInMessages: true } : {}),
    });
    assert.equal(seen.length, 4);
    for (const { prompt } of seen) {
      assert.deepEqual(prompt[0].providerOptions, mark);
      assert.ok(markCount(prompt) >= 3 && markCount(prompt) <= 4, `${markCount(prompt)} marks`);
    }
  });
}

test("with breakpoints too, a step built on the previous step's result changes nothing, even if it was cloned", async () => {
  const hook = prepareStep(steady);
  for (let seed = 1; seed <= 20; seed++) {
    const asked = [...modelMessages(seed, 200), asking];
    const once = await hook({ messages: asked, model: "claude-sonnet-4-5" });
    assert.ok(markCount(once.messages) >= 2);
    const twice = await hook({ messages: once.messages, model: "claude-sonnet-4-5" });
    assert.deepEqual(twice.messages, once.messages);
    const cloned = await hook({ messages: plainData(once.messages), model: "claude-sonnet-4-5" });
    assert.deepEqual(cloned.messages, plainData(once.messages));
    const plain = await prepareStep({ ...steady, cacheBreakpoints: false })({ messages: once.messages });
    assert.equal(markCount(plain.messages), 0);
    const own = new Set(asked);
    const copies = plain.messages.filter((message) => !own.has(message));
    assert.ok(
      copies.every(({ content }) => typeof content === "string"),
      "but for quotes they are the caller's own",
    );
    const unset = await prepareStep({ budget: { maxTokens: 4000 } })({ messages: asked });
    assert.equal(markCount(unset.messages), 0);
  }
});

test("the caller's breakpoints stay, and the total never exceeds Anthropic's limit", async () => {
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  for (let seed = 1; seed <= 10; seed++) {
    const asked = [...modelMessages(seed, 200), asking];
    for (let marks = 0; marks <= 4; marks++) {
      const messages = asked.map((message, at) =>
        at >= asked.length - marks ? { ...message, providerOptions: mark } : message,
      );
      const sent = await prepareStep(steady)({ messages, model: "claude-sonnet-4-5" });
      assert.ok(markCount(sent.messages) <= 4, `${markCount(sent.messages)} marks`);
      assert.equal(sent.messages.filter((message) => messages.includes(message) && markCount(message)).length, marks);
      const again = await prepareStep(steady)({ messages: sent.messages, model: "claude-sonnet-4-5" });
      assert.deepEqual(again.messages, sent.messages);
    }
  }
});

/** A run of forty steps in one message of `useChat`. */
function uiRun() {
  const steps = Array.from({ length: 40 }, (_, at) => [
    { type: "step-start" },
    { type: "text", text: `Now I read file ${at}.`, state: "done" },
    ...[at, at + 100].map((file) => ({
      type: "tool-read_file",
      toolCallId: `read_${file}`,
      state: "output-available",
      input: { path: `src/f${file}.ts` },
      output: `${"a line of the file\n".repeat(30)}end of ${file}`,
    })),
  ]);
  return [
    { id: "task", role: "user", parts: [{ type: "text", text: "Read all files." }] },
    { id: "run", role: "assistant", parts: steps.flat() },
  ];
}

const idsIn = (messages, type) =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap((part) => (part.type === type ? [part.toolCallId] : []));
const callsIn = (messages) => idsIn(messages, "tool-call");

for (const { name, ai, specification } of versions) {
  for (const maxTokens of [1500, 4000, 8000]) {
    test(`AI SDK ${name}: a UI message of forty steps at ${maxTokens} tokens keeps the steps that model messages keep`, async () => {
      const run = uiRun();
      const whole = await buildContext(run, { budget: { maxTokens } });
      const sent = await ai.convertToModelMessages(whole.messages);
      const apart = await buildContext(await ai.convertToModelMessages(run), { budget: { maxTokens } });
      assert.deepEqual(callsIn(sent), callsIn(apart.messages));
      const plain = apart.messages.map(({ role, content }) => ({ role, content }));
      assert.deepEqual(
        sent.map(({ role, content }) => ({ role, content })),
        plain,
      );
      assert.ok(callsIn(sent).includes("read_139"), "the newest step is there");
      assert.ok(tokensIn(sent) <= maxTokens * 1.1);
      // Kept results are whole, and a call of a model takes them.
      const kept = await ai.convertToModelMessages(whole.kept);
      assert.deepEqual(callsIn(kept), callsIn(sent));
      const { model, seen } = scripted(specification, 0);
      await ai.generateText({ model, messages: sent });
      assertPaired(callsIn(seen[0].prompt), idsIn(seen[0].prompt, "tool-result"));
    });
  }
}
