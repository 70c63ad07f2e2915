// Sessions in tabs of a real browser, over IndexedDB.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { memoryStore, openSession, presets } from "windrow";
import { runSearchCases } from "../support/search-cases.mjs";
import { runSessionCases } from "../support/session-cases.mjs";
import { openStorePage } from "../support/store-page.mjs";

/** Number of messages that each of eight tabs appends at once. `npm run test:full` uses more. */
const APPENDS = Number(process.env.WINDROW_TAB_APPENDS ?? 50);
const START = Date.UTC(2026, 0, 5, 8);

/** A deterministic conversation. */
function conversation(length) {
  return Array.from({ length }, (_, position) => ({
    id: `m${position}`,
    role: position % 2 === 0 ? "user" : "assistant",
    content: `message ${position} speaks of the venue, its price and what ${position % 7} of us said about it`,
    createdAt: new Date(1_767_600_000_000 + position * 60_000).toISOString(),
    ...(position === 30 ? { pinned: true } : {}),
  }));
}

const script = `
import { buildContext, countTokens, loadEncoding, memoryStore, openSession, presets, replay } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { runSearchCases } from "./search-cases.mjs";
import { runSessionCases } from "./session-cases.mjs";

${conversation.toString()}

Object.assign(globalThis, { buildContext, countTokens, loadEncoding, memoryStore, openSession, presets, replay, indexedDbStore, conversation, runSearchCases, runSessionCases });
Object.assign(globalThis, {
  /** Changes the database without the store. */
  raw: (name, change) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      const transaction = database.transaction([...database.objectStoreNames], "readwrite");
      transaction.oncomplete = () => { database.close(); resolve(); };
      transaction.onabort = () => reject(transaction.error);
      change(transaction);
    };
  }),
});
`;

/** Globals of the page, for functions that run there. Here they are undefined. */
const { countTokens, damagedCount, indexedDbStore, loadEncoding, raw, session, store, told } = /** @type {any} */ (
  globalThis
);

let site;

before(async () => {
  site = await openStorePage({ script });
});

after(() => site?.close());

/** A separate browser context, so that no test finds another's data. */
async function contextOf(t) {
  const context = await site.browser.newContext();
  t.after(() => context.close());
  return context;
}

describe("many tabs", () => {
  test(`eight append ${APPENDS} messages each to one session, and one more is closed meanwhile`, async (t) => {
    const context = await contextOf(t);
    const tabs = await Promise.all(Array.from({ length: 9 }, () => site.page({ in: context })));
    await Promise.all(
      tabs.map((tab) =>
        tab.evaluate(async () => {
          globalThis.store = indexedDbStore({ name: "tabs", durability: "relaxed" });
          globalThis.session = await openSession("web:main", { store });
          globalThis.told = [];
          session.subscribe(({ messages }) => told.push(...messages.map(({ content }) => content)));
          await session.info();
        }),
      ),
    );
    const append = (tab, index, count) =>
      tab.evaluate(
        async ([own, length]) => {
          globalThis.acknowledged = [];
          const one = async (first) => {
            for (let number = first; number < length; number += 2) {
              const content = `${own}:${number}`;
              await session.append({ role: "user", content });
              acknowledged.push(content);
            }
          };
          await Promise.all([one(0), one(1)]);
          return acknowledged;
        },
        [index, count],
      );
    const closing = (async () => {
      append(tabs[8], 8, 100_000).catch(() => {});
      await tabs[8].waitForFunction(() => globalThis.acknowledged?.length > 40);
      const known = await tabs[8].evaluate(() => acknowledged);
      await tabs[8].close();
      return known;
    })();
    const acknowledged = await Promise.all(tabs.slice(0, 8).map((tab, index) => append(tab, index, APPENDS)));
    const ofClosed = await closing;

    const found = await tabs[0].evaluate(async () => {
      const messages = await session.messages();
      return messages.map((message) => [session.seqOf(message), message.content]);
    });
    const ofEight = found.filter(([, content]) => !content.startsWith("8:"));
    assert.equal(ofEight.length, 8 * APPENDS);
    assert.equal(new Set(found.map(([, content]) => content)).size, found.length, "none twice");
    assert.deepEqual(
      found.map(([seq]) => seq),
      found.map((_, index) => index + 1),
      "no gap",
    );
    const contents = found.map(([, content]) => content);
    for (const own of acknowledged) {
      assert.equal(own.length, APPENDS);
    }
    assert.deepEqual(
      [...acknowledged, ofClosed].flat().filter((content) => !contents.includes(content)),
      [],
      "acknowledged messages are there",
    );
    for (const tab of tabs.slice(0, 8)) {
      await tab.waitForFunction((length) => globalThis.told.length >= length, contents.length);
      assert.deepEqual(await tab.evaluate(() => told), contents, "every tab was told the same, in the same order");
    }
    const hashes = await Promise.all(
      tabs
        .slice(0, 8)
        .map((tab) =>
          tab.evaluate(
            async () =>
              (await session.build({ request: "so?", now: 0, budget: { maxTokens: 500 } })).snapshot.contextHash,
          ),
        ),
    );
    assert.equal(new Set(hashes).size, 1);
  });
});

