// Sessions in IndexedDB, in Chromium: the general contract, and failures that only a browser can cause.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { errorOf } from "../support/errors.mjs";
import { openStorePage, serveStorePage } from "../support/store-page.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));

/** Helpers of the page: cases of the suite, and IndexedDB without the store. */
const script = `
import { ContextError } from "windrow/stores";
import { storeConformance } from "windrow/stores/conformance";
import { encryptedStore } from "windrow/stores/encrypted";
import { indexedDbStore } from "windrow/stores/indexeddb";

const cases = storeConformance({ open: async (name) => indexedDbStore({ name }) });
const key = new Uint8Array(32).fill(7);
const encryptedCases = storeConformance({ open: async (name) => encryptedStore(indexedDbStore({ name }), key) });
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
const goesThrough = (request) =>
  new Promise((resolve, reject) => {
    request.onblocked = () => reject(new Error("somebody has it open"));
    done(request).then(resolve, reject);
  });

Object.assign(globalThis, {
  indexedDbStore,
  cases,
  encryptedCases,
  done,
  message: (data, more = {}) => ({ type: "message", data, ...more }),
  noise: (length) => Array.from({ length }, () => String.fromCharCode(33 + Math.random() * 90)).join(""),
  // Opens a database like another program. It must not have to wait.
  rawOpen: (name, version, upgrade = () => {}) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade(request.result, request.transaction);
    return goesThrough(request);
  },
  rawDelete: (name) => {
    const request = indexedDB.deleteDatabase(name);
    return goesThrough(request);
  },
  // Writes into a database like another program.
  rawWrite: async (name, ...stores) => {
    const database = await rawOpen(name);
    const transaction = database.transaction([...database.objectStoreNames], "readwrite");
    for (const [store, action, value] of stores) {
      transaction.objectStore(store)[action](value);
    }
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    database.close();
  },
  rawRows: async (name, store = "entries") => {
    const database = await rawOpen(name);
    const rows = await done(database.transaction(store).objectStore(store).getAll());
    const { version } = database;
    database.close();
    return { rows, version };
  },
  // Returns a call's error as plain data, or its result if it succeeds.
  failure: async (run) => {
    try {
      return { given: await run() };
    } catch (error) {
      const { name, kind, code, message, nextAction } = error;
      return { isContextError: error instanceof ContextError, name, kind, code, message, nextAction, cause: error.cause?.name };
    }
  },
});
`;

/** Globals of the page, for functions that run there. Here they are undefined. */
const {
  cases,
  changes,
  done,
  encryptedCases,
  ended,
  failure,
  isEnough,
  message,
  name,
  nest,
  nested,
  newer,
  noise,
  rawDelete,
  rawOpen,
  rawRows,
  rawWrite,
  reading,
  removing,
  running,
  store,
  trimming,
} = /** @type {any} */ (globalThis);

let site;
let count = 0;

before(async () => {
  site = await openStorePage({ script });
});

after(() => site?.close());

afterEach(() => {
  // The suite has a listener that fails, which the browser reports.
  const complaints = site.complaints.splice(0).filter((complaint) => !/This listener fails/.test(complaint));
  assert.deepEqual(complaints, []);
});

/** Tabs that share a database, whose name no other test uses. */
async function tabs(t, length, options) {
  const pages = await Promise.all(Array.from({ length }, () => site.page(options)));
  t.after(() => Promise.all(pages.map((page) => page.close())));
  count += 1;
  const name = `test-${count}`;
  for (const page of pages) {
    await page.evaluate((name) => Object.assign(globalThis, { name }), name);
  }
  return pages;
}

function checkFailure(failure, code, nextAction) {
  assert.equal(failure.code, code, JSON.stringify(failure));
  assert.ok(failure.isContextError);
  assert.equal(failure.name, "ContextError");
  assert.equal(failure.kind, "store_error");
  assert.match(failure.nextAction, nextAction);
  assert.match(failure.nextAction, /^[A-Z].*\.$/, "the next action is a sentence");
}

async function runCases(t, page, isChosen = (_name) => true) {
  const names = await page.evaluate(() => cases.map(({ name }) => name));
  const chosen = [...names.entries()].filter(([, name]) => isChosen(name));
  assert.ok(chosen.length > 0);
  for (const [index, name] of chosen) {
    await t.test(name, () => page.evaluate((index) => cases[index].run(), index));
  }
}

test("the contract of every store", async (t) => {
  const [page] = await tabs(t, 1);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await runCases(t, page);
  assert.deepEqual(requests, [], "nothing is sent anywhere");
});

test("the contract with encryption", async (t) => {
  const [page] = await tabs(t, 1);
  const names = await page.evaluate(() => encryptedCases.map(({ name }) => name));
  for (const [index, name] of names.entries()) {
    await t.test(name, () => page.evaluate((index) => encryptedCases[index].run(), index));
  }
});

test("an insecure page has no locks between tabs, and keeps the contract within itself", async (t) => {
  const [page] = await tabs(t, 1, { address: site.insecureAddress });
  const found = await page.evaluate(async () => {
    const store = indexedDbStore({ name });
    const appended = await store.append("a", [message("x")]);
    const [persist, estimate] = await Promise.all([store.persist(), store.estimate()]);
    await store.close();
    return { appended, persist, estimate, locks: typeof navigator.locks, randomUUID: typeof crypto.randomUUID };
  });
  assert.deepEqual(found, {
    appended: { firstSeq: 1, lastSeq: 1, isRepeated: false },
    persist: { persisted: false },
    estimate: undefined,
    locks: "undefined",
    randomUUID: "undefined",
  });
  await page.evaluate(() => {
    // The suite names its storage with it.
    let count = 0;
    crypto.randomUUID = () => {
      count += 1;
      return /** @type {any} */ (`name-${count}`);
    };
  });
  await runCases(t, page, (name) => /^(holding|trim|remove|close|two stores)/.test(name));
});

test("unknown options and wrong types are refused by name", async () => {
  /** @type {[options: any, path: string | undefined][]} */
  const wrongOptions = [
    [{ nam: "x" }, "nam"],
    [{ name: "" }, "name"],
    [{ name: 5 }, "name"],
    [{ name: null }, "name"],
    [{ durability: "Strict" }, "durability"],
    [{ blockedTimeoutMs: "5" }, "blockedTimeoutMs"],
    [{ blockedTimeoutMs: -1 }, "blockedTimeoutMs"],
    [{ blockedTimeoutMs: Number.NaN }, "blockedTimeoutMs"],
    [{ toString: "x" }, "toString"],
    ["windrow", undefined],
    [null, undefined],
  ];
  for (const [options, path] of wrongOptions) {
    const error = await errorOf(() => indexedDbStore(options));
    assert.equal(error.code, "INVALID_CONFIG", error.message);
    assert.equal(error.kind, "store_error");
    assert.equal(error.path, path);
    assert.ok(path === undefined || error.message.startsWith(`${path}: `), error.message);
  }
});

