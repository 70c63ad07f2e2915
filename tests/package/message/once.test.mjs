// A message is parsed once, however it is used. The tests count how often its fields are read.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContext,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  plainMessage,
  providers,
  requestOf,
} from "windrow";

/** @satisfies {import("windrow").ContextConfig} */
const config = { budget: { maxTokens: 4000 }, encoding: /** @type {const} */ ("o200k_base"), request: null };

/** A message that counts how often its role is read. */
function counted(message) {
  const reads = { count: 0 };
  const proxy = new Proxy(message, {
    get(target, field) {
      reads.count += field === "role" ? 1 : 0;
      return Reflect.get(target, field);
    },
  });
  return [proxy, reads];
}

/** Number of reads of the role in one parse. */
function readsOfParse(message) {
  const [proxy, reads] = counted(message);
  plainMessage(proxy);
  return reads.count;
}

const MESSAGES = {
  "a text": { role: "user", content: "Where do we eat?" },
  parts: { role: "user", content: [{ type: "text", text: "Where do we eat?" }] },
  "a message of Gemini's": { role: "user", parts: [{ text: "Where do we eat?" }] },
};

before(() => loadEncoding("o200k_base"));

describe("is parsed once", () => {
  for (const [name, message] of Object.entries(MESSAGES)) {
    test(`${name}, appended to a transcript, built and requested for every provider`, async () => {
      const [proxy, reads] = counted(message);
      const transcript = createTranscript();
      transcript.append(proxy);
      const context = await buildContext(transcript, config);
      for (const { name: provider } of providers) {
        context.request(provider);
      }
      assert.equal(context.kept[0], proxy);
      assert.equal(reads.count, readsOfParse(message));
    });
  }

  test("a single message that is sent", () => {
    const [proxy, reads] = counted(MESSAGES["a text"]);
    requestOf("anthropic", [proxy]);
    assert.equal(reads.count, readsOfParse(MESSAGES["a text"]));
  });

  test("a session's message: an appended one isn't read from the store again", async () => {
    const { store, reads } = countingStore(memoryStore());
    const session = await openSession("web:main", { store });
    await session.append({ role: "user", content: "Where do we eat?" });
    await session.append({ role: "user", content: "And when?" });
    const context = await session.build(config);
    context.request("openai");
    assert.equal(context.kept.length, 2);
    assert.equal(reads.count, 0);
    await session.close();
  });

  test("a message in a reopened session, for all of its uses", async () => {
    const { store, reads } = countingStore(memoryStore());
    const first = await openSession("web:main", { store });
    const message = { id: "m1", role: "user", content: "Where do we eat?", createdAt: "2026-01-05T09:00:00Z" };
    await first.append(message);
    await first.close();
    const session = await openSession("web:main", { store });
    const context = await session.build(config);
    context.request("openai");
    await session.build(config);
    assert.equal(context.kept.length, 1);
    // Decoding a stored message reads each field once more.
    assert.equal(reads.count, readsOfParse(message) + 1);
    await session.close();
  });
});

/** A store whose messages count how often their role is read. */
function countingStore(store) {
  const reads = { count: 0 };
  const read = async (key, range) => {
    const result = await store.read(key, range);
    const entries = result.entries.map((entry) => {
      const data = new Proxy(entry.data, {
        get(target, field) {
          reads.count += field === "role" ? 1 : 0;
          return Reflect.get(target, field);
        },
      });
      return { ...entry, data };
    });
    return { ...result, entries };
  };
  const wrapped = new Proxy(store, {
    get: (target, name) =>
      name === "read" ? read : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
  });
  return { store: wrapped, reads };
}