test("a full disk: appends fail, everything else works, and after another session is removed appends work again", async (t) => {
  const context = await contextOf(t);
  const page = await site.page({ in: context });
  const devtools = await context.newCDPSession(page);
  // Set before anything is written, because the browser caches its quota for a while.
  const origin = new URL(site.address).origin;
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 4_000_000 });
  const found = await page.evaluate(async () => {
    const store = indexedDbStore({ name: "full" });
    // Incompressible text.
    const noise = () => Array.from({ length: 60_000 }, () => String.fromCharCode(33 + Math.random() * 90)).join("");
    const other = await openSession("other", { store });
    for (let count = 0; count < 20; count += 1) {
      await other.append({ role: "user", content: noise() });
    }
    const session = await openSession("web:main", { store });
    const fill = async () => {
      for (let count = 0; ; count += 1) {
        try {
          await session.append({ role: "user", content: noise() });
        } catch ({ kind, code, nextAction }) {
          return { count, kind, code, nextAction };
        }
      }
    };
    const full = await fill();
    const context = await session.build({ request: "so?", encoding: "estimate", budget: { maxTokens: 200_000 } });
    const inFull = {
      messages: (await session.messages()).length,
      kept: context.kept.length,
      rows: (await session.export()).trim().split("\n").length,
    };
    await session.settled();
    await store.remove("other");
    const again = await fill();
    return { full, inFull, again, messages: (await session.messages()).length };
  });
  for (const { kind, code, nextAction } of [found.full, found.again]) {
    assert.deepEqual([kind, code], ["store_error", "STORE_QUOTA"]);
    assert.match(nextAction, /^Remove sessions/);
  }
  assert.ok(found.full.count > 0);
  assert.equal(found.inFull.messages, found.full.count);
  assert.equal(found.inFull.rows, found.full.count + 1);
  assert.ok(found.inFull.kept > 0);
  assert.ok(found.again.count > 0, "there is room again");
  assert.equal(found.messages, found.full.count + found.again.count);
});

test("damage: rows that aren't entries or messages are skipped and reported, and the rest is served", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const found = await page.evaluate(async () => {
    const config = { request: "so?", now: 0, sessionId: "any", budget: { maxTokens: 3000 } };
    const store = indexedDbStore({ name: "damaged" });
    const session = await openSession("web:main", { store });
    await session.append(conversation(300));
    const clean = await session.build(config);
    await session.settled();
    await session.close();
    // Malformed rows between the others and at the end, damaged counts, and no header.
    await raw("damaged", (transaction) => {
      const entries = transaction.objectStore("entries");
      const all = entries.getAll();
      all.onsuccess = () => {
        const row = all.result.find(({ seq, log }) => seq === 300 && log === "transcript");
        entries.put({ ...row, seq: 301, data: { role: "nobody", content: "x" }, operationId: "damage" });
        entries.put({ ...row, seq: 302, data: "{not json", operationId: "damage" });
        entries.put({ ...row, seq: 303, type: "nonsense", operationId: "damage" });
        entries.put({ session: "web:main", log: "transcript", seq: 304 });
      };
      transaction.objectStore("sessions").clear();
      const derived = transaction.objectStore("derived");
      const cursor = derived.openCursor();
      cursor.onsuccess = () => {
        if (cursor.result) {
          const { value } = cursor.result;
          const field = Object.keys(value).find((name) => value[name] instanceof Uint8Array);
          cursor.result.update({ ...value, [field]: value[field].slice(0, -5) });
          cursor.result.continue();
        }
      };
    });
    const again = await openSession("web:main", { store });
    const context = await again.build(config);
    const messages = await again.messages();
    const text = await again.export();
    const { firstSeq } = await again.append({ role: "user", content: "goes on" });
    await again.settled();
    const copy = await openSession("copy", { store });
    const imported = await copy.import(text);
    return {
      same: context.snapshot.contextHash === clean.snapshot.contextHash,
      notes: context.trace.notes.map(({ kind }) => kind),
      length: messages.length,
      skipped: again.skipped,
      firstSeq,
      imported,
      rows: text.trim().split("\n").length,
      after: (await again.messages()).length,
    };
  });
  assert.equal(found.same, true, "undamaged logs build the same context as before");
  assert.ok(found.notes.includes("rows-skipped"));
  assert.equal(found.length, 300);
  assert.equal(found.firstSeq, 305, "no number is used twice");
  assert.equal(found.after, 301);
  const seqs = found.skipped.map(({ seq }) => seq).filter((seq) => seq != null);
  assert.deepEqual([...new Set(seqs)].sort(), [301, 302, 303, 304]);
  assert.ok(
    found.skipped.some(({ seq }) => seq == null),
    "the header that was missing is reported",
  );
  assert.equal(found.imported.messageCount, 300);
});

