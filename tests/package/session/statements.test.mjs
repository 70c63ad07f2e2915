// Lasting statements can be listed and forgotten, in every tab and permanently. The log doesn't change.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession } from "windrow";
import { secrets } from "windrow/redact";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

/** @type {"estimate"} */
const encoding = "estimate";
const START = Date.UTC(2026, 2, 1, 8);
const SAID = [
  ["health", "I have a severe peanut allergy."],
  ["fact", "My daughter is called Ilse."],
  ["fact", "Ich wohne in einem Dorf bei Kassel."],
  ["instruction", "Please use tabs, not spaces."],
];
const REQUEST = "How tall can a birch tree grow?";
const config = { encoding, request: REQUEST, budget: { maxTokens: 500 } };

/** A chat about trees. Now and then the user says something lasting, alone or among other things. */
function chatOf(random, { length = random.integer(60, 120), named = true } = {}) {
  const said = SAID.filter((_, at) => at === 0 || random.chance(0.6));
  const messages = Array.from({ length }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: at % 2 === 0 ? `Does birch number ${at} grow near the lake?` : `Birch ${at} grows on the north shore.`,
  }));
  const statements = said.map(([kind, sentence]) => {
    const at = 2 * random.integer(0, Math.floor(length / 8));
    const isAlone = random.chance(0.6);
    return { kind, sentence, at, isAlone };
  });
  const placed = statements.filter(({ at }, index) => statements.findIndex((it) => it.at === at) === index);
  for (const { sentence, at, isAlone } of placed) {
    messages[at].content = isAlone ? sentence : `${sentence} ${messages[at].content}`;
  }
  const dated = messages.map((message, at) => ({
    ...message,
    ...(named && { id: `m${at}` }),
    createdAt: new Date(START + at * 60_000).toISOString(),
  }));
  return { messages: dated, placed: placed.toSorted((one, other) => one.at - other.at) };
}

const textOf = (context) => JSON.stringify(context.messages);
const facts = (statements) => statements.map(({ kind, sentence, seq }) => [kind, sentence, seq]);

describe("the statements of a session", () => {
  test("are listed with their kind and place, however the log came to be read", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const { messages, placed } = chatOf(random, { length: random.integer(20, 900) });
      let session = await openSession("web:main", { store });
      await session.append(messages);
      if (random.chance(0.5)) {
        await session.build(config);
      }
      if (random.chance(0.5)) {
        await session.close();
        session = await openSession("web:main", { store });
      }
      const listed = await session.statements();
      assert.deepEqual(
        facts(listed),
        placed.map(({ kind, sentence, at }) => [kind, sentence, at + 1]),
      );
      for (const { seq, message, messageId, createdAt, sessionKey } of listed) {
        assert.equal(message.content, messages[seq - 1].content);
        assert.deepEqual([messageId, createdAt, sessionKey], [`m${seq - 1}`, messages[seq - 1].createdAt, "web:main"]);
        assert.equal(session.seqOf(message), seq);
      }
      assert.deepEqual(await session.statements({ forgotten: true }), []);
      await session.close();
    });
  });

  test("mark the earlier ones that a later one replaces", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    const append = (content) => session.append({ role: "user", content });
    await append("I never eat cheese, fish or eggs.");
    await append("I only eat fish, eggs or cheese.");
    await append("I have a severe peanut allergy.");
    await append("I have a severe peanut allergy.");
    const listed = await session.statements();
    assert.deepEqual(
      listed.map(({ seq, replacedBy }) => [seq, replacedBy]),
      [
        [1, 2],
        [2, undefined],
        [3, 4],
        [4, undefined],
      ],
    );
    // Forgetting a statement also forgets the earlier ones that it replaced.
    await session.forget(listed[1]);
    assert.deepEqual(facts(await session.statements({ forgotten: true })).length, 2);
    await session.forget(listed[3]);
    assert.deepEqual(await session.statements(), []);
    await session.close();
  });

  test("are those of the user who asks, and nobody else's", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    await session.append([
      { role: "user", name: "Ana", content: SAID[0][1] },
      { role: "assistant", content: SAID[1][1] },
      { role: "user", name: "Mallory", content: SAID[2][1] },
      { role: "user", name: "Ana", sessionId: "other", content: SAID[3][1] },
      { role: "user", name: "Ana", content: "How tall is it?" },
    ]);
    assert.deepEqual(facts(await session.statements()), [[...SAID[0], 1]]);
    const others = await session.statements({ name: "Mallory" });
    assert.deepEqual(facts(others), [[...SAID[2], 3]]);
    await session.forget(others[0]);
    assert.deepEqual(await session.statements({ name: "Mallory" }), []);
    assert.equal((await session.statements()).length, 1);
    await session.close();
  });
});