describe("durability", () => {
  test("an append is durable as asked, strictly by default, and resolves when its transaction is complete", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const order = [];
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (/** @type {Parameters<typeof transaction>} */ ...given) {
        const made = transaction.apply(this, given);
        if (made.mode === "readwrite") {
          order.push(made.durability);
          made.addEventListener("complete", () => order.push("complete"));
        }
        return made;
      };
      for (const durability of /** @type {const} */ ([undefined, "strict", "relaxed", "default"])) {
        const store = indexedDbStore({ name, durability });
        await store.append("a", [message("x")]);
        order.push("resolved");
        await store.close();
      }
      IDBDatabase.prototype.transaction = transaction;
      return order;
    });
    const expected = ["strict", "strict", "relaxed", "default"];
    assert.deepEqual(
      found,
      expected.flatMap((durability) => [durability, "complete", "resolved"]),
    );
  });

  test("derived data is written without the buffer that it is a part of", async (t) => {
    const [page] = await tabs(t, 1);
    const size = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      await store.append("a", [message("x")]);
      const memory = new Uint8Array(1_000_000).fill(7);
      await store.derived.write("a", new Map([["part", memory.subarray(10, 14)]]));
      await store.close();
      const { rows } = await rawRows(name, "derived");
      return [rows[0].bytes.buffer.byteLength, ...rows[0].bytes];
    });
    assert.deepEqual(size, [4, 7, 7, 7, 7]);
  });

  test("a list with a value that can't be a key fails, and nothing else is rejected", async (t) => {
    const [page] = await tabs(t, 1);
    const failures = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      await store.append("a", [message("x", { id: "m1" }), message("y", { id: "m2" })]);
      const bytes = new Uint8Array(1);
      const found = [];
      for (const wrong of [{}, null, true, Number.NaN, [{}], () => {}]) {
        for (const names of /** @type {any[][]} */ ([
          ["m1", wrong],
          ["m1", "m2", wrong, "m1", wrong],
          [wrong, "m1"],
        ])) {
          found.push(await failure(() => store.get("a", names)));
          await store.derived.read("a", names); // it was never written
          found.push(await failure(() => store.derived.write("a", new Map(names.map((it) => [it, bytes])))));
          found.push(await failure(() => store.derived.write("a", new Map(names.map((it) => [it, undefined])))));
        }
      }
      // The browser reports a rejected promise that nobody handles a moment later.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await store.close();
      return found;
    });
    for (const failed of failures) {
      checkFailure(failed, "STORE_FAILED", /./);
    }
  });

  test("persist and estimate return the browser's answer", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      const { persist } = StorageManager.prototype;
      const answers = [await store.persist()];
      for (const answer of [true, false]) {
        StorageManager.prototype.persist = async () => answer;
        answers.push(await store.persist());
      }
      StorageManager.prototype.persist = persist;
      return { answers, estimate: await store.estimate(), closed: await store.close() };
    });
    assert.equal(typeof found.answers[0].persisted, "boolean");
    assert.deepEqual(found.answers.slice(1), [{ persisted: true }, { persisted: false }]);
    assert.ok(found.estimate.quotaBytes > found.estimate.usageBytes && found.estimate.usageBytes >= 0);
  });
});

// ---- Versions ----

/** The schemas of earlier versions, written down when each was the newest. Never edit them. */
const EARLIER = [
  (database) => {
    database.createObjectStore("sessions", { keyPath: "key" });
    database.createObjectStore("entries", { keyPath: ["session", "log", "seq"] });
  },
  (database) => {
    database.createObjectStore("derived", { keyPath: ["session", "name"] });
  },
];

/** The contents of these databases. */
const SESSION = {
  key: "a",
  id: "the-session",
  createdAtMs: 1000,
  updatedAtMs: 2000,
  logs: {
    transcript: {
      lastSeq: 4,
      lastMessageSeq: 4,
      counts: { message: 3, summary: 1 },
      pinnedCount: 1,
      untimedCount: 3,
      latestTimeMs: 10,
      removals: 0,
    },
    builds: { lastSeq: 1, lastMessageSeq: 0, counts: { build: 1 }, pinnedCount: 0, untimedCount: 0, removals: 0 },
  },
};
const ENTRIES = [
  { seq: 1, type: "message", id: "first", timeMs: 10, latestTimeMs: 10, data: { role: "user" } },
  { seq: 2, type: "message", id: "second", latestTimeMs: 10, pinned: true, data: "pinned" },
  { seq: 3, type: "summary", latestTimeMs: 10, data: [1, null] },
  { seq: 4, type: "message", id: "first", latestTimeMs: 10, operationId: "operation", data: "again" },
];
const BUILD = { seq: 1, type: "build", data: {} };

/** The layout of a database. */
async function layoutOf(page, name) {
  return await page.evaluate(async (name) => {
    const database = await rawOpen(name);
    const stores = [...database.objectStoreNames];
    const layout = stores.map((store) => {
      const { keyPath, autoIncrement, indexNames } = database.transaction(store).objectStore(store);
      const indexes = [...indexNames].map((index) => {
        const { keyPath, unique, multiEntry } = database.transaction(store).objectStore(store).index(index);
        return { index, keyPath, unique, multiEntry };
      });
      return { store, keyPath, autoIncrement, indexes };
    });
    const { version } = database;
    database.close();
    return { version, layout };
  }, name);
}

/** Creates a database of an earlier version with its contents. */
async function makeEarlier(page, version) {
  await page.evaluate(
    async ({ steps, version, session, rows }) => {
      const database = await rawOpen(name, version, (database, transaction) => {
        for (const step of steps) {
          new Function("database", "transaction", `(${step})(database, transaction)`)(database, transaction);
        }
      });
      database.close();
      const derived = { session: "a", name: "counts", bytes: new Uint8Array([1, 2]) };
      await rawWrite(
        name,
        ["sessions", "put", session],
        ...rows.map((row) => ["entries", "put", row]),
        ...(version < 2 ? [] : [["derived", "put", derived]]),
      );
    },
    {
      steps: EARLIER.slice(0, version).map(String),
      version,
      session: SESSION,
      rows: [
        ...ENTRIES.map((entry) => ({ session: "a", log: "transcript", ...entry })),
        { session: "a", log: "builds", ...BUILD },
        // A row that something else wrote.
        { session: "b", log: "transcript", seq: 1, type: 7, pinned: true },
      ],
    },
  );
}

