// A Durable Object may be evicted during an append. Acknowledged messages are there, others are there whole or not at
// all, and retrying the same operation stores them once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SEED } from "../support/property.mjs";
import { Random } from "../support/random.mjs";
import { startWorker } from "../support/worker.mjs";

const source = `
import { DurableObject } from "cloudflare:workers";
import { openSession } from "windrow";
import { durableObjectStore } from "windrow/stores/durable-object";

export class Chat extends DurableObject {
  /** Number of statements left before the object is evicted. */
  left = Number.POSITIVE_INFINITY;

  constructor(context, env) {
    super(context, env);
    const exec = (...given) => {
      if (this.left-- <= 0) {
        context.abort("evicted");
      }
      return context.storage.sql.exec(...given);
    };
    const sql = new Proxy(context.storage.sql, {
      get: (sql, name) => (name === "exec" ? exec : Reflect.get(sql, name, sql)),
    });
    this.storage = new Proxy(context.storage, {
      get(storage, name) {
        const value = name === "sql" ? sql : Reflect.get(storage, name, storage);
        return typeof value === "function" ? value.bind(storage) : value;
      },
    });
  }

  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    this.left = Number(searchParams.get("evict") ?? Number.POSITIVE_INFINITY);
    this.session ??= openSession("chat", { store: durableObjectStore(this.storage) });
    const session = await this.session;
    if (pathname === "/append") {
      const number = searchParams.get("number");
      const messages = ["a", "b", "c"].map((part) => ({ role: "user", content: number + part }));
      await session.append(messages, { operationId: "append " + number });
      return Response.json("kept");
    }
    return Response.json((await session.messages()).map(({ content }) => content));
  }
}

export default {
  async fetch(request, env) {
    try {
      return await env.CHAT.get(env.CHAT.idFromName("chat")).fetch(request);
    } catch (failure) {
      return new Response(String(failure), { status: 500 });
    }
  },
};
`;

let worker;

before(async () => {
  worker = await startWorker(source, { durableObjects: { CHAT: { className: "Chat", useSQLite: true } } });
});

after(() => worker?.stop());

test("an append in an object that is evicted meanwhile is complete or absent, and a retry stores it once", async () => {
  const random = new Random(SEED);
  let evicted = 0;
  const expected = [];
  for (let number = 0; number < 40; number++) {
    const three = ["a", "b", "c"].map((part) => `${number}${part}`);
    // Evicts the object before one of the statements that open the session or append, or not at all.
    let isKept = false;
    for (let tries = 0; !isKept; tries++) {
      const evict = tries < 3 ? `&evict=${random.integer(0, 24)}` : "";
      const { status } = await worker.ask(`/append?number=${number}${evict}`);
      isKept = status === 200;
      evicted += isKept ? 0 : 1;
      if (!isKept) {
        const found = await (await worker.ask("/messages")).json();
        const others = found.slice(expected.length);
        assert.deepEqual(found.slice(0, expected.length), expected);
        assert.ok(others.length === 0 || others.join() === three.join(), `${others} of ${three}`);
      }
    }
    expected.push(...three);
    assert.deepEqual(await (await worker.ask("/messages")).json(), expected);
  }
  assert.ok(evicted > 10, `evicted ${evicted} times`);
});
