// Sessions of many messages, from every source.

import assert from "node:assert/strict";
import { memoryStore, openSession } from "windrow";

/** Returns `count` messages, one in ten for an agent. */
export function manyMessages(count) {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index} about topic ${index % 97}`,
    createdAt: 1_700_000_000_000 + index * 1000,
    ...(index % 10 === 0 ? { target: "scribe" } : {}),
  }));
}

/** Builds over a session of `count` messages, in every way that reads the whole log. */
export async function checkBigSession(count) {
  const store = memoryStore();
  const session = await openSession("web:big", { store });
  await session.append(manyMessages(count));
  const configs = {
    plain: {},
    agentId: { agentId: "scribe" },
    deduplicate: { collect: { deduplicate: true } },
    "an embed hook": {
      recall: {
        embed: (texts) => texts.map((text) => [text.length, 1, 0, 1]),
        embedBatchSize: 4096,
        timeoutMs: 60_000,
      },
    },
  };
  for (const [name, config] of Object.entries(configs)) {
    const opened = await openSession("web:big", { store });
    const context = await opened.build({
      request: "What was topic 13?",
      encoding: "estimate",
      budget: { maxTokens: 500 },
      ...config,
    });
    assert.ok(context.kept.length > 5, `${name}: ${context.kept.length} kept`);
    assert.ok(context.tokens.total <= 500, name);
    await opened.close();
  }
  await session.close();
  const file = `${manyMessages(count)
    .map((message) => JSON.stringify(message))
    .join("\n")}\n`;
  const imported = await openSession("web:imported", { store });
  const { messageCount, skipped } = await imported.import(file);
  assert.deepEqual([messageCount, skipped], [count, []]);
  /** @satisfies {import("windrow").ContextConfig} */
  const config = { request: "What was topic 13?", encoding: "estimate", agentId: "scribe", budget: { maxTokens: 500 } };
  assert.ok((await imported.build(config)).kept.length > 5);
  await imported.close();
}
