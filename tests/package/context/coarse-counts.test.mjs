// A hook may count fewer tokens than any tokenizer. As many messages are ranked as fit by its counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContext } from "windrow";
import { forEachSeedAsync } from "../support/property.mjs";

test("with a hook that counts one token per text, everything that matches the request comes first", async () => {
  await forEachSeedAsync(async (random) => {
    const matching = random.integer(100, 350);
    const messages = Array.from({ length: matching + random.integer(600, 1200) }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${at < matching ? "harbour" : "garden"} berth${at} ship${at} captain${at} cargo${at} hall${at} crane${at}`,
    }));
    const { kept } = await buildContext(messages, {
      request: "harbour",
      countTokens: (texts) => texts.map(() => 1),
      recall: { recentMessages: 0 },
      budget: { maxTokens: 900, tokensPerMessage: 0 },
    });
    assert.equal(kept.filter(({ content }) => content.startsWith("harbour")).length, matching);
  });
});
