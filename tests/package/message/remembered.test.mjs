// The parts of an array that are compared again if it was seen before.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, buildContextSync } from "windrow";
import { Random } from "../support/random.mjs";

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
/** Number of the newest messages that are always compared. */
const REACH = 1024;

const text = (random) => Array.from({ length: random.integer(3, 12) }, () => random.pick(WORDS)).join(" ");

/** @returns {any} */
function messageFrom(random, index) {
  return { id: `m${index}`, role: index % 2 === 0 ? "user" : "assistant", content: text(random) };
}

function chat(random, length) {
  return Array.from({ length }, (_, index) => messageFrom(random, index));
}

/** @returns {import("windrow").SyncContextConfig & { render?: undefined }} */
const config = (/** @type {import("windrow").Ranking} */ ranking = "recency") => ({
  encoding: "estimate",
  budget: { maxTokens: 600 },
  recall: { ranking },
  request: "where was the violin of the plumber?",
  now: 0,
});

/** The contents of a context, with messages by their fields. */
function said({ messages, tokens, trace }) {
  const fates = trace.ranges.map(({ first, last, fate }) => [first, last, fate]);
  return JSON.stringify([messages, tokens.total, fates]);
}

/** The same for messages about which nothing is remembered. */
const fresh = (messages, options) => said(buildContextSync(structuredClone(messages), options));

describe("an array that was seen before", () => {
  test("a changed field within the reach is seen", () => {
    const messages = chat(new Random(1), 3000);
    for (const position of [2999, 2998, 2990, 3000 - REACH]) {
      buildContextSync(messages, config());
      messages[position].content = "the violin of the plumber was in the harbour, in the harbour of the plumber";
      for (const ranking of /** @type {const} */ (["recency", "relevance"])) {
        const context = buildContextSync(messages, config(ranking));
        assert.equal(said(context), fresh(messages, config(ranking)), `${position}, ${ranking}`);
      }
    }
  });

  test("before it, the context's messages are compared, so that counts are right", async () => {
    for (const ranking of /** @type {const} */ (["recency", "relevance"])) {
      const messages = chat(new Random(2), 3000);
      messages[5].pinned = true;
      messages[6].content = "The zeppelin of the astronomer stood behind the lighthouse.";
      const options = { ...config(ranking), request: "where was the zeppelin of the astronomer?" };
      const before = buildContextSync(messages, options);
      assert.ok(before.kept.includes(messages[5]));
      assert.equal(before.kept.includes(messages[6]), ranking === "relevance");
      for (const position of [5, 6]) {
        messages[position].content = `${messages[position].content} ${"and the candle in the window ".repeat(9)}`;
        for (const build of /** @type {Function[]} */ ([buildContextSync, buildContext])) {
          const context = await build(messages, options);
          assert.equal(context.kept.includes(messages[position]), position === 5 || ranking === "relevance");
          assert.equal(said(context), fresh(messages, options));
        }
      }
    }
  });

  test("before it, messages outside the context aren't read again while they are the same objects", () => {
    const messages = chat(new Random(3), 3000);
    const before = said(buildContextSync(messages, config("relevance")));
    let reads = 0;
    const changed = messages.findIndex(({ content }) => !content.includes("violin") && !content.includes("plumber"));
    assert.ok(changed < 3000 - REACH);
    Object.defineProperty(messages[changed], "content", {
      enumerable: true,
      get: () => {
        reads += 1;
        return "the violin of the plumber";
      },
    });
    assert.equal(said(buildContextSync(messages, config("relevance"))), before);
    assert.equal(reads, 0);
    // A new object in its place is a new message.
    messages[changed] = { ...messages[changed] };
    assert.equal(said(buildContextSync(messages, config("relevance"))), fresh(messages, config("relevance")));
    assert.ok(reads > 0);
  });

  test("a message that always differs doesn't cause an endless loop", () => {
    const messages = chat(new Random(4), 2000);
    let count = 0;
    messages[3] = {
      role: "user",
      pinned: true,
      get content() {
        count += 1;
        return "word ".repeat(count % 7);
      },
    };
    for (let turn = 0; turn < 5; turn++) {
      assert.ok(buildContextSync(messages, config()).messages.includes(messages[3]));
    }
  });

  test("200 lists with random changes return the same as when they are new", () => {
    let inPlace = 0;
    for (let seed = 0; seed < 20; seed++) {
      const random = new Random(seed);
      let messages = chat(random, random.integer(REACH - 20, REACH + 400));
      messages[random.integer(0, 20)].pinned = true;
      for (let turn = 0; turn < 10; turn++) {
        const ranking = random.pick(["recency", "relevance"]);
        const position = random.integer(0, messages.length - 1);
        const first = messages.length - REACH;
        const change = random.integer(0, 5);
        let isSeen = true;
        if (change === 0) {
          messages = [...messages, messageFrom(random, 5000 + seed * 10 + turn)];
        } else if (change === 1) {
          messages = messages.with(position, { ...messages[position], content: text(random) });
        } else if (change === 2) {
          messages = messages.toSpliced(position, random.integer(0, 3));
        } else if (change === 3) {
          messages = messages.toSpliced(position, 0, messageFrom(random, 9000 + seed * 10 + turn));
        } else if (change === 4) {
          messages = messages.map((message) => ({ ...message }));
        } else {
          isSeen = position >= first;
          messages[position].content = text(random);
          inPlace += Number(!isSeen);
        }
        const context = buildContextSync(messages, config(ranking));
        const whole = buildContextSync(structuredClone(messages), config(ranking));
        assert.equal(context.tokens.total <= 600, true);
        if (isSeen) {
          assert.equal(said(context), said(whole), `seed ${seed}, turn ${turn}`);
        } else {
          // The whole content is counted.
          const alone = buildContextSync(structuredClone(context.kept), { ...config(), budget: { maxTokens: 5000 } });
          assert.equal(context.tokens.total, alone.tokens.total, `seed ${seed}, turn ${turn}`);
          messages = structuredClone(messages);
        }
      }
    }
    assert.ok(inPlace > 3, `${inPlace} changes in place before the reach`);
  });
});
