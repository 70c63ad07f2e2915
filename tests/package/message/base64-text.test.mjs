// Base64 in tool texts: a line replaces it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, plainMessage, problemsOf } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = (random, length) => Array.from({ length }, () => random.pick(LETTERS)).join("");
const asked = { role: "user", content: "Take a screenshot." };

/** A call and its result, in formats that have results in different places. */
const SHAPES = {
  openai: (output) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: output },
  ],
  anthropic: (output) => [
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: output }] }] },
  ],
  "openai-responses": (output) => [
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output },
  ],
  gemini: (output) => [
    { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: { output } } }] },
  ],
  "ai-sdk": (output) => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "json", value: { output } } }],
    },
  ],
  "ai-sdk-ui": (output) => [
    {
      id: "a",
      role: "assistant",
      parts: [{ type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output }],
    },
  ],
};

describe("base64 in a result", () => {
  for (const [shape, messagesWith] of Object.entries(SHAPES)) {
    test(`in the format ${shape} is counted and sent as a line`, () => {
      forEachSeed((random) => {
        const data = base64(random, random.integer(1200, 6000));
        const wrapped = random.pick([data, data.replace(/.{76}/g, "$&\n"), `data:image/png;base64,${data}`]);
        const output = `before ${wrapped} after`;
        /** @type {any[]} */
        const messages = [asked, ...messagesWith(output)];
        const copy = structuredClone(messages);
        const context = buildContextSync(messages, { encoding: "estimate", request: "And?" });
        const whole = JSON.stringify([context.messages, context.kept]);
        assert.ok(!whole.includes(data.slice(0, 60)), "the base64 is sent");
        assert.match(whole, /before \[(?:base64|image\/png): \d+ bytes, not shown\]/);
        assert.match(whole, /after/);
        assert.ok(context.tokens.total < 300, `${context.tokens.total} tokens`);
        assert.ok(countTokens(messages, { encoding: "estimate" }).tokens < 300);
        assert.deepEqual(messages, copy, "the caller's messages don't change");
        const body = context.request("anthropic");
        assert.deepEqual(problemsOf("anthropic", body), []);
        assert.ok(!JSON.stringify(body).includes(data.slice(0, 60)));
      });
    });
  }

  test("stays if it is short, in a word of one case, or a speaker's own", () => {
    forEachSeed((random) => {
      const short = base64(random, 900);
      const sequence = Array.from({ length: 3000 }, () => random.pick("ACGT")).join("");
      for (const output of [short, sequence, "x".repeat(5000), "words and numbers 12 ".repeat(400)]) {
        const messages = [asked, ...SHAPES.openai(output)];
        const [part] = /** @type {any[]} */ (plainMessage(/** @type {any} */ (messages[2])).content);
        assert.equal(part.output, output);
      }
      const said = { role: "user", content: base64(random, 3000) };
      const { kept } = buildContextSync([said], { encoding: "estimate", request: "And?" });
      assert.equal(kept[0], said);
    });
  });

  test("stays in images that a tool returned, in calls and in data that only a provider reads", () => {
    forEachSeed((random) => {
      const data = base64(random, 2000);
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
      const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [image] }] };
      const call = { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: { data } }] };
      const part = {
        ...{ type: "tool-f", toolCallId: "c", state: "output-available", input: { data }, output: "ok" },
        callProviderMetadata: { google: { thoughtSignature: data } },
      };
      for (const messages of [
        [asked, call, result],
        [asked, { id: "a", role: "assistant", parts: [part] }],
      ]) {
        const { kept } = buildContextSync(/** @type {any[]} */ (messages), { encoding: "estimate", request: "And?" });
        assert.deepEqual(kept, messages);
      }
    });
  });
});
