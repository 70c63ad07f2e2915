// `encryptedStore` follows the contract, nothing is readable without the key, and no entry can replace another.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, memoryStore, openSession } from "windrow";
import { storeConformance } from "windrow/stores/conformance";
import { encryptedStore } from "windrow/stores/encrypted";
import { forEachSeedAsync } from "../support/property.mjs";

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);

describe("an encrypting store keeps the contract", () => {
  const stores = new Map();
  const cases = storeConformance({
    isPersistent: false,
    open(name) {
      const store = stores.get(name) ?? encryptedStore(memoryStore(), KEY);
      stores.set(name, store);
      return Promise.resolve(store);
    },
  });
  for (const { name, run } of cases) {
    test(name, run);
  }
});

test("over a store that fails at once, nothing is rejected but the call", async (t) => {
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  const { append, read, sessions } = memoryStore();
  /** @type {any} */
  const bare = { append, read, sessions };
  const bytes = new Uint8Array(1);
  const circular = [];
  circular.push(circular);
  for (const name of [10n, circular, Symbol("a")]) {
    const store = encryptedStore(bare, KEY);
    const derived = new Map(
      /** @type {any[]} */ ([
        ["a", bytes],
        [name, bytes],
        [name, undefined],
      ]),
    );
    await assert.rejects(store.derived.write("a", derived), ContextError);
    await assert.rejects(store.derived.read("a", /** @type {any} */ (["a", name, name])), ContextError);
    await assert.rejects(store.get("a", /** @type {any} */ (["a", name, name])), ContextError);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(unhandled, []);
});

/** Everything that a memory store received, as one text. */
function written(store) {
  const given = [];
  const noted = new Proxy(store, {
    get(target, name) {
      const value = target[name];
      if (name === "derived") {
        return {
          read: (...args) => value.read(...args),
          write: (key, values) => {
            given.push([...values].map(([name, bytes]) => [name, bytes && Buffer.from(bytes).toString("latin1")]));
            return value.write(key, values);
          },
        };
      }
      return typeof value !== "function"
        ? value
        : (...args) => {
            given.push(args);
            return value.apply(target, args);
          };
    },
  });
  return { store: noted, text: () => JSON.stringify(given) };
}

const WORDS = ["Rumpelstiltskin", "zanzibar-receipt", "paella"];

test("nothing that is written can be read without the key", async () => {
  const { store, text } = written(memoryStore());
  const session = await openSession("web:main", { store: encryptedStore(store, KEY) });
  await session.append([
    { id: WORDS[1], role: "user", content: `My name is ${WORDS[0]}. I always cook ${WORDS[2]}.` },
    { role: "assistant", content: `Hello ${WORDS[0]}.`, toolCalls: [{ id: "c", name: WORDS[2], arguments: {} }] },
    { role: "tool", toolCallId: "c", content: WORDS[2] },
  ]);
  const context = await session.build({ request: `What does ${WORDS[0]} cook?`, encoding: "estimate" });
  assert.ok(JSON.stringify(context.messages).includes(WORDS[2]));
  assert.equal((await session.search(WORDS[2])).length > 0, true);
  await session.settled();
  assert.ok(text().includes("aes-gcm:"));
  for (const word of WORDS) {
    assert.ok(!text().includes(word), word);
    assert.ok(!text().includes(Buffer.from(word).toString("base64").slice(0, 8)), word);
  }
  await session.close();
});

test("with another key, nothing can be read or appended", async () => {
  const store = memoryStore();
  await encryptedStore(store, KEY).append("a", [{ type: "message", id: "m", data: "secret" }]);
  const other = encryptedStore(store, OTHER_KEY);
  const mismatch = { name: "ContextError", kind: "store_error", code: "STORE_KEY_MISMATCH" };
  await assert.rejects(other.read("a"), mismatch);
  await assert.rejects(other.append("a", [{ type: "message", data: "mine" }]), mismatch);
  assert.deepEqual(await other.get("a", ["m"]), []);
  await assert.rejects(
    openSession("a", { store: other }).then((session) => session.messages()),
    mismatch,
  );
  assert.equal((await encryptedStore(store, KEY).read("a")).entries[0].data, "secret");
});

test("a key of too few bytes, or of another algorithm, is refused", async () => {
  const aes = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  for (const key of [new Uint8Array(8), aes, "password", null]) {
    const store = encryptedStore(memoryStore(), /** @type {any} */ (key));
    await assert.rejects(store.read("a"), { kind: "store_error", code: "INVALID_SESSION" });
  }
  const hkdf = await crypto.subtle.importKey("raw", KEY, "HKDF", false, ["deriveKey"]);
  const store = memoryStore();
  await encryptedStore(store, hkdf).append("a", [{ type: "message", data: 1 }]);
  assert.equal((await encryptedStore(store, KEY).read("a")).entries[0].data, 1);
});

test("no entry passes for another one in another place, session, log, type or time", async () => {
  await forEachSeedAsync(async (random) => {
    const store = memoryStore();
    const sealed = encryptedStore(store, KEY);
    for (const key of ["a", "b"]) {
      await sealed.append(key, [
        { type: "message", id: "one", timeMs: 1, data: `${key} one` },
        { type: "message", id: "two", timeMs: 2, data: `${key} two` },
      ]);
    }
    const [one, two] = (await store.read("a")).entries;
    const [other] = (await store.read("b")).entries;
    const forged = random.pick([
      [{ ...two, seq: 1 }],
      [{ ...other, seq: 1 }],
      [{ ...one, type: "left" }],
      [{ ...one, timeMs: 5 }],
      [{ ...one, pinned: true }],
      [{ ...one, data: `${String(one.data).slice(0, -4)}${String(one.data).endsWith("AAA=") ? "BBB=" : "AAA="}` }],
    ]);
    const target = memoryStore();
    const log = random.chance(0.2) ? "builds" : "transcript";
    const entries = log === "builds" ? [{ ...one, type: "build" }] : forged;
    await target.append(
      "a",
      entries.map(({ type, id, timeMs, pinned, data }) => ({
        type,
        ...(id === undefined ? {} : { id }),
        ...(timeMs === undefined ? {} : { timeMs }),
        ...(pinned === undefined ? {} : { pinned }),
        data,
      })),
      { log },
    );
    await assert.rejects(encryptedStore(target, KEY).read("a", { log }), { code: "STORE_KEY_MISMATCH" });
  });
});

test("entries that aren't encrypted are skipped", async () => {
  const store = memoryStore();
  await store.append("a", [{ type: "message", data: { role: "user", content: "planted" } }]);
  const { entries, skipped } = await encryptedStore(store, KEY).read("a");
  assert.deepEqual([entries, skipped], [[], [{ seq: 1, reason: "it isn't encrypted" }]]);
});

test("equal texts have different ciphertexts, and appends of several stores don't collide", async () => {
  const store = memoryStore();
  const [first, second] = [encryptedStore(store, KEY), encryptedStore(store, KEY)];
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? first : second).append("a", [{ type: "message", data: "same" }])),
  );
  const raw = (await store.read("a")).entries.map(({ data }) => data);
  assert.equal(new Set(raw).size, 20);
  assert.equal((await first.read("a")).entries.length, 20);
});
