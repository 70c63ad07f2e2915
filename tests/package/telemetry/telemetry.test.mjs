// OpenTelemetry attributes of a context: they have the conventions' names, and no text of the chat.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync } from "windrow";
import { spanAttributes } from "windrow/telemetry";
import { checkContextError, wrong } from "../support/errors.mjs";
import { almost, anything } from "../support/hostile.mjs";
import { forEachSeed } from "../support/property.mjs";

const CHAT = [
  { id: "a", role: "user", content: "Book the boat house." },
  { id: "b", role: "assistant", content: "It is booked." },
];

test("a complete context has no mark of a compaction", () => {
  const context = buildContextSync(CHAT, {
    request: "When?",
    model: "claude-sonnet-4-5",
    sessionId: "web:main",
    budget: { maxTokens: 4000 },
    render: { provider: "anthropic" },
  });
  assert.deepEqual(spanAttributes(context), {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude-sonnet-4-5",
    "gen_ai.conversation.id": "web:main",
    "gen_ai.usage.input_tokens": context.tokens.total,
    "windrow.tokens.limit": 4000,
    "windrow.tokens.exact": false,
    "windrow.bytes": context.byteCount,
    "windrow.messages.kept": 2,
    "windrow.messages.shortened": 0,
    "windrow.messages.left_out": 0,
    "windrow.context.hash": context.snapshot.contextHash,
  });
});

test("in every context, messages add up, the mark reports reductions, and there is no text", () => {
  forEachSeed((random) => {
    const messages = Array.from({ length: random.integer(1, 40) }, (_, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: `planted ${random.text(12)}`,
    }));
    const context = buildContextSync(messages, {
      encoding: "estimate",
      budget: { maxTokens: random.integer(200, 900), onRequiredOverflow: "shorten" },
    });
    const attributes = spanAttributes(context, { providerName: "aws.bedrock" });
    assert.equal(attributes["gen_ai.provider.name"], "aws.bedrock");
    const count = Number(attributes["windrow.messages.kept"]) + Number(attributes["windrow.messages.left_out"]);
    assert.equal(count, messages.length);
    assert.equal(attributes["gen_ai.conversation.compacted"], context.trimmed || undefined);
    assert.ok(!JSON.stringify(attributes).includes("planted"));
    assert.ok(Object.values(attributes).every((value) => ["string", "number", "boolean"].includes(typeof value)));
  });
});

test("options are checked", () => {
  const context = buildContextSync(CHAT, { encoding: "estimate" });
  assert.throws(() => spanAttributes(context, /** @type {any} */ ({ provider: "openai" })), { code: "INVALID_CONFIG" });
});

test("random wrong arguments return attributes or throw one typed error", () => {
  const context = buildContextSync(CHAT, { encoding: "estimate" });
  let refused = 0;
  forEachSeed((random) => {
    const hostile = () => wrong(random.chance(0.5) ? anything(random) : almost(random));
    const given = random.chance(0.5)
      ? { ...context, [random.pick(["recording", "tokens", "trace"])]: hostile() }
      : hostile();
    const [first, options] = random.chance(0.7) ? [given, undefined] : [context, hostile()];
    try {
      for (const value of Object.values(spanAttributes(first, options))) {
        assert.ok(value !== undefined && value !== null);
      }
    } catch (error) {
      checkContextError(error, { code: "INVALID_CONFIG" });
      refused += 1;
    }
  });
  assert.ok(refused > 0);
});