describe("the forgotten statements", () => {
  test("are in no later build, in any tab or after a reload, and replays are the same", async () => {
    let [told, kept, cases] = [0, 0, 0];
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const { messages, placed } = chatOf(random, { named: random.chance(0.7) });
      const session = await openSession("web:main", { store });
      // Messages without ids come from a file.
      if (messages[0].id === undefined) {
        await session.import(messages.map((message) => JSON.stringify(message)).join("\n"));
      } else {
        await session.append(messages);
      }
      const other = await openSession("web:main", { store });
      await other.build(config);
      const before = await session.build(config);
      const log = JSON.stringify(await session.messages());
      const listed = await session.statements();
      const at = random.integer(0, listed.length - 1);
      const statement = listed[at];
      told += textOf(before).includes(statement.sentence) ? 1 : 0;
      cases += 1;
      await (random.chance(0.5) ? session : other).forget(statement);

      const reloaded = await openSession("web:main", { store });
      for (const tab of [session, other, reloaded]) {
        assert.deepEqual(facts(await tab.statements()), facts(listed.toSpliced(at, 1)));
        assert.deepEqual(facts(await tab.statements({ forgotten: true })), facts([statement]));
        const context = await tab.build(config);
        assert.ok(!textOf(context).includes(statement.sentence));
        assert.ok((await tab.replay(context.recording)).same);
        // If everything fits, only a message that says nothing else is left out.
        const whole = await tab.build({ encoding });
        assert.equal(textOf(whole).includes(statement.sentence), !placed[at].isAlone);
        assert.ok((await tab.replay(whole.recording)).same);
      }
      assert.ok((await session.replay(before.recording)).same);
      assert.equal(JSON.stringify(await session.messages()), log);

      await session.remember((await session.statements({ forgotten: true }))[0]);
      for (const tab of [session, other, reloaded]) {
        assert.deepEqual(facts(await tab.statements()), facts(listed));
        assert.deepEqual(textOf(await tab.build(config)), textOf(before));
      }
      kept += 1;
      await Promise.all([session, other, reloaded].map((tab) => tab.close()));
    });
    assertShare(told, cases, 4, "were in the prompt before");
    assert.equal(kept, cases);
  });

  test("are remembered again if the user says them again", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    await session.append({ role: "user", content: SAID[0][1] });
    await session.forget((await session.statements())[0]);
    await session.append({ role: "user", content: SAID[0][1] });
    assert.deepEqual(facts(await session.statements()), [[...SAID[0], 3]]);
    await session.close();
  });

  test("stay forgotten in a fork, and in the file of the session", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const { messages } = chatOf(random);
      const session = await openSession("web:main", { store });
      await session.append(messages);
      const [statement] = await session.statements();
      await session.forget(statement);
      const last = (await session.info()).logs.transcript.lastSeq;
      const copies = [await session.fork(last), await openSession("copy", { store })];
      await copies[1].import(await session.export());
      for (const copy of copies) {
        assert.deepEqual(
          (await copy.statements({ forgotten: true })).map(({ sentence }) => sentence),
          [statement.sentence],
        );
        assert.ok(!textOf(await copy.build(config)).includes(statement.sentence));
        await copy.close();
      }
      await session.clear();
      assert.deepEqual(await session.statements({ forgotten: true }), []);
      await session.close();
    });
  });

  test("are in no recording with a redactor, and aren't part of a handoff", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    const secret = "sk-proj-1234567890abcdefghijklmnopqrstuvwxyzABCDEF";
    await session.append({ role: "user", content: `From now on, always use the key ${secret}.` });
    await session.append(chatOf(new Random(1)).messages);
    const [statement] = await session.statements();
    assert.ok(statement.sentence.includes(secret));
    assert.ok(JSON.stringify((await session.handoff({ task: "Look.", maxTokens: 300 })).context).includes(secret));
    await session.forget(statement);
    assert.ok(!textOf((await session.handoff({ task: "Look.", maxTokens: 300 })).context).includes(secret));
    const context = await session.build({ ...config, redact: secrets });
    assert.ok(!JSON.stringify([context.recording, context.snapshot, context.trace]).includes(secret));
    assert.ok(!textOf(context).includes("From now on"));
    await session.close();
  });

  test("are reported to subscribers in every tab, in order with appended messages", async () => {
    await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const tabs = [await openSession("web:main", { store }), await openSession("web:main", { store })];
      await tabs[0].append(chatOf(random).messages);
      /** @type {string[][]} */
      const heard = tabs.map(() => []);
      for (const [at, tab] of tabs.entries()) {
        tab.subscribe(({ kind }) => heard[at].push(kind));
      }
      const done = [];
      for (let step = 0; step < 6; step++) {
        const tab = random.pick(tabs);
        const forgotten = random.chance(0.4);
        const [statement] = await tab.statements({ forgotten });
        if (statement === undefined || random.chance(0.3)) {
          await tab.append({ role: "user", content: `Is birch ${step} tall?` });
          done.push("append");
        } else {
          await (forgotten ? tab.remember(statement) : tab.forget(statement));
          done.push("statements");
        }
        await new Promise(setImmediate);
      }
      assert.deepEqual(heard, [done, done]);
      await Promise.all(tabs.map((tab) => tab.close()));
    });
  });

  test("must be among the statements of the session", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    const other = await openSession("other", { store: memoryStore() });
    await session.append({ role: "user", content: SAID[0][1] });
    await other.append({ role: "user", content: SAID[0][1] });
    const [foreign] = await other.statements();
    for (const given of [foreign, undefined, null, "peanuts", {}, { sentence: "I like tea.", seq: 1 }]) {
      checkContextError(await errorOf(() => session.forget(wrong(given))), {
        kind: "session_error",
        code: "INVALID_SESSION",
      });
      checkContextError(await errorOf(() => session.remember(wrong(given))), {
        kind: "session_error",
        code: "INVALID_SESSION",
      });
    }
    for (const options of [{ forgotten: 1 }, { name: 2 }, { naem: "Ana" }]) {
      checkContextError(await errorOf(() => session.statements(wrong(options))), {
        kind: "session_error",
        code: "INVALID_CONFIG",
      });
    }
    await session.close();
    await other.close();
  });
});