describe("versions of the database", () => {
  test("each one that existed is tested", async (t) => {
    const [page] = await tabs(t, 1);
    await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      await store.sessions();
      await store.close();
    });
    const { version } = await layoutOf(page, await page.evaluate(() => name));
    assert.equal(version, EARLIER.length + 1);
  });

  for (const version of EARLIER.map((_, index) => index + 1)) {
    test(`version ${version} becomes the newest, with its contents`, async (t) => {
      const [page] = await tabs(t, 1);
      await makeEarlier(page, version);
      const found = await page.evaluate(async () => {
        const store = indexedDbStore({ name });
        const plain = async (range) => (await store.read("a", range)).entries;
        const found = {
          transcript: await store.read("a"),
          builds: await plain({ log: "builds" }),
          pinned: await plain({ pinned: true }),
          summaries: await plain({ types: ["summary"] }),
          newest: await plain({ order: "descending", limit: 1 }),
          byId: await store.get("a", ["first"]),
          repeated: await store.append("a", [message("again")], { operationId: "operation" }),
          appended: await store.append("a", [message("new", { pinned: true })]),
          pinnedLater: (await plain({ pinned: true })).map(({ seq }) => seq),
          counts: [...((await store.derived.read("a", ["counts"])).get("counts") ?? [])],
          sessions: (await store.sessions()).map(({ key }) => key),
        };
        await store.close();
        const fresh = indexedDbStore({ name: `${name}-fresh` });
        await fresh.sessions();
        await fresh.close();
        return found;
      });
      assert.deepEqual(found, {
        transcript: { entries: ENTRIES, info: SESSION, skipped: [] },
        builds: [BUILD],
        pinned: [ENTRIES[1]],
        summaries: [ENTRIES[2]],
        newest: [ENTRIES[3]],
        byId: [ENTRIES[0], ENTRIES[3]],
        repeated: { firstSeq: 4, lastSeq: 4, isRepeated: true },
        appended: { firstSeq: 5, lastSeq: 5, isRepeated: false },
        pinnedLater: [2, 5],
        counts: version < 2 ? [] : [1, 2],
        sessions: ["a", "b"],
      });
      const name = await page.evaluate(() => name);
      assert.deepEqual(await layoutOf(page, name), await layoutOf(page, `${name}-fresh`));
    });
  }

  test("a migration that fails leaves the older version unchanged", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      // An object store of a later version already exists, so it can't be created.
      const database = await rawOpen(name, 1, (database) => {
        database.createObjectStore("sessions", { keyPath: "key" });
        database.createObjectStore("entries", { keyPath: ["session", "log", "seq"] });
        database.createObjectStore("derived");
      });
      database.close();
      await rawWrite(name, ["entries", "put", { session: "a", log: "transcript", seq: 1, type: "message", data: 1 }]);
      const store = indexedDbStore({ name });
      const failures = [await failure(() => store.read("a")), await failure(() => store.append("a", [message(1)]))];
      await store.close();
      return { failures, left: await rawRows(name) };
    });
    for (const failure of found.failures) {
      checkFailure(failure, "STORE_FAILED", /^Try again/);
      assert.equal(failure.cause, "ConstraintError");
    }
    assert.equal(found.left.version, 1);
    assert.equal(found.left.rows.length, 1);
  });

  test("a newer one is refused, and unchanged", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const first = indexedDbStore({ name });
      await first.append("a", [message("x")]);
      await first.close();
      (await rawOpen(name, 99, (database) => database.createObjectStore("later"))).close();
      const store = indexedDbStore({ name });
      const failures = [
        await failure(() => store.append("a", [message("y")])),
        await failure(() => store.read("a")),
        await failure(() => store.remove("a")),
        await failure(() => store.derived.read("a", ["x"])),
      ];
      await store.close();
      return { failures, left: await rawRows(name) };
    });
    for (const failure of found.failures) {
      checkFailure(failure, "STORE_NEWER", /^Reload the page/);
    }
    assert.equal(found.left.version, 99);
    assert.equal(found.left.rows.length, 1);
  });

  for (const version of [1, 2, 3]) {
    test(`another program's database with the same name, of version ${version}, is left alone`, async (t) => {
      const [page] = await tabs(t, 1);
      const found = await page.evaluate(async (version) => {
        (await rawOpen(name, version, (database) => database.createObjectStore("notes"))).close();
        const store = indexedDbStore({ name });
        const failures = [
          await failure(() => store.append("a", [message("y")])),
          await failure(() => store.read("a")),
          await failure(() => store.remove("a")),
          await failure(() => store.sessions()),
        ];
        await store.close();
        const database = await rawOpen(name);
        const left = { version: database.version, stores: [...database.objectStoreNames] };
        database.close();
        return { failures, left };
      }, version);
      for (const failure of found.failures) {
        checkFailure(failure, "STORE_FOREIGN", /^Pass a different name for the store/);
      }
      assert.deepEqual(found.left, { version, stores: ["notes"] });
    });
  }

  test("a header with an exhausted counter refuses appends, and nothing is lost", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      await store.append("a", [message("x")]);
      const [info] = await store.sessions();
      const transcript = { ...info.logs.transcript, lastSeq: Number.MAX_SAFE_INTEGER };
      await rawWrite(name, ["sessions", "put", { ...info, logs: { ...info.logs, transcript } }]);
      const failures = [
        await failure(() => store.append("a", [message("y")])),
        await failure(() => store.append("a", [message("y")])),
      ];
      const { length } = (await store.read("a")).entries;
      await store.close();
      return { failures, length };
    });
    for (const failure of found.failures) {
      checkFailure(failure, "STORE_FAILED", /^The header is damaged/);
    }
    assert.equal(found.length, 1);
  });

  test("a store waits for another tab that holds an older one open, and works once it is gone", async (t) => {
    const [mine, other] = await tabs(t, 2);
    await makeEarlier(mine, 1);
    await other.evaluate(async () => {
      globalThis.older = await rawOpen(name);
    });
    const failures = await mine.evaluate(async () => {
      globalThis.store = indexedDbStore({ name, blockedTimeoutMs: 50 });
      return await Promise.all([failure(() => store.read("a")), failure(() => store.append("a", [message("x")]))]);
    });
    for (const failure of failures) {
      checkFailure(failure, "STORE_BLOCKED", /^Close the other tabs/);
    }
    await mine.evaluate(() => {
      const patient = indexedDbStore({ name, blockedTimeoutMs: 2 ** 40 });
      globalThis.reading = patient.read("a");
    });
    await other.close();
    const found = await mine.evaluate(async () => ({
      waited: (await reading).entries.length,
      appended: await store.append("a", [message("x")]),
      read: (await store.read("a")).entries.length,
    }));
    assert.deepEqual(found, { waited: 4, appended: { firstSeq: 5, lastSeq: 5, isRepeated: false }, read: 5 });
  });

  test("if a database doesn't open and the browser gives no reason, no other tab is blamed", async (t) => {
    const [mine] = await tabs(t, 1);
    const failed = await mine.evaluate(async () => {
      const { setTimeout: later } = globalThis;
      globalThis.setTimeout = /** @type {any} */ ((call, delayMs) => later(call, Math.min(delayMs ?? 0, 20)));
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (...given) {
        // A request that never completes.
        return Object.assign(open.apply(this, given), { addEventListener: () => {} });
      };
      return await failure(() => indexedDbStore({ name }).read("a"));
    });
    checkFailure(failed, "STORE_BLOCKED", /^Try again/);
    assert.match(failed.message ?? "", /has not opened within 30000 ms, and the browser has not said why$/);
  });

  test("a store that was closed while waiting blocks nobody", async (t) => {
    const [mine, other] = await tabs(t, 2);
    await makeEarlier(mine, 1);
    await other.evaluate(async () => {
      globalThis.older = await rawOpen(name);
    });
    const failed = await mine.evaluate(async () => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (...given) {
        const request = open.apply(this, given);
        request.addEventListener("success", () => {
          // Only an open connection is asked to close.
          request.result.addEventListener("versionchange", () => {
            globalThis.wasOpen = true;
          });
        });
        return request;
      };
      const store = indexedDbStore({ name, blockedTimeoutMs: 0 });
      const failed = await failure(() => store.read("a"));
      await store.close();
      return failed;
    });
    checkFailure(failed, "STORE_BLOCKED", /^Close the other tabs/);
    await other.close();
    // This runs after the pending request to open it.
    const wasOpen = await mine.evaluate(async () => {
      await rawDelete(name);
      return globalThis.wasOpen ?? false;
    });
    assert.equal(wasOpen, false);
  });

  test("another tab may upgrade or delete the database at once", async (t) => {
    const [mine, other] = await tabs(t, 2);
    await mine.evaluate(async () => {
      globalThis.store = indexedDbStore({ name });
      await store.append("a", [message("x")]);
    });
    await other.evaluate(() => rawDelete(name));
    assert.deepEqual(await mine.evaluate(() => store.append("a", [message("y")])), {
      firstSeq: 1,
      lastSeq: 1,
      isRepeated: false,
    });
    // While appends are pending: each succeeds, or reports that it didn't.
    const [results] = await Promise.all([
      mine.evaluate(async () =>
        Promise.all(Array.from({ length: 50 }, () => failure(() => store.append("a", [message("z")])))),
      ),
      other.evaluate(async () => {
        globalThis.newer = await rawOpen(name, 99);
      }),
    ]);
    const made = results.filter(({ given }) => given !== undefined);
    for (const result of results) {
      assert.ok(result.given !== undefined || result.code === "STORE_NEWER", JSON.stringify(result));
    }
    checkFailure(await mine.evaluate(() => failure(() => store.read("a"))), "STORE_NEWER", /^Reload the page/);
    const left = await other.evaluate(async () => done(newer.transaction("entries").objectStore("entries").getAll()));
    assert.deepEqual(
      left.map(({ seq }) => seq),
      Array.from({ length: made.length + 1 }, (_, index) => index + 1),
    );
  });
});

