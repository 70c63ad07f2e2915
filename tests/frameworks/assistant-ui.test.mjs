// The assistant-ui history adapter with the real message repository and formats, over a session in a store.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ExportedMessageRepository, fromThreadMessageLike, MessageRepository } from "@assistant-ui/core/internal";
import { memoryStore, openSession } from "windrow";
import { threadHistory } from "windrow/assistant-ui";
import { Random } from "../package/support/random.mjs";
import { words } from "./support.mjs";

async function threadOf(store) {
  const session = await openSession("web:main", { store });
  return { session, history: threadHistory(session) };
}

let count = 0;
function threadMessage(random, role) {
  count += 1;
  const id = `m${count}`;
  const call = {
    type: "tool-call",
    toolCallId: `c${count}`,
    toolName: "look_up",
    args: { term: "lantern" },
    result: { found: words(random, 3) },
  };
  const content = [
    { type: "text", text: words(random, 8) },
    ...(role === "assistant" && random.chance(0.4) ? [call] : []),
  ];
  const status = { type: "complete", reason: "stop" };
  const createdAt = new Date(Date.UTC(2026, 0, 5, 9, 0, count));
  return fromThreadMessageLike({ id, role, content, createdAt }, id, status);
}

/** Messages of a repository, each with its parent. */
function treeOf(repository) {
  return repository.export().messages.map(({ parentId, message }) => ({ parentId, message }));
}

test("a thread with edits is restored", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = new Random(seed);
    const store = memoryStore();
    const repository = new MessageRepository();
    const { history } = await threadOf(store);
    let parentId = null;
    for (let at = 0; at < 24; at++) {
      const message = threadMessage(random, at % 2 === 0 ? "user" : "assistant");
      repository.addOrUpdateMessage(parentId, message);
      await history.append({ parentId, message });
      await history.append({ parentId, message }); // a runtime may append it twice
      const ids = repository.export().messages.map((item) => item.message.id);
      parentId = random.chance(0.2) ? random.pick([null, ...ids]) : message.id;
    }
    const again = new MessageRepository();
    again.import(await (await threadOf(store)).history.load());
    assert.deepEqual(treeOf(again), treeOf(repository));
  }
});

test("a message is updated in place, and contexts use the current branch", async () => {
  const random = new Random(7);
  const store = memoryStore();
  const { session, history } = await threadOf(store);
  const asked = threadMessage(random, "user");
  const reply = threadMessage(random, "assistant");
  await history.append({ parentId: null, message: asked });
  await history.append({ parentId: asked.id, message: reply });
  const changed = { ...reply, content: [{ type: "text", text: "The lantern is green." }] };
  await history.update({ parentId: asked.id, message: changed });
  const { headId, messages } = await history.load();
  assert.equal(headId, reply.id);
  assert.deepEqual(messages[1].message, changed);
  const context = await session.build({ request: "Which lantern?", budget: { maxTokens: 500 } });
  assert.deepEqual(
    context.messages.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  assert.match(JSON.stringify(context.request("openai")), /The lantern is green/);
});

test("messages in a runtime's format are stored in it, next to those of others", async () => {
  const format = {
    format: "ai-sdk/v6",
    encode: ({ message: { id, ...rest } }) => rest,
    decode: ({ id, parent_id, content }) => ({ parentId: parent_id, message: { id, ...content } }),
    getId: ({ id }) => id,
  };
  const store = memoryStore();
  const { session, history } = await threadOf(store);
  const formatted = history.withFormat(format);
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Which lantern?" }], metadata: { page: 3 } };
  await formatted.append({ parentId: null, message });
  assert.deepEqual((await formatted.load()).messages, [{ parentId: null, message }]);
  assert.deepEqual((await history.load()).messages, []);
  const context = await session.build({ budget: { maxTokens: 500 } });
  assert.match(JSON.stringify(context.request("openai")), /Which lantern/);
  assert.equal(ExportedMessageRepository.fromArray([]).messages.length, 0);
});