describe("statements of other sessions", () => {
  const keys = ["home", "work", "stranger"];

  /** Three sessions in a store, each with something lasting. */
  async function storeOf(random, name) {
    const store = memoryStore();
    const said = {};
    for (const [at, key] of keys.entries()) {
      const session = await openSession(key, { store });
      const { messages } = chatOf(random);
      const mark = `I am allergic to zq${at}qz nuts.`;
      const user = (content) => ({ role: "user", content, ...(name !== undefined && { name }) });
      await session.append([...messages.filter(({ role }) => role === "assistant"), user(mark), user("Does it snow?")]);
      said[key] = mark;
      await session.close();
    }
    return { store, said };
  }

  test("are included if the caller names the sessions, and never otherwise", async () => {
    await forEachSeedAsync(async (random) => {
      const name = random.pick([undefined, "Ana"]);
      const { store, said } = await storeOf(random, name);
      const statementsFrom = keys.filter(() => random.chance(0.5));
      const asker = random.pick([name, name, "Mallory"]);
      const session = await openSession("new", { store, statementsFrom: [...statementsFrom, "new", "none"] });
      await session.append({ role: "user", content: REQUEST, ...(asker !== undefined && { name: asker }) });
      const context = await session.build({ encoding, budget: { maxTokens: random.pick([400, 4000]) } });
      const text = textOf(context);
      for (const key of keys) {
        const isNamed = statementsFrom.includes(key) && asker === name;
        assert.equal(text.includes(said[key]), isNamed, `${key} of ${statementsFrom} for ${asker}`);
      }
      const section = context.sections.find(({ id }) => id === "statements");
      const origins = (section?.items ?? []).map(({ id }) => id.split("#")[0]);
      assert.deepEqual(origins, asker === name ? keys.filter((key) => statementsFrom.includes(key)) : []);
      assert.ok((await session.replay(context.recording)).same);
      assert.deepEqual(await session.statements(), []);

      // After its own session has forgotten it, no other session shows it.
      if (statementsFrom.length > 0 && asker === name) {
        const key = random.pick(statementsFrom);
        const other = await openSession(key, { store });
        await other.forget((await other.statements()).find(({ sentence }) => sentence === said[key]));
        assert.ok(!textOf(await session.build({ encoding })).includes(said[key]));
        assert.ok((await session.replay(context.recording)).same);
        await other.close();
      }
      await session.close();
    });
  });

  test("take no more than their share, health first, in the place that a section sets", async () => {
    const store = memoryStore();
    const other = await openSession("other", { store });
    const liked = Array.from({ length: 300 }, (_, at) => ({ role: "user", content: `I love the book number ${at}.` }));
    await other.append([{ role: "user", content: SAID[0][1] }, ...liked]);
    const session = await openSession("web:main", { store, statementsFrom: ["other"] });
    await session.append({ role: "user", content: REQUEST });
    const tokensOf = async (options) => {
      const context = await session.build({ encoding, budget: { maxTokens: 1000 }, ...options });
      return { context, tokens: context.tokens.sections.find(({ id }) => id === "statements")?.tokens ?? 0 };
    };
    const { context, tokens } = await tokensOf({});
    assert.ok(tokens > 0 && tokens <= 270, `${tokens}`);
    assert.ok(textOf(context).includes(SAID[0][1]));
    assert.equal(context.messages[0].role, "user");
    assert.equal((await tokensOf({ recall: { maxStatementShare: 0 } })).tokens, 0);
    const sections = [
      { id: "history", kind: "history" },
      { id: "statements", kind: "items", role: "system", limit: { tokens: 40 } },
      { id: "request", kind: "request" },
    ];
    const own = await tokensOf({ sections });
    assert.ok(own.tokens > 0 && own.tokens <= 60, `${own.tokens}`);
    assert.ok(textOf(own.context).includes(SAID[0][1]));
    await session.close();
    await other.close();
  });

  test("need valid keys", async () => {
    for (const statementsFrom of ["other", [1], [""]]) {
      const failure = await errorOf(() =>
        openSession("a", { store: memoryStore(), statementsFrom: wrong(statementsFrom) }),
      );
      const isList = Array.isArray(statementsFrom);
      const [kind, code] = isList ? ["store_error", "INVALID_SESSION"] : ["session_error", "INVALID_CONFIG"];
      checkContextError(failure, { kind, code });
    }
  });
});