describe("a lost connection", () => {
  test("close ends the connection and the channel, once", async (t) => {
    const [page] = await tabs(t, 1);
    const closed = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      store.subscribe("a", () => {});
      await store.append("a", [message("x")]);
      const closed = [];
      for (const { prototype } of [IDBDatabase, BroadcastChannel]) {
        const { close } = prototype;
        prototype.close = function () {
          closed.push(prototype.constructor.name);
          close.call(this);
        };
      }
      await store.close();
      await store.close();
      return closed.sort();
    });
    assert.deepEqual(closed, ["BroadcastChannel", "IDBDatabase"]);
  });

  test("after the browser clears the data, the next call starts over", async (t) => {
    // Clearing affects a whole origin, so this must not be the other tests' origin.
    const context = await site.browser.newContext();
    t.after(() => context.close());
    const [page] = await tabs(t, 1, { in: context });
    const session = await context.newCDPSession(page);
    await page.evaluate(async () => {
      const { open } = IDBFactory.prototype;
      globalThis.ended = new Promise((resolve) => {
        IDBFactory.prototype.open = function (...given) {
          IDBFactory.prototype.open = open;
          const request = open.apply(this, given);
          request.addEventListener("success", () => request.result.addEventListener("close", () => resolve(undefined)));
          return request;
        };
      });
      globalThis.store = indexedDbStore({ name });
      await store.append("a", [message("x"), message("y")]);
    });
    const clear = () =>
      session.send("Storage.clearDataForOrigin", { origin: new URL(site.address).origin, storageTypes: "indexeddb" });
    await clear();
    const found = await page.evaluate(async () => {
      await ended;
      const used = [];
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (/** @type {Parameters<typeof transaction>} */ ...given) {
        used.push(this);
        return transaction.apply(this, given);
      };
      const read = await store.read("a");
      IDBDatabase.prototype.transaction = transaction;
      return { read, usedCount: used.length, appended: await store.append("a", [message("z")]) };
    });
    assert.deepEqual(found, {
      read: { entries: [], info: undefined, skipped: [] },
      // The closed connection wasn't tried again.
      usedCount: 1,
      appended: { firstSeq: 1, lastSeq: 1, isRepeated: false },
    });
    // While appends are pending.
    await page.evaluate(() => {
      globalThis.results = [];
      globalThis.isEnough = false;
      globalThis.running = (async () => {
        while (!isEnough) {
          results.push(await failure(() => store.append("a", [message("x")])));
        }
      })();
    });
    for (let count = 0; count < 3; count += 1) {
      await page.waitForFunction((length) => results.length > length, (count + 1) * 20);
      await clear();
    }
    const { results, left, next } = await page.evaluate(async () => {
      globalThis.isEnough = true;
      await running;
      const { entries } = await store.read("a");
      return { results, left: entries.map(({ seq }) => seq), next: await store.append("a", [message("x")]) };
    });
    for (const result of results) {
      assert.ok(result.given !== undefined || result.isContextError, JSON.stringify(result));
    }
    assert.deepEqual(
      left,
      left.map((_, index) => index + 1),
    );
    assert.equal(next.firstSeq, left.length + 1);
  });

  test("an open request that the browser aborts is retried a few times", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const { open } = IDBFactory.prototype;
      let brokenOff = 0;
      let left = 3;
      IDBFactory.prototype.open = function (...given) {
        const request = open.apply(this, given);
        request.addEventListener("upgradeneeded", () => {
          if (left > 0) {
            left -= 1;
            brokenOff += 1;
            const { transaction } = request;
            setTimeout(() => transaction.abort());
            // Keeps it open until then.
            const other = request.result.createObjectStore("other");
            const wait = () => {
              other.count().onsuccess = wait;
            };
            wait();
          }
        });
        return request;
      };
      const store = indexedDbStore({ name });
      const appended = await store.append("a", [message("x")]);
      const first = brokenOff;
      left = Number.POSITIVE_INFINITY;
      const other = indexedDbStore({ name: `${name}-other` });
      const refused = await failure(() => other.append("a", [message("x")]));
      left = 0;
      return { first, appended, refused, tries: brokenOff - first, after: await other.append("a", [message("y")]) };
    });
    const appended = { firstSeq: 1, lastSeq: 1, isRepeated: false };
    checkFailure(found.refused, "STORE_FAILED", /^Try again/);
    assert.deepEqual(
      { ...found, refused: undefined },
      { first: 3, appended, refused: undefined, tries: 5, after: appended },
    );
  });

  test("a write whose outcome was lost isn't repeated", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      await store.append("a", [message("first")]);
      const changes = [];
      store.subscribe("a", ({ kind }) => changes.push(kind));
      // The next write transaction completes, but this tab is told that its connection has closed.
      const { transaction } = IDBDatabase.prototype;
      const loseSight = () => {
        IDBDatabase.prototype.transaction = function (/** @type {Parameters<typeof transaction>} */ ...given) {
          const made = transaction.apply(this, given);
          if (made.mode === "readwrite") {
            IDBDatabase.prototype.transaction = transaction;
            made.addEventListener("complete", (event) => {
              event.stopImmediatePropagation();
              made.dispatchEvent(new Event("abort"));
            });
          }
          return made;
        };
      };
      const found = [];
      const call = async (run) => {
        loseSight();
        found.push(await run());
        if (IDBDatabase.prototype.transaction !== transaction) {
          throw new Error("nothing was written");
        }
      };
      await call(() => store.append("a", [message("x"), message("y")]));
      await call(() => store.append("a", [message("z")], { operationId: "operation", expectedSeq: 3 }));
      await call(() => store.append("a", [message("Z")], { replacesSeq: 4 }));
      await call(() => store.derived.write("a", new Map([["n", new Uint8Array([1])]])));
      const texts = (await store.read("a")).entries.map(({ seq, data }) => [seq, data]);
      await call(() => store.trim("a", 3));
      await call(() => store.remove("a"));
      const sessions = await store.sessions();
      await store.close();
      return { found, texts, sessions, changes };
    });
    assert.deepEqual(found, {
      found: [
        { firstSeq: 2, lastSeq: 3, isRepeated: false },
        { firstSeq: 4, lastSeq: 4, isRepeated: false },
        { firstSeq: 5, lastSeq: 5, isRepeated: false },
        undefined,
        { removedCount: 2 },
        undefined,
      ],
      texts: [
        [1, "first"],
        [2, "x"],
        [3, "y"],
        [5, "Z"],
      ],
      sessions: [],
      changes: ["append", "append", "append", "trim", "remove"],
    });
  });
});