test("damage in the middle: the context equals that of a log without the unreadable rows", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const found = await page.evaluate(async () => {
    const config = { request: "so?", now: 0, sessionId: "any", budget: { maxTokens: 3000 } };
    // Damages a row at the beginning, one that a build reads, and the newest.
    const damages = new Map([
      [2, { data: { role: "nobody", content: "x" } }],
      [281, { data: { content: ["no role"] } }],
      [282, { data: '{"role":"user","content":"cut' }],
      [283, { data: 5 }],
      [290, { type: 7 }],
      [291, { id: 5 }],
      [300, { data: null }],
    ]);
    const store = indexedDbStore({ name: "damaged" });
    const session = await openSession("web:main", { store });
    await session.append(conversation(300));
    const before = await session.build(config);
    await session.close();
    await raw("damaged", (transaction) => {
      const entries = transaction.objectStore("entries");
      for (const [seq, damage] of damages) {
        const row = entries.get(["web:main", "transcript", seq]);
        row.onsuccess = () => entries.put({ ...row.result, ...damage });
      }
      const derived = transaction.objectStore("derived");
      const values = derived.getAll();
      values.onsuccess = () => {
        globalThis.damagedCount = values.result.length;
        for (const value of values.result) {
          // Same length and version header as before, with damaged contents.
          derived.put({ ...value, bytes: value.bytes.map((byte, index) => (index < 8 ? byte : (index * 37) % 256)) });
        }
      };
    });
    const clean = await openSession("web:main", { store: memoryStore() });
    await clean.append(conversation(300).filter((_, index) => !damages.has(index + 1)));
    const again = await openSession("web:main", { store });
    const [damaged, expected] = [await again.build(config), await clean.build(config)];
    const messagesOf = (exported) => exported.split("\n").filter((line) => /"m\d+"/.test(line));
    return {
      damagedCount,
      tokens: [damaged.tokens, expected.tokens],
      hashes: [before, damaged, expected].map(({ snapshot }) => snapshot.contextHash),
      messages: [damaged.messages, expected.messages],
      all: [await again.messages(), await clean.messages()],
      exported: [messagesOf(await again.export()).length, messagesOf(await clean.export()).length],
      skipped: [...new Set(again.skipped.map(({ seq }) => seq))].sort((left, right) => left - right),
    };
  });
  assert.ok(found.damagedCount > 0, "there were counts to be damaged");
  const [before, ...hashes] = found.hashes;
  for (const [damaged, clean] of [hashes, found.tokens, found.messages, found.all, found.exported]) {
    assert.deepEqual(damaged, clean);
  }
  assert.notEqual(before, hashes[0], "a damaged row had been in the context");
  assert.deepEqual(found.skipped, [2, 281, 282, 283, 290, 291, 300]);
});

test("no session's rows are in another's messages, contexts and exports, with any text as a key", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const mixed = await page.evaluate(async () => {
    const keys = [
      "a",
      "a\0",
      "A",
      "a\0b",
      "a|b",
      "a/b",
      "a,b",
      '["a"]',
      "á",
      "a\u0301",
      "ａ",
      "а",
      "__proto__",
      "\ud800",
      "\udfff",
      "a ",
      "a\u200b",
      "a\nb",
      "#1",
      "constructor",
      "\ufffd",
      "x".repeat(60_000),
      `${"x".repeat(59_999)}y`,
    ];
    const store = indexedDbStore({ name: "isolated" });
    for (const [index, key] of keys.entries()) {
      const session = await openSession(key, { store });
      await session.append({ role: "user", content: `secret ${index}.` });
      await session.build({ request: `request ${index}.` });
      await session.settled();
    }
    const wrong = [];
    for (const [index, key] of keys.entries()) {
      const session = await openSession(key, { store });
      const context = await session.build({});
      const said = JSON.stringify([
        await session.messages(),
        context.messages,
        await session.export(),
        await session.snapshots(),
      ]);
      const secrets = [...new Set(said.match(/(secret|request) \d+\./g))].sort();
      if (secrets.join() !== [`request ${index}.`, `secret ${index}.`].join()) {
        wrong.push([index, secrets]);
      }
    }
    return wrong;
  });
  assert.deepEqual(mixed, []);
});

