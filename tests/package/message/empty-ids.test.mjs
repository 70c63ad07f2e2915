// An empty id counts as missing, in every format and in sessions: `useChat` sets `""` on every reply until its stream
// sends another.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, memoryStore, openSession, plainMessage } from "windrow";
import { forEachSeedAsync } from "../support/property.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";

/**
 * Returns a copy of plain data with an empty id, wherever its format has it. Class instances are returned unchanged.
 */
function withoutId(message) {
  const isPlain = Object.getPrototypeOf(message) === Object.prototype;
  const emptied = (holder) => (typeof holder?.id === "string" ? { ...holder, id: "" } : holder);
  const inner = ["info", "data", "kwargs"].filter((name) => name in message);
  return isPlain
    ? { ...emptied(message), ...Object.fromEntries(inner.map((name) => [name, emptied(message[name])])) }
    : message;
}

describe("an empty id", () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    test(`${name}: names no message, and a session assigns one to each`, async () => {
      await forEachSeedAsync(async (random) => {
        const { turns } = randomTurns(random, { ...shape, mostTurns: 4 });
        const messages = shape.write(turns, random).map(withoutId);
        for (const message of messages) {
          assert.notEqual(plainMessage(message).id, "");
        }
        const context = buildContextSync(messages, { encoding: "estimate" });
        assert.ok(messages.every((_, at) => context.explain(at).id !== ""));
        const session = await openSession("s", { store: memoryStore() });
        const appended = await session.append(messages);
        const ids = (await session.messages()).map((message) => plainMessage(message).id);
        assert.deepEqual(
          appended.messages.map((message) => plainMessage(message).id),
          ids,
        );
        // Items of some types can't have an id.
        const given = ids.filter((id) => id !== undefined);
        assert.ok(given.every((id) => id !== ""));
        assert.equal(new Set(given).size, given.length);
        await session.close();
      });
    });
  }

  test("of a reply, a conversation, a session and a summary counts as missing too", () => {
    const said = { role: "user", content: "Hi.", replyTo: "", conversationId: "", sessionId: "", summaryOf: "" };
    const { replyTo, conversationId, sessionId, summaryOf } = plainMessage(said);
    assert.deepEqual([replyTo, conversationId, sessionId, summaryOf], [undefined, undefined, undefined, undefined]);
  });

  test("a streaming reply keeps the id that the session assigned", async () => {
    const session = await openSession("s", { store: memoryStore() });
    const reply = (content) => ({ id: "", role: "assistant", parts: [{ type: "text", text: content }] });
    const first = await session.append(/** @type {any} */ ([reply("It")]));
    const second = await session.replaceLast(/** @type {any} */ (reply("It is free.")));
    assert.match(String(first.messages[0]?.id), /./);
    assert.equal(second.messages[0]?.id, first.messages[0]?.id);
    await session.append(/** @type {any} */ ([reply("And cheap.")]));
    const ids = (await session.messages()).map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    await session.close();
  });
});