describe("there is no IndexedDB", () => {
  const callAll = async () => {
    const store = indexedDbStore({ name: "x" });
    const failures = [
      await failure(() => store.append("a", [message("x")])),
      await failure(() => store.read("a")),
      await failure(() => store.get("a", ["x"])),
      await failure(() => store.sessions()),
      await failure(() => store.trim("a", 2)),
      await failure(() => store.remove("a")),
      await failure(() => store.derived.read("a", ["x"])),
      await failure(() => store.derived.write("a", new Map())),
    ];
    store.subscribe("a", () => {})();
    const persist = await store.persist();
    await store.close();
    return { failures, persist };
  };

  function check({ failures, persist }) {
    for (const failure of failures) {
      checkFailure(failure, "STORE_UNAVAILABLE", /memoryStore\(\)/);
    }
    assert.deepEqual(persist, { persisted: false });
  }

  test("because the page has no origin", async (t) => {
    const [page] = await tabs(t, 1);
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.sandbox = "allow-scripts";
          frame.src = "/";
          frame.onload = resolve;
          document.body.append(frame);
        }),
    );
    const found = await page.frames()[1].evaluate(callAll);
    check(found);
    assert.equal(found.failures[0].cause, "SecurityError");
  });

  test("because the browser has none", async (t) => {
    const context = await site.browser.newContext();
    t.after(() => context.close());
    await context.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined }));
    const [page] = await tabs(t, 1, { in: context });
    check({ ...(await page.evaluate(callAll)), persist: { persisted: false } });
  });

  test("because it isn't a browser", async () => {
    const store = indexedDbStore();
    const error = await errorOf(() => store.read("a"));
    assert.equal(error.code, "STORE_UNAVAILABLE");
    assert.equal(error.message, "IndexedDB isn't available here");
    assert.deepEqual(await store.persist(), { persisted: false });
    assert.equal(await store.estimate(), undefined);
    await store.close();
  });
});

