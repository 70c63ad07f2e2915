// Builds in a worker, over a channel that clones values like a worker's. They equal builds in the page.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { buildContext, createTranscript, loadEncoding } from "windrow";
import { connectWorker } from "windrow/worker";
import { serveWorker } from "windrow/worker/thread";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { forEachSeedAsync } from "../support/property.mjs";

before(() => loadEncoding("o200k_base"));

/** @type {{ close(): void }[]} */
const opened = [];
after(() => {
  for (const one of opened) {
    one.close();
  }
});

function connected() {
  const { port1, port2 } = new MessageChannel();
  serveWorker(/** @type {any} */ (port2));
  const engine = connectWorker(/** @type {any} */ (port1));
  opened.push(engine);
  return engine;
}

/** @param {number} count @returns {any[]} */
const chat = (count) =>
  Array.from({ length: count }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} about ${at % 7 === 0 ? "the deposit" : "seats"}. ${"word ".repeat(at % 30)}`,
  }));

const fieldsOf = (/** @type {any} */ context) => {
  const { text, messages, kept, tokens, charCount, trimmed, sections, focus, recall, trace, snapshot, outline } =
    context;
  const { cacheBreakpoints, recording } = context;
  const data = { text, messages, kept, tokens, charCount, trimmed, sections, focus, recall, trace, snapshot, outline };
  return JSON.parse(JSON.stringify({ ...data, cacheBreakpoints, recording }));
};

describe("a build in a worker", () => {
  test("equals the page's build, for random arrays and configs, with the caller's own objects", async () => {
    const engine = connected();
    await forEachSeedAsync(async (random) => {
      const messages = chat(random.integer(1, random.chance(0.1) ? 500 : 60));
      const config = {
        model: "gpt-4o",
        turnId: "turn",
        now: 0,
        budget: { maxTokens: random.integer(150, 2000) },
        ...(random.chance(0.3) ? { request: "What was said of the deposit?" } : {}),
        ...(random.chance(0.3) ? { render: { format: /** @type {const} */ ("text") } } : {}),
        ...(random.chance(0.3) ? { recall: { ranking: /** @type {const} */ ("relevance") } } : {}),
      };
      for (const length of [messages.length, random.integer(1, messages.length), messages.length]) {
        const given = messages.slice(0, length);
        const [there, here] = await Promise.all([
          engine.buildContext(given, /** @type {any} */ (config)),
          buildContext(given, /** @type {any} */ (config)),
        ]);
        assert.deepEqual(fieldsOf(there), fieldsOf(here));
        assert.ok(there.kept.every((/** @type {any} */ message) => given.includes(message)));
        if (here.text === undefined) {
          assert.deepEqual(await there.request("openai"), here.request("openai"));
        }
        assert.deepEqual(await there.explain(0), here.explain(0));
      }
    });
  });

  test("over a transcript that changes while builds wait uses the objects of each moment", async () => {
    const engine = connected();
    const messages = chat(40);
    const transcript = engine.createTranscript(messages.slice(0, 10));
    const own = createTranscript(messages.slice(0, 10));
    const config = { budget: { maxTokens: 400 } };
    const builds = [];
    for (let at = 10; at < 40; at += 3) {
      void transcript.append(messages.slice(at, at + 3));
      own.append(messages.slice(at, at + 3));
      if (at % 2 === 0) {
        void transcript.truncate(at - 2);
        own.truncate(at - 2);
      }
      builds.push([engine.buildContext(transcript, config), await buildContext(own, config)]);
    }
    for (const [there, here] of builds) {
      const built = await there;
      assert.deepEqual(fieldsOf(built).kept, fieldsOf(here).kept);
      assert.ok(built.kept.every((/** @type {any} */ message) => messages.includes(message)));
    }
    await transcript.replaceLast({ id: "last", role: "user", content: "And now?" });
    own.replaceLast({ id: "last", role: "user", content: "And now?" });
    assert.deepEqual(transcript.messages, own.messages);
  });

  test("asks hooks in the page, which see the caller's own objects and may choose them", async () => {
    const engine = connected();
    const messages = chat(30);
    /** @type {any[]} */
    const seen = [];
    const select = (/** @type {any} */ { candidates, signal, request }) => {
      assert.ok(signal instanceof AbortSignal);
      seen.push(...candidates.flatMap((/** @type {any} */ candidate) => candidate.messages));
      return request.includes("seats") ? [] : [candidates[0], candidates[1].messages[0]];
    };
    const config = { budget: { maxTokens: 600 }, triage: { select }, request: "The deposit?", turnId: "turn", now: 0 };
    const there = await engine.buildContext(messages, /** @type {any} */ (config)).catch((error) => error);
    const here = await buildContext(messages, /** @type {any} */ (config)).catch((error) => error);
    assert.deepEqual([there.code, there.message], [here.code, here.message]);
    assert.equal(there.code, undefined, there.message);
    assert.deepEqual(fieldsOf(there), fieldsOf(here));
    assert.ok(seen.length > 0 && seen.every((message) => messages.includes(message)));
  });

  test("tells a hook that its answer is no longer needed, and fails with ABORTED", async () => {
    const engine = connected();
    const controller = new AbortController();
    /** @type {AbortSignal | undefined} */
    let told;
    const embed = (/** @type {any} */ _, /** @type {any} */ { signal }) => {
      told = signal;
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => {});
    };
    const building = engine.buildContext(chat(20), {
      budget: { maxTokens: 100 },
      recall: { embed, ranking: "relevance" },
      request: "deposit",
      signal: controller.signal,
    });
    checkContextError(await errorOf(() => building), { kind: "context_build_error", code: "ABORTED" });
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(told?.aborted, true);
  });

  test("sends instances of a class as their JSON, and returns them", async () => {
    const engine = connected();
    const messages = [new HumanMessage("How many seats?"), new AIMessage("Forty."), new HumanMessage("And the price?")];
    const there = await engine.buildContext(messages, { budget: { maxTokens: 500 } });
    assert.deepEqual(there.kept, messages);
    assert.equal(there.kept[0], messages[0]);
    const here = await buildContext(messages, { budget: { maxTokens: 500 } });
    assert.deepEqual(await there.request("openai"), here.request("openai"));
  });
});

describe("errors of a worker", () => {
  test("equal the page's, and the next call works", async () => {
    const engine = connected();
    const config = { budget: { maxTokens: 3 } };
    const there = await errorOf(() => engine.buildContext(chat(3), config));
    const here = await errorOf(() => buildContext(chat(3), config));
    assert.deepEqual(there.toJSON(), here.toJSON());
    const bad = /** @type {any} */ ({ id: "bad", role: "user", content: "x", onClick() {} });
    checkContextError(await errorOf(() => engine.buildContext([...chat(2), bad])), {
      kind: "context_build_error",
      code: "INVALID_TRANSCRIPT",
      message: /^the message "bad" can't be sent/,
    });
    const secret = /** @type {any} */ ({ redact: { any: "thing" } });
    checkContextError(await errorOf(() => engine.buildContext(chat(2), secret)), {
      code: "INVALID_CONFIG",
      path: "redact",
    });
    const misspelled = await errorOf(() => engine.buildContext(chat(2), /** @type {any} */ ({ budgt: {} })));
    assert.equal(misspelled.code, "INVALID_CONFIG");
    const transcript = engine.createTranscript(/** @type {any} */ ([{ role: "nobody" }]));
    checkContextError(await errorOf(() => engine.buildContext(transcript)), { kind: "transcript_error" });
    assert.equal((await engine.buildContext(chat(2))).kept.length, 2);
  });

  test("report a closed worker, or a script that failed", async () => {
    const engine = connected();
    const building = engine.buildContext(chat(2));
    engine.close();
    checkContextError(await errorOf(() => building), { code: "ABORTED" });
    checkContextError(await errorOf(() => engine.buildContext(chat(2))), { code: "ABORTED" });
  });
});
