// A context built for a provider stays within its budget in that provider's form, by a count of the request itself.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, countTokens, EARLIER_MESSAGES, loadEncoding, problemsOf, providers } from "windrow";
import { randomConversation } from "../support/conversations.mjs";
import { tokensOfBody } from "../support/independent-count.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { tryBuild } from "../support/transcripts.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);
const tokensOf = (text) => countTokens(text, { encoding }).tokens;

before(() => loadEncoding(encoding));

/** Everything that a request says in words: its texts, and the arguments and results of its calls. */
function wordsOf(value, name = "") {
  const isNoWord = [
    "role",
    "type",
    "id",
    "toolCallId",
    "tool_call_id",
    "tool_use_id",
    "call_id",
    "callId",
    "signature",
    "thoughtSignature",
  ];
  if (typeof value === "string") {
    return isNoWord.includes(name) ? [] : [value];
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => wordsOf(inner, Array.isArray(value) ? name : key));
}

describe("a context for a provider", () => {
  test("is valid there, and within its budget by a count of the request", () => {
    const seen = Object.fromEntries(NAMES.map((name) => [name, 0]));
    const cases = forEachSeed((random) => {
      const { messages } = randomConversation(random, { mostTurns: 16, media: [] });
      const provider = random.pick(NAMES);
      const maxTokens = random.integer(60, 1500);
      /** @satisfies {import("windrow").ContextConfig} */
      const config = { encoding, request: "And now?", budget: { maxTokens }, render: { provider } };
      const context = tryBuild(messages, config);
      if (context === undefined) {
        return;
      }
      seen[provider] += 1;
      const body = context.request(provider);
      assert.deepEqual(problemsOf(provider, body), []);
      assert.ok(context.tokens.total <= maxTokens);
      if (provider === "openai") {
        /** @type {any} */
        const options = { encoding, render: { provider } };
        assert.ok(countTokens(body.messages, options).tokens <= maxTokens);
      }
      const words = wordsOf(body).reduce((sum, text) => sum + tokensOf(text), 0);
      assert.ok(words <= maxTokens, `${words} of ${maxTokens} for ${provider}`);
    });
    for (const [name, count] of Object.entries(seen)) {
      assertShare(count, cases, 30, `were built for ${name}`);
    }
  });

  test("has the user speak first, with a line that the budget counts", () => {
    const long = "a long reply about the boats of the lake ".repeat(30);
    const messages = Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: at % 2 === 0 ? `Question ${at} about ${at % 7} boats?` : `Reply ${at}: ${at % 5 === 0 ? long : "yes."}`,
    }));
    let count = 0;
    for (let maxTokens = 60; maxTokens < 900; maxTokens += 7) {
      for (const ranking of /** @type {const} */ (["recency", "relevance"])) {
        /** @satisfies {import("windrow").ContextConfig} */
        const config = { encoding, request: "And the boats?", budget: { maxTokens }, recall: { ranking } };
        const context = buildContextSync(messages, { ...config, render: { provider: "anthropic" } });
        assert.equal(context.messages[0].role, "user");
        assert.equal(tokensOfBody("anthropic", context.request("anthropic")), context.tokens.total);
        assert.deepEqual(
          context.request("anthropic").messages.map(({ role }) => role),
          context.request("anthropic").messages.map((_, at) => (at % 2 === 0 ? "user" : "assistant")),
        );
        count += context.messages[0].content === EARLIER_MESSAGES ? 1 : 0;
        const plain = buildContextSync(messages, config);
        assert.ok(
          plain.messages.every(({ content }) => content !== EARLIER_MESSAGES),
          "nothing is added without a provider",
        );
      }
    }
    assert.ok(count > 10, `${count} begin with the line`);
  });
});