test("a full disk: appends fail, acknowledged data is there, and removing a session makes room again", async (t) => {
  const context = await site.browser.newContext();
  t.after(() => context.close());
  const [page] = await tabs(t, 1, { in: context });
  const session = await context.newCDPSession(page);
  // Set before anything is written, because the browser caches its quota for a while.
  const origin = new URL(site.address).origin;
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 4_000_000 });
  const found = await page.evaluate(async () => {
    const store = indexedDbStore({ name });
    const fill = async (key) => {
      for (let count = 0; ; count += 1) {
        const failed = await failure(() => store.append(key, [message(noise(60_000), { timeMs: count })]));
        if (failed.given === undefined) {
          return { count, failed };
        }
      }
    };
    const lengthOf = async (key) =>
      (await store.read(key)).entries.filter(({ data }) => String(data).length === 60_000).length;
    for (let count = 0; count < 20; count += 1) {
      await store.append("old", [message(noise(60_000))]);
    }
    const full = await fill("new");
    const many = await failure(() => store.append("new", [message(1), message(noise(4_000_000)), message(3)]));
    const derived = await failure(() => store.derived.write("new", new Map([["x", new Uint8Array(4_000_000)]])));
    const inFull = {
      old: await lengthOf("old"),
      new: await lengthOf("new"),
      derived: (await store.derived.read("new", ["x"])).size,
    };
    await store.remove("old");
    const again = await fill("new");
    const { entries, info } = await store.read("new");
    await store.close();
    return { full, many, derived, inFull, again, seqs: entries.map(({ seq }) => seq), info };
  });
  for (const failed of [found.full.failed, found.many, found.derived, found.again.failed]) {
    checkFailure(failed, "STORE_QUOTA", /^Remove sessions/);
    assert.equal(failed.cause, "QuotaExceededError");
  }
  assert.ok(found.full.count > 0);
  assert.deepEqual(found.inFull, { old: 20, new: found.full.count, derived: 0 });
  assert.ok(found.again.count > 0, "there is room again");
  const length = found.full.count + found.again.count;
  assert.deepEqual(
    found.seqs,
    Array.from({ length }, (_, index) => index + 1),
  );
  assert.deepEqual(found.info.logs.transcript.counts, { message: length });
});

test("a full disk is recognized even if only the transaction reports it", async (t) => {
  const [page] = await tabs(t, 1);
  const found = await page.evaluate(async () => {
    const store = indexedDbStore({ name });
    await store.append("a", [message("x")]);
    // Like other browsers: the transaction aborts while its requests are pending, and only the transaction has the
    // reason.
    const { add } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.add = function (...given) {
      const request = add.apply(this, given);
      Object.defineProperty(this.transaction, "error", { value: new DOMException("", "QuotaExceededError") });
      this.transaction.abort();
      return request;
    };
    const failed = await failure(() => store.append("a", [message("y")]));
    IDBObjectStore.prototype.add = add;
    const next = await store.append("a", [message("z")]);
    await store.close();
    return { failed, next };
  });
  checkFailure(found.failed, "STORE_QUOTA", /^Remove sessions/);
  assert.deepEqual(found.next, { firstSeq: 2, lastSeq: 2, isRepeated: false });
});

