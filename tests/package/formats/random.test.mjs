// Random conversations: every provider's body keeps every rule, and contains everything that was said, once and in
// order.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countTokens, loadEncoding, problemsOf, providers, requestOf } from "windrow";
import { randomConversation } from "../support/conversations.mjs";
import { forEachSeed } from "../support/property.mjs";
import { deepFreeze } from "../support/transcripts.mjs";

/** Kinds of media that each provider accepts, in addition to the conversations' usual contents. */
const TAKEN = {
  openai: { media: ["image", "file", "audio"] },
  "openai-responses": { mediaIn: ["user", "tool"] },
  anthropic: { mediaIn: ["user", "tool"], hosted: true },
  gemini: { media: ["image", "file", "audio"], mediaIn: ["user", "tool"] },
  // Bedrock refuses a document without a text next to it and an image by URL. Other formats cover these.
  bedrock: { media: [], mediaIn: [] },
  "ai-sdk": { media: ["image", "file", "audio"], hosted: true },
  // Media for these providers are tested with the formats, which embed image bytes.
  chrome: { media: [], mediaIn: [] },
  "web-llm": { media: [], mediaIn: [] },
};

/** Returns the marks in a body, in order. */
function marksIn(body) {
  return Array.from(JSON.stringify(body).matchAll(/zq\d+qz/g), ([mark]) => mark);
}

/** Checks that a list has these marks in this order. */
function checkOrder(found, marks, what) {
  const wanted = new Set(marks);
  assert.deepEqual(
    found.filter((mark) => wanted.has(mark)),
    marks,
    what,
  );
}

/** Marks in the order of a body: results follow the order of their calls. */
function inOrderOfCalls(marks) {
  const calls = marks.filter(({ kind }) => kind === "call").map(({ mark }) => mark);
  const results = marks.filter(({ kind }) => kind === "result");
  return calls.flatMap((call) => results.filter(({ of }) => of === call)).map(({ mark }) => mark);
}

for (const { name } of providers) {
  describe(`bodies for ${name}`, () => {
    test("random conversations keep every rule, and nothing is lost, repeated or reordered", () => {
      forEachSeed((random) => {
        const { messages, marks } = randomConversation(random, TAKEN[name]);
        const body = requestOf(name, messages);
        assert.deepEqual(problemsOf(name, body), []);
        const found = marksIn(body);
        const of = (...kinds) => marks.filter(({ kind }) => kinds.includes(kind)).map(({ mark }) => mark);
        const said = [...of("text", "system", "media", "call"), ...of("result")];
        assert.deepEqual(
          found.filter((mark) => said.includes(mark)).toSorted(),
          said.toSorted(),
          "each text, call and result is there once",
        );
        checkOrder(found, of("text"), "texts");
        checkOrder(found, of("system"), "instructions");
        checkOrder(found, of("call"), "calls");
        checkOrder(found, inOrderOfCalls(marks), "results");
        for (const { mark, of: call } of marks.filter(({ kind }) => kind === "result")) {
          assert.ok(found.indexOf(call) < found.indexOf(mark), "a call is before its result");
        }
        if (name.startsWith("openai")) {
          checkOrder(found, of("text", "system"), "instructions stay in their place");
        }
      });
    });

    test("reasoning occurs at most once, and only if the provider accepts it back", () => {
      forEachSeed((random) => {
        const { messages, marks } = randomConversation(random, TAKEN[name]);
        const found = marksIn(requestOf(name, messages));
        const thoughts = marks.filter(({ kind }) => kind === "reasoning").map(({ mark }) => mark);
        const kept = found.filter((mark) => thoughts.includes(mark));
        assert.equal(new Set(kept).size, kept.length);
        assert.ok(!["openai", "chrome", "web-llm"].includes(name) || kept.length === 0);
        // JSON escapes a lone surrogate. Signed reasoning that has one is left out.
        const isWhole = !/\\ud[89a-f]/.test(JSON.stringify(messages));
        assert.ok(name !== "ai-sdk" || !isWhole || kept.length === thoughts.length);
      });
    });

    test("the messages are unchanged, and the same messages make the same body", () => {
      forEachSeed((random, seed) => {
        const { messages } = randomConversation(random, { ...TAKEN[name], media: ["image"] });
        const before = structuredClone(messages.map(withoutAddresses));
        const body = requestOf(name, deepFreeze(messages));
        assert.deepEqual(structuredClone(messages.map(withoutAddresses)), before, `seed ${seed}`);
        assert.deepEqual(requestOf(name, messages), body);
      });
    });
  });
}

/** A message without values that can't be cloned. A `URL` is never changed. */
function withoutAddresses(message) {
  return JSON.parse(JSON.stringify(message));
}

test("the generator's conversations are read by the engine too", async () => {
  await loadEncoding("o200k_base");
  forEachSeed((random) => {
    const { messages } = randomConversation(random, { media: ["image", "file", "audio"], mediaIn: ["user", "tool"] });
    assert.ok(countTokens(messages, { encoding: "o200k_base" }).tokens > 0);
  });
});