describe("a visitor who leaves and comes back", () => {
  /**
   * Goes to another page and back. Playwright waits for a load event, which a page from the browser's cache doesn't
   * fire.
   */
  const leaveAndReturn = async (tab, whileAway = async () => {}) => {
    await tab.goto(`${cached.address}elsewhere`);
    await whileAway();
    // This call returns before its page has closed.
    await tab.evaluate(() => void setTimeout(() => history.back()));
    await tab.waitForURL(cached.address, { waitUntil: "commit" });
    await tab.waitForFunction(() => globalThis.openSession !== undefined && document.readyState === "complete");
    return tab.evaluate(() => globalThis.session !== undefined);
  };
  const begin = (tab) =>
    tab.evaluate(async () => {
      globalThis.session = await openSession("web:main", { store: indexedDbStore({ name: "cache" }) });
      await session.append({ role: "user", content: "one" });
      // The browser caches the page only if no message reaches it on the way.
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
  const contentsAfter = (tab, content) =>
    tab.evaluate(async (content) => {
      globalThis.session ??= await openSession("web:main", { store: indexedDbStore({ name: "cache" }) });
      await session.append({ role: "user", content });
      const { messages } = await session.build({ encoding: "estimate" });
      const kept = await session.messages();
      return [kept.map(({ content }) => content), messages.map(({ content }) => content)];
    }, content);
  let cached;

  before(async () => {
    cached = await openStorePage({ script, ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  });

  after(() => cached?.close());

  const tabOf = async (t) => {
    const context = await cached.browser.newContext();
    t.after(() => context.close());
    return { context, tab: await cached.page({ in: context }) };
  };

  test("finds the session alive in the browser's cache", async (t) => {
    const { tab } = await tabOf(t);
    await begin(tab);
    assert.ok(await leaveAndReturn(tab), "the page was in the cache");
    assert.deepEqual(await contentsAfter(tab, "two"), [
      ["one", "two"],
      ["one", "two"],
    ]);
  });

  test("sees what another tab appended meanwhile", async (t) => {
    const { context, tab } = await tabOf(t);
    await begin(tab);
    await leaveAndReturn(tab, async () => {
      const other = await cached.page({ in: context });
      await contentsAfter(other, "two");
      await other.close();
    });
    assert.deepEqual(await contentsAfter(tab, "three"), [
      ["one", "two", "three"],
      ["one", "two", "three"],
    ]);
  });

  test("finds an interrupted append complete or not at all, and nothing is blocked", async (t) => {
    for (let waitMs = 0; waitMs < 10; waitMs += 2) {
      const { tab } = await tabOf(t);
      await begin(tab);
      await tab.evaluate((waitMs) => {
        const under = ["under way", "and more"].map((content) => ({ role: "user", content }));
        session.append(under).catch(() => {});
        return new Promise((resolve) => setTimeout(resolve, waitMs));
      }, waitMs);
      await leaveAndReturn(tab);
      const [kept, built] = await contentsAfter(tab, "two");
      assert.deepEqual(kept, kept.length === 2 ? ["one", "two"] : ["one", "under way", "and more", "two"]);
      assert.deepEqual(built, kept);
    }
  });
});

test("nothing leaves the page: it only requests its own files", async (t) => {
  const context = await contextOf(t);
  const asked = new Set();
  context.on("request", (request) => asked.add(request.url()));
  // No connections of any kind: only scripts may load.
  await context.route("**/*", async (route) => {
    const response = await route.fetch();
    const headers = {
      ...response.headers(),
      "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:",
    };
    await route.fulfill({ response, headers });
  });
  await context.addInitScript(() => {
    globalThis.refused = [];
    addEventListener("securitypolicyviolation", ({ blockedURI }) => refused.push(blockedURI));
  });
  const page = await site.page({ in: context });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  devtools.on("Network.requestWillBeSent", ({ request }) => asked.add(request.url));
  devtools.on("Network.webSocketCreated", ({ url }) => asked.add(url));
  await page.evaluate(async () => {
    const store = indexedDbStore({ name: "quiet" });
    const session = await openSession("web:main", { store, retention: { maxMessages: 200, maxBuilds: 3 } });
    const end = session.subscribe(() => {});
    await session.append(conversation(250));
    await session.replaceLast({ role: "assistant", content: "done" });
    for (const preset of Object.values(presets)) {
      await session.build({
        ...preset,
        request: "so?",
        triage: { ...preset.triage, select: () => [] },
        recall: { ...preset.recall, search: () => [{ text: "a note" }] },
        tiers: { ...preset.tiers, summarize: () => [] },
      });
    }
    await loadEncoding("cl100k_base");
    countTokens("some text", { encoding: "cl100k_base" });
    const context = await session.build({ request: "so?", countTokens: (texts) => texts.map(({ length }) => length) });
    await session.replay(context.recording);
    await (await session.fork(session.seqOf((await session.messages())[9]))).close();
    await (await openSession("copy", { store })).import(await session.export());
    await store.persist();
    await store.estimate();
    await session.settled();
    end();
    await session.close();
    await store.close();
  });
  const own = new URL(site.address).origin;
  const names = [...asked].map((url) => url.replace(own, "").replace(/-\w{8}\.js$/, ".js"));
  // The page, its script, the requested vocabularies, and the ranking module.
  const files = ["cl100k_base", "main", "o200k_base", "selection"].map((name) => `/${name}.js`);
  assert.deepEqual(names.sort(), ["/", ...files]);
  assert.deepEqual([page.workers(), context.serviceWorkers()], [[], []]);
  assert.deepEqual(await page.evaluate(() => refused), []);

  // Any other request would have been refused, and would show up here.
  const tries = ["beacon", "fetch", "image", "socket"];
  await page.evaluate(() => {
    navigator.sendBeacon("http://elsewhere.test/beacon", "x");
    fetch("http://elsewhere.test/fetch").catch(() => {});
    new Image().src = "http://elsewhere.test/image";
    new WebSocket("ws://elsewhere.test/socket");
  });
  await page.waitForFunction((count) => refused.length === count, tries.length);
  const refused = await page.evaluate(() => refused);
  assert.deepEqual(refused.map((url) => url.split("/").at(-1)).sort(), tries);
});

test("contexts of a session are the same in the browser and in Node, byte for byte", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const configs = [
    { request: "so?", now: START, budget: { maxTokens: 900 } },
    { request: { role: "user", content: "and that?", replyTo: "m5" }, now: START, window: { lookbackCount: 9 } },
    { request: "so?", now: START, render: { format: "xml" }, encoding: "cl100k_base", budget: { maxTokens: 700 } },
    ...Object.values(presets).map((preset) => ({
      ...preset,
      request: "so?",
      now: START + 90_000_000,
      timeZone: "Europe/Berlin",
    })),
  ];
  const results = async ({ store, list }) => {
    const session = await openSession("web:main", { store });
    await session.append(conversation(500));
    const found = [];
    for (const config of list) {
      const { messages, text, snapshot, tokens, trace } = await session.build({ ...config, turnId: "t" });
      found.push({ messages, text, snapshot, tokens, trace });
    }
    await session.close();
    return JSON.stringify(found);
  };
  // The same function runs in both.
  const there = `(${results.toString()})({ store: indexedDbStore({ name: "same" }), list: ${JSON.stringify(configs)} })`;
  const inPage = await page.evaluate(there);
  assert.equal(inPage, await results({ store: memoryStore(), list: configs }));
});

test("conversations with tools and oddities, presets with hooks, and imports are the same too", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const inNode = await runSessionCases(memoryStore());
  const inPage = await page.evaluate(() => runSessionCases(indexedDbStore({ name: "cases" })));
  assert.equal(inPage, inNode);
  const contexts = JSON.parse(inNode).map(([, , context]) => context);
  assert.ok(contexts.every(({ code }) => code === undefined));
  assert.ok(
    contexts.some(({ recording }) => recording.read.length === 2),
    "not all of a log was read",
  );
});

test("a search finds the same as in Node", async (t) => {
  const page = await site.page({ in: await contextOf(t) });
  const inPage = await page.evaluate(() => runSearchCases(indexedDbStore({ name: "searches" })));
  assert.deepEqual(inPage, await runSearchCases(memoryStore()));
});