describe("data written by something else", () => {
  test("rows that aren't entries are skipped and reported, count toward no limit, and don't interfere", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      for (const text of ["one", "two", "three", "four", "five", "six"]) {
        await store.append("a", [message(text, { id: text, pinned: true })]);
      }
      const at = { session: "a", log: "transcript" };
      await rawWrite(
        name,
        ["entries", "put", { ...at, seq: 2, type: 5, data: 1, pinnedSeq: 2 }],
        ["entries", "put", { ...at, seq: 4, type: "message", id: "four", pinnedSeq: 4 }],
        ["entries", "put", { ...at, seq: "x", type: "message", data: 1 }],
        ["entries", "put", { session: 5, log: 6, seq: 7 }],
        ["sessions", "put", { key: 5 }],
        ["derived", "put", { session: "a", name: "n", bytes: "no bytes" }],
      );
      const texts = async (range) => {
        const { entries, skipped } = await store.read("a", range);
        return [entries.map(({ data }) => data).join(" "), skipped.map(({ seq }) => seq ?? "none").join(" ")];
      };
      const found = {
        all: await texts({}),
        reasons: (await store.read("a", { before: 5 })).skipped.map(({ reason }) => reason),
        newest: await texts({ limit: 3, order: "descending" }),
        oldest: await texts({ limit: 3 }),
        between: await texts({ limit: 4, before: 5 }),
        pinned: await texts({ pinned: true, limit: 4, order: "descending" }),
        messages: await texts({ types: ["message"], limit: 5 }),
        get: (await store.get("a", ["one", "four"])).map(({ data }) => data),
        derived: (await store.derived.read("a", ["n"])).size,
        sessions: (await store.sessions()).map(({ key }) => key),
        appended: (await store.append("a", [message("seven")])).firstSeq,
        trimmed: await store.trim("a", 6),
        cleared: await store.trim("a", Number.POSITIVE_INFINITY),
        after: await texts({}),
      };
      await store.close();
      return found;
    });
    assert.deepEqual(found, {
      all: ["one three five six", "2 4 none"],
      reasons: ["its type is unknown", "it has no data"],
      newest: ["six five three", "none 4"],
      oldest: ["one three five", "2 4"],
      between: ["one three", "2 4"],
      pinned: ["six five three one", "4 2"],
      messages: ["one three five six", "2 4 none"],
      get: ["one"],
      derived: 0,
      sessions: ["a"],
      appended: 7,
      trimmed: { removedCount: 3 },
      cleared: { removedCount: 2 },
      after: ["", ""],
    });
  });

  test("a missing or damaged header of a session is rebuilt from its entries", async (t) => {
    const [page] = await tabs(t, 1);
    const found = await page.evaluate(async () => {
      const store = indexedDbStore({ name });
      const found = [];
      const damages = [
        ["sessions", "delete", "a"],
        ["sessions", "put", { key: "a", id: 5 }],
        // A head that is older than the rows.
        ["sessions", "put", { ...(await make("0")), key: "a" }],
      ];
      async function make(key) {
        await store.append(key, [
          message("one", { timeMs: 5 }),
          { type: "summary", data: "two" },
          message("three", { pinned: true }),
        ]);
        await store.append(key, [{ type: "build", data: 1 }], { log: "builds" });
        await store.derived.write(key, new Map([["n", new Uint8Array([1])]]));
        return (await store.sessions({ keys: [key] }))[0];
      }
      for (const damage of damages) {
        const { id } = await make("a");
        await store.append("a", [message("four")]);
        const { logs } = (await store.sessions({ keys: ["a"] }))[0];
        // The last row is unreadable, but its number is taken.
        await rawWrite(name, damage, ["entries", "put", { session: "a", log: "transcript", seq: 4, type: "message" }]);
        const listed = (await store.sessions()).map(({ key }) => key).join(" ");
        const read = await store.read("a", { limit: 2, order: "descending" });
        const derived = (await store.derived.read("a", ["n"])).size;
        const next = await store.append("a", [message("five")]);
        const after = await store.read("a");
        found.push({
          listed,
          texts: read.entries.map(({ data }) => data),
          skipped: read.skipped,
          transcript: read.info.logs.transcript,
          builds: read.info.logs.builds,
          wasBuilds: logs.builds,
          isAnother: read.info.id !== id,
          derived,
          next,
          skippedAfter: after.skipped.map(({ seq }) => seq),
          lastSeq: after.info.logs.transcript.lastSeq,
        });
        await store.remove("a");
      }
      await store.close();
      return found;
    });
    for (const [index, one] of found.entries()) {
      assert.deepEqual(
        { ...one, skipped: one.skipped.map(({ seq }) => seq ?? "none") },
        {
          listed: "0 a",
          texts: ["three", "two"],
          skipped: ["none", 4],
          transcript: {
            lastSeq: 4,
            lastMessageSeq: 3,
            counts: { message: 2, summary: 1 },
            pinnedCount: 1,
            untimedCount: 2,
            latestTimeMs: 5,
            removals: 1,
          },
          builds: { ...one.wasBuilds, removals: 1 },
          wasBuilds: one.wasBuilds,
          isAnother: true,
          derived: 1,
          next: { firstSeq: 5, lastSeq: 5, isRepeated: false },
          skippedAfter: [4],
          lastSeq: 5,
        },
      );
      assert.match(one.skipped[0].reason, index === 0 ? /header is missing/ : /header is damaged/);
    }
  });

  test("a message on the channel that isn't a change is ignored", async (t) => {
    const [mine, other] = await tabs(t, 2);
    await mine.evaluate(() => {
      globalThis.changes = [];
      globalThis.store = indexedDbStore({ name });
      store.subscribe("a", (change) => changes.push(change));
    });
    await other.evaluate(() => {
      const channel = new BroadcastChannel(`windrow:${name}`);
      for (const data of [
        null,
        5,
        {},
        { session: "a" },
        { session: "a", change: { kind: "else", log: "builds", lastSeq: 1 } },
      ]) {
        channel.postMessage(data);
      }
      channel.postMessage({ session: "a", change: { kind: "append", log: "builds", lastSeq: 1 } });
    });
    await mine.waitForFunction(() => changes.length > 0);
    assert.deepEqual(await mine.evaluate(() => changes), [{ kind: "append", log: "builds", lastSeq: 1 }]);
  });

  test("a large value that the browser has lost is skipped and reported", async (t) => {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "indexeddb-test-"));
    const served = await serveStorePage({ script });
    t.after(async () => {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const first = await openStorePage({ served, folder });
    const page = await first.page();
    await page.evaluate(async () => {
      const store = indexedDbStore();
      for (const data of ["one", noise(300_000), noise(300_001), "four"]) {
        await store.append("a", [message(data, { id: "same" })], { operationId: `operation ${data.length}` });
      }
      await store.derived.write(
        "a",
        new Map([
          ["large", new TextEncoder().encode(noise(300_000))],
          ["small", new Uint8Array(3)],
        ]),
      );
      await store.close();
    });
    await first.close();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (file) => file.isFile() && /indexeddb\.blob/.test(file.parentPath),
    );
    if (files.length === 0) {
      t.skip("this browser does not keep large values in files of their own");
      return;
    }
    for (const file of files) {
      rmSync(join(file.parentPath, file.name));
    }
    const second = await openStorePage({ served, folder });
    try {
      const again = await second.page();
      const found = await again.evaluate(async () => {
        const store = indexedDbStore();
        const plain = ({ entries, skipped }) => ({ texts: entries.map(({ data }) => data), skipped });
        const found = {
          all: plain(await store.read("a")),
          newest: plain(await store.read("a", { limit: 2, order: "descending" })),
          get: (await store.get("a", ["same"])).map(({ data }) => data),
          derived: [...(await store.derived.read("a", ["large", "small"])).keys()],
          appended: (await store.append("a", [message("five")])).firstSeq,
          repeated: await store.append("a", [message("two")], { operationId: "operation 300000" }),
          trimmed: await store.trim("a", 5),
          left: plain(await store.read("a")),
        };
        await store.close();
        return found;
      });
      const [two, three] = [2, 3].map((seq) => ({ seq, reason: "the browser has lost it" }));
      assert.deepEqual(found, {
        all: { texts: ["one", "four"], skipped: [two, three] },
        newest: { texts: ["four", "one"], skipped: [three, two] },
        get: ["one", "four"],
        derived: ["small"],
        appended: 5,
        repeated: { firstSeq: 2, lastSeq: 2, isRepeated: true },
        trimmed: { removedCount: 2 },
        left: { texts: ["five"], skipped: [] },
      });
      assert.deepEqual(second.complaints, []);
    } finally {
      await second.close();
    }
  });
});

