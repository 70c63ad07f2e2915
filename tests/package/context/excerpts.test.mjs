// Long messages that come in by the passages that the request is about.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, createTranscript, loadEncoding, replay } from "windrow";

before(() => loadEncoding("o200k_base"));

const START = Date.UTC(2025, 1, 10, 17);
const ANSWER = "The greenhouse pump needs a valve of brass. 🌱";
const others = (count, from = 0) =>
  Array.from({ length: count }, (_, at) => `Bed ${from + at} gets seeds of the sort ${from + at} in spring. 🌷`);
const page = ["🌻 A page about the garden.", ...others(60), ANSWER, ...others(60, 60)].join("\n");
const log = JSON.stringify([
  ...Array.from({ length: 200 }, (_, bed) => ({ bed })),
  { pump: "greenhouse", valve: "brass" },
]);

const tokensOf = (text) => countTokens(text).tokens;

/** A chat about something else, with messages put into it. */
function chatWith(...messages) {
  const line = (content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content });
  const before = Array.from({ length: 6 }, (_, at) => line(`We talk about journey ${at} by train.`, at));
  const behind = Array.from({ length: 6 }, (_, at) => line(`The tickets of journey ${at} are here.`, at));
  return [...before, ...messages, ...behind].map((message, at) => ({
    id: `m${at}`,
    createdAt: START + at,
    ...message,
  }));
}

const config = {
  request: "Which valve does the greenhouse pump need?",
  now: START + 9 * 86_400_000,
  budget: { maxTokens: 700 },
};

/** What a copy says at its gaps. */
const marksOf = (text, gaps) => gaps.map(({ start }) => /^\[… ([\d,]+) tokens? left out …\]/.exec(text.slice(start)));

describe("an excerpt", () => {
  test("is a marked copy that says where something is left out, and how much", () => {
    const messages = chatWith({ role: "assistant", content: page, model: "any" });
    const before = structuredClone(messages);
    const context = buildContextSync(messages, config);
    assert.deepEqual(messages, before);
    const copy = context.messages.find(({ excerpt }) => excerpt !== undefined);
    assert.ok(copy.content.includes(ANSWER) && copy.content.length < page.length / 2, copy.content);
    assert.deepEqual([copy.id, copy.model, copy.shortened], ["m6", "any", undefined]);
    const marks = marksOf(copy.content, copy.excerpt.gaps);
    const figures = marks.map((mark) => Number(mark?.[1].replace(",", "")));
    assert.deepEqual(
      figures,
      copy.excerpt.gaps.map(({ tokens }) => tokens),
    );
    // What is left out and what is there are about the whole: line ends between them are in neither.
    const there = marks.reduce((text, mark) => text.replace(mark[0], ""), copy.content);
    const sum = figures.reduce((all, tokens) => all + tokens, 0) + tokensOf(there);
    assert.ok(Math.abs(sum - tokensOf(page)) <= 2 * marks.length, `${sum} of ${tokensOf(page)}`);
    assert.ok(context.kept.includes(messages[6]));
    const { fate, words, tokens, shortenedText } = context.explain("m6");
    assert.equal(fate, "excerpt");
    assert.match(words, /; as an excerpt, without [\d,]+ of its tokens$/);
    assert.equal(shortenedText, copy.content);
    assert.ok(tokens < tokensOf(page) / 2);
  });

  test("leaves the shape of its message as it is", () => {
    const parts = [{ type: "text", text: page }];
    const context = buildContextSync(chatWith({ role: "assistant", content: parts }), config);
    const { content, excerpt } = context.messages.find((message) => message.excerpt !== undefined);
    assert.equal(content.length, 1);
    assert.ok(content[0].text.includes(ANSWER));
    assert.ok(marksOf(content[0].text, excerpt.gaps).every((mark) => mark !== null));
  });

  test("of a result is JSON, and its call is whole", () => {
    const call = { id: "c", name: "list_beds", arguments: { garden: "north ".repeat(50) } };
    const context = buildContextSync(
      chatWith({ role: "assistant", content: "", toolCalls: [call] }, { role: "tool", toolCallId: "c", content: log }),
      config,
    );
    const [asked, result] = context.messages.filter(({ id }) => id === "m6" || id === "m7");
    assert.deepEqual(asked.toolCalls, [call]);
    const shown = JSON.parse(result.content);
    assert.ok(shown.some(({ valve }) => valve === "brass"));
    assert.ok(shown.some((element) => typeof element === "string" && element.endsWith("tokens left out …]")));
    assert.equal(result.toolCallId, "c");
  });

  test("is the same in a replay, of a transcript and as a text", async () => {
    const messages = chatWith({ role: "assistant", content: page });
    for (const format of /** @type {const} */ (["messages", "text", "xml"])) {
      const context = await buildContext(messages, { ...config, render: { format } });
      assert.equal(context.explain("m6").fate, "excerpt");
      const again = await replay(JSON.parse(JSON.stringify(context.recording)), createTranscript(messages));
      assert.deepEqual([again.same, again.differences], [true, []]);
      assert.deepEqual([again.context.messages, again.context.text], [context.messages, context.text]);
      assert.equal(context.text?.includes(ANSWER) ?? true, true);
    }
  });

  test("is not made where it is switched off, or of other roles", () => {
    const messages = chatWith({ role: "assistant", content: page });
    for (const excerpts of /** @type {const} */ ([{ enabled: false }, { roles: ["tool"] }])) {
      const context = buildContextSync(messages, { ...config, recall: { excerpts } });
      assert.equal(context.explain("m6").fate, "left out");
    }
  });

  test("is made of nothing that only looks like one", () => {
    const content = `[… 12 tokens left out …]\n${ANSWER}`;
    const context = buildContextSync(chatWith({ role: "assistant", content, excerpt: undefined }), config);
    assert.equal(context.explain("m6").fate, "kept");
    assert.ok(context.messages.every(({ excerpt }) => excerpt === undefined));
  });
});
