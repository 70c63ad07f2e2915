// Questions that bring their replies, and replies that bring their questions.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, buildContextSync, createTranscript, loadEncoding, replay } from "windrow";

before(() => loadEncoding("o200k_base"));

const START = Date.UTC(2025, 1, 10, 17);
const REPLY = "The greenhouse pump needs a valve of brass.";
const page = [
  ...Array.from({ length: 40 }, (_, bed) => `Bed ${bed} gets seeds of the sort ${bed} in spring.`),
  "It takes a valve of brass.",
  ...Array.from({ length: 40 }, (_, bed) => `Bed ${bed} gets water at noon.`),
].join("\n");

/** A chat about journeys a week ago: m4 asks, and m5 replies. */
function chatWith(question, reply) {
  const contents = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0 ? `Which pump is on train ${at}?` : `Number ${at} is the one by the sea.`,
  );
  contents.splice(4, 2, question, reply);
  return contents.map((content, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? "user" : "assistant",
    content,
    createdAt: START + at,
  }));
}

const config = (recall, maxTokens = 90) => ({
  request: "Which valve does the greenhouse pump need?",
  now: START + 9 * 86_400_000,
  budget: { maxTokens },
  recall: { recentMessages: 0, ...recall },
});

describe("a question and its reply", () => {
  test("a reply brings its question, and says so", () => {
    const asked =
      "And what would that one need there, now that all of it has been as it was for so long, and what came of it this year and the year before, with all that may yet come?";
    const messages = chatWith(asked, REPLY);
    const context = buildContextSync(messages, config({}));
    assert.ok(context.kept.includes(messages[4]) && context.kept.includes(messages[5]));
    assert.equal(context.explain("m5").reason, "recalled");
    const { fate, reason, words } = context.explain("m4");
    assert.deepEqual([fate, reason], ["kept", "paired"]);
    assert.match(words, /the question or the reply of another message in the prompt \(recall\.pairs\)/);
    const without = buildContextSync(messages, config({ pairs: { questions: false } }));
    assert.notEqual(without.explain("m4").reason, "paired");
  });

  test("a question brings as much of its reply as requested", () => {
    const messages = chatWith("Which valve does the greenhouse pump need, one of brass?", page);
    const context = buildContextSync(messages, config({ pairs: { replyTokens: 30 } }, 160));
    assert.deepEqual([context.explain("m5").fate, context.explain("m5").reason], ["excerpt", "paired"]);
    /** @type {any} */
    const copy = context.messages.find((/** @type {any} */ { id }) => id === "m5");
    assert.ok(copy.content.includes("It takes a valve of brass.") && copy.content.length < 300, copy.content);
    assert.ok(context.tokens.total <= 160);
    const whole = buildContextSync(messages, config({ pairs: { replyTokens: 30 }, excerpts: { enabled: false } }, 160));
    assert.equal(whole.explain("m5").fate, "left out");
  });

  test("a recording replays the same, however much was read", async () => {
    const messages = chatWith("Which valve does the greenhouse pump need, one of brass?", page);
    const transcript = createTranscript(messages);
    const context = await buildContext(transcript, config({ pairs: { replyTokens: 30 } }, 160));
    const again = await replay(context.recording, transcript);
    assert.equal(again.same, true);
    assert.deepEqual(again.context.messages, context.messages);
    transcript.free();
  });

  test("errors name the place of a wrong option", () => {
    for (const [pairs, path] of [
      [{ questions: "yes" }, "recall.pairs.questions"],
      [{ replyTokens: -1 }, "recall.pairs.replyTokens"],
      [{ reply: 1 }, "recall.pairs.reply"],
    ]) {
      assert.throws(() => buildContextSync([], config({ pairs })), { code: "INVALID_CONFIG", path });
    }
  });
});