describe("two tabs", () => {
  test("that append at once lose nothing, and see the same log", async (t) => {
    const pages = await tabs(t, 2);
    const seqs = await Promise.all(
      pages.map((page, tab) =>
        page.evaluate(async (tab) => {
          globalThis.store = indexedDbStore({ name });
          const seqs = [];
          for (let index = 0; index < 100; index += 1) {
            seqs.push((await store.append("a", [message({ tab, index })])).firstSeq);
          }
          return seqs;
        }, tab),
      ),
    );
    assert.deepEqual(
      seqs.flat().sort((left, right) => left - right),
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
    const [one, other] = await Promise.all(
      pages.map((page) => page.evaluate(async () => (await store.read("a")).entries)),
    );
    assert.deepEqual(one, other);
    for (const tab of [0, 1]) {
      assert.deepEqual(
        one.filter(({ data }) => data.tab === tab).map(({ data }) => data.index),
        Array.from({ length: 100 }, (_, index) => index),
      );
    }
  });

  test("notify each other of changes, with the session and the database", async (t) => {
    const [mine, other] = await tabs(t, 2);
    await mine.evaluate(() => {
      globalThis.changes = [];
      globalThis.store = indexedDbStore({ name });
      store.subscribe("a", async (change) => {
        const { info } = await store.read("a");
        changes.push({ ...change, seen: info?.logs[change.log].lastSeq ?? "none" });
      });
      store.subscribe("b", () => changes.push("b"));
      const closed = indexedDbStore({ name });
      closed.subscribe("a", () => changes.push("closed"));
      return closed.close();
    });
    const wait = (length) => mine.waitForFunction((length) => changes.length >= length, length);
    await other.evaluate(async () => {
      globalThis.store = indexedDbStore({ name });
      const elsewhere = indexedDbStore({ name: `${name}-2` });
      await elsewhere.append("a", [message("x")]);
      await elsewhere.close();
      await store.append("a", [message("x"), message("y")], { operationId: "o" });
    });
    await wait(1);
    await other.evaluate(async () => {
      await store.append("a", [message("x"), message("y")], { operationId: "o" });
      await store.append("c", [message("x")]);
      await store.trim("a", 1);
      await store.append("a", [{ type: "build", data: 1 }], { log: "builds" });
    });
    await wait(2);
    await other.evaluate(() => store.trim("a", 2));
    await wait(3);
    await other.evaluate(async () => {
      await store.remove("a");
      await store.remove("a");
    });
    await wait(4);
    await other.evaluate(() => store.append("b", [message("x")]));
    await wait(5);
    assert.deepEqual(await mine.evaluate(() => changes), [
      { kind: "append", log: "transcript", lastSeq: 2, seen: 2 },
      { kind: "append", log: "builds", lastSeq: 1, seen: 1 },
      { kind: "trim", log: "transcript", lastSeq: 0, seen: 2 },
      { kind: "remove", log: "transcript", lastSeq: 0, seen: "none" },
      "b",
    ]);
  });

  test("keep each other's held messages; a closed tab holds nothing", async (t) => {
    const [holder, other] = await tabs(t, 2);
    await holder.evaluate(async () => {
      globalThis.store = indexedDbStore({ name });
      await store.append("a", [message("x"), message("y")]);
      await store.append("b", [message("x")]);
      globalThis.nest = undefined;
      await new Promise((resolve) => {
        store.holding("a", async () => {
          resolve(undefined);
          await new Promise((nest) => {
            globalThis.nest = nest;
          });
          globalThis.nested = await store.holding("a", async () => (await store.read("a")).entries.length);
          await new Promise(() => {});
        });
      });
    });
    await other.evaluate(() => {
      globalThis.store = indexedDbStore({ name });
      globalThis.ended = [];
      globalThis.trimming = store.trim("a", 2).then((trimmed) => ended.push(trimmed));
      globalThis.removing = store.remove("a").then(() => ended.push("removed"));
    });
    const waiting = async () =>
      (await navigator.locks.query()).pending.filter(({ mode }) => mode === "exclusive").length === 2;
    await other.waitForFunction(waiting);
    // Other sessions aren't held, and appends don't wait.
    assert.deepEqual(await other.evaluate(() => store.trim("b", 2)), { removedCount: 1 });
    assert.equal(await other.evaluate(async () => (await store.append("a", [message("z")])).firstSeq), 3);
    // The holder may hold it again from within, even if others are waiting.
    await holder.evaluate(() => nest());
    await holder.waitForFunction(() => globalThis.nested !== undefined);
    assert.equal(await holder.evaluate(() => nested), 3);
    assert.deepEqual(await other.evaluate(() => ended), []);
    await holder.close();
    const found = await other.evaluate(async () => {
      await Promise.all([trimming, removing]);
      return ended;
    });
    assert.deepEqual(found, [{ removedCount: 1 }, "removed"]);
  });
});

test("a read costs as much as its result, however long the log is", async (t) => {
  const [page] = await tabs(t, 1);
  const found = await page.evaluate(async () => {
    const store = indexedDbStore({ name });
    const text = (index) => message(`text ${index}`, { id: `id ${index}`, timeMs: index });
    await store.append("a", [text(1), { type: "summary", data: "s" }, { ...text(3), pinned: true }]);
    for (let part = 0; part < 4; part += 1) {
      await store.append(
        "a",
        Array.from({ length: 1000 }, (_, index) => text(part * 1000 + index + 4)),
      );
    }
    await store.append("a", [text(5000)], { operationId: "o" });
    // As in a streamed reply, each state replaces the previous one.
    for (let state = 0; state < 30; state += 1) {
      const { lastSeq } = (await store.sessions({ keys: ["a"] }))[0].logs.transcript;
      await store.append("a", [text(5000)], { replacesSeq: lastSeq, operationId: `state ${state}` });
    }
    let rowCount = 0;
    const restored = [];
    for (const { prototype } of [IDBObjectStore, IDBIndex]) {
      for (const method of ["get", "getAll", "openCursor"]) {
        const original = prototype[method];
        prototype[method] = function (...given) {
          const request = original.apply(this, given);
          request.addEventListener("success", () => {
            const isHeader = this.name === "sessions";
            rowCount += isHeader || request.result == null ? 0 : (request.result.length ?? 1);
          });
          return request;
        };
        restored.push(() => {
          prototype[method] = original;
        });
      }
    }
    const found = [];
    const cost = async (name, run) => {
      rowCount = 0;
      const given = await run();
      found.push([name, given, rowCount]);
    };
    const read = async (range) => (await store.read("a", range)).entries.length;
    await cost("newest", () => read({ limit: 20, order: "descending" }));
    await cost("newest messages", () => read({ limit: 20, order: "descending", types: ["message"] }));
    await cost("before", () => read({ limit: 20, order: "descending", before: 3000 }));
    await cost("after", () => read({ after: 4020 }));
    await cost("oldest", () => read({ limit: 20 }));
    await cost("summary", () => read({ limit: 5, order: "descending", types: ["summary", "failure"] }));
    await cost("summaries", () => read({ types: ["summary"] }));
    await cost("pinned", () => read({ pinned: true, limit: 5, order: "descending" }));
    await cost("get", async () => (await store.get("a", ["id 100", "id none"])).length);
    await cost("append", async () => (await store.append("a", [text(1)], { operationId: "o3" })).firstSeq);
    await cost("repeated", async () => (await store.append("a", [text(1)], { operationId: "o3" })).firstSeq);
    for (const restore of restored) {
      restore();
    }
    await store.close();
    return found;
  });
  assert.deepEqual(found, [
    ["newest", 20, 20],
    ["newest messages", 20, 20],
    ["before", 20, 20],
    ["after", 1, 1],
    ["oldest", 20, 20],
    ["summary", 1, 1],
    ["summaries", 1, 1],
    ["pinned", 1, 1],
    ["get", 1, 1],
    ["append", 4035, 0],
    ["repeated", 4035, 1],
  ]);
});
