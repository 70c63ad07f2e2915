// Approvals of AI SDK calls: request and answer are kept exactly when the call is, and no provider receives them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens, problemsOf, providers, requestOf } from "windrow";
import { Random } from "../support/random.mjs";
import { tryBuild } from "../support/transcripts.mjs";

function chat(random) {
  return Array.from({ length: random.integer(3, 20) }, (_, at) => {
    const [toolCallId, approvalId] = [`call${at}`, `approval${at}`];
    const [toolName, approved] = ["paint", random.chance(0.5)];
    const output = approved ? { type: "text", value: random.text(20) } : { type: "execution-denied", reason: "No." };
    const answer = { type: "tool-approval-response", approvalId, approved, ...(approved ? {} : { reason: "No." }) };
    return [
      { role: "user", content: `Paint ${at}: ${random.text(12)}` },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId, toolName, input: { boat: at } },
          { type: "tool-approval-request", approvalId, toolCallId },
        ],
      },
      { role: "tool", content: [answer] },
      { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
      { role: "assistant", content: `Done ${at}: ${random.text(10)}` },
    ];
  }).flat();
}

test("an approval is in the context if its call is, at any budget", () => {
  let [whole, cut] = [0, 0];
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    const messages = chat(random);
    const provider = random.pick(providers).name;
    const budget = { maxTokens: random.integer(60, 1200) };
    const context = tryBuild(messages, { request: "Which?", encoding: "estimate", budget, render: { provider } });
    if (context === undefined) {
      continue;
    }
    const parts = context.messages.flatMap((/** @type {any} */ { content }) => (Array.isArray(content) ? content : []));
    const idsOf = (type, field) =>
      parts.filter((part) => part.type === type).map((part) => part[field].replace(/\D/g, ""));
    const calls = idsOf("tool-call", "toolCallId");
    for (const [type, field] of [
      ["tool-result", "toolCallId"],
      ["tool-approval-request", "approvalId"],
      ["tool-approval-response", "approvalId"],
    ]) {
      assert.deepEqual(idsOf(type, field), calls, `${type} for seed ${seed}`);
    }
    const body = context.request(provider);
    assert.deepEqual(problemsOf(provider, body), []);
    assert.ok(!JSON.stringify(body).includes("approval"), "no provider is sent an approval");
    whole += calls.length;
    cut += messages.length / 5 - calls.length;
  }
  assert.ok(whole > 100 && cut > 100, `${whole} kept, ${cut} left out`);
});

test("a denial counts as its reason, and every provider is sent the reason alone", () => {
  const result = { type: "tool-result", toolCallId: "call_1", toolName: "paint" };
  /** @type {(output: object) => any[]} */
  const messages = (output) => [
    { role: "user", content: "Paint it." },
    { role: "assistant", content: [{ ...result, type: "tool-call", input: { boat: 1 } }] },
    { role: "tool", content: [{ ...result, output }] },
  ];
  const options = /** @type {const} */ ({ encoding: "estimate" });
  for (const [reason, said] of [
    ["Not today.", "Not today."],
    [undefined, "Tool execution denied."],
  ]) {
    const denied = messages({ type: "execution-denied", ...(reason === undefined ? {} : { reason }) });
    const failed = messages({ type: "error-text", value: said });
    for (const { name: provider } of providers.filter(({ name }) => name !== "ai-sdk")) {
      assert.deepEqual(requestOf(provider, denied), requestOf(provider, failed), provider);
    }
    assert.deepEqual(requestOf("ai-sdk", denied).messages.at(-1), denied.at(-1), "the AI SDK gets the denial itself");
    assert.deepEqual(countTokens(denied, options), countTokens(failed, options));
  }
});
